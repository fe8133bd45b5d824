// From an SVG to pixels.

import { toBase64 } from "./base64.js";
import { mustBeTruthful } from "./canvas.js";
import { LETTERS_OF } from "./letters.js";

/** @typedef {{ svg: string, width: number, height: number }} Picture */

const PROBE_PIXELS = 480; // wide: letters and maps that are missing are seen in a small painting
const ALIKE = 2; // paintings that are as the one before
const MOST_PAINTS = 20; // a browser that hides what a canvas holds never paints alike
const BETWEEN_PAINTS_MILLISECONDS = 50;

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
 * @param {(image: HTMLImageElement) => Promise<void>} [ready] what is waited for besides its being decoded
 * @returns {Promise<HTMLCanvasElement>}
 */
export async function painted(picture, scale, ready) {
  const url = URL.createObjectURL(svgBlob(picture));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    await ready?.(image);
    return drawn(image, picture.width * scale, picture.height * scale);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Waits until a picture is painted the same again and again: WebKit calls one decoded whose letters and maps are
 * still on their way, and paints it without them.
 *
 * @param {HTMLImageElement} image
 */
export async function paintsAlike(image) {
  const small = Math.min(1, PROBE_PIXELS / image.width);
  const paint = () => {
    const { width, height } = image;
    const canvas = drawn(image, Math.ceil(small * width), Math.ceil(small * height));
    const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data;
    return new Uint32Array(pixels?.buffer ?? new ArrayBuffer(0));
  };
  let before = paint();
  for (let alike = 0, paints = 1; alike < ALIKE && paints < MOST_PAINTS; paints += 1) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_PAINTS_MILLISECONDS));
    const now = paint();
    alike = now.every((pixel, i) => pixel === before[i]) ? alike + 1 : 0;
    before = now;
  }
}

/** @param {HTMLImageElement} image @param {number} width @param {number} height @returns {HTMLCanvasElement} */
function drawn(image, width, height) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const brush = canvas.getContext("2d");
  if (!brush) throw new Error("the browser gave no canvas of this size");
  brush.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
export async function pngBlob(canvas) {
  mustBeTruthful();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the canvas gave no picture"))));
  });
}
