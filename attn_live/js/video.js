// A short film of the slider's way from its first step to its last, recorded by the browser itself.

import { mustBeTruthful } from "./canvas.js";
import { inColours, makePicture } from "./picture.js";
import { lettered, painted } from "./raster.js";
import { word } from "./word.js";

/** @typedef {import("./types").Subject} Subject */
/** @typedef {import("./types").Look} Look */

const MOST_PICTURES = 30; // held in memory until they are recorded
const SECONDS = 3; // of the whole sweep
const LONGEST = 0.25; // seconds that one picture stands, where there are few
const REST = 0.5; // seconds that the first and the last one stand
const BITS_PER_SECOND = 12_000_000;
const LEAST_BYTES = 1000; // of a film; what is shorter has no picture
/** @type {[kind: string, ending: "mp4" | "webm"][]} */
const RECORDED = [
  ["video/mp4;codecs=avc1.640028", "mp4"], // what slides play everywhere
  ["video/webm;codecs=vp9", "webm"],
  ["video/webm", "webm"],
  ["video/mp4", "mp4"], // last: it may hold what hardly anything plays
];

/** The forms in which this browser records, best first, each with its file ending; none where it does not. */
export function recordable() {
  if (!("MediaRecorder" in globalThis) || !("captureStream" in HTMLCanvasElement.prototype)) return [];
  return RECORDED.filter(([kind]) => MediaRecorder.isTypeSupported(kind));
}

/** The steps that a film shows: the first, the last, and evenly between. @param {number} last */
export function stepsOf(last) {
  const count = Math.min(last + 1, MOST_PICTURES);
  return Array.from({ length: count }, (_, i) => Math.round((i * last) / Math.max(1, count - 1)));
}

/**
 * @param {Subject} subject
 * @param {Look} look
 * @param {(said: string) => void} say how far it is
 * @param {AbortSignal} stop
 * @returns {Promise<{ blob: Blob, ending: "mp4" | "webm", missing: number }>} and the pictures that it lacks at its end
 */
export async function videoBlob(subject, look, say, stop) {
  mustBeTruthful();
  const steps = stepsOf(subject.steps.header.n_steps - 1);
  const count = steps.length;
  const moving = inColours(subject, look);
  /** @type {ImageBitmap[]} */
  const pictures = [];
  const canvas = document.createElement("canvas");
  try {
    for (const [i, step] of steps.entries()) {
      if (stop.aborted) throw new Error("stopped");
      say(word("Drawing picture {number} of {count}.", { number: i + 1, count }));
      const here = {
        ...subject,
        at: { ...subject.at, step },
        texts: subject.textsAt({ ...subject.at, step }),
        address: addressAt(subject, step),
      };
      const picture = await lettered(await makePicture(here, look, moving), subject.font);
      pictures.push(await createImageBitmap(await painted(picture, 1)));
    }
    const [first] = pictures;
    canvas.width = first?.width ?? 1;
    canvas.height = first?.height ?? 1;
    for (const [kind, ending] of recordable()) {
      say(word("Recording as {format}.", { format: ending }));
      const blob = await recorded(canvas, pictures, kind).catch(() => undefined);
      // A browser may promise what it then fails to do.
      if (blob && blob.size >= LEAST_BYTES)
        return { blob, ending, missing: await missingIn(blob, pictures.length) };
    }
    throw new Error("this browser records no film");
  } finally {
    for (const picture of pictures) picture.close();
  }
}

/** Where the page stands at another step. @param {Subject} subject @param {number} step */
function addressAt({ address, meta: { slider } }, step) {
  if (!address || !slider?.name) return address;
  const there = new URL(address);
  if (step === slider.default) there.searchParams.delete(slider.name);
  else there.searchParams.set(slider.name, slider.values[step] ?? "");
  return there.href;
}

/** How long each picture stands. @param {number} count */
function secondsOf(count) {
  return Math.min(LONGEST, SECONDS / count);
}

/**
 * How many pictures a film lacks at its end: a browser that cannot keep up drops them without a word.
 *
 * @param {Blob} blob
 * @param {number} count of its pictures
 * @returns {Promise<number>}
 */
async function missingIn(blob, count) {
  const video = document.createElement("video");
  const arrived = (/** @type {string} */ kind) =>
    new Promise((resolve, reject) => {
      video.addEventListener(kind, resolve, { once: true });
      video.addEventListener("error", reject, { once: true });
    });
  const url = URL.createObjectURL(blob);
  try {
    const loaded = arrived("loadedmetadata");
    video.src = url;
    await loaded;
    const sought = arrived("seeked");
    video.currentTime = Number.MAX_SAFE_INTEGER; // a film that was just recorded knows its length only at its end
    await sought;
    const lacks = secondsOf(count) * count + 2 * REST - video.duration;
    return Math.min(count, Math.max(0, Math.ceil((lacks - REST) / secondsOf(count))));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {ImageBitmap[]} pictures
 * @param {string} kind
 * @returns {Promise<Blob>}
 */
async function recorded(canvas, pictures, kind) {
  const brush = canvas.getContext("2d");
  if (!brush) throw new Error("the browser gave no canvas of this size");
  const stream = canvas.captureStream();
  const recorder = new MediaRecorder(stream, { mimeType: kind, videoBitsPerSecond: BITS_PER_SECOND });
  /** @type {Blob[]} */
  const parts = [];
  recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
  const ended = new Promise((resolve, reject) => {
    recorder.addEventListener("stop", resolve);
    recorder.addEventListener("error", reject);
  });
  const stands = secondsOf(pictures.length);
  recorder.start();
  for (const [i, picture] of pictures.entries()) {
    const rests = i === 0 || i === pictures.length - 1;
    await standing(brush, picture, 1000 * (stands + (rests ? REST : 0)));
  }
  recorder.stop();
  await ended;
  for (const track of stream.getTracks()) track.stop();
  return new Blob(parts, { type: kind.split(";")[0] ?? kind });
}

/**
 * Shows a picture for a while; it is drawn again and again, for a still canvas sends nothing.
 *
 * @param {CanvasRenderingContext2D} brush
 * @param {ImageBitmap} picture
 * @param {number} milliseconds
 */
function standing(brush, picture, milliseconds) {
  return new Promise((resolve) => {
    const start = performance.now();
    const again = () => {
      brush.drawImage(picture, 0, 0);
      if (performance.now() - start < milliseconds) setTimeout(again, 33);
      else resolve(undefined);
    };
    again();
  });
}
