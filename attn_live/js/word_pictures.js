// Words in letters that no font here has: a picture as the browser draws them, and in a PDF text still.

import { hex, short } from "./pdf.js";
import { charactersOf } from "./pdf_font.js";
import { addPixels, brushOf } from "./pdf_pixels.js";

/** @typedef {import("./pdf.js").PdfFile} PdfFile */
/** @typedef {{ said: string, left: number, width: number }} Letter */
/** @typedef {{ size: number, font: string, fill: string }} Look of a style: its font as a canvas takes it */

const PIXELS = 12; // to one of the words' own
const ROOM = 0.5; // of a font's size on all sides, for what reaches beyond its line
const [ABOVE, BELOW] = [1.3, 0.7]; // of a font's size, what a line takes

/**
 * Adds a font whose first letter is the picture of all; the others draw nothing, but stand in their places for
 * whoever finds or copies them.
 *
 * @param {PdfFile} file
 * @param {string} words
 * @param {Letter[]} letters of the words, from the left; at most 256
 * @param {Look} look
 * @returns {Promise<string>} the font's reference
 */
export async function addWordPicture(file, words, letters, { size, font, fill }) {
  const lefts = letters.map(({ left }) => left);
  const [start = 0] = lefts;
  const end = Math.max(...letters.map(({ left, width }) => left + width));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((end - start + 2 * ROOM * size) * PIXELS);
  canvas.height = Math.ceil((ABOVE + BELOW + 2 * ROOM) * size * PIXELS);
  const brush = brushOf(canvas);
  brush.scale(PIXELS, PIXELS);
  brush.font = font;
  brush.fillStyle = fill;
  brush.fillText(words, ROOM * size, (ROOM + ABOVE) * size);
  const image = await addPixels(file, canvas);
  // A thousandth of the size is what a font counts in.
  const units = (/** @type {number} */ length) => short((1000 * length) / size);
  const [width, height] = [units(canvas.width / PIXELS), units(canvas.height / PIXELS)];
  const [left, top] = [-1000 * ROOM, 1000 * (ROOM + ABOVE)];
  const bottom = short(top - Number(height));
  const widths = lefts.map((each, i) => units((lefts[i + 1] ?? end) - each));
  const names = letters.map((_, i) => `/l${i}`);
  const procedures = [];
  for (const [i, each] of widths.entries()) {
    const drawn = i ? "" : `${width} 0 0 ${height} ${left} ${bottom} cm /I Do`;
    procedures.push(`${names[i]} ${await file.stream("", `${each} 0 d0 ${drawn}`)}`);
  }
  const said = await file.stream("", charactersOf(letters.map((letter, i) => [code(i), letter.said])));
  return file.add(
    `<< /Type /Font /Subtype /Type3 /FontMatrix [0.001 0 0 0.001 0 0] ` +
      `/FontBBox [${left} ${bottom} ${short(left + Number(width))} ${top}] ` +
      `/FirstChar 0 /LastChar ${letters.length - 1} /Widths [${widths.join(" ")}] ` +
      `/Encoding << /Type /Encoding /Differences [0 ${names.join(" ")}] >> ` +
      `/CharProcs << ${procedures.join(" ")} >> /Resources << /XObject << /I ${image} >> >> /ToUnicode ${said} >>`,
  );
}

/** @param {Letter[]} letters @returns {string} what a page writes for them */
export function codesOf(letters) {
  return letters.map((_, i) => code(i)).join("");
}

/** @param {number} i @returns {string} one byte */
function code(i) {
  return hex(i).slice(2);
}
