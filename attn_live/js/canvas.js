// Whether this browser gives a page back the pixels that the page has painted. Some do not, against tracking
// (Firefox's resistFingerprinting, extensions): a map that went through a canvas would be noise, without a word.

import { word } from "./word.js";

const PATCHES = 8; // a side, each of its own colour: what is of one colour is given back as it is
const PATCH_PIXELS = 8; // together as large as a small map: some browsers leave smaller ones alone
const SIDE = PATCHES * PATCH_PIXELS;
const SHADE = 4; // of 255: some change the last bits alone, which no eye sees

/** Why a file that is read from a canvas cannot be made. */
export class FalsifiedError extends Error {
  constructor() {
    super(
      word(
        "This browser falsifies the pixels that a page reads, as a protection against tracking: no such file can be made here. SVG shows the same picture.",
      ),
    );
  }
}

/** @type {Promise<void> | undefined} */
let checked;
/** @type {Promise<void> | undefined} */
let filed;
let truthful = true;

/** Paints a pattern and reads it back as maps are drawn, which wait for it; once, whoever asks. */
export function checkCanvas() {
  checked ??= readsBack(async (canvas) => canvas.toDataURL("image/png")).then(found);
  return checked;
}

/** Reads it back as files are made, too: a browser does that when it is idle, so no picture waits for it. */
export function checkFiles() {
  filed ??= checkCanvas()
    .then(() => readsBack(addressOf))
    .then(found);
  return filed;
}

/** @param {boolean} isRight */
function found(isRight) {
  truthful &&= isRight;
}

/** What was found so far. */
export function isTruthful() {
  return truthful;
}

/** To be called before anything is read from a canvas for a file. */
export function mustBeTruthful() {
  if (!truthful) throw new FalsifiedError();
}

/**
 * @param {(canvas: HTMLCanvasElement) => Promise<string>} copied the address of a copy
 * @returns {Promise<boolean>}
 */
async function readsBack(copied) {
  try {
    const canvas = document.createElement("canvas");
    canvas.width = SIDE;
    canvas.height = SIDE;
    const brush = canvas.getContext("2d", { willReadFrequently: true });
    if (!brush) return false;
    for (let patch = 0; patch < PATCHES ** 2; patch++) {
      const [x, y] = [patch % PATCHES, Math.floor(patch / PATCHES)];
      brush.fillStyle = `rgb(${colourOf(x, y).join()})`;
      brush.fillRect(x * PATCH_PIXELS, y * PATCH_PIXELS, PATCH_PIXELS, PATCH_PIXELS);
    }
    if (!isSeen(brush)) return false;
    const image = new Image();
    image.src = await copied(canvas);
    await image.decode();
    URL.revokeObjectURL(image.src);
    brush.clearRect(0, 0, SIDE, SIDE);
    brush.drawImage(image, 0, 0);
    return isSeen(brush);
  } catch {
    return false; // reading may be refused, too
  }
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<string>} */
async function addressOf(canvas) {
  /** @type {Blob | null} */
  const blob = await new Promise((resolve) => canvas.toBlob(resolve));
  return blob ? URL.createObjectURL(blob) : "";
}

/** @param {CanvasRenderingContext2D} brush whether the pattern stands on its canvas, as far as reading tells */
function isSeen(brush) {
  const { data } = brush.getImageData(0, 0, SIDE, SIDE);
  for (let pixel = 0; pixel < SIDE ** 2; pixel++) {
    const [x, y] = [pixel % SIDE, Math.floor(pixel / SIDE)].map((at) => Math.floor(at / PATCH_PIXELS));
    const wanted = [...colourOf(x ?? 0, y ?? 0), 255];
    const differs = wanted.some((value, i) => Math.abs(value - (data[4 * pixel + i] ?? 0)) > SHADE);
    if (differs) return false;
  }
  return true;
}

/** @param {number} x @param {number} y @returns {number[]} red, green and blue of a patch */
function colourOf(x, y) {
  return [30 * x + 20, 30 * y + 20, (70 * x + 110 * y) % 256];
}
