// One figure on the page: takes messages from Python, draws, moves, reports back.

import { checkCanvas, isTruthful } from "./canvas.js";
import { Caption } from "./captions.js";
import { inkCells } from "./cell_ink.js";
import { Controls } from "./controls.js";
import { fit, leftOut, Moving, pick, roomBelow } from "./figure.js";
import { Film } from "./film.js";
import { Pace } from "./pace.js";
import { loadPlotly } from "./plotly.js";
import { pointAtCell } from "./plotly_inside.js";
import { choosable, highlight, meant, onClick, outlines, unlight } from "./pointing.js";
import { layOut, printed } from "./print_page.js";
import { Projector } from "./projector.js";
import { leaveTouches } from "./touching.js";
import { isSame, readMessage, unpack } from "./wire.js";
import { paragraph, word } from "./word.js";

const PLAY_MILLISECONDS = 140;
const SEND_AFTER_MILLISECONDS = 120;
const SEND_AFTER_KEYS_MILLISECONDS = 500; // whoever taps on is not kept waiting by a rerun
const RETRY_MILLISECONDS = 8000;
const ELSEWHERE = ["pointerdown", "keydown"];
/** @type {Record<string, [number, number]>} whether a key moves along rows or columns, and by how many */
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [1, -1], ArrowRight: [1, 1] };
const STILL = "(prefers-reduced-motion: reduce)";
const ARRIVED_AFTER_MILLISECONDS = 1500;
const SETTLE_AFTER_MILLISECONDS = 600;
const CONFIG = { displayModeBar: false, responsive: false, doubleClick: false };

/** @typedef {ReturnType<typeof setTimeout> | undefined} Timer */

/**
 * Where settings stand, by their names, whichever figure shows them: so one follows another, and a re-mount does not
 * jump back. Each value counts until a newer command comes.
 *
 * @typedef {{ heard: number, stands: Map<string, { revision: number, value: string }> }} Circle
 */
/** @type {Map<string, Circle>} */
const circles = new Map(); // of figures that share their settings
/** @type {Map<string, import("./types").Captions>} */
const apart = new Map(); // figure key -> its sentences, where they come in a message of their own
/** @type {Set<LiveFigure>} */
const figures = new Set();
/** @type {Timer} */
let arriving; // until the page counts as opened, with all that it shows
let projected = false; // whether a link's wish for a full screen was seen to

/**
 * Takes the sentences of a figure that come apart from it, before it or after it.
 *
 * @param {Uint8Array} bytes
 */
export async function receiveSentences(bytes) {
  const { meta, captions } = await readMessage(bytes);
  if (!captions) return;
  apart.set(meta.key, captions);
  for (const figure of figures) if (figure.meta?.key === meta.key) figure.say(captions);
}

window.addEventListener("beforeprint", () => {
  for (const figure of figures) if (figure.isFirst) layOut(figure);
});
window.addEventListener("afterprint", printed);

/** Takes away the style that only counts while a page opens, some time after its last figure was drawn. */
function hasArrived() {
  clearTimeout(arriving);
  arriving = setTimeout(() => {
    document.querySelector("style[data-arriving]")?.remove();
    dressOnce();
  }, ARRIVED_AFTER_MILLISECONDS);
}

/** Sets the style aside that the app brings for a host with an HTML of its own, where the HTML has it already. */
function dressOnce() {
  const own = document.querySelector('link[rel=stylesheet][href*="/page.css"]')?.getAttribute("href");
  if (!own) return;
  for (const style of document.querySelectorAll("style")) {
    if (style.textContent?.includes(`"${own}"`)) style.media = "not all";
  }
}

export class LiveFigure {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = find(parent, ".live-figure");
    this.notice = find(this.root, ".live-notice");
    if (!this.notice.textContent) this.notice.textContent = word("The figure is being drawn.");
    this.stage = find(this.root, ".live-stage");
    /** @type {any} */
    this.node = find(this.root, ".live-plot");
    this.frames = find(this.root, ".live-frames");
    this.choice = find(this.root, ".live-choice");
    this.controls = new Controls(find(this.root, ".live-controls"), {
      moved: (name, position) => this.moved(name, position),
      cancelled: (name, position) => this.cancelled(name, position),
      released: (byKey) => this.released(byKey),
      toggled: () => this.toggle(),
      save: () => this.save(),
      projected: () => this.projector.toggle(),
    });
    this.sentence = new Caption(find(this.root, ".live-says"));
    this.heard = document.createElement("p");
    Object.assign(this.heard, { className: "live-heard", ariaLive: "polite" });
    this.root.append(this.heard);
    this.told = find(this.root, ".live-told"); // the teacher's sentence, where the figure covers the page
    this.projector = new Projector({
      ...{ root: this.root, controls: this.controls.node, words: [this.told, this.sentence.node] },
      told: this.told,
      nudge: (name, by) => this.nudge(name, by),
      toggle: () => this.toggle(),
      changed: () => this.refit(),
    });
    this.film = new Film(find(this.root, ".live-film"), find(this.root, ".live-mark"), {
      at: () => this.at,
      size: () => ({ steps: this.lastStep + 1, rows: this.meta?.cursor?.texts.length ?? 0 }),
      ready: () => this.inSight && this.drawn.width > 0 && this.root.dataset.state === "drawn",
      stands: (at) => (this.isDrawnAt(at) ? this.node : undefined),
      draw: (node, at) => this.drawAside(node, at),
      purge: (node) => this.Plotly?.purge(node),
    });
    this.pace = new Pace(() => this.present());
    this.at = { step: 0, row: 0 };
    /** @type {import("./types").Chosen} */
    this.chosen = {};
    /** @type {ReturnType<typeof choosable>} */
    this.maps = []; // those of the real figure that can be chosen in
    this.dragging = false;
    this.inSight = false;
    this.gone = false;
    /** @type {any} */
    this.Plotly = undefined;
    /** @type {unknown} */
    this.data = undefined;
    /** @type {Uint8Array | undefined} */
    this.packed = undefined;
    /** @type {import("./types").Meta | undefined} */
    this.meta = undefined;
    /** @type {import("./types").Steps | undefined} */
    this.steps = undefined;
    /** @type {Moving | undefined} */
    this.moving = undefined; // what the real figure is drawn from
    /** @type {Moving | undefined} */
    this.aside = undefined; // what the film is drawn from
    /** @type {string | undefined} */
    this.theme = undefined;
    /** @type {string | undefined} what colours the maps */
    this.palette = undefined;
    /** @type {import("./types").Cell | null} */
    this.cell = null;
    /** @type {number | undefined} */
    this.revision = undefined;
    /** @type {number | undefined} */
    this.frame = undefined;
    /** @type {Timer} */
    this.sending = undefined;
    /** @type {Timer} */
    this.settling = undefined;
    /** @type {Timer} */
    this.retrying = undefined;
    /** @type {Timer} */
    this.playing = undefined;
    this.width = 0; // of the stage, kept by the observer so that drawing never has to ask for it
    /** @type {import("./types").Space & { sizes: string }} */
    this.drawn = { width: 0, height: 0, sizes: "" }; // the space that it was drawn for, and what each step takes of it
    /** @type {unknown[]} */
    this.shows = []; // what the real figure was drawn from: colours, step, row, width, sizes (`drawnFrom`)
    this.onWindow = () => this.onResize();
    this.onElsewhere = (/** @type {Event} */ event) => this.beforeElsewhere(event);
    this.watch();
    figures.add(this);
  }

  watch() {
    this.resized = new ResizeObserver(([entry]) => {
      if (entry) this.width = Math.floor(entry.contentRect.width);
      this.onResize();
    });
    this.resized.observe(this.stage);
    this.sight = new IntersectionObserver(([entry]) => {
      this.inSight = entry?.isIntersecting ?? false;
      this.film.make();
    });
    this.sight.observe(this.root);
    window.addEventListener("resize", this.onWindow);
    for (const kind of ELSEWHERE) window.addEventListener(kind, this.onElsewhere, true);
    // Before anybody can point at a picture of the film, the real figure takes its place.
    this.film.screen.addEventListener("pointerdown", () => this.settle());
    this.film.screen.addEventListener("pointermove", ({ movementX, movementY }) => {
      if (movementX || movementY) this.settle();
    });
  }

  destroy() {
    this.gone = true;
    // The next step of a lesson is another page's: its figure fills the screen too.
    const follows = this.projector.on && isProjected();
    if (follows) projected = false;
    this.projector.leave(follows);
    figures.delete(this);
    // A release that is still waiting; the address is another page's by now.
    if (this.sending) this.tell();
    for (const timer of [this.playing, this.sending, this.settling, this.retrying]) clearTimeout(timer);
    cancelAnimationFrame(this.frame ?? 0);
    this.pace.stop();
    this.resized?.disconnect();
    this.sight?.disconnect();
    window.removeEventListener("resize", this.onWindow);
    for (const kind of ELSEWHERE) window.removeEventListener(kind, this.onElsewhere, true);
    this.film.destroy();
    // What Python was told stays said until a figure is drawn here.
    if (this.root.dataset.state !== "failed") delete this.root.dataset.state;
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
        const message = await readMessage(/** @type {Uint8Array} */ (data));
        if (this.gone || data !== this.data) return; // a newer one came meanwhile
        await this.take(message);
        if (this.gone || data !== this.data) return; // a newer one came meanwhile
      }
      await this.start();
    } catch (error) {
      this.fail(error);
    }
  }

  async start() {
    clearTimeout(this.retrying);
    if (!this.meta) return;
    this.paint();
    this.reserve();
    this.root.dataset.sized = ""; // what stands below may be seen: nothing moves any more
    try {
      [this.Plotly] = await Promise.all([loadPlotly(this.meta.plotly), checkCanvas()]);
    } catch (error) {
      this.retrying = setTimeout(() => this.start().catch((again) => this.fail(again)), RETRY_MILLISECONDS);
      throw error;
    }
    if (!this.gone) this.draw();
  }

  /** @param {import("./types").Message} message */
  async take({ meta, captions, packed }) {
    if (!this.packed || !isSame(packed, this.packed)) {
      const { data } = this;
      const steps = await unpack(packed);
      if (this.gone || data !== this.data) return;
      this.packed = packed;
      this.steps = steps;
      this.moving = undefined;
    }
    this.meta = meta;
    this.adopt();
    this.controls.update(meta.key, meta.slider, meta.cursor, Boolean(meta.saver), meta.invites ?? "");
    this.sentence.update(captions ?? apart.get(meta.key) ?? null);
    this.show();
    this.reserve();
    // The group is called by its name, the picture in it by what it shows: neither is read twice.
    this.root.setAttribute("aria-label", meta.name);
  }

  /** @param {import("./types").Captions} captions */
  say(captions) {
    this.sentence.update(captions);
    this.show();
    this.sentence.reserve();
  }

  // Python's position counts when it is a new command; otherwise, and under a finger, the browser's own stands.
  adopt() {
    if (!this.meta) return;
    const { cursor, revision } = this.meta;
    const lastRow = (cursor?.texts.length ?? 1) - 1;
    const isBeyond = this.at.step > this.lastStep || this.at.row > lastRow; // so its address is too
    if (revision !== this.revision) {
      this.circle.heard = revision;
      if (!this.dragging) this.stand(({ index }) => index);
    }
    this.revision = revision;
    this.at.step = Math.min(this.at.step, this.lastStep);
    this.at.row = Math.min(this.at.row, lastRow);
    this.remember();
    if (isBeyond) this.writeAddress();
  }

  /** Which figures share their settings: in the app all that there are. */
  get shares() {
    return "";
  }

  get circle() {
    const circle = circles.get(this.shares) ?? { heard: 0, stands: new Map() };
    circles.set(this.shares, circle);
    return circle;
  }

  /**
   * Goes to where its settings stand since the newest command.
   *
   * @param {(choice: import("./types").Choice, position: number) => number} otherwise where none stands yet
   */
  stand(otherwise) {
    if (!this.meta) return;
    const { heard, stands } = this.circle;
    const places = this.settings().map(({ name, part, choice, position }) => {
      const known = stands.get(name);
      const place =
        known?.revision === heard ? positionOf(choice.values, known.value) : otherwise(choice, position);
      return /** @type {const} */ ([part, place]);
    });
    const { step = 0, row = 0, ...chosen } = Object.fromEntries(places);
    this.at = { step, row };
    this.chosen = chosen;
  }

  remember() {
    const { heard, stands } = this.circle;
    for (const { name, choice, position } of this.settings())
      stands.set(name, { revision: heard, value: choice.values[position] ?? "" });
  }

  /** Each setting that it shows: what it is called, what of the figure it moves or chooses, and where it stands. */
  settings() {
    const { slider = null, cursor = null, chosen = {} } = this.meta ?? {};
    /** @type {[string, import("./types").Choice | null, number][]} */
    const parts = [
      ["step", slider, this.at.step],
      ["row", cursor, this.at.row],
    ];
    for (const [part, choice] of Object.entries(chosen))
      parts.push([part, choice, this.chosen[part] ?? choice.index]);
    return parts.flatMap(([part, choice, position]) =>
      choice ? [{ part, choice, position, name: choice.name || part }] : [],
    );
  }

  /** Goes to where another figure moved what this one shows too. */
  follow() {
    if (this.dragging) return; // this hand says where it stands
    const { step, row } = this.at;
    this.stand((_, position) => position);
    if (step === this.at.step && row === this.at.row) return this.frameChoice();
    this.pause();
    this.present();
  }

  /** Puts the figure into the theme's colours. */
  paint() {
    if (!this.meta || !this.steps) return;
    const theme = readTheme(this.root);
    const { palette } = this.meta;
    if (this.moving && theme === this.theme && palette === this.palette) return;
    this.theme = theme;
    this.palette = palette;
    const colours = this.meta.colours[theme] ?? null;
    this.moving = new Moving(this.steps, colours);
    this.aside = undefined;
    this.film.clear();
  }

  // ---- drawing ----

  /** Keeps the room of the highest step free, so that nothing below moves while a slider does. */
  reserve() {
    const width = this.width || Math.floor(this.stage.clientWidth);
    if (!this.moving || !width) return;
    const height = Math.max(...this.moving.sizes(this.space).map((size) => size.height));
    if (height) this.stage.style.minHeight = `${height}px`;
    this.sentence.reserve();
  }

  draw() {
    try {
      this.drawNow();
    } catch (error) {
      this.fail(error);
    }
  }

  drawNow() {
    if (this.gone || !this.Plotly || !this.moving) return;
    clearTimeout(this.settling);
    this.settling = undefined;
    const { space } = this;
    if (!space.width) return; // hidden, in a closed tab: the observer calls again when it is shown
    if (!isSameSpace(space, this.drawn)) {
      // A phone's address bar comes and goes, and changes the room alone: the film stays where no step does.
      const sizes = JSON.stringify([space.enlarged?.scale, this.moving.sizes(space)]);
      const same = space.width === this.drawn.width && sizes === this.drawn.sizes;
      this.drawn = { ...space, sizes };
      if (!same) {
        this.film.clear();
        this.reserve();
      }
    }
    const at = { ...this.at };
    const shows = this.drawnFrom(at);
    if (this.isDrawnAt(at)) {
      this.onDrawn(at); // it stands there already, perhaps under the film
      return;
    }
    this.shows = [];
    const figure = this.moving.at(at.step, at.row);
    const { screens = [] } = figure.layout.meta ?? {};
    const screen = space.enlarged && pick(screens, space);
    this.controls.lacks(leftOut([screens], screen ? [screen] : []).join(", "));
    const first = !this.node.data;
    this.Plotly.react(this.node, figure.data, fit(figure, space), CONFIG).then(
      () => {
        inkCells(this.node);
        leaveTouches(this.node);
        this.shows = shows;
        this.onDrawn(at);
      },
      (/** @type {unknown} */ error) => this.fail(error),
    );
    if (first) this.listen();
    this.show();
  }

  /** What a picture is drawn from. @param {import("./film.js").At} at */
  drawnFrom({ step, row }) {
    return [this.moving, step, row, this.drawn.width, this.drawn.sizes];
  }

  /** Whether that is what the real figure shows. @param {import("./film.js").At} at */
  isDrawnAt(at) {
    return this.drawnFrom(at).every((part, i) => part === this.shows[i]);
  }

  /** @param {import("./film.js").At} at */
  onDrawn(at) {
    if (this.gone) return;
    const isFirst = this.root.dataset.state !== "drawn";
    this.heal();
    Object.assign(this.root.dataset, { state: "drawn", step: at.step, row: at.row });
    this.maps = choosable(this.node);
    this.node.role = this.maps.length ? "application" : "img"; // whose arrows move the chosen cell
    this.node.tabIndex = this.maps.length ? 0 : -1;
    this.frameChoice();
    this.project();
    if (at.step !== this.at.step || at.row !== this.at.row) return; // moved on meanwhile
    if (!isFirst) this.film.keep(this.node, at); // a first picture is seen first, and copied by an idle browser
    this.film.hide();
    this.frameChoice();
    this.film.make();
    hasArrived();
  }

  /** Whether it is the page's own: what is projected, and printed. */
  get isFirst() {
    return document.querySelector(".live-figure") === this.root;
  }

  /** Fills the screen where the link says so: the first figure of the page, once. */
  project() {
    if (projected || !this.isFirst) return;
    projected = true;
    if (isProjected()) this.projector.enter(false);
  }

  /** Frames what is chosen in the picture that stands there; no picture is drawn again for it. */
  frameChoice() {
    const frames = outlines(this.film.shown?.maps ?? this.maps, this.chosen);
    const stand = [...this.choice.children];
    if (frames.length === stand.length && frames.every((frame, i) => frame.isEqualNode(stand[i] ?? null)))
      return;
    this.choice.replaceChildren(...frames);
  }

  /** Draws a step out of sight, for the film. @param {HTMLElement} node @param {import("./film.js").At} at */
  async drawAside(node, at) {
    if (!this.steps || !this.moving) return;
    this.aside ??= new Moving(this.steps, this.moving.colours);
    const figure = this.aside.at(at.step, at.row);
    const layout = fit(figure, this.drawn);
    await this.Plotly.react(node, figure.data, layout, { staticPlot: true });
    inkCells(node);
  }

  /** Shows where the sliders stand: from the film where it can, else drawn at once. */
  present() {
    if (!this.film.show(this.at)) return this.draw();
    this.frameChoice();
    this.show();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), SETTLE_AFTER_MILLISECONDS);
  }

  /** Puts the real figure in the place of the film. */
  settle() {
    if (this.film.showing && !this.playing) this.draw();
  }

  /** Says where the figure stands: the sliders, their read-outs and the sentence. */
  show() {
    this.controls.show(this.at);
    const moving = this.playing !== undefined || this.dragging || this.sending !== undefined;
    if (moving) this.sentence.hush();
    this.sentence.show(this.at);
    if (!this.meta || moving) return;
    this.node.setAttribute("aria-label", [this.meta.alt, ...this.controls.texts()].join("; "));
    this.sentence.readOut();
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  /** The pixels that the figure may take beside its words. @returns {import("./types").Space} */
  get space() {
    const height = roomBelow();
    if (!this.projector.on || !this.moving)
      return { width: this.width || Math.floor(this.stage.clientWidth), height };
    return this.projector.space(this.moving, { width: this.root.parentElement?.clientWidth ?? 0, height });
  }

  /** The figure fills the screen now, or does not any more. */
  refit() {
    if (this.gone) return;
    this.controls.showProjected(this.projector.on);
    this.stage.style.minHeight = "";
    this.width = Math.floor(this.stage.clientWidth);
    this.reserve();
    this.draw();
  }

  onResize() {
    if (!isSameSpace(this.space, this.drawn)) this.schedule();
  }

  // ---- when it does not work ----

  /** @param {unknown} error */
  fail(error) {
    if (this.gone) return; // the page was left while it was drawn
    console.error("live figure:", error);
    this.pause();
    this.film.hide();
    this.shows = [];
    if (this.root.dataset.state === "failed") return;
    this.root.dataset.state = "failed";
    // Plotly alone would draw noise where a canvas lies: then there is no plain chart.
    const instead = isTruthful() ? word("The plain chart below shows the present step.") : "";
    this.notice.textContent = paragraph(
      word("The moving figure could not be drawn in this browser."),
      instead,
    );
    this.setStateValue?.("failed", isTruthful());
  }

  heal() {
    if (this.root.dataset.state !== "failed") return;
    this.notice.textContent = "";
    this.setStateValue?.("failed", false);
  }

  // ---- moving ----

  /** @param {"step" | "row"} name @param {number} position */
  moved(name, position) {
    this.controls.invitation.accept();
    this.pause();
    this.dragging = true;
    this.at[name] = position;
    this.pace.move();
  }

  /** @param {"step" | "row"} name @param {number} by */
  nudge(name, by) {
    const last = name === "step" ? this.lastStep : (this.meta?.cursor?.texts.length ?? 1) - 1;
    const to = Math.min(last, Math.max(0, this.at[name] + by));
    if (to === this.at[name]) return;
    this.moved(name, to);
    this.released(true);
  }

  /**
   * A finger that touched a slider scrolls the page: nothing was meant.
   *
   * @param {"step" | "row"} name
   * @param {number} position where it stood before
   */
  cancelled(name, position) {
    if (!this.dragging) return;
    this.dragging = false;
    this.at[name] = position;
    this.present();
  }

  /** @param {boolean} byKey */
  released(byKey) {
    if (!this.dragging) return; // it was cancelled
    this.dragging = false;
    this.send(byKey ? SEND_AFTER_KEYS_MILLISECONDS : SEND_AFTER_MILLISECONDS);
    this.show();
  }

  get lastStep() {
    return (this.steps?.header.n_steps ?? 1) - 1;
  }

  toggle() {
    if (this.playing) this.stop();
    else if (!window.matchMedia(STILL).matches) this.play();
    else {
      // Where no motion is wanted, each press shows one step more.
      this.at.step = this.at.step < this.lastStep ? this.at.step + 1 : 0;
      this.send();
      this.present();
    }
  }

  play() {
    this.controls.invitation.accept();
    if (this.at.step >= this.lastStep) this.at.step = -1;
    const next = () => {
      if (this.at.step >= this.lastStep) return this.stop();
      this.at.step += 1;
      this.present();
    };
    this.playing = setInterval(next, PLAY_MILLISECONDS);
    this.controls.showPlaying(true);
    next();
  }

  pause() {
    if (!this.playing) return;
    clearInterval(this.playing);
    this.playing = undefined;
    this.controls.showPlaying(false);
  }

  stop() {
    this.pause();
    this.send();
    this.present();
  }

  // ---- to Python ----

  // Keys repeat faster than a rerun: the last position within a moment is the one that is sent.
  send(milliseconds = SEND_AFTER_MILLISECONDS) {
    this.remember();
    clearTimeout(this.sending);
    this.root.dataset.unsent = "";
    this.sending = setTimeout(() => this.report(), milliseconds);
  }

  /**
   * What is pressed elsewhere may take the figure away: while it plays, or a release is waiting, Python is
   * told first where it stands.
   *
   * @param {Event} event
   */
  beforeElsewhere(event) {
    if (!this.playing && !this.sending) return;
    if (event.target instanceof Node && this.root.contains(event.target)) return;
    this.remember();
    this.report();
  }

  report() {
    clearTimeout(this.sending);
    this.sending = undefined;
    delete this.root.dataset.unsent;
    this.remember();
    for (const other of figures) if (other !== this && other.circle === this.circle) other.follow();
    this.show();
    this.writeAddress();
    this.tell();
  }

  tell() {
    this.setStateValue?.("view", {
      ...this.at,
      of: [this.lastStep + 1, this.meta?.cursor?.texts.length ?? 1], // a server that offers others must not count so
      chosen: this.chosen,
      cell: this.cell,
      revision: this.revision,
    });
  }

  // Written here first, so that Python's own write finds it done and adds no entry to the history.
  writeAddress() {
    const address = new URL(window.location.href);
    this.setInto(address.searchParams);
    if (address.href !== window.location.href) window.history.replaceState({}, "", address);
  }

  /**
   * Sets what the sliders say and what is chosen; what stands at its default is left out.
   *
   * @param {URLSearchParams} query of an address of the app
   */
  setInto(query) {
    for (const { choice, position } of this.settings()) {
      if (!choice.name) continue;
      if (position === choice.default) query.delete(choice.name);
      else query.set(choice.name, choice.values[position] ?? "");
    }
  }

  // ---- pointing ----

  listen() {
    this.node.on("plotly_hover", (/** @type {any} */ event) => {
      highlight(this, event.points[0], this.at.row);
      this.pointAt(event.points[0]);
    });
    this.node.on("plotly_unhover", () => unlight(this));
    this.node.on("plotly_afterplot", () => unlight(this));
    this.node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.step(event));
    this.node.addEventListener("blur", () => this.Plotly.Fx.unhover(this.node));
    onClick(this.node, (point) => {
      highlight(this, point, this.at.row); // a finger has not hovered before
      this.choose(point);
    });
  }

  /** Moves the chosen cell by an arrow, and says what is there, as pointing does. @param {KeyboardEvent} event */
  step(event) {
    const [axis, by] = ARROWS[event.key] ?? [0, 0];
    const own = this.maps.filter(({ choosing: { part } }) => !part || part[1] === this.chosen[part[0]]);
    const map = own.findLast(({ choosing }) => choosing.axes.every(Boolean)) ?? own[0] ?? this.maps[0];
    if (!by || !map || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // a page may step its view by the same keys
    const { axes } = map.choosing;
    const name = axes[axis];
    const last = (axis ? map.place.columns : map.place.rows) - 1;
    if (name) {
      this.chosen = { ...this.chosen, [name]: Math.min(Math.max((this.chosen[name] ?? 0) + by, 0), last) };
      this.frameChoice();
      this.send(SEND_AFTER_KEYS_MILLISECONDS);
    } else if (!axis) this.nudge("row", by);
    this.settle();
    const [row, column] = axes.map((each, i) => (each ? (this.chosen[each] ?? 0) : i ? 0 : this.at.row));
    pointAtCell(this.Plotly, this.node, map.trace, row, column, (said) => (this.heard.textContent = said));
  }

  /** Where pointing is enough to move to a row, moves there; nothing is sent. @param {any} point */
  pointAt(point) {
    const { row } = meant(point);
    if (!point.data.meta?.points || row === null || row === this.at.row) return;
    this.at.row = row;
    this.remember();
    this.present();
  }

  /** @param {any} point */
  choose(point) {
    const { cell, row, chosen } = meant(point);
    const moves = row !== null && row < (this.meta?.cursor?.texts.length ?? 0);
    if (moves) this.at.row = row;
    if (cell) this.cell = cell;
    // A saved file has the sentences of one choice alone: where they tell of it, nothing else is chosen there.
    if (!this.meta?.fixed) this.chosen = { ...this.chosen, ...chosen };
    this.frameChoice();
    if (cell || row !== null || Object.keys(chosen).length) this.send();
    if (moves) this.present();
  }

  // ---- for a slide ----

  /** Where this figure can be set up again; said under a saved picture. */
  get address() {
    return window.location.href;
  }

  /** A font's file, for what is saved with its words. @param {string} name @returns {Promise<Uint8Array>} */
  async font(name) {
    const saver = new URL(this.meta?.saver ?? "", document.baseURI);
    const answer = await fetch(new URL(`fonts/${name}.ttf${saver.search}`, saver));
    if (!answer.ok) throw new Error(`the font ${name} was answered by ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  /** Opens the panel that saves what stands here now. */
  async save() {
    const { Plotly, meta, steps, packed } = this;
    if (!Plotly || !meta?.saver || !steps || !packed) return;
    this.pause();
    this.report(); // so that the address says what is seen
    try {
      const { default: openSavePanel } = await import(new URL(meta.saver, document.baseURI).href);
      openSavePanel(this.root, {
        ...{ Plotly, steps, packed, captions: this.sentence.captions },
        meta: { ...meta, fixed: apart.has(meta.key) },
        ...{ at: { ...this.at }, chosen: this.chosen, texts: this.controls.texts() },
        ...{ textsAt: this.controls.textsAt.bind(this.controls), address: this.address },
        font: (/** @type {string} */ name) => this.font(name),
      });
      this.controls.note("");
    } catch (error) {
      console.error("live figure:", error);
      this.controls.note(word("The panel could not be loaded."));
    }
  }
}

/**
 * Returns the position of a value, or of the nearest: a figure may offer fewer values of a setting than another.
 *
 * @param {string[]} values
 * @param {string} value
 */
function positionOf(values, value) {
  if (values.includes(value)) return values.indexOf(value);
  const gaps = values.map((each) => Math.abs(Number(each) - Number(value)));
  return Math.max(0, gaps.indexOf(Math.min(...gaps)));
}

/** @param {HTMLElement} within @param {string} selector @returns {HTMLElement} */
function find(within, selector) {
  const found = within.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the figure lacks ${selector}`);
  return found;
}

/** @param {HTMLElement} node @returns {"dark" | "light"} */
function readTheme(node) {
  const ground = getComputedStyle(node).getPropertyValue("--st-background-color").trim();
  const canvas = document.createElement("canvas").getContext("2d");
  if (!canvas) return "light";
  canvas.fillStyle = ground || "#ffffff";
  const pairs = String(canvas.fillStyle).match(/[0-9a-f]{2}/gi) ?? [];
  const [red = 255, green = 255, blue = 255] = pairs.map((pair) => parseInt(pair, 16));
  return red + green + blue < 384 ? "dark" : "light";
}

/** @param {import("./types").Space} one @param {import("./types").Space} other */
function isSameSpace(one, other) {
  const [scale, another] = [one, other].map((space) => space.enlarged?.scale);
  return one.width === other.width && one.height === other.height && scale === another;
}

/** Whether the link wishes for a full screen. */
function isProjected() {
  return new URLSearchParams(window.location.search).get("projector")?.toLowerCase() === "true";
}
