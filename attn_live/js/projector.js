// Projector mode: one figure fills the screen in large type, and the keys move it.

/**
 * What it asks of its figure.
 *
 * @typedef {object} Shown
 * @property {HTMLElement} root
 * @property {HTMLElement} controls
 * @property {HTMLElement} says
 * @property {(name: "step" | "row", by: number) => void} nudge moves a slider by so many steps
 * @property {() => void} toggle plays or pauses
 * @property {() => void} changed the room is another now
 */

const LARGE = 20 / 14; // times the usual size of labels, at least
const LINES_OF_SLIDE = 620; // pixels of height that a figure is drawn for, however large the screen is
const NARROWEST = 340; // pixels of width that a figure is drawn for
const LEAST_ROOM = 200; // pixels
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
    this.shown = shown;
    this.on = false;
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.key(event);
    this.onScreen = () => {
      if (this.filled && !document.fullscreenElement) this.leave();
    };
    this.onSize = () => this.scale();
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
    if ("popover" in root) {
      root.popover = "manual"; // over everything, whatever holds it
      root.showPopover();
    }
    window.addEventListener("keydown", this.onKey, true);
    window.addEventListener("resize", this.onSize);
    document.addEventListener("fullscreenchange", this.onScreen);
    this.scale();
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

  leave() {
    const { root, changed } = this.shown;
    if (!this.on) return;
    this.on = false;
    window.removeEventListener("keydown", this.onKey, true);
    window.removeEventListener("resize", this.onSize);
    document.removeEventListener("fullscreenchange", this.onScreen);
    if (root.popover) {
      if (root.isConnected) root.hidePopover();
      root.removeAttribute("popover");
    }
    delete root.dataset.projector;
    for (const name of ["--zoom", "--fit"]) root.style.removeProperty(name);
    if (root.parentElement) root.parentElement.style.minHeight = "";
    if (this.filled && document.fullscreenElement) document.exitFullscreen().catch(() => {});
    this.filled = false;
    changed();
    this.focus(this.before);
  }

  /** Pixels of height for the figure, before it is enlarged. */
  get room() {
    const { root, controls, says } = this.shown;
    const { paddingTop, paddingBottom } = getComputedStyle(root);
    const taken =
      controls.offsetHeight + says.offsetHeight + parseFloat(paddingTop) + parseFloat(paddingBottom);
    return Math.max(LEAST_ROOM, Math.floor((window.innerHeight - taken - LINES_OF_SLIDE / 20) / this.zoom));
  }

  get zoom() {
    const wanted = Math.max(LARGE, window.innerHeight / LINES_OF_SLIDE);
    return Math.max(1, Math.min(wanted, window.innerWidth / NARROWEST));
  }

  scale() {
    this.shown.root.style.setProperty("--zoom", this.zoom.toFixed(3));
  }

  /** Makes a figure smaller that is higher than its room, as on a phone. @param {number} height */
  fit(height) {
    if (this.on)
      this.shown.root.style.setProperty("--fit", Math.min(1, this.room / (height || 1)).toFixed(3));
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
