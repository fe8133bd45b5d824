// From an SVG to pixels.

import { toBase64 } from "./base64.js";
import { mustBeTruthful } from "./canvas.js";
import { LETTERS_OF } from "./letters.js";

/** @typedef {{ svg: string, width: number, height: number }} Picture */

/** @param {Picture} picture */
export function svgBlob({ svg }) {
  return new Blob([svg], { type: "image/svg+xml" });
}

/** The rules of those that were asked for before: a film has many pictures. @type {Record<string, string>} */
const fontFaces = {};

/**
 * A picture that brings its own letters: no page lends its fonts to an image, and others are wider.
 *
 * @param {Picture} picture
 * @param {(name: string) => Promise<Uint8Array>} font a font's file
 * @returns {Promise<Picture>} the same where its fonts cannot be had
 */
export async function lettered(picture, font) {
  try {
    const needed = LETTERS_OF.filter(([family]) => picture.svg.includes(family));
    for (const [family, weight, name] of needed)
      fontFaces[name] ??=
        `@font-face{font-family:"${family}";font-weight:${weight};src:url(data:font/ttf;base64,${toBase64(await font(name))})}`;
    const style = `<style>${needed.map(([, , name]) => fontFaces[name]).join("")}</style>`;
    return { ...picture, svg: picture.svg.replace(/<svg[^>]*>/, (root) => root + style) };
  } catch {
    return picture;
  }
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
