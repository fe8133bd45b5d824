// What a message of Streamlit carries of the live figure: its module is one file, fetched once for all figures.

import { paragraph, word } from "./word.js";

const RETRY_MILLISECONDS = 2000;
// Relative to the page: right under a base path, and behind a proxy that strips one.
const address = new URL("{{MODULE}}", location.href);
/** @type {Promise<typeof import("./index.js")> | undefined} */
let module;
let failures = 0;
/** @type {WeakMap<HTMLElement, import("./types").Component>} */
const newest = new WeakMap(); // what each figure was told last: nothing older is drawn any more

/** @returns {Promise<typeof import("./index.js")>} the module; after a failed load the next call tries again */
function loaded() {
  if (!module) {
    module = import(address.href);
    module.catch(() => {
      module = undefined;
      failures += 1;
      address.searchParams.set("again", String(failures)); // a browser may keep in mind that an address failed
    });
  }
  return module;
}

/** @param {import("./types").Component} component */
export default async function draw(component) {
  const { parentElement } = component;
  newest.set(parentElement, component);
  const notice = parentElement.querySelector(".live-notice");
  if (notice && !notice.textContent) notice.textContent = word("The figure is being drawn.");
  try {
    const { default: drawNow } = await loaded();
    return newest.get(parentElement) === component ? drawNow(component) : undefined;
  } catch {
    standIn(component);
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
  if (newest.get(parentElement) === component && parentElement.isConnected) return draw(component);
}

/** @param {import("./types").Component} component that Python is to draw a chart for that stands still */
function standIn({ parentElement, setStateValue }) {
  /** @type {HTMLElement | null} */
  const figure = parentElement.querySelector(".live-figure");
  const notice = figure?.querySelector(".live-notice");
  if (!figure || !notice || figure.dataset.state) return;
  figure.dataset.state = "failed"; // once it draws, it tells Python itself
  notice.textContent = paragraph(
    word("The moving figure could not be fetched."),
    word("The plain chart below shows the present step."),
  );
  setStateValue("failed", true);
}
