// Pixels in a PDF: exactly as they are, and in as little room as they need.

import { mustBeTruthful } from "./canvas.js";

/** @typedef {import("./pdf.js").PdfFile} PdfFile */

const UP = 2; // PNG's name for a row that is told by the one above it

/**
 * @param {PdfFile} file
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<string>} how others refer to the picture
 */
export async function addPixels(file, canvas) {
  mustBeTruthful();
  const { width, height } = canvas;
  const { data } = brushOf(canvas).getImageData(0, 0, width, height);
  const colours = new Uint8Array(width * height * 3);
  const solid = new Uint8Array(width * height);
  for (let i = 0; i < solid.length; i++) solid[i] = data[4 * i + 3] ?? 0;
  // What is clear has the colour of what is beside it, which a reader that smooths mixes into that.
  let beside = Math.max(0, solid.findIndex(Boolean));
  for (let i = 0; i < solid.length; i++) {
    if (solid[i]) beside = i;
    else if (i && i % width === 0) beside = -1; // where a row begins, it is what is above it
    const [from, at] = beside < 0 ? [colours, 3 * (i - width)] : [data, 4 * beside];
    for (let part = 0; part < 3; part++) colours[3 * i + part] = from[at + part] ?? 0;
  }
  const add = (/** @type {Uint8Array} */ bytes, /** @type {string} */ space, mask = "") => {
    const part = bytes.length / (width * height);
    return file.stream(
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 ${mask} ` +
        `/ColorSpace /${space} /DecodeParms << /Predictor 12 /Colors ${part} /Columns ${width} >>`,
      asDifferences(bytes, width * part),
    );
  };
  const isWhole = solid.every((each) => each === 255);
  return add(colours, "DeviceRGB", isWhole ? "" : `/SMask ${await add(solid, "DeviceGray")}`);
}

/** @param {HTMLCanvasElement} canvas */
export function brushOf(canvas) {
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  if (!brush) throw new Error("the browser gave no canvas of this size");
  return brush;
}

/**
 * Rows as what each adds to the one above: nothing where it is the same, which deflates to a tenth.
 *
 * @param {Uint8Array} bytes
 * @param {number} length of a row
 */
function asDifferences(bytes, length) {
  const rows = bytes.length / length;
  const out = new Uint8Array(bytes.length + rows);
  for (let row = 0; row < rows; row++) {
    const to = row * (length + 1);
    out[to] = UP;
    for (let i = 0, at = row * length; i < length; i++, at++)
      out[to + 1 + i] = (bytes[at] ?? 0) - (row ? (bytes[at - length] ?? 0) : 0);
  }
  return out;
}
