// The film: each step's picture, drawn beforehand by Plotly itself out of sight and kept as SVG, so that a
// slider that moves only swaps pictures. At rest the real figure stands there, which knows of hover and click.
// Frames stay in the document, styled and laid out: one that is shown has only to be painted. They stand in a
// shadow tree, where no selector of the page looks for them (its :has() took 10 ms a step to look).

import { whenIdle } from "./idle.js";
import { CRISP, drawingsOf, isCrisp, withoutPointing } from "./plotly_inside.js";
import { choosable } from "./pointing.js";

/** @typedef {{ step: number, row: number }} At */
/** @typedef {{ at: At, node: HTMLElement, elements: number, maps: ReturnType<typeof choosable> }} Frame */
/**
 * What the film asks of its figure.
 *
 * @typedef {object} Source
 * @property {() => At} at where the sliders stand
 * @property {() => { steps: number, rows: number }} size
 * @property {() => boolean} ready whether pictures may be drawn now
 * @property {(at: At) => HTMLElement | undefined} stands the real figure, where it has been drawn at this place
 * @property {(node: HTMLElement, at: At) => Promise<unknown>} draw draws one step, without anything to point at
 * @property {(node: HTMLElement) => void} purge forgets what was drawn there
 */

const MOST_ELEMENTS = 80_000; // of SVG in all frames of one figure; some 100 MB
const MOST_FRAMES = 128; // of one figure: the browser goes through all of them whenever another is shown
// Without content-visibility (Safari before 18, Firefox before 125) a frame is hidden by what its parts inherit: slower.
const STYLE = `
div { position: absolute; inset: 0; contain: strict; }
div:not([data-seen]) { content-visibility: hidden; }
@supports not (content-visibility: hidden) { div:not([data-seen]) { visibility: hidden; } }
svg { position: absolute; top: 0; left: 0; pointer-events: none; }
${CRISP}`;
const BOTH_SLIDERS = 1e6; // how far off a place is that takes both, besides the moves themselves
const QUIET_MILLISECONDS = 500; // after any input before the next step is drawn: a key is pressed again sooner
const REFERENCE = /url\(\s*(["']?)[^)"'#]*#([^)"']+)\1\s*\)/g;

let lastInput = -Infinity; // of any kind, anywhere on the page
for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"]) {
  window.addEventListener(kind, () => (lastInput = performance.now()), { capture: true, passive: true });
}

export class Film {
  /**
   * @param {HTMLElement} screen where a frame is shown, over the real figure
   * @param {HTMLElement} mark a canvas in the plot's own node that says which frame is seen, for whoever measures from
   *     outside: that reads a plot's images, paths and canvases, and the frames are out of its sight
   * @param {Source} source
   */
  constructor(screen, mark, source) {
    this.screen = screen;
    this.mark = mark;
    this.reel = screen.shadowRoot ?? screen.attachShadow({ mode: "open" });
    this.source = source;
    /** @type {Map<string, Frame>} */
    this.frames = new Map(); // the least lately used first
    this.elements = 0;
    /** @type {HTMLElement | undefined} */
    this.studio = undefined;
    /** @type {Frame | undefined} */
    this.shown = undefined;
    this.epoch = 0; // frames of an earlier one are of another figure, theme or size
    this.full = false;
    this.waiting = false; // for the browser to be idle
    this.stopped = false;
    this.onVisible = () => this.make();
    document.addEventListener("visibilitychange", this.onVisible);
    this.clear();
  }

  destroy() {
    this.stopped = true;
    document.removeEventListener("visibilitychange", this.onVisible);
    this.clear();
  }

  /** Throws all frames away: the figure, its colours or its size are others now. */
  clear() {
    this.epoch += 1;
    this.hide();
    this.frames.clear();
    const style = document.createElement("style");
    style.textContent = STYLE;
    this.reel.replaceChildren(style);
    this.elements = 0;
    this.full = false;
    this.screen.dataset.film = "";
    this.closeStudio();
  }

  /** Shows a step if its picture is there. @param {At} at @returns {boolean} */
  show(at) {
    const key = keyOf(at);
    const frame = this.frames.get(key);
    if (!frame) return false;
    this.frames.delete(key);
    this.frames.set(key, frame);
    if (this.shown !== frame) {
      this.shown?.node.removeAttribute("data-seen");
      frame.node.setAttribute("data-seen", "");
      this.screen.hidden = false;
      this.cover(true);
      this.mark.dataset.step = key;
      this.shown = frame;
    }
    return true;
  }

  hide() {
    if (!this.shown) return;
    this.shown.node.removeAttribute("data-seen");
    this.screen.hidden = true;
    this.cover(false);
    this.mark.dataset.step = "";
    this.shown = undefined;
  }

  /** Whether the real figure is left unpainted, since a frame lies over it. @param {boolean} covered */
  cover(covered) {
    this.mark.parentElement?.toggleAttribute("data-covered", covered);
  }

  get showing() {
    return this.shown !== undefined;
  }

  /** Keeps a copy of what Plotly has drawn in a node. @param {HTMLElement} node @param {At} at */
  keep(node, at) {
    const key = keyOf(at);
    const drawings = drawingsOf(node);
    if (!drawings.length || this.frames.has(key) || !this.wanted()) return;
    const holder = document.createElement("div");
    for (const svg of drawings) holder.append(svg.cloneNode(true));
    withoutPointing(holder);
    prune(holder);
    rename(holder, `film-${this.epoch}-${key}-`);
    const elements = holder.getElementsByTagName("*").length;
    this.full = !this.hasRoom(at, elements);
    if (this.full) return;
    for (const old of this.furtherOff(at)) {
      if (this.elements + elements <= MOST_ELEMENTS && this.frames.size < MOST_FRAMES) break;
      this.frames.delete(keyOf(old.at));
      old.node.remove();
      this.elements -= old.elements;
    }
    // Styled and laid out now, not when it is first shown; nothing is painted before it is hidden again.
    holder.setAttribute("data-seen", "");
    this.reel.append(holder);
    holder.firstElementChild?.getBoundingClientRect();
    holder.removeAttribute("data-seen");
    this.frames.set(key, { at: { ...at }, node: holder, elements, maps: choosable(node) });
    this.elements += elements;
  }

  /**
   * The frames that may go for one at this place: those that take both sliders first, then the least lately used.
   *
   * @param {At} at
   */
  furtherOff(at) {
    const here = this.source.at();
    const reach = distance(at, here);
    const further = [...this.frames.values()].filter(
      (frame) => frame !== this.shown && distance(frame.at, here) > reach,
    );
    const both = /** @param {Frame} frame */ (frame) => Number(distance(frame.at, here) >= BOTH_SLIDERS);
    return further.sort((one, other) => both(other) - both(one));
  }

  /** Whether a picture of so many elements may be kept at this place. @param {At} at @param {number} elements */
  hasRoom(at, elements) {
    const further = this.furtherOff(at);
    const freed = further.reduce((sum, frame) => sum + frame.elements, 0);
    const count = this.frames.size - further.length;
    return count < MOST_FRAMES && this.elements - freed + elements <= MOST_ELEMENTS;
  }

  /** The nearest step or row that has no picture yet, and room for one. @returns {At | undefined} */
  next() {
    if (this.full || !this.wanted()) return undefined;
    const { steps, rows } = this.source.size();
    const missing = nearest(this.source.at(), steps, rows).find((at) => !this.frames.has(keyOf(at)));
    const usual = this.elements / (this.frames.size || 1);
    return missing && this.hasRoom(missing, usual) ? missing : undefined;
  }

  /** Whether pictures are worth making now: not where nothing moves, nor where nobody looks. */
  wanted() {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    return !this.stopped && !still && !document.hidden && this.source.ready();
  }

  /** Goes on making pictures, one whenever the browser is idle, until all are there. */
  make() {
    if (this.waiting) return;
    const next = this.next();
    if (!next) {
      this.closeStudio();
      this.screen.dataset.film = this.frames.size && this.wanted() ? "ready" : "";
      return;
    }
    // Ready as soon as the first slider can be dragged; the rows follow.
    this.screen.dataset.film = next.row === this.source.at().row ? "making" : "ready";
    this.waiting = true;
    whenIdle(async () => {
      const quiet = QUIET_MILLISECONDS - (performance.now() - lastInput);
      if (quiet > 0) await new Promise((resolve) => setTimeout(resolve, quiet));
      else await this.makeOne();
      this.waiting = false;
      this.make();
    });
  }

  async makeOne() {
    const at = this.next();
    if (!at) return;
    const epoch = this.epoch;
    const drawn = this.source.stands(at);
    if (drawn) return this.keep(drawn, at);
    try {
      const studio = this.openStudio();
      Object.assign(studio.dataset, at);
      await this.source.draw(studio, at);
      if (epoch === this.epoch) this.keep(studio, at);
    } catch (error) {
      console.warn("live figure: no film:", error); // the figure itself goes on without
      this.stopped = true;
    }
  }

  openStudio() {
    if (!this.studio) {
      this.studio = document.createElement("div");
      this.studio.className = "live-studio";
      this.studio.setAttribute("aria-hidden", "true");
      this.screen.after(this.studio);
    }
    return this.studio;
  }

  closeStudio() {
    if (!this.studio) return;
    this.source.purge(this.studio);
    this.studio.remove();
    this.studio = undefined;
  }
}

/** @param {At} at */
function keyOf({ step, row }) {
  return `${step}-${row}`;
}

/**
 * How many moves of one slider lead from here to there; a place that takes both sliders is far off.
 *
 * @param {At} there
 * @param {At} here
 */
function distance(there, here) {
  const steps = Math.abs(there.step - here.step);
  const rows = Math.abs(there.row - here.row);
  return Math.max(steps, rows) + (steps && rows ? BOTH_SLIDERS : 0);
}

/**
 * Where one slider can lead, the nearest first: all steps, then all rows.
 *
 * @param {At} here
 * @param {number} steps
 * @param {number} rows
 */
function nearest(here, steps, rows) {
  const near = (/** @type {At[]} */ places) => places.sort((a, b) => distance(a, here) - distance(b, here));
  return [
    ...near(Array.from({ length: steps }, (_, step) => ({ step, row: here.row }))),
    ...near(Array.from({ length: rows }, (_, row) => ({ step: here.step, row }))),
  ];
}

/**
 * Takes away what has no pixels: marks that only a pointer finds, and groups that hold nothing or change nothing,
 * are half of all elements.
 *
 * @param {HTMLElement} holder
 */
function prune(holder) {
  for (const mark of holder.querySelectorAll("path")) {
    const { fillOpacity, stroke, strokeWidth } = mark.style;
    if (fillOpacity === "0" && (!stroke || strokeWidth === "0px")) mark.remove();
  }
  for (const group of holder.querySelectorAll("g")) {
    const plain = group.getAttributeNames().every((name) => name === "class" || name.startsWith("data-"));
    if (plain && !isCrisp(group)) group.replaceWith(...group.childNodes);
  }
  for (const group of [...holder.querySelectorAll("g")].reverse())
    if (!group.firstElementChild) group.remove();
}

/**
 * Gives a copy names of its own: Plotly's clip paths and patterns are found by id, and the first of a name counts.
 *
 * @param {HTMLElement} holder
 * @param {string} prefix
 */
function rename(holder, prefix) {
  for (const element of holder.querySelectorAll("[id]")) element.id = prefix + element.id;
  const refer = (/** @type {string} */ text) =>
    text.replace(REFERENCE, (_, __, id) => `url(#${prefix}${id})`);
  for (const name of ["clip-path", "mask", "filter", "fill", "stroke", "style"]) {
    for (const element of holder.querySelectorAll(`[${name}*="url("]`)) {
      element.setAttribute(name, refer(element.getAttribute(name) ?? ""));
    }
  }
}
