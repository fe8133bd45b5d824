// From unpacked steps to one figure: places arrays, sets what differs at a step, chooses an arrangement.

import { word } from "./word.js";

/** @typedef {import("./types").Steps} Steps */
/** @typedef {import("./types").Figure} Figure */
/** @typedef {import("./types").Colours} Colours */
/** @typedef {import("./types").Path} Path */
/** @typedef {import("./types").Screen} Screen */
/** @typedef {import("./types").Space} Space */

const NEARLY = 0.8; // of the size that words of a slide are to have, the least that they should
const SMALLEST_SCALE = 0.1;
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
    for (const { path, values, by_step, picked } of header.cursor?.changes ?? []) {
      const rows = "@" in values ? arrays[values["@"]] : values;
      const at = picked && arrays[picked["@"]][step][row];
      const value = picked ? rows[at] : by_step ? rows[step][row] : rows[row];
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
   * @param {Space} space
   * @returns {{ width: number, height: number }[]}
   */
  sizes(space) {
    const sizes = this.changes.filter(({ path }) => path[0] === "layout" && isSize(path));
    /** @type {any} */
    const layout = { height: this.figure.layout.height };
    const screens = this.figure.layout.meta?.screens;
    if (screens) layout.meta = { screens: screens.map((/** @type {Screen} */ each) => ({ ...each })) };
    return Array.from({ length: this.steps.header.n_steps }, (_, step) => {
      for (const { path, values, at } of sizes) put({ layout }, path, values[at[step] ?? 0]);
      const { meta, height = 0 } = layout;
      const screen = meta?.screens && pick(/** @type {Screen[]} */ (meta.screens), space);
      return screen ? { width: screen.width, height: screen.height } : { width: space.width, height };
    });
  }

  /** The lists of arrangements that its steps have, each once. @returns {Screen[][]} */
  get arrangements() {
    const moves = this.changes.find(({ path }) => path.join() === "layout,meta,screens");
    const own = this.figure.layout.meta?.screens;
    return moves ? moves.values : own ? [own] : [];
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

/** @returns {number} pixels of height that a figure may take beside its words */
export function roomBelow() {
  return Math.max(360, Math.round(window.innerHeight * 0.62));
}

/**
 * Of the arrangements of a page the widest that fits and, but for phones, is not too high.
 *
 * @param {Screen[]} screens those of a page by width
 * @param {Space} space
 * @returns {Screen | undefined}
 */
export function choose(screens, { width, height }) {
  const page = screens.filter((s) => !s.slide);
  const narrow = page[0]?.width ?? 0;
  const fitting = page.filter(
    (s) => s.width <= Math.max(width, narrow) && (s.width < PHONES || s.height <= height),
  );
  return fitting[fitting.length - 1] ?? page[0];
}

/**
 * @param {Screen[]} screens
 * @param {Space} space
 */
function pick(screens, space) {
  return space.index === undefined ? choose(screens, space) : screens[space.index];
}

/**
 * What a picture that is enlarged must have, as far as it can.
 *
 * @typedef {object} Wanted
 * @property {number} scale times that it is enlarged, at least
 * @property {number} label pixels of a matrix's labels, enlarged
 * @property {number} digit pixels of a number in a cell, enlarged
 * @property {number} tiny pixels below which a number is worth nothing
 * @property {number[]} [cells] pixels of a unit that each step has anyway, without being enlarged
 */

/**
 * The arrangement for a slide or a projector, and how far it is enlarged there: of those whose words and cells come
 * out as large as they must the one that says most, and of these the one with the largest cells and words. It is
 * one for all steps, so that no word changes its size while a slider moves.
 *
 * @param {Screen[][]} lists the arrangements of each step
 * @param {(scale: number, index: number) => { width: number, height: number }} roomAt the pixels that there are
 * @param {Wanted} wanted
 * @returns {{ index: number, scale: number }}
 */
export function enlarge(lists, roomAt, wanted) {
  /** @type {{ index: number, scale: number, worth: number[] } | undefined} */
  let best;
  for (const index of lists[0]?.keys() ?? []) {
    const each = lists.map((list) => /** @type {Screen} */ (list[index]));
    let scale = 1;
    for (let pass = 0; pass < 8; pass++) {
      const { width, height } = roomAt(scale, index);
      const fits = Math.min(...each.map((screen) => Math.min(width / screen.width, height / screen.height)));
      // A caption of more lines leaves less room, perhaps none: then less is taken, until it fits.
      scale = pass < 3 ? Math.max(fits, SMALLEST_SCALE) : Math.min(scale, Math.max(fits, scale / 2));
    }
    const large = Math.min(1, Math.floor((20 * scale) / wanted.scale) / 20);
    const nearly = Math.min(NEARLY, large); // enough where more can be said or seen so
    const said = each.map(({ label, every }) => {
      const large = label * scale >= 0.99 * wanted.label;
      return large ? 1 / every : (0.01 * label * scale) / wanted.label;
    });
    const told = each.map((screen) => readable(screen, scale, wanted.digit) + bars(screen));
    // Numbers that cannot be read tell nothing, nor does a map without numbers and without a bar for its colours.
    const untold = each.map((screen, i) => -tooSmall(screen, scale, wanted.tiny) - Number(told[i] === 0));
    const cells = each.map(({ unit }) => unit * scale);
    const small = cells.map((cell, i) => Math.min(1, (1.01 * cell) / (wanted.cells?.[i] ?? 0)));
    const worth = [nearly, ...[untold, small, said, told].map(mean), large * mean(cells)];
    if (!best || isMore(worth, best.worth)) best = { index, scale, worth };
  }
  return best ?? { index: 0, scale: 1 };
}

/**
 * Says what an arrangement has no room for.
 *
 * @param {Screen[][]} lists the arrangements of each step
 * @param {number | undefined} index on a slide; on a page the pointer tells all
 * @param {number} [tiny] pixels below which numbers are left out
 * @returns {string[]}
 */
export function leftOut(lists, index, tiny = 0) {
  if (index === undefined) return [];
  const every = Math.max(...lists.map((list) => list[index]?.every ?? 1));
  const silent = lists.some((list) => {
    const told = list.map(digitSizes);
    const read = (told[index] ?? []).filter((size) => size >= tiny);
    return Math.max(...told.map((sizes) => sizes.length)) > read.length;
  });
  return [
    ...(every > 1 ? [word("one label in {every} is shown", { every })] : []),
    ...(silent ? [word("small cells go without their numbers")] : []),
  ];
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}

/** Whether the first number that differs is larger. @param {number[]} one @param {number[]} other */
function isMore(one, other) {
  const i = one.findIndex((each, at) => each !== other[at]);
  return i >= 0 && /** @type {number} */ (one[i]) > /** @type {number} */ (other[i]);
}

/**
 * How many matrices have numbers, those that are smaller than wanted counted in part.
 *
 * @param {Screen} screen
 * @param {number} scale
 * @param {number} pixels
 */
function readable(screen, scale, pixels) {
  return digitSizes(screen).reduce((sum, size) => sum + Math.min(1, (size * scale) / pixels), 0);
}

/**
 * How many matrices have numbers that cannot be read though they are enlarged.
 *
 * @param {Screen} screen
 * @param {number} scale
 * @param {number} pixels
 */
function tooSmall(screen, scale, pixels) {
  return digitSizes(screen).filter((size) => size * scale < pixels).length;
}

/** How many colours have a bar. @param {Screen} screen */
function bars({ settings }) {
  return Object.entries(settings).filter(([path, shown]) => shown && path.endsWith(".showscale")).length;
}

/** The size of the numbers in each matrix that has some. @param {Screen} screen @returns {number[]} */
function digitSizes({ settings }) {
  return Object.entries(settings)
    .filter(([path, form]) => form && path.endsWith(".texttemplate"))
    .map(([path]) => Number(settings[path.replace("texttemplate", "textfont.size")]));
}

/**
 * Arranges a figure for its room and returns the layout that Plotly is to draw.
 *
 * @param {Figure} figure
 * @param {Space} space
 */
export function fit(figure, space) {
  const { width } = space;
  const { meta, ...layout } = figure.layout; // Plotly would compare the screens at every step
  const screen = meta?.screens && pick(/** @type {Screen[]} */ (meta.screens), space);
  if (!screen) return { ...layout, width };
  const fitted = { ...figure, layout };
  for (const [path, value] of Object.entries(screen.settings)) put(fitted, parsePath(path), value);
  const side = Math.max(0, (width - screen.width) / 2);
  return { ...layout, width, height: screen.height, margin: { l: side, r: side, t: 0, b: 0 } };
}
