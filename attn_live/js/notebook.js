// The same figure in a notebook, as anywidget calls it: messages and reports go through its model.

import { LiveFigure } from "./live.js";
import { loadPlotly } from "./plotly.js";
import { inflate } from "./wire.js";
import { word } from "./word.js";

/** @typedef {import("./types").Model} Model */

const DARK_BELOW = 384; // of red, green and blue together
const LOOKS = ["class", "style", "data-jp-theme-light", "data-vscode-theme-kind", "theme", "data-theme"];

class NotebookFigure extends LiveFigure {
  /**
   * @param {HTMLElement} parent
   * @param {string} kit where the module that saves files is
   * @param {Record<string, DataView>} fonts deflated
   */
  constructor(parent, kit, fonts) {
    super(parent);
    this.kit = kit;
    this.fonts = fonts;
  }

  /** @param {import("./types").Message} message */
  take(message) {
    message.meta.kit = this.kit;
    window.labWords = message.meta.words;
    return super.take(message);
  }

  /** The address is the notebook's own, and may hold a key to it. */
  writeAddress() {}

  /** @override */
  get address() {
    return "";
  }

  /** @param {string} name */
  async font(name) {
    const deflated = this.fonts[name];
    if (!deflated) throw new Error(`the widget has no font ${name}`);
    return inflate(bytes(deflated));
  }

  /** @param {unknown} error */
  fail(error) {
    super.fail(error);
    this.notice.textContent = word("The moving figure could not be drawn in this browser.");
  }
}

/** @param {{ model: Model, el: HTMLElement }} widget */
async function render({ model, el }) {
  const { markup, themes, version, kit } = model.get("page");
  el.innerHTML = markup; // the widget's own file, nothing that anybody typed
  const root = /** @type {HTMLElement} */ (el.querySelector(".live-figure"));
  root.classList.add("live-notebook");
  root.addEventListener("focusin", keepKeys);
  dress(root, themes);
  const panel = URL.createObjectURL(new Blob([kit], { type: "text/javascript" }));
  const figure = new NotebookFigure(el, panel, model.get("fonts"));
  /** @param {string} name @param {unknown} value */
  const setStateValue = (name, value) => {
    if (name !== "view") return;
    model.set("view", value);
    model.save_changes();
  };
  let data = bytes(model.get("message"));
  const update = () => figure.update({ parentElement: el, data, setStateValue });
  const onMessage = () => {
    data = bytes(model.get("message"));
    update();
  };
  const onLook = () => {
    dress(root, themes);
    update();
  };
  const looks = new MutationObserver(onLook);
  for (const node of [document.documentElement, document.body])
    looks.observe(node, { attributes: true, attributeFilter: LOOKS });
  model.on("change:message", onMessage);
  try {
    await bringPlotly(bytes(model.get("library")), version);
    lendStyles(root);
    await update();
  } catch (error) {
    figure.fail(error);
  }
  return () => {
    looks.disconnect();
    URL.revokeObjectURL(panel);
    model.off("change:message", onMessage);
    figure.destroy();
  };
}

export default { render };

/**
 * What is typed in a figure is its own: JupyterLab would choose the next cell by an arrow key. It looks for this
 * mark on the very element that has the focus.
 *
 * @param {FocusEvent} event
 */
function keepKeys({ target }) {
  if (target instanceof HTMLElement) target.dataset.lmSuppressShortcuts = "";
}

/**
 * Plotly writes its styles into the document. They do not reach into a shadow tree, as marimo has round a cell.
 *
 * @param {HTMLElement} root
 */
function lendStyles(root) {
  const tree = root.getRootNode();
  const written = document.getElementById("plotly.js-style-global");
  if (!(tree instanceof ShadowRoot && written instanceof HTMLStyleElement)) return;
  const style = document.createElement("style");
  style.textContent = [...(written.sheet?.cssRules ?? [])].map((rule) => rule.cssText).join("\n");
  root.prepend(style);
}

/**
 * Puts a figure into the colours of what it stands on.
 *
 * @param {HTMLElement} root
 * @param {Record<string, Record<string, string>>} themes
 */
function dress(root, themes) {
  const theme = themes[isDark(root.parentElement) ? "dark" : "light"] ?? {};
  for (const [name, value] of Object.entries(theme)) root.style.setProperty(name, value);
}

/** @param {Element | null} from @returns {boolean} whether what stands behind an element is dark */
function isDark(from) {
  for (let node = from; node; node = node.parentElement ?? hostOf(node)) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (
      getComputedStyle(node).backgroundColor.match(/[\d.]+/g) ?? []
    ).map(Number);
    if (alpha > 0) return red + green + blue < DARK_BELOW;
  }
  return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {Element} node @returns {Element | null} what holds the shadow tree that it stands in */
function hostOf(node) {
  const tree = node.getRootNode();
  return tree instanceof ShadowRoot ? tree.host : null;
}

/**
 * Loads plotly.js out of the widget itself, so that no network is needed; another that the notebook has stays.
 *
 * @param {Uint8Array} library deflated
 * @param {string} version
 */
async function bringPlotly(library, version) {
  const others = window.Plotly;
  if (others?.version === version) return;
  // A notebook may have an AMD loader, which would take the library for itself.
  const source = new Blob([
    "(function (module, exports, define) {",
    /** @type {Uint8Array<ArrayBuffer>} */ (await inflate(library)),
    "\n})();",
  ]);
  const url = URL.createObjectURL(source.slice(0, source.size, "text/javascript"));
  window.Plotly = undefined;
  try {
    await loadPlotly(url);
  } finally {
    URL.revokeObjectURL(url);
    if (others) window.Plotly = others;
  }
}

/** @param {DataView | Uint8Array} view @returns {Uint8Array} */
function bytes(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
