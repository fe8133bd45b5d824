// From unpacked steps to one figure: places arrays, sets what differs at a step, chooses an arrangement.

/** @typedef {import("./types").Steps} Steps */
/** @typedef {import("./types").Figure} Figure */
/** @typedef {import("./types").Colours} Colours */
/** @typedef {import("./types").Path} Path */
/** @typedef {import("./types").Screen} Screen */

const PHONES = 640; // pixels of width below which a figure may be higher than the screen

/** One figure in one set of colours, which can be set to any step and row. */
export class Moving {
  /**
   * @param {Steps} steps
   * @param {Colours} colours what each colour becomes; null keeps them
   */
  constructor(steps, colours) {
    this.steps = steps;
    this.colours = colours;
    /** @type {Figure} */
    this.figure = resolve(steps.header.figure, steps.arrays, colours);
    this.changes = steps.header.changes.map(({ path, values, at }) => ({
      path,
      at,
      values: values.map((value) => resolve(value, steps.arrays, colours)),
    }));
  }

  /**
   * The figure at a step and a row. It is written into the figure itself: every step sets every path that
   * differs between steps, so nothing of another step is left, and nothing has to be copied.
   *
   * @param {number} step
   * @param {number} row
   * @returns {Figure}
   */
  at(step, row) {
    const { header, arrays } = this.steps;
    for (const { path, values, at } of this.changes) put(this.figure, path, values[at[step] ?? 0]);
    for (const { path, values, by_step } of header.cursor?.changes ?? []) {
      const rows = "@" in values ? arrays[values["@"]] : values;
      const value = by_step ? rows[step][row] : rows[row];
      put(this.figure, path, typeof value === "string" ? recolour(value, this.colours) : value);
    }
    for (const { path, of } of header.cursor?.copies ?? []) {
      put(this.figure, path, get(this.figure, of)[row]);
    }
    return this.figure;
  }

  /**
   * The size at which `fit` arranges each step; 0 pixels of height where the figure does not say.
   *
   * @param {number} width
   * @param {number} room
   * @returns {{ width: number, height: number }[]}
   */
  sizes(width, room) {
    const sizes = this.changes.filter(({ path }) => path[0] === "layout" && isSize(path));
    /** @type {any} */
    const layout = { height: this.figure.layout.height };
    const screens = this.figure.layout.meta?.screens;
    if (screens)
      layout.meta = {
        screens: screens.map((/** @type {Screen} */ { width, height }) => ({ width, height })),
      };
    return Array.from({ length: this.steps.header.n_steps }, (_, step) => {
      for (const { path, values, at } of sizes) put({ layout }, path, values[at[step] ?? 0]);
      const { meta, height = 0 } = layout;
      const screen = meta?.screens && choose(/** @type {Screen[]} */ (meta.screens), width, room);
      return screen ? { width: screen.width, height: screen.height } : { width, height };
    });
  }
}

/** Whether a path into a layout says how high an arrangement is, or holds what does. @param {Path} path */
function isSize(path) {
  const last = path[path.length - 1] ?? "";
  return path.length === 2
    ? last === "height" || last === "meta"
    : path[1] === "meta" &&
        (path.length < 5 || (typeof last === "string" && ["width", "height"].includes(last)));
}

/**
 * Copies the tree, puts arrays in their places and swaps colours; arrays themselves are shared.
 *
 * @param {any} value
 * @param {any[]} arrays
 * @param {Colours} colours
 * @returns {any}
 */
export function resolve(value, arrays, colours) {
  if (typeof value === "string") return recolour(value, colours);
  if (value === null || typeof value !== "object") return value;
  if (ArrayBuffer.isView(value)) return value;
  if ("@" in value) return arrays[value["@"]];
  if (isMatrix(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => resolve(inner, arrays, colours));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, resolve(inner, arrays, colours)]),
  );
}

/**
 * Rows of numbers or words: one array to Plotly, which recomputes a trace only when its identity changes.
 *
 * @param {any} value
 * @returns {boolean}
 */
function isMatrix(value) {
  if (!Array.isArray(value) || value.length === 0) return false;
  const [row] = value;
  return ArrayBuffer.isView(row) || isMatrix(row) || (Array.isArray(row) && typeof row[0] === "string");
}

/**
 * @param {string} text
 * @param {Colours} colours
 */
function recolour(text, colours) {
  if (!colours || !text.includes("#")) return text;
  return text.replace(/#[0-9A-F]{6}/g, (colour) => colours[colour] ?? colour);
}

/**
 * Sets one path; null takes it away.
 *
 * @param {any} figure
 * @param {Path} path
 * @param {any} value
 */
export function put(figure, path, value) {
  let node = figure;
  for (const part of path.slice(0, -1)) {
    node[part] ??= {};
    node = node[part];
  }
  const last = /** @type {string | number} */ (path[path.length - 1]);
  if (value === null && !Array.isArray(node)) delete node[last];
  else node[last] = value;
}

/**
 * @param {any} figure
 * @param {Path} path
 */
function get(figure, path) {
  return path.reduce((node, part) => node[part], figure);
}

/** @type {Map<string, Path>} */
const parsed = new Map();

/**
 * @param {string} path "xaxis2.domain", "annotations[3].xshift"
 * @returns {Path}
 */
function parsePath(path) {
  let found = parsed.get(path);
  if (!found) {
    found = (path.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    parsed.set(path, found);
  }
  return found;
}

/**
 * The widest arrangement that fits and, but for phones, is not too high.
 *
 * @template {{ width: number, height: number }} S
 * @param {S[]} screens by width
 * @param {number} width
 * @param {number} height
 * @returns {S | undefined}
 */
export function choose(screens, width, height) {
  const narrow = screens[0]?.width ?? 0;
  const fitting = screens.filter(
    (s) => s.width <= Math.max(width, narrow) && (s.width < PHONES || s.height <= height),
  );
  return fitting[fitting.length - 1] ?? screens[0];
}

/**
 * Arranges a figure for a width and returns the layout that Plotly is to draw.
 *
 * @param {Figure} figure
 * @param {number} width
 * @param {number} height
 */
export function fit(figure, width, height) {
  const { meta, ...layout } = figure.layout; // Plotly would compare the screens at every step
  const screen = meta?.screens && choose(/** @type {Screen[]} */ (meta.screens), width, height);
  if (!screen) return { ...layout, width };
  const fitted = { ...figure, layout };
  for (const [path, value] of Object.entries(screen.settings)) put(fitted, parsePath(path), value);
  const side = Math.max(0, (width - screen.width) / 2);
  return { ...layout, width, height: screen.height, margin: { l: side, r: side, t: 0, b: 0 } };
}
