// What stands under a figure: its sliders with their read-outs, play, and the button that saves it for a slide.

import { Finger } from "./finger.js";
import { Invitation } from "./invitation.js";
import { breadth, word } from "./word.js";

/** @typedef {import("./types").Control} Control */
/** @typedef {"step" | "row"} SliderName */
/**
 * What the controls ask of their figure.
 *
 * @typedef {object} Actions
 * @property {(name: SliderName, position: number) => void} moved while a slider is dragged
 * @property {(name: SliderName, position: number) => void} cancelled the finger came to scroll: back to where it was
 * @property {(byKey: boolean) => void} released by a key, of which more may follow, or by the pointer
 * @property {() => void} toggled play or pause
 * @property {() => void} save
 * @property {() => void} projected fills the screen, or leaves it
 */

const PLAY = "M1 0l9 5-9 5z";
const PAUSE = "M1 0h3v10H1zM6 0h3v10H6z";
const ICON = '<svg viewBox="0 0 10 10" aria-hidden="true"><path/></svg>';
const FILL = "M0 0h4v1.5H1.5V4H0zM6 0h4v4H8.5V1.5H6zM0 6h1.5v2.5H4V10H0zM8.5 6H10v4H6V8.5h2.5z";
const LEAVE = "M2.5 0H4v4H0V2.5h2.5zM6 0h1.5v2.5H10V4H6zM0 6h4v4H2.5V7.5H0zM6 6h4v1.5H7.5V10H6z";

/** The controls of one figure. Elements are made once, so that none is ever replaced under a finger. */
export class Controls {
  /** @param {HTMLElement} node @param {Actions} actions */
  constructor(node, actions) {
    this.node = node;
    this.actions = actions;
    /** @type {Partial<Record<SliderName, Slider>>} */
    this.sliders = {};
    this.said = document.createElement("span");
    this.lacking = document.createElement("span");
    this.lacking.className = "live-lacking";
    this.play = this.playButton();
    this.save = this.saveButton();
    this.projector = this.projectorButton();
    this.invitation = new Invitation();
    this.tools = document.createElement("div");
    this.tools.className = "live-tools";
    this.said.setAttribute("role", "status");
    this.tools.append(this.said, this.lacking, this.save, this.projector);
    this.isPlaying = false;
    this.isProjected = false;
    this.isMade = false;
    this.call();
  }

  /** Calls each button what it does now, in the language of the page. */
  call() {
    this.showPlaying(this.isPlaying);
    this.showProjected(this.isProjected);
    const what = word("Save this figure for a slide: picture, moving file, film or numbers");
    if (this.save.title !== what) this.save.title = what;
    if (this.save.textContent !== word("Save")) this.save.textContent = word("Save");
  }

  /**
   * Fits the controls to a message.
   *
   * @param {string} key the figure's
   * @param {Control | null} step
   * @param {Control | null} row
   * @param {boolean} saves whether there is anybody to save a file
   * @param {string} invites what is said to whoever never moved a slider
   */
  update(key, step, row, saves, invites) {
    if (!this.isMade) this.node.replaceChildren(); // where a page was built, their likeness stood there
    this.isMade = true;
    this.call(); // another language may be spoken now
    this.invitation.show(invites);
    if (invites && !this.invitation.node.isConnected) this.node.append(this.invitation.node);
    this.set("step", key, step);
    this.set("row", key, row);
    this.save.hidden = !saves;
    const first = this.sliders.step ?? this.sliders.row;
    const home = first ? first.node : this.node;
    if (this.tools.parentElement !== home) home.append(this.tools);
  }

  /** @param {SliderName} name @param {string} key @param {Control | null} control */
  set(name, key, control) {
    let slider = this.sliders[name];
    if (!control) {
      slider?.node.remove();
      delete this.sliders[name];
      return;
    }
    if (!slider) {
      slider = new Slider(name, this.actions, name === "step" ? this.play : document.createElement("span"));
      this.sliders[name] = slider;
      if (name === "step") this.node.prepend(slider.node);
      else this.node.append(slider.node);
    }
    slider.update(`live-${key}-${name}`, control);
  }

  /** Shows where the sliders stand. @param {Record<SliderName, number>} at */
  show(at) {
    this.sliders.step?.show(at.step);
    this.sliders.row?.show(at.row);
  }

  /** What each slider is called, and says. @returns {[string, string][]} */
  pairs() {
    return Object.values(this.sliders).map((slider) => [
      slider.label.textContent ?? "",
      slider.output.textContent ?? "",
    ]);
  }

  /** The same, each as one text. @returns {string[]} */
  texts() {
    return this.pairs().map((pair) => pair.join(" "));
  }

  /** The same where the sliders would stand elsewhere. @param {Record<SliderName, number>} at @returns {string[]} */
  textsAt(at) {
    return Object.entries(this.sliders).map(
      ([name, { label, texts }]) =>
        `${label.textContent} ${texts[at[/** @type {SliderName} */ (name)]] ?? ""}`,
    );
  }

  /** @param {boolean} playing */
  showPlaying(playing) {
    this.isPlaying = playing;
    this.play.querySelector("path")?.setAttribute("d", playing ? PAUSE : PLAY);
    // Where no motion is wanted, each press shows one step more.
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (playing) named(this.play, word("Pause"), word("Pause"));
    else if (still) named(this.play, word("Next step"), word("Next step"));
    else named(this.play, word("Play"), word("Play"));
  }

  /** @param {string} text what went wrong with a button, or nothing */
  note(text) {
    this.said.textContent = text;
  }

  /** @param {string} what the figure has no room for */
  lacks(what) {
    if (this.lacking.textContent !== what) this.lacking.textContent = what;
  }

  playButton() {
    const button = newButton("play", () => this.actions.toggled());
    button.className = "live-play";
    button.innerHTML = ICON;
    return button;
  }

  /** @param {boolean} on whether the figure fills the screen */
  showProjected(on) {
    this.isProjected = on;
    this.projector.querySelector("path")?.setAttribute("d", on ? LEAVE : FILL);
    if (on) named(this.projector, word("Leave the full screen"), word("Leave the full screen"));
    else
      named(
        this.projector,
        word("Fill the screen"),
        word("For a projector: fill the screen; arrow keys step, space plays, Escape leaves"),
      );
  }

  projectorButton() {
    const button = newButton("projector", () => this.actions.projected());
    button.className = "live-fill";
    button.innerHTML = ICON;
    return button;
  }

  saveButton() {
    return newButton("save", () => this.actions.save());
  }
}

/** @param {string} name what tests and styles find it by @param {() => void} pressed */
function newButton(name, pressed) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.live = name;
  button.addEventListener("click", pressed);
  return button;
}

/** @param {HTMLButtonElement} button @param {string} name @param {string} title */
function named(button, name, title) {
  if (button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name);
  if (button.title !== title) button.title = title;
}

class Slider {
  /**
   * @param {SliderName} name
   * @param {Actions} actions
   * @param {HTMLElement} before what stands before the label
   */
  constructor(name, actions, before) {
    this.node = document.createElement("div");
    this.node.className = "live-row";
    this.label = document.createElement("label");
    this.input = document.createElement("input");
    Object.assign(this.input, { type: "range", min: 0, step: 1 });
    this.input.dataset.live = name;
    this.output = document.createElement("output");
    this.output.ariaLive = "off"; // the slider itself tells its value
    /** @type {string[]} */
    this.texts = [];
    const set = () => actions.moved(name, Number(this.input.value));
    let byKey = false;
    let stood = 0; // where it was when it was touched
    this.input.addEventListener("keydown", () => (byKey = true));
    this.input.addEventListener("pointerdown", () => (byKey = false));
    const finger = new Finger(this.input, {
      touched: () => (stood = Number(this.input.value)),
      set: () => Number(this.input.value) !== stood && set(),
      back: () => {
        this.input.value = String(stood);
        actions.cancelled(name, stood);
      },
    });
    this.input.addEventListener("input", () => finger.waits || set());
    this.input.addEventListener("change", () => actions.released(byKey));
    this.node.append(before, this.label, this.input, this.output);
  }

  /** @param {string} id @param {Control} control */
  update(id, { label, name, texts }) {
    this.texts = texts;
    this.node.dataset.setting = name; // a link may hide it by this name
    this.input.id = id;
    this.input.max = String(texts.length - 1);
    this.input.disabled = texts.length < 2;
    this.label.htmlFor = id;
    this.label.textContent = label;
    this.output.setAttribute("for", id);
    this.output.style.width = `${Math.max(...texts.map(breadth))}ch`;
  }

  /** @param {number} position */
  show(position) {
    const text = this.texts[position] ?? "";
    if (this.input.value !== String(position)) this.input.value = String(position);
    this.output.textContent = text;
    this.input.setAttribute("aria-valuetext", text);
  }
}
