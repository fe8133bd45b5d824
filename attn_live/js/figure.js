// From unpacked steps to one figure: places arrays, sets what differs at a step, chooses an arrangement.

import { word } from "./word.js";

/** @typedef {import("./types").Steps} Steps */
/** @typedef {import("./types").Figure} Figure */
/** @typedef {import("./types").Colours} Colours */
/** @typedef {import("./types").Path} Path */
/** @typedef {import("./types").Screen} Screen */
/** @typedef {import("./types").Space} Space */

const NEARLY = 0.8; // of the size that words of a slide are to have, the least that they should
const BEYOND = 0.2; // of what larger cells are worth, what words are that are larger than they must be
const SMALLEST_SCALE = 0.1;
const STEPS = 200; // of scale that are looked at, from one to two
const SLACK = 0.5; // pixels by which an arrangement may seem not to fit where numbers were rounded
const HARDLY_HIGHER = 1.1; // times
const SCROLLS_BELOW = 640; // pixels of width below which a figure may be higher than the screen

/** One figure in one set of colours, which can be set to any step and row. */
export class Moving {
  /** @param {Steps} steps @param {Colours} colours what each colour becomes; null keeps them */
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

/** @param {string} text @param {Colours} colours */
function recolour(text, colours) {
  if (!colours || !text.includes("#")) return text;
  return text.replace(/#[0-9A-F]{6}/g, (colour) => colours[colour] ?? colour);
}

/** Sets one path; null takes it away. @param {any} figure @param {Path} path @param {any} value */
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

/** @param {any} figure @param {Path} path */
function get(figure, path) {
  return path.reduce((node, part) => node[part], figure);
}

/** @type {Map<string, Path>} */
const parsed = new Map();

/** @param {string} path "xaxis2.domain", "annotations[3].xshift" @returns {Path} */
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
 * Of the arrangements of a page the widest that fits and, but for phones, is not too high; where only a phone's would
 * fit a wide window, the widest of those that are hardly higher than the lowest.
 *
 * @param {Screen[]} screens those of a page by width
 * @param {Space} space
 * @returns {Screen | undefined}
 */
export function choose(screens, { width, height }) {
  const page = screens.filter((s) => !s.slide);
  const narrow = page[0]?.width ?? 0;
  const across = page.filter((s) => s.width <= Math.max(width, narrow));
  const wide = across.filter((s) => s.width >= SCROLLS_BELOW);
  const lowest = Math.min(...wide.map((s) => s.height));
  const fitting = wide.filter((s) => s.height <= Math.max(height, HARDLY_HIGHER * lowest));
  return fitting.at(-1) ?? across.at(-1);
}

/**
 * The arrangement that a figure takes: a page's by its width, an enlarged one by what it says.
 *
 * @param {Screen[]} screens
 * @param {Space} space
 * @returns {Screen | undefined}
 */
export function pick(screens, space) {
  return space.enlarged ? largest(screens, space, space.enlarged) : choose(screens, space);
}

/** @typedef {import("./types").Enlarged} Enlarged */
/** @typedef {import("./types").Wanted} Wanted */

/**
 * How far a slide's or a projector's figure is enlarged, and the arrangement of each step there: of those whose words
 * come out as large as they must the ones that say most, and of these the ones with the largest cells and words. The
 * scale is one for all steps, so that no word grows or shrinks while a slider moves; at that scale each step takes
 * the arrangement that is best for it.
 *
 * @param {Screen[][]} lists the arrangements of each step
 * @param {(scale: number, screens: Screen[], lists: Screen[][]) => { width: number, height: number }} roomAt the
 *   pixels that there are
 * @param {Wanted} wanted
 * @returns {{ enlarged: Enlarged, screens: Screen[] }}
 */
export function enlarge(lists, roomAt, wanted) {
  /** @type {{ enlarged: Enlarged, screens: Screen[], worth: number[] } | undefined} */
  let best;
  const scales = new Set();
  for (const list of lists)
    for (const screen of list) {
      const room = (/** @type {number} */ scale) => roomAt(scale, [screen], [list]);
      scales.add(Math.floor(STEPS * fitting([screen], room)) / STEPS);
    }
  for (const least of scales) {
    let scale = Math.max(least, SMALLEST_SCALE);
    let screens = eachLargest(lists, roomAt(scale, [], lists), { scale, wanted });
    if (screens.length < lists.length) continue; // a step has none that is so small
    scale = fitting(screens, (at) => roomAt(at, screens, lists));
    const enlarged = { scale, wanted };
    screens = eachLargest(lists, roomAt(scale, screens, lists), enlarged);
    const worths = screens.map((screen, i) => worthOf(screen, enlarged, cellOf(lists[i] ?? [], wanted)));
    const nearly = Math.min(NEARLY, largeness(scale, wanted)); // enough where more can be said or seen so
    const worth = [nearly, ...(worths[0] ?? []).map((_, i) => mean(worths.map((each) => each[i] ?? 0)))];
    if (screens.length === lists.length && (!best || isMore(worth, best.worth)))
      best = { enlarged, screens, worth };
  }
  return best ?? { enlarged: { scale: 1, wanted }, screens: lists.flatMap((list) => list[0] ?? []) };
}

/**
 * The arrangement of each step that says most, of those that fit.
 *
 * @param {Screen[][]} lists
 * @param {{ width: number, height: number }} room
 * @param {Enlarged} enlarged
 */
function eachLargest(lists, { width, height }, enlarged) {
  const space = { width: width / enlarged.scale, height: height / enlarged.scale };
  return lists.flatMap((list) => largest(list, space, enlarged) ?? []);
}

/**
 * How far arrangements can be enlarged so that each of them fits.
 *
 * @param {Screen[]} screens
 * @param {(scale: number) => { width: number, height: number }} roomAt
 */
function fitting(screens, roomAt) {
  let scale = 1;
  for (let pass = 0; pass < 8; pass++) {
    const { width, height } = roomAt(scale);
    const fits = Math.min(...screens.map((screen) => Math.min(width / screen.width, height / screen.height)));
    // A caption of more lines leaves less room, perhaps none: then less is taken, until it fits.
    scale = pass < 3 ? Math.max(fits, SMALLEST_SCALE) : Math.min(scale, Math.max(fits, scale / 2));
  }
  return scale;
}

/**
 * Of the arrangements that fit, enlarged so far, the one that says most.
 *
 * @param {Screen[]} screens
 * @param {Space} space
 * @param {Enlarged} enlarged
 * @returns {Screen | undefined}
 */
function largest(screens, { width, height }, enlarged) {
  const cell = cellOf(screens, enlarged.wanted);
  /** @type {{ screen: Screen, worth: number[] } | undefined} */
  let best;
  for (const screen of screens) {
    if (screen.width > width + SLACK || screen.height > height + SLACK) continue;
    const worth = worthOf(screen, enlarged, cell);
    if (!best || isMore(worth, best.worth)) best = { screen, worth };
  }
  return best?.screen;
}

/**
 * What an arrangement is worth, what counts most first: that no number is too small, that its cells are no smaller
 * than on the page, its labels, its numbers, and how large its cells and words are.
 *
 * @param {Screen} screen
 * @param {Enlarged} enlarged
 * @param {number} cell pixels of a unit that it has anyway, without being enlarged
 * @returns {number[]}
 */
function worthOf(screen, { scale, wanted }, cell) {
  const { label, every, unit } = screen;
  const { sizes, bars } = numbersOf(screen);
  const size = (label * scale) / (0.99 * wanted.label);
  const isLarge = size >= (wanted.least ?? wanted.label) / wanted.label;
  // How many matrices have numbers, those that are smaller than wanted counted in part, and how many colours a bar.
  const told = sizes.reduce((sum, size) => sum + Math.min(1, (size * scale) / wanted.digit), bars);
  // Numbers that cannot be read tell nothing, nor does a map without numbers and without a bar for its colours.
  const untold = sizes.filter((size) => size * scale < wanted.tiny).length + Number(told === 0);
  return [
    -untold,
    Math.min(1, (1.01 * unit * scale) / cell),
    isLarge ? Math.min(1, size) / every : 0.01 * size,
    told,
    // Twice as large counts as much for small cells as for large ones.
    Math.log(largeness(scale, wanted) * unit * scale) + BEYOND * Math.log(Math.max(1, scale / wanted.scale)),
  ];
}

/** The share that type has of the size that is wanted. @param {number} scale @param {Wanted} wanted */
function largeness(scale, wanted) {
  return Math.min(1, Math.floor((20 * scale) / wanted.scale + 1e-3) / 20);
}

/** Pixels of a unit that a step has on its page. @param {Screen[]} screens @param {Wanted} wanted */
function cellOf(screens, { page }) {
  return (page && choose(screens, page)?.unit) ?? 0;
}

/** @type {WeakMap<Screen, { sizes: number[], bars: number }>} */
const known = new WeakMap();

/** The size of the numbers in each matrix that has some, and how many colours have a bar. @param {Screen} screen */
function numbersOf(screen) {
  let found = known.get(screen);
  if (!found) {
    const { settings } = screen;
    const shown = Object.entries(settings).filter(([, value]) => value);
    const forms = shown.map(([path]) => path).filter((path) => path.endsWith(".texttemplate"));
    const sizes = forms.map((path) => Number(settings[path.replace("texttemplate", "textfont.size")]));
    found = { sizes, bars: shown.filter(([path]) => path.endsWith(".showscale")).length };
    known.set(screen, found);
  }
  return found;
}

/**
 * Says what arrangements have no room for.
 *
 * @param {Screen[][]} lists the arrangements of each step
 * @param {Screen[]} screens the one that each of them takes; none on a page, where the pointer tells all
 * @param {number} [tiny] pixels below which numbers are left out
 * @returns {string[]}
 */
export function leftOut(lists, screens, tiny = 0) {
  const every = Math.max(1, ...screens.map((screen) => screen.every));
  const silent = screens.some((screen, i) => {
    const read = numbersOf(screen).sizes.filter((size) => size >= tiny);
    return (lists[i] ?? []).some((each) => numbersOf(each).sizes.length > read.length);
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
  const height = space.enlarged ? space.height : screen.height;
  const beside = Math.max(0, width - screen.width);
  const l = space.enlarged ? beside / 2 : 0; // on a page it stands at the left edge of all else
  const above = (height - screen.height) / 2;
  return { ...layout, width, height, margin: { l, r: beside - l, t: above, b: above } };
}
