// One figure on the page: takes messages from Python, draws, moves, reports back.

import { Controls } from "./controls.js";
import { fit, Moving } from "./figure.js";
import { loadPlotly } from "./plotly.js";
import { chosen, highlight } from "./pointing.js";
import { Sentence } from "./says.js";
import { saveSlide } from "./slide.js";
import { canRead, readMessage } from "./wire.js";

const PLAY_MILLISECONDS = 140;
const SEND_AFTER_MILLISECONDS = 120;
const CONFIG = { displayModeBar: false, responsive: false, doubleClick: false };

/** @type {Map<string, { revision: number, step: number, row: number }>} */
const positions = new Map(); // figure key -> last position, so that a re-mount does not jump back

export class LiveFigure {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = find(parent, ".live-figure");
    this.stage = find(this.root, ".live-stage");
    /** @type {any} */
    this.node = find(this.root, ".live-plot");
    this.frames = find(this.root, ".live-frames");
    this.controls = new Controls(find(this.root, ".live-controls"), {
      moved: (name, position) => this.moved(name, position),
      released: () => this.released(),
      toggled: () => (this.playing ? this.stop() : this.play()),
      save: (format) => this.save(format),
    });
    this.sentence = new Sentence(find(this.root, ".live-says"));
    this.at = { step: 0, row: 0 };
    this.dragging = false;
    this.asked = false; // for a message that was not deflated
    /** @type {import("./types").Cell | null} */
    this.cell = null;
    /** @type {unknown} */
    this.data = undefined;
    /** @type {import("./types").Meta | undefined} */
    this.meta = undefined;
    /** @type {import("./types").Steps | undefined} */
    this.steps = undefined;
    /** @type {Moving | undefined} */
    this.moving = undefined;
    /** @type {string | undefined} */
    this.theme = undefined;
    /** @type {number | undefined} */
    this.revision = undefined;
    /** @type {number | undefined} */
    this.frame = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.sending = undefined;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.playing = undefined;
    this.width = 0; // of the stage, kept by the observer so that drawing never has to ask for it
    this.drawn = { width: 0, room: 0, height: 0 };
    this.resized = new ResizeObserver(([entry]) => {
      if (entry) this.width = Math.floor(entry.contentRect.width);
      this.onResize();
    });
    this.resized.observe(this.stage);
    this.onWindow = () => this.onResize();
    window.addEventListener("resize", this.onWindow);
  }

  destroy() {
    this.gone = true;
    clearInterval(this.playing);
    if (this.sending) this.report(); // a release that is still waiting
    cancelAnimationFrame(this.frame ?? 0);
    this.resized.disconnect();
    window.removeEventListener("resize", this.onWindow);
    delete this.root.dataset.state;
    this.Plotly?.purge(this.node);
  }

  /**
   * Called for every message from Python and for every change of theme.
   *
   * @param {import("./types").Component} component
   */
  async update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    try {
      if (data !== this.data) {
        this.data = data;
        const bytes = /** @type {Uint8Array} */ (data);
        if (!canRead(bytes)) {
          if (!this.asked) setStateValue("plain", true); // Python sends it again, or draws a plain chart
          this.asked = true;
          return;
        }
        const message = await readMessage(bytes);
        if (this.gone || data !== this.data) return; // a newer one came meanwhile
        this.take(message);
      }
      if (!this.meta || !this.steps) return;
      this.paint();
      this.Plotly = await loadPlotly(this.meta.plotly);
      if (!this.gone) this.draw();
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {import("./types").Message} message */
  take({ meta, says, steps }) {
    this.meta = meta;
    this.steps = steps;
    this.moving = undefined;
    this.adopt();
    this.controls.update(meta.key, meta.slider, meta.cursor);
    this.sentence.update(says);
    this.show();
    this.root.setAttribute("aria-label", meta.alt);
    this.node.setAttribute("role", "img");
    this.node.setAttribute("aria-label", meta.alt);
  }

  // Python's position counts when it is a new command; otherwise the browser's own stands.
  adopt() {
    if (!this.meta || !this.steps) return;
    const { slider, cursor, revision, key } = this.meta;
    const known = positions.get(key);
    if (revision !== this.revision) {
      const own = known?.revision === revision ? known : null;
      this.at = own
        ? { step: own.step, row: own.row }
        : { step: slider ? slider.index : 0, row: cursor ? cursor.index : 0 };
      this.revision = revision;
    }
    this.at.step = Math.min(this.at.step, this.steps.header.n_steps - 1);
    this.at.row = cursor ? Math.min(this.at.row, cursor.texts.length - 1) : 0;
    this.remember();
  }

  remember() {
    if (this.meta) positions.set(this.meta.key, { revision: this.revision ?? 0, ...this.at });
  }

  /** Puts the figure into the theme's colours. */
  paint() {
    if (!this.meta || !this.steps) return;
    const theme = readTheme(this.root);
    if (this.moving && theme === this.theme) return;
    this.theme = theme;
    this.moving = new Moving(this.steps, this.meta.colours[theme] ?? null);
  }

  // ---- drawing ----

  draw() {
    try {
      this.drawNow();
    } catch (error) {
      this.fail(error);
    }
  }

  drawNow() {
    if (!this.Plotly || !this.moving) return;
    const width = this.width || Math.floor(this.stage.clientWidth);
    if (!width) return; // hidden, in a closed tab: the observer calls again when it is shown
    const figure = this.moving.at(this.at.step, this.at.row);
    const room = roomBelow();
    const layout = fit(figure, width, room);
    if (layout.height !== this.drawn.height) this.stage.style.minHeight = `${layout.height}px`;
    this.drawn = { width, room, height: layout.height };
    const first = !this.node.data;
    const { step, row } = this.at;
    this.Plotly.react(this.node, figure.data, layout, CONFIG).then(
      () => {
        this.root.dataset.state = "drawn";
        this.root.dataset.step = String(step);
        this.root.dataset.row = String(row);
      },
      (/** @type {unknown} */ error) => this.fail(error),
    );
    if (first) this.listen();
    this.show();
  }

  /** Says where the figure stands: the sliders, their read-outs and the sentence. */
  show() {
    this.controls.show(this.at);
    this.sentence.show(this.at, this.playing !== undefined || this.dragging);
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  onResize() {
    if (this.width !== this.drawn.width || roomBelow() !== this.drawn.room) this.schedule();
  }

  /** @param {unknown} error */
  fail(error) {
    console.error("live figure:", error);
    this.root.dataset.state = "failed";
    find(this.root, ".live-notice").textContent =
      "The moving figure could not be drawn in this browser. The plain chart below shows the present step.";
    this.controls.node.replaceChildren();
    if (!this.failed) this.setStateValue?.("failed", true);
    this.failed = true;
  }

  // ---- moving ----

  /**
   * @param {"step" | "row"} name
   * @param {number} position
   */
  moved(name, position) {
    this.pause();
    this.dragging = true;
    this.at[name] = position;
    this.draw(); // at once: the browser itself merges the moves of a drag
  }

  released() {
    this.dragging = false;
    this.show();
    this.send();
  }

  get lastStep() {
    return (this.steps?.header.n_steps ?? 1) - 1;
  }

  play() {
    if (this.at.step >= this.lastStep) this.at.step = 0;
    this.playing = setInterval(() => {
      if (this.at.step >= this.lastStep) return this.stop();
      this.at.step += 1;
      this.show();
      this.schedule();
    }, PLAY_MILLISECONDS);
    this.controls.showPlaying(true);
  }

  pause() {
    clearInterval(this.playing);
    this.playing = undefined;
    this.controls.showPlaying(false);
  }

  stop() {
    this.pause();
    this.show();
    this.send();
  }

  // ---- to Python ----

  // Keys repeat faster than a rerun: the last position within a moment is the one that is sent.
  send() {
    this.remember();
    clearTimeout(this.sending);
    this.sending = setTimeout(() => this.report(), SEND_AFTER_MILLISECONDS);
  }

  report() {
    clearTimeout(this.sending);
    this.sending = undefined;
    this.writeAddress();
    this.setStateValue?.("view", { ...this.at, cell: this.cell, revision: this.revision });
  }

  // Written here first, so that Python's own write finds it done and adds no entry to the history.
  writeAddress() {
    if (!this.meta) return;
    const address = new URL(window.location.href);
    for (const [control, position] of /** @type {const} */ ([
      [this.meta.slider, this.at.step],
      [this.meta.cursor, this.at.row],
    ])) {
      if (!control?.name) continue;
      if (position === control.default) address.searchParams.delete(control.name);
      else address.searchParams.set(control.name, control.values[position] ?? "");
    }
    if (address.href !== window.location.href) window.history.replaceState({}, "", address);
  }

  // ---- pointing ----

  listen() {
    this.node.on("plotly_hover", (/** @type {any} */ event) => highlight(this, event.points[0]));
    this.node.on("plotly_unhover", () => this.frames.replaceChildren());
    this.node.on("plotly_afterplot", () => this.frames.replaceChildren());
    this.node.on("plotly_click", (/** @type {any} */ event) => this.choose(event.points[0]));
  }

  /** @param {any} point */
  choose(point) {
    const { cell, row } = chosen(point);
    const cursor = this.meta?.cursor;
    if (cursor && row !== null && row < cursor.texts.length) {
      this.at.row = row;
      this.show();
      this.schedule();
    }
    if (cell) this.cell = cell;
    if (cell || row !== null) this.send();
  }

  // ---- for a slide ----

  /** @param {"png" | "svg"} format */
  async save(format) {
    if (!this.meta || !this.steps || !this.Plotly) return;
    await saveSlide(this.Plotly, this.steps, this.meta, { ...this.at, texts: this.controls.texts() }, format);
  }
}

/**
 * @param {HTMLElement} within
 * @param {string} selector
 * @returns {HTMLElement}
 */
function find(within, selector) {
  const found = within.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the figure lacks ${selector}`);
  return found;
}

/**
 * @param {HTMLElement} node
 * @returns {"dark" | "light"}
 */
function readTheme(node) {
  const ground = getComputedStyle(node).getPropertyValue("--st-background-color").trim();
  const canvas = document.createElement("canvas").getContext("2d");
  if (!canvas) return "light";
  canvas.fillStyle = ground || "#ffffff";
  const pairs = String(canvas.fillStyle).match(/[0-9a-f]{2}/gi) ?? [];
  const [red = 255, green = 255, blue = 255] = pairs.map((pair) => parseInt(pair, 16));
  return red + green + blue < 384 ? "dark" : "light";
}

/** @returns {number} pixels of height that a figure may take beside its words */
function roomBelow() {
  return Math.max(360, Math.round(window.innerHeight * 0.62));
}
