// The still pictures of a figure, drawn while a site is built: what a Chromium there runs.

import { fromBase64 } from "./base64.js";
import { drawStill } from "./still.js";
import { readMessage, unpack } from "./wire.js";

/**
 * @param {string} message of a figure, in base64
 * @param {number[]} widths
 * @param {("light" | "dark")[]} colours
 * @returns {Promise<{ svg: string, width: number, room: number, colours: string }[]>}
 */
window.labStills = async (message, widths, colours) => {
  const { meta, packed } = await readMessage(fromBase64(message));
  const steps = await unpack(packed);
  const at = { step: meta.slider?.index ?? 0, row: meta.cursor?.index ?? 0 };
  const chosen = Object.fromEntries(Object.entries(meta.chosen).map(([name, { index }]) => [name, index]));
  const drawn = [];
  for (const room of widths) {
    for (const each of colours) {
      const still = await drawStill({ Plotly: window.Plotly, steps, meta, at, chosen }, room, each);
      drawn.push({ ...still, room, colours: each });
    }
  }
  return drawn;
};
