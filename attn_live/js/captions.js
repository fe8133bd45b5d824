// The caption under a figure: it follows the sliders, as text only.

/** @typedef {import("./types").Captions} Captions */

export class Caption {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
    /** @type {Captions | null} */
    this.captions = null;
    this.shown = -1;
    this.heard = ""; // what was read out last, or stood there first
  }

  /** @param {Captions | null} captions */
  update(captions) {
    this.hush();
    this.captions = captions;
    this.shown = -1;
    if (!captions) this.node.replaceChildren();
  }

  /** @param {{ step: number, row: number }} at */
  show({ step, row }) {
    if (!this.captions) return;
    const text = index(this.captions, step, row);
    if (text === this.shown) return;
    this.shown = text;
    this.node.replaceChildren(...this.nodes(text));
  }

  /** While it moves nothing is read out. */
  hush() {
    if (this.node.ariaLive !== "off") this.node.ariaLive = "off";
  }

  /** Has the sentence read out, once nothing moves any more and where it is another than before. */
  readOut() {
    const words = this.node.textContent ?? "";
    if (!words || words === this.heard) return;
    const first = !this.heard;
    this.heard = words;
    if (first) return; // it comes with the page
    this.node.ariaLive = "polite";
    requestAnimationFrame(() => this.node.replaceChildren(...this.node.childNodes));
  }

  /** Keeps the room of the longest sentence free, so that nothing below moves while a slider does. */
  reserve() {
    const { texts = [], runs = [] } = this.captions ?? {};
    if (texts.length < 2) {
      this.node.style.height = "";
      return;
    }
    const lengths = texts.map((text) => text.reduce((sum, run) => sum + (runs[run]?.[1].length ?? 0), 0));
    this.hush();
    const longest = lengths.indexOf(Math.max(...lengths));
    const present = [...this.node.childNodes];
    this.node.style.height = "";
    this.node.replaceChildren(...this.nodes(longest));
    const { height } = this.node.getBoundingClientRect();
    this.node.replaceChildren(...present);
    this.node.style.height = `${height}px`; // and with it, by its style, nothing outside is laid out again
  }

  /** @param {number} text @returns {Node[]} */
  nodes(text) {
    const { runs = [], texts = [] } = this.captions ?? {};
    return (texts[text] ?? []).map((run) => {
      const [role, words] = runs[run] ?? ["", ""];
      if (!role) return document.createTextNode(words);
      const span = document.createElement("span");
      span.className = role;
      span.textContent = words;
      return span;
    });
  }
}

/** @param {Captions} captions @param {number} step @param {number} row */
function index({ at }, step, row) {
  const place = at[step] ?? 0;
  return Array.isArray(place) ? (place[row] ?? 0) : place;
}
