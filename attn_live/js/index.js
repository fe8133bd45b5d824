// The component as Streamlit calls it: once for each message and each change of theme.

import { LiveFigure, receiveSentences } from "./live_figure.js";

/** @type {WeakMap<HTMLElement, LiveFigure>} */
const instances = new WeakMap(); // one figure for as long as its element lives

/** @param {import("./types").Component} component */
export default function (component) {
  const { parentElement, data } = component;
  if (!(data instanceof Uint8Array)) return;
  if (!parentElement.querySelector(".live-figure")) {
    receiveSentences(data);
    return;
  }
  let figure = instances.get(parentElement);
  if (!figure) {
    figure = new LiveFigure(parentElement);
    instances.set(parentElement, figure);
  }
  figure.update(component);
  return () => {
    instances.get(parentElement)?.destroy();
    instances.delete(parentElement);
  };
}
