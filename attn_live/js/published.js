// Live figures on a page that was built, with no server: <live-figure data-figure="..."> each.
//
// All that it fetches comes as plain scripts, which a page opened from a disk may load too; each puts one text into
// `window.labParts`.

import { fromBase64 } from "./base64.js";
import { LiveFigure } from "./live_figure.js";
import { loadPlotly } from "./plotly.js";
import { word } from "./word.js";

const AHEAD = "100% 0px"; // of the window's height: how near a figure is when its steps are fetched
const FONT = '14px "Source Sans"'; // that the figures are drawn in
const MOST_FONT_MILLISECONDS = 1500;
const PLOTLY = "{{PLOTLY}}";
const LOOKS = ["class", "style", "data-theme", "data-bs-theme", "data-mode"]; // by which pages say light or dark

const script = /** @type {HTMLScriptElement} */ (document.currentScript);
const shared = new URL(script.src); // the other files lie beside it
window.labParts ??= {};
const parts = window.labParts;
/** @type {Map<string, Promise<string>>} */
const onTheirWay = new Map();
let saver = ""; // the address of the module that saves files, once it is there
let count = 0;

/**
 * Brings one of the files that lie beside this script.
 *
 * @param {string} name
 * @param {URL} [from] another script, or folder, that it lies beside
 * @returns {Promise<string>}
 */
function part(name, from = shared) {
  const known = onTheirWay.get(name);
  if (known) return known;
  const coming = new Promise((/** @type {(text: string) => void} */ resolve, reject) => {
    if (parts[name] !== undefined) return resolve(parts[name]);
    const brings = document.createElement("script");
    brings.src = `${new URL(`${name}.js`, from).href}${from.search}`;
    brings.onload = () => {
      brings.remove();
      const text = parts[name];
      if (text === undefined) reject(new Error(`${brings.src} has no ${name}`));
      else resolve(text);
    };
    brings.onerror = () => reject(new Error(`${brings.src} could not be loaded`));
    document.head.append(brings);
  });
  onTheirWay.set(name, coming);
  coming.catch(() => onTheirWay.delete(name)); // the next who asks tries again
  return coming;
}

class PublishedFigure extends LiveFigure {
  /** @param {HTMLElement} home */
  constructor(home) {
    super(home);
    this.home = home;
    this.onPaper = false;
    this.key = `published-${++count}`; // the same figure may stand on a page twice
  }

  /** @param {import("./types").Message} message */
  take(message) {
    Object.assign(message.meta, {
      key: this.key,
      plotly: new URL(PLOTLY, shared).href,
      saver: "attention-lab-save",
    });
    return super.take(message);
  }

  /** Each figure of a page stands for itself. @override */
  get shares() {
    return this.meta?.key ?? "";
  }

  /** That of its still picture, where there is one: so nothing moves. The page is read by scrolling. @override */
  get space() {
    const space = super.space;
    if (this.projector.on) return space;
    const still = [...this.home.querySelectorAll(".live-still img")].find((each) => each.checkVisibility());
    const width = Number(still?.getAttribute("width") ?? space.width);
    return { width, height: Number.POSITIVE_INFINITY };
  }

  /** On paper stands the still picture, where there is one, as the figure opens: so does the sentence. @override */
  show() {
    super.show();
    const { slider, cursor } = this.meta ?? {};
    if (this.onPaper && this.home.querySelector(".live-still"))
      this.sentence.show({ step: slider?.index ?? 0, row: cursor?.index ?? 0 });
  }

  /** @param {boolean} onPaper */
  printing(onPaper) {
    this.onPaper = onPaper;
    this.show();
  }

  /** The page's address is its own; what leads to the app says where the figure stands. @override */
  writeAddress() {
    const link = this.home.querySelector("a.live-open");
    if (link instanceof HTMLAnchorElement && this.address) link.href = this.address;
  }

  /** @override */
  get address() {
    const { app } = this.home.dataset;
    if (!app || this.meta?.link === undefined) return "";
    const address = new URL(`${app.replace(/\/*$/, "/")}${this.meta.link}`, document.baseURI);
    this.setInto(address.searchParams);
    return address.href;
  }

  /** @override */
  async save() {
    try {
      saver ||= URL.createObjectURL(
        new Blob([await part("attention-lab-save")], { type: "text/javascript" }),
      );
      if (this.meta) this.meta.saver = saver;
    } catch (error) {
      console.error("live figure:", error);
      this.controls.note(word("The panel could not be loaded."));
      return;
    }
    await super.save();
  }

  /** @override @param {string} name */
  async font(name) {
    return fromBase64(await part(`attention-lab-${name}`));
  }

  /** @override @param {unknown} error */
  fail(error) {
    super.fail(error);
    this.notice.textContent = word("The moving figure could not be drawn in this browser.");
  }
}

class LiveFigureElement extends HTMLElement {
  constructor() {
    super();
    /** @type {PublishedFigure | undefined} */
    this.figure = undefined;
    /** @type {Uint8Array | undefined} */
    this.message = undefined;
    this.near = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) this.start();
      },
      { rootMargin: AHEAD },
    );
    this.looks = new MutationObserver(() => this.update());
    this.onScheme = () => this.update();
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.onPrint = () => this.figure?.printing(true);
    this.onPrinted = () => this.figure?.printing(false);
  }

  connectedCallback() {
    this.near.observe(this);
    for (const node of [document.documentElement, document.body])
      this.looks.observe(node, { attributes: true, attributeFilter: LOOKS });
    this.scheme.addEventListener("change", this.onScheme);
    window.addEventListener("beforeprint", this.onPrint);
    window.addEventListener("afterprint", this.onPrinted);
  }

  disconnectedCallback() {
    this.near.disconnect();
    this.looks.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    window.removeEventListener("beforeprint", this.onPrint);
    window.removeEventListener("afterprint", this.onPrinted);
    this.figure?.destroy();
    this.figure = undefined;
  }

  async start() {
    this.near.disconnect();
    const { figure: name = "", root = "" } = this.dataset;
    if (this.figure || !name) return;
    const figure = new PublishedFigure(this);
    this.figure = figure;
    // The largest file comes beside the steps of what is seen, before those of what is only near.
    const library = loadPlotly(new URL(PLOTLY, shared).href);
    try {
      const held = this.querySelector("script[type='application/octet-stream']");
      const from = new URL(`${root}x.js${shared.search}`, root ? document.baseURI : shared);
      if (!held && !isSeen(this)) await library.catch(() => {}); // where it fails, the figure says so
      const text = held?.textContent ?? (await part(name, from));
      this.message = fromBase64(text.trim());
      await lettersCame();
      this.update();
    } catch (error) {
      figure.fail(error);
    }
  }

  update() {
    if (this.message)
      this.figure?.update({ parentElement: this, data: this.message, setStateValue: () => {} });
  }
}

/** @param {Element} element @returns {boolean} whether some of it is in the window */
function isSeen(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

/** Waits for the font that the pictures are drawn in, but not for ever: its words are measured once. */
function lettersCame() {
  const late = new Promise((resolve) => setTimeout(resolve, MOST_FONT_MILLISECONDS));
  return Promise.race([document.fonts.load(FONT), late]).catch(() => {});
}

if (!customElements.get("live-figure")) customElements.define("live-figure", LiveFigureElement);
