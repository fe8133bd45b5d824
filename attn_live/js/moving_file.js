// The figure as one file that still moves: its steps, these very modules and plotly.js, which the browser unpacks.

import { toBase64 } from "./base64.js";
import { compressed } from "./pdf.js";

/** @typedef {import("./types").Subject} Subject */

/**
 * Fills the page that the server offers for it (attn_ui/export/standalone.py).
 *
 * @param {Subject} subject
 * @param {{ plotly: string, page: string, title: string }} from addresses of plotly.js and of the page
 * @returns {Promise<Blob>}
 */
export async function movingFile(subject, { plotly, page, title }) {
  const [library, template] = await Promise.all([bytesOf(plotly), bytesOf(page)]);
  /** @type {Record<string, string>} */
  const parts = {
    LANG: escapeMarkup(document.documentElement.lang || "en"),
    TITLE: escapeMarkup(title),
    WORDS: spoken(),
    ADDRESS: escapeMarkup(subject.address),
    MESSAGE: toBase64(await message(subject)),
    PLOTLY: toBase64(await compressed(library, "gzip")),
  };
  // In one pass: what is filled in is not looked into again.
  const filled = new TextDecoder()
    .decode(template)
    .replace(/{{([A-Z]+)}}/g, (all, name) => parts[name] ?? all);
  return new Blob([filled], { type: "text/html" });
}

/** What tells the file's scripts their words; nothing where they are English. */
function spoken() {
  const words = JSON.stringify(window.labWords ?? {}).replace(/</g, "\\u003c");
  return words === "{}" ? "" : `window.labWords = ${words};\n`;
}

/** @param {string} url */
async function bytesOf(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** What Python would send for this figure where it stands now; see wire.js. @param {Subject} subject */
async function message({ meta, captions, packed, at, chosen }) {
  const put = (/** @type {any} */ control, /** @type {number} */ index) => control && { ...control, index };
  const places = Object.entries(meta.chosen).map(([name, choice]) => [
    name,
    put(choice, chosen[name] ?? choice.index),
  ]);
  const head = {
    ...meta,
    slider: put(meta.slider, at.step),
    cursor: put(meta.cursor, at.row),
    chosen: Object.fromEntries(places),
    saver: "",
    invites: "",
  };
  const encode = (/** @type {any} */ part) => new TextEncoder().encode(JSON.stringify(part));
  const texts = [encode(head), captions ? await compressed(encode(captions), "deflate") : new Uint8Array()];
  const bytes = new Uint8Array(texts.reduce((sum, text) => sum + 4 + text.length, 0) + packed.length);
  const view = new DataView(bytes.buffer);
  let place = 0;
  for (const text of texts) {
    view.setUint32(place, text.length, true);
    bytes.set(text, place + 4);
    place += 4 + text.length;
  }
  bytes.set(packed, place);
  return bytes;
}

/** @param {string} text */
function escapeMarkup(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
}
