// One figure without a server: what the page of a saved file runs.

import { LiveFigure } from "./live.js";
import { fromSevens } from "./sevens.js";

/** @param {string} id */
function bytesIn(id) {
  return fromSevens(document.getElementById(id)?.textContent ?? "");
}

/** @param {string} id */
async function runPacked(id) {
  const unpacked = new Blob([bytesIn(id)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(unpacked).text();
  document.head.append(script);
}

const main = document.querySelector("main");
if (main) {
  const figure = new LiveFigure(main);
  const update = () => figure.update({ parentElement: main, data: message, setStateValue: () => {} });
  const message = bytesIn("message");
  runPacked("plotly")
    .then(update)
    .catch((error) => figure.fail(error));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
}
