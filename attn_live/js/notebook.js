// The same figure in a notebook, as anywidget calls it: messages and reports go through its model.

import { dress, keepKeys, watchTheme } from "./host_theme.js";
import { LiveFigure } from "./live_figure.js";
import { loadPlotly } from "./plotly.js";
import { inflate } from "./wire.js";
import { word } from "./word.js";

/** @typedef {import("./types").Model} Model */

class NotebookFigure extends LiveFigure {
  /**
   * @param {HTMLElement} parent
   * @param {string} saver where the module that saves files is
   * @param {Record<string, DataView>} fonts deflated
   */
  constructor(parent, saver, fonts) {
    super(parent);
    this.saver = saver;
    this.fonts = fonts;
  }

  /** @param {import("./types").Message} message */
  take(message) {
    message.meta.saver = this.saver;
    window.labWords = message.meta.words;
    return super.take(message);
  }

  /** Each figure of a notebook stands for itself. @override */
  get shares() {
    return this.meta?.key ?? "";
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
  const { markup, themes, version, saver } = model.get("page");
  el.innerHTML = markup; // the widget's own file, nothing that anybody typed
  const root = /** @type {HTMLElement} */ (el.querySelector(".live-figure"));
  root.classList.add("live-notebook");
  root.addEventListener("focusin", keepKeys);
  dress(root, themes);
  const panel = URL.createObjectURL(new Blob([saver], { type: "text/javascript" }));
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
  const onTheme = () => {
    dress(root, themes);
    update();
  };
  const looks = watchTheme(onTheme);
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
