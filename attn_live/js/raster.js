// From an SVG to pixels.

import { mustBeTruthful } from "./canvas.js";

/** @typedef {{ svg: string, width: number, height: number }} Picture */

/** @param {Picture} picture */
export function svgBlob({ svg }) {
  return new Blob([svg], { type: "image/svg+xml" });
}

/**
 * Draws an SVG on a canvas.
 *
 * @param {Picture} picture
 * @param {number} scale
 * @param {string} [ground] a colour under what is transparent
 * @returns {Promise<HTMLCanvasElement>}
 */
export async function painted(picture, scale, ground) {
  const url = URL.createObjectURL(svgBlob(picture));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = picture.width * scale;
    canvas.height = picture.height * scale;
    const brush = canvas.getContext("2d");
    if (!brush) throw new Error("the browser gave no canvas of this size");
    if (ground) {
      brush.fillStyle = ground;
      brush.fillRect(0, 0, canvas.width, canvas.height);
    }
    brush.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob>}
 */
export async function pngBlob(canvas) {
  mustBeTruthful();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the canvas gave no picture"))));
  });
}
