// Files that a browser makes itself: their names and the way to the person's disk.

import { word } from "./word.js";

/**
 * A name that says what is in the file; words of any script stay readable, and numbers keep their sign.
 *
 * @param {string[]} parts
 * @param {string} extension
 */
export function fileName(parts, extension) {
  const name = parts
    .join(" ")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.−-]+/gu, "-")
    .replace(/^[.-]+|-+$/g, "");
  return `${name.slice(0, 120) || "figure"}.${extension}`;
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {number} bytes */
export function sizeInWords(bytes) {
  if (bytes < 1000) return word("{count} bytes", { count: bytes });
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
