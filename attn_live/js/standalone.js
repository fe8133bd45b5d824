// One figure without a server: what the page of a saved file runs.

import { fromBase64 } from "./base64.js";
import { LETTERS_OF } from "./letters.js";
import { LiveFigure } from "./live_figure.js";
import { word } from "./word.js";

/** @param {string} id */
function bytesIn(id) {
  return fromBase64(document.getElementById(id)?.textContent ?? "");
}

/** @param {string} id */
function unpacked(id) {
  return new Response(new Blob([bytesIn(id)]).stream().pipeThrough(new DecompressionStream("gzip")));
}

/** @param {string} id */
async function runPacked(id) {
  const script = document.createElement("script");
  script.textContent = await unpacked(id).text();
  document.head.append(script);
}

/** @param {string} id */
async function addLetters(id) {
  const [[family, weight]] = LETTERS_OF;
  const face = new FontFace(family, await unpacked(id).arrayBuffer(), { weight });
  document.fonts.add(await face.load());
}

class FileFigure extends LiveFigure {
  /** @param {unknown} error */
  fail(error) {
    super.fail(error);
    this.notice.textContent = word("The moving figure could not be drawn in this browser.");
  }
}

const main = document.querySelector("main");
if (main?.firstElementChild) {
  const figure = new FileFigure(main);
  const update = () => figure.update({ parentElement: main, data: message, setStateValue: () => {} });
  const message = bytesIn("message");
  // Plotly measures words as it draws them: their letters have to be there.
  Promise.all([runPacked("plotly"), addLetters("letters")])
    .then(update)
    .catch((error) => figure.fail(error));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
}
