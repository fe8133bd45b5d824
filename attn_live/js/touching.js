// Fingers on a figure: a tap points and chooses, and whatever else a finger does is the browser's own (it scrolls, it
// zooms). Which touch is a tap the browser knows best, and says as of a mouse: with a click.

import { stopTouches } from "./plotly_inside.js";

const LONG_PRESS_MILLISECONDS = 500; // as telephones reckon
const AS_A_MOUSE = ["mousemove", "mousedown", "click"];

/**
 * Makes a drawn figure deaf to touches themselves. Plotly takes the end of every one for a click, of a swipe and of a
 * pinch too; and while it listens, a page that is busy does not scroll.
 *
 * @param {HTMLElement} node
 */
export function leaveTouches(node) {
  stopTouches(node);
}

/**
 * Of what the browser says of a finger as of a mouse, lets through what is a short press. The mouse that is said to
 * move there before is kept back: where something appears under it, Safari on a telephone sends no click.
 *
 * @param {HTMLElement} node
 */
export function onlyTaps(node) {
  /** @type {number | null} */
  let since = null; // when the finger came down that pointed last; null after a mouse
  const finger = (/** @type {PointerEvent} */ { pointerType, timeStamp, type }) => {
    if (pointerType === "mouse") since = null;
    else if (type === "pointerdown") since = timeStamp;
  };
  for (const kind of /** @type {const} */ (["pointerdown", "pointermove"]))
    node.addEventListener(kind, finger, true);
  const letThrough = (/** @type {Event} */ event) => {
    if (since === null || !event.isTrusted) return;
    if (event.type === "mousemove" || event.timeStamp - since > LONG_PRESS_MILLISECONDS)
      event.stopPropagation();
  };
  for (const kind of AS_A_MOUSE) node.addEventListener(kind, letThrough, true);
}
