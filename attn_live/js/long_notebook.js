// A map of any size in a notebook, as anywidget calls it: Python sends the tiles that come into sight.

import { dress, isDark, keepKeys, watchTheme } from "./host_theme.js";
import { LongMap } from "./long_map.js";
import { inflate } from "./wire.js";
import { word } from "./word.js";

/** @typedef {import("./types").TileSource["keep"]} Keep */

/** @param {{ model: import("./types").Model, el: HTMLElement }} widget */
async function render({ model, el }) {
  const { meta, themes, words, counts, at, keep, name, kept } = model.get("page");
  window.labWords = words;
  const root = document.createElement("div");
  root.className = "long-map long-notebook";
  root.addEventListener("focusin", keepKeys);
  el.replaceChildren(root);
  dress(root, themes);
  const map = new LongMap(root, meta, name);
  map.dress(isDark(el));

  /** @type {Map<number, (cells: Float32Array) => void>} */
  const asked = new Map();
  let last = 0;
  const onTile = (/** @type {{ number: number }} */ { number }, /** @type {DataView[]} */ [view] = []) => {
    const answer = asked.get(number);
    asked.delete(number);
    if (answer && view) answer(floats(view));
  };
  model.on("msg:custom", /** @type {(content?: any, buffers?: DataView[]) => void} */ (onTile));
  const view = { layer: at[0], head: at[1], keep: /** @type {Keep} */ (keep) };
  const source = () => {
    const { layer, head, keep } = view;
    return {
      key: `${keep}-${layer}-${head}`,
      keep,
      /** @type {(level: number, row: number, column: number) => Promise<Float32Array>} */
      tile: (level, row, column) =>
        new Promise((resolve) => {
          last += 1;
          asked.set(last, resolve);
          model.send({ number: last, tile: [keep, layer, head, level, row, column] });
        }),
    };
  };
  const show = () => map.show(source());
  const numbers = (/** @type {number} */ count) =>
    Array.from({ length: count }, (_, i) => /** @type {[string, string]} */ ([String(i), String(i + 1)]));
  for (const [what, label, count] of /** @type {["layer" | "head", string, number][]} */ ([
    ["layer", word("Layer"), counts[0]],
    ["head", word("Head"), counts[1]],
  ])) {
    if (count < 2) continue;
    map.choice(label, numbers(count), String(view[what]), (chosen) => {
      view[what] = Number(chosen);
      show();
    });
  }
  /** @type {[string, string][]} */
  const keeps = [
    ["max", word("largest")],
    ["mean", word("mean")],
  ];
  map.choice(word("Of each block"), keeps, keep, (chosen) => {
    view.keep = /** @type {Keep} */ (chosen);
    show();
  });
  // What it opens with came along, so that it stands in a notebook that nobody runs.
  const opening = floats(new DataView((await inflate(bytes(model.get("opening")))).buffer));
  map.tiles.fill(source().key, kept, opening);
  await show();
  const looks = watchTheme(() => {
    dress(root, themes);
    map.dress(isDark(el));
  });
  return () => {
    looks.disconnect();
    map.destroy();
    model.off("msg:custom", /** @type {(content?: any, buffers?: DataView[]) => void} */ (onTile));
  };
}

export default { render };

/** @param {DataView} view @returns {Float32Array} */
function floats(view) {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

/** @param {DataView} view @returns {Uint8Array} */
function bytes(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
