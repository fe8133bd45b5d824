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

const IN_NO_NAME = "lang tab lesson hide say projector embed predict palette decimals".split(" ");

/**
 * What an address sets of what is seen, so that another state's file has another name.
 *
 * @param {string} address
 * @param {(string | undefined)[]} sliders whose read-outs are named anyway
 */
export function settingsIn(address, sliders) {
  const set = [...new URLSearchParams(address.split("?")[1])];
  const named = set.filter(([name]) => !IN_NO_NAME.includes(name) && !sliders.includes(name));
  return named.map((pair) => pair.join(" "));
}

/** @param {Blob} blob @param {string} name */
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
