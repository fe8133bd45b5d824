// What a browser must have: one list, looked at before anything else runs, and what is shown where something lacks.
// It is read by browsers that are too old for all other modules: nothing in it is younger than 2018.

import { paragraph, word } from "./word.js";

/**
 * @typedef {object} Need
 * @property {string} name
 * @property {() => string} [called] what people call it, where that is no name of a program's
 * @property {object} [of] has it by its name
 * @property {string} [css] what a style sheet asks for
 * @property {() => boolean} [has]
 * @property {[number, number, number]} since the first Chrome and Edge, Firefox, Safari that have it, as
 *     https://github.com/mdn/browser-compat-data says
 * @property {boolean} [file] whether a saved file that moves takes it too
 */

/** @type {Need[]} */
export const NEEDS = [
  // Streamlit's own front end.
  { name: "withResolvers", of: Promise, since: [119, 121, 17.4] },
  { name: "toSorted", of: Array.prototype, since: [110, 115, 16] },
  { name: "lookbehind", has: looksBehind, since: [62, 78, 16.4] },
  // How a page arrives, and the panel that saves.
  { name: ":has()", css: "selector(:has(a))", since: [105, 121, 15.4] },
  { name: "HTMLDialogElement", of: window, since: [37, 98, 15.4] },
  // The live figure.
  { name: "subgrid", css: "(grid-template-columns: subgrid)", since: [117, 71, 16], file: true },
  { name: "dvh", css: "(height: 1dvh)", since: [108, 101, 15.4], file: true },
  { name: "inset", css: "(inset: 0)", since: [87, 66, 14.1], file: true },
  { name: "DecompressionStream", of: window, since: [80, 113, 16.4], file: true },
  { name: "ResizeObserver", of: window, since: [64, 69, 13.1], file: true },
  { name: "IntersectionObserver", of: window, since: [51, 55, 12.1], file: true },
  { name: "replaceChildren", of: Element.prototype, since: [86, 78, 14], file: true },
  { name: "attachShadow", of: Element.prototype, since: [53, 63, 10], file: true },
  { name: "replaceAll", of: String.prototype, since: [85, 77, 13.1], file: true },
  { name: "a canvas", called: () => word("a canvas"), has: paints, since: [1, 1.5, 2], file: true },
];

/** What is said where something lacks: "" where nothing does. @param {Need[]} needs */
export function saidOfLacking(needs) {
  const lacking = needs
    .filter((need) => !isThere(need))
    .map(({ name, called }) => (called ? called() : name));
  const [chrome = 0, firefox = 0, safari = 0] = oldest(needs);
  if (!lacking.length) return "";
  return word(
    "Moving figures take Chrome or Edge {chrome}, Firefox {firefox} or Safari {safari}, or newer: this browser lacks {lacking}.",
    { chrome, firefox, safari, lacking: lacking.join(word(", ")) },
  );
}

/**
 * The first versions of Chrome and Edge, of Firefox and of Safari that have everything.
 *
 * @param {Need[]} needs
 */
export function oldest(needs) {
  return [0, 1, 2].map((browser) => Math.max(...needs.map(({ since }) => since[browser] || 0)));
}

/**
 * Shows a page as it opens, still, in the place of one that would not run.
 *
 * @param {string} picture its address; "" where there is none
 */
export function standStill(picture) {
  const lacking = saidOfLacking(NEEDS);
  if (!lacking) return;
  document.body.textContent = "";
  const main = document.createElement("main");
  main.style.cssText = "max-width: 1600px; margin: 2rem auto; padding: 0 1rem; font: 1.1rem sans-serif";
  const title = document.createElement("h1");
  title.textContent = document.title;
  const said = document.createElement("p");
  said.textContent = paragraph(
    lacking,
    picture ? word("The picture shows the page's figure as it opens.") : "",
  );
  main.appendChild(title);
  main.appendChild(said);
  if (picture) {
    const image = document.createElement("img");
    image.src = picture;
    image.alt = word("{page}: the figure as the page opens", { page: document.title });
    image.style.cssText = "width: 100%";
    main.appendChild(image);
  }
  document.body.appendChild(main);
}

/** Says so in a saved file, in the place of a figure that would not run. @param {Element} main */
export function sayInstead(main) {
  const lacking = saidOfLacking(NEEDS.filter(({ file }) => file));
  if (lacking) main.textContent = lacking;
}

/** @param {Need} need */
function isThere({ name, of, css, has }) {
  if (has) return has();
  if (of) return name in of;
  return Boolean(window.CSS && CSS.supports(css || ""));
}

function looksBehind() {
  try {
    // biome-ignore lint/complexity/useRegexLiterals: a literal would stop an old browser before the first line
    return new RegExp("(?<=a)b").test("ab");
  } catch {
    return false;
  }
}

function paints() {
  return Boolean(document.createElement("canvas").getContext("2d"));
}
