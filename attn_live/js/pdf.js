// A PDF of one page that holds one picture, lossless: the page has the picture's shape.

import { mustBeTruthful } from "./canvas.js";

const POINTS_HIGH = 540; // as a slide: 7.5 inches

/**
 * @param {HTMLCanvasElement} canvas without transparency
 * @param {string} title
 * @returns {Promise<Blob>}
 */
export async function pdfBlob(canvas, title) {
  mustBeTruthful();
  const { width, height } = canvas;
  const pixels = canvas.getContext("2d")?.getImageData(0, 0, width, height).data;
  if (!pixels) throw new Error("the browser gave no pixels");
  const colours = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < pixels.length; from += 4) {
    colours[to++] = pixels[from] ?? 0;
    colours[to++] = pixels[from + 1] ?? 0;
    colours[to++] = pixels[from + 2] ?? 0;
  }
  const image = await compressed(colours, "deflate");
  const wide = Math.round((POINTS_HIGH * width) / height);
  const shown = `q ${wide} 0 0 ${POINTS_HIGH} 0 0 cm /Picture Do Q`;
  const inks = "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode";
  return assembled([
    ["<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /DisplayDocTitle true >> >>"],
    ["<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${wide} ${POINTS_HIGH}] /Contents 4 0 R ` +
        "/Resources << /XObject << /Picture 5 0 R >> >> >>",
    ],
    [`<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`],
    [
      `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${inks} /Length ${image.length} >>\nstream\n`,
      image,
      "\nendstream",
    ],
    [`<< /Title <${utf16(title)}> /Producer (Attention lab) >>`],
  ]);
}

/**
 * @param {Uint8Array} bytes
 * @param {CompressionFormat} format
 */
export async function compressed(bytes, format) {
  const stream = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)])
    .stream()
    .pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {(string | Uint8Array)[][]} objects the catalogue first, what is said of the file last */
function assembled(objects) {
  const encoder = new TextEncoder();
  /** @type {Uint8Array[]} */
  const parts = [];
  let at = 0;
  const add = (/** @type {string | Uint8Array} */ part) => {
    const bytes = typeof part === "string" ? encoder.encode(part) : part;
    parts.push(bytes);
    at += bytes.length;
  };
  add("%PDF-1.4\n%\u00e2\u00e3\n");
  const starts = objects.map((object, i) => {
    const start = at;
    for (const part of [`${i + 1} 0 obj\n`, ...object, "\nendobj\n"]) add(part);
    return start;
  });
  const table = at;
  const count = objects.length + 1;
  const entries = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  add(`xref\n0 ${count}\n0000000000 65535 f \n${entries}`);
  add(`trailer\n<< /Size ${count} /Root 1 0 R /Info ${count - 1} 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(/** @type {BlobPart[]} */ (parts), { type: "application/pdf" });
}

/** @param {string} text */
function utf16(text) {
  const units = Array.from({ length: text.length }, (_, i) =>
    text.charCodeAt(i).toString(16).padStart(4, "0"),
  );
  return `feff${units.join("")}`;
}
