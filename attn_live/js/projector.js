// Projector mode: one figure fills the screen in large type, and the keys move it.

import { enlarge } from "./figure.js";

/**
 * What it asks of its figure.
 *
 * @typedef {object} Shown
 * @property {HTMLElement} root
 * @property {HTMLElement} controls
 * @property {HTMLElement[]} words what stands above the figure and under its controls
 * @property {HTMLElement} told the teacher's sentence, which the page has elsewhere
 * @property {(name: "step" | "row", by: number) => void} nudge moves a slider by so many steps
 * @property {() => void} toggle plays or pauses
 * @property {() => void} changed the room is another now
 */

// Of the screen's height: what words take, those beside a matrix at least, and a number in a cell.
const [WORDS, BESIDE, DIGIT] = [0.025, 0.014, 0.025];
const USUAL_WORDS = 14; // pixels of most of them as figures bring them
const SMALLEST_DIGIT = 12; // where there is no room for more, on a screen 1080 high; on a coarser one as many fewer
const LEAST_DIGIT = 10; // of which no letter is made of fewer pixels
const USUAL_HEIGHT = 1080; // pixels of a screen; on a finer one words are as high a part of it
const LEAST_ROOM = 200; // pixels
const MOST_TOLD = 300; // characters of a teacher's sentence
const SPARE = 8; // pixels between the figure and what stands under it
/** @type {Record<string, ["step" | "row", number]>} */
const MOVES = {
  ArrowRight: ["step", 1],
  ArrowLeft: ["step", -1],
  PageDown: ["step", 1], // what a presenter's remote sends
  PageUp: ["step", -1],
  ArrowDown: ["row", 1],
  ArrowUp: ["row", -1],
};

export class Projector {
  /** @param {Shown} shown */
  constructor(shown) {
    const { changed } = shown;
    this.shown = shown;
    this.on = false;
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.key(event);
    this.onScreen = () => {
      if (this.filled && !document.fullscreenElement) this.leave();
    };
    this.onSize = () => changed();
    this.step = new MutationObserver(() => this.tell()); // another step of a lesson, of the same figure
    /** @type {string[]} */
    this.questions = []; // of a lesson's step, or its title
    this.question = 0; // which of them stands over the figure
    this.filled = false; // by the browser's own full screen
    /** @type {Element | null} */
    this.before = null; // what had the focus
  }

  toggle() {
    if (this.on) this.leave();
    else this.enter(true);
  }

  /** @param {boolean} pressed whether a person did it just now: only then does a browser give its whole screen */
  enter(pressed) {
    const { root, changed } = this.shown;
    if (this.on) return;
    this.on = true;
    this.before = document.activeElement;
    if (root.parentElement) root.parentElement.style.minHeight = `${root.offsetHeight}px`; // the page stays
    root.dataset.projector = "";
    this.tell();
    if ("popover" in root) {
      root.popover = "manual"; // over everything, whatever holds it
      root.showPopover();
    }
    window.addEventListener("keydown", this.onKey, true);
    window.addEventListener("resize", this.onSize);
    document.addEventListener("fullscreenchange", this.onScreen);
    if (this.questions.length) this.step.observe(document.body, { childList: true, subtree: true });
    changed();
    this.focus(root.querySelector("input:not(:disabled)") ?? root.querySelector("button"));
    if (pressed && document.fullscreenEnabled)
      document.documentElement.requestFullscreen().then(
        () => {
          this.filled = true;
        },
        () => {}, // refused: the figure fills the window
      );
  }

  /** Says over the figure what the page says that it covers: the question of a lesson's step, or the link's sentence. */
  tell() {
    const { told, changed } = this.shown;
    const questions = asked();
    if (questions.join() !== this.questions.join()) {
      this.questions = questions; // another step
      this.question = 0;
      delete this.shown.root.dataset.answered;
    }
    const text = questions[this.question] || toldByLink();
    if (!this.on || told.textContent === text) return;
    told.textContent = text;
    changed();
  }

  /**
   * What a presenter's remote asks for: the next question of a lesson's step, then what the page says, then the next
   * step. Back is the step before.
   *
   * @param {boolean} onward
   */
  walk(onward) {
    const { root, changed } = this.shown;
    const last = this.questions.length - 1;
    if (onward && this.question < last) {
      this.question += 1;
      this.tell();
    } else if (onward && document.querySelector(".lesson-waits") && !("answered" in root.dataset)) {
      root.dataset.answered = "";
      changed();
    } else {
      follow(onward ? "next" : "prev");
    }
  }

  /** @param {boolean} [follows] whether another figure fills the screen next */
  leave(follows = false) {
    const { root, changed } = this.shown;
    if (!this.on) return;
    this.on = false;
    this.step.disconnect();
    window.removeEventListener("keydown", this.onKey, true);
    window.removeEventListener("resize", this.onSize);
    document.removeEventListener("fullscreenchange", this.onScreen);
    if (root.popover) {
      if (root.isConnected) root.hidePopover();
      root.removeAttribute("popover");
    }
    delete root.dataset.projector;
    delete root.dataset.answered;
    this.questions = [];
    for (const name of ["--zoom", "--drawn", "--room"]) root.style.removeProperty(name);
    if (root.parentElement) root.parentElement.style.minHeight = "";
    if (this.filled && !follows && document.fullscreenElement) document.exitFullscreen().catch(() => {});
    this.filled = false;
    changed();
    this.focus(this.before);
  }

  /**
   * Which arrangement of a figure fills the room that controls and words leave, and how far it is enlarged there.
   *
   * @param {import("./figure.js").Moving} moving
   * @param {import("./types").Space} page what the figure has on its page
   * @returns {import("./types").Space}
   */
  space(moving, page) {
    const { root, controls, words } = this.shown;
    const { paddingTop, paddingBottom, paddingLeft, paddingRight } = getComputedStyle(root);
    const around = [paddingTop, paddingBottom, ...words.map((node) => getComputedStyle(node).marginTop)];
    const taken = [controls, ...words].reduce((sum, node) => sum + node.offsetHeight, 0);
    const beside = around.reduce((sum, pixels) => sum + (Number.parseFloat(pixels) || 0), 0);
    const room = {
      width: window.innerWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight),
      height: Math.max(LEAST_ROOM, window.innerHeight - taken - beside - SPARE),
    };
    const lists = moving.arrangements;
    const high = window.innerHeight;
    const wanted = {
      ...{ scale: (high * WORDS) / USUAL_WORDS, label: high * BESIDE, digit: high * DIGIT },
      ...{ tiny: Math.max(LEAST_DIGIT, (high / USUAL_HEIGHT) * SMALLEST_DIGIT), page },
    };
    const { enlarged, screens } = enlarge(lists, () => room, wanted);
    const { scale } = enlarged;
    const most = (/** @type {number[]} */ pixels, /** @type {number} */ otherwise) =>
      pixels.length ? Math.max(...pixels) : otherwise;
    const width = most(
      screens.map((screen) => screen.width),
      Math.floor(room.width / scale),
    );
    const height = most(
      screens.map((screen) => screen.height),
      room.height / scale,
    );
    root.style.setProperty("--zoom", scale.toFixed(4));
    root.style.setProperty("--drawn", `${width}px`);
    root.style.setProperty("--room", `${room.height}px`);
    return { width, height, ...(lists.length ? { enlarged } : {}) };
  }

  /** @param {Element | null} element */
  focus(element) {
    if (element instanceof HTMLElement && element.isConnected) element.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof Element && target.closest("dialog")) return;
    if (event.key === "Tab") return this.keepFocus(event);
    const onSlider = target instanceof HTMLInputElement && target.type === "range";
    const onButton = target instanceof HTMLButtonElement;
    const move = MOVES[event.key];
    if (event.key === "Escape") this.leave();
    else if (event.key === " " && !onButton) this.shown.toggle();
    else if (event.key.startsWith("Page") && this.questions.length) this.walk(event.key === "PageDown");
    else if (move && !(onSlider && event.key.startsWith("Arrow"))) this.shown.nudge(...move);
    else return; // the slider's own keys, and Enter
    event.preventDefault();
    event.stopPropagation();
  }

  /** Nothing behind the figure takes the focus. @param {KeyboardEvent} event */
  keepFocus(event) {
    const { root } = this.shown;
    const stops = [...root.querySelectorAll("input, button")].filter(
      (stop) => stop instanceof HTMLElement && stop.offsetParent !== null && !stop.matches(":disabled"),
    );
    const end = event.shiftKey ? stops[0] : stops[stops.length - 1];
    if (document.activeElement !== end && root.contains(document.activeElement)) return;
    event.preventDefault();
    this.focus((event.shiftKey ? stops[stops.length - 1] : stops[0]) ?? null);
  }
}

/** The questions of a lesson's step, or its title; the figure covers its panel. */
function asked() {
  return [...document.querySelectorAll(".lesson-told")].map((each) => each.textContent ?? "");
}

/** Goes to another step of a lesson, and stays in projector mode. @param {"next" | "prev"} way */
function follow(way) {
  const link = document.querySelector(`.lesson-ways a[rel="${way}"]`);
  if (!(link instanceof HTMLAnchorElement)) return;
  const to = new URL(link.href);
  to.searchParams.set("projector", "true");
  link.href = to.href;
  link.click();
}

/** The sentence of a teacher's link, as the page shows it; the figure covers that. */
function toldByLink() {
  const said = new URLSearchParams(window.location.search).get("say") ?? "";
  return said.trim().split(/\s+/).join(" ").slice(0, MOST_TOLD);
}
