// One figure without a server: what the page of a saved file runs.

import { fromBase64 } from "./base64.js";
import { LiveFigure } from "./live.js";
import { word } from "./word.js";

/** @param {string} id */
function bytesIn(id) {
  return fromBase64(document.getElementById(id)?.textContent ?? "");
}

/** @param {string} id */
async function runPacked(id) {
  const unpacked = new Blob([bytesIn(id)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(unpacked).text();
  document.head.append(script);
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
  runPacked("plotly")
    .then(update)
    .catch((error) => figure.fail(error));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
}
