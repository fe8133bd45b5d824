// A page on paper: its figure, its sentence and its settings in words, on one sheet of A4, and nothing else.

import { printable } from "./address.js";
import { inkCells } from "./cell_ink.js";
import { enlarge, fit, Moving } from "./figure.js";
import { withFrames } from "./pointing.js";

/** @typedef {import("./live_figure.js").LiveFigure} LiveFigure */

const SHEET = { width: 703, height: 1028 }; // pixels of A4 within its margins (`live_figure.css`), a few of height left
const LEAST_HEIGHT = 240; // pixels of height that a figure has, whatever is said beside it
// Paper is read from near: most labels, 14 pixels on a screen, are 7.5 points at least, those of cells 6.
const WANTED = { scale: 0.7, label: 8, digit: 8, tiny: 6 };
const AGAIN = ["pointerdown", "keydown"];

/** @type {HTMLElement | undefined} */
let sheet;
let takeAway = () => {};

/** Lays the sheet out of a figure that is drawn, before a browser prints; at once, since that waits for nothing. @param {LiveFigure} figure */
export function layOut(figure) {
  takeAway();
  const { Plotly, meta, steps, root } = figure;
  if (!Plotly || !meta?.settings || !steps || root.dataset.state !== "drawn") return; // printed as it is
  const plot = document.createElement("div");
  const place = document.createElement("div");
  place.className = "live-paper-plot";
  place.append(plot);
  sheet = document.createElement("section");
  sheet.className = "live-paper";
  sheet.ariaHidden = "true";
  sheet.append(...elements("h1", [titleOf(figure)]), place, sentenceOf(figure), settingsOf(figure));
  sheet.append(...elements("p", [printable(figure.address)]));
  document.body.append(sheet);
  document.documentElement.dataset.paper = "";
  takeAway = () => {
    Plotly.purge(plot);
    sheet?.remove();
    delete document.documentElement.dataset.paper;
    for (const kind of AGAIN) window.removeEventListener(kind, takeAway, true);
    takeAway = () => {};
  };
  drawOn(figure, plot, place, Math.max(LEAST_HEIGHT, SHEET.height - sheet.offsetHeight));
}

/** Takes the sheet away once the page is used again: Safari says that it has printed before it has. */
export function printed() {
  for (const kind of AGAIN) window.addEventListener(kind, takeAway, { capture: true, once: true });
}

/**
 * @param {LiveFigure} figure
 * @param {HTMLElement} plot
 * @param {HTMLElement} place
 * @param {number} height pixels that are left for it
 */
function drawOn({ Plotly, meta, steps, at, chosen }, plot, place, height) {
  if (!steps || !meta) return;
  const moving = new Moving(steps, meta.colours.print ?? null);
  const drawn = withFrames(moving.at(at.step, at.row), chosen);
  const screens = drawn.layout.meta?.screens;
  const room = { width: SHEET.width, height };
  const found = screens && enlarge([screens], () => room, WANTED);
  const { scale } = found?.enlarged ?? { scale: 1 };
  const own = found?.screens[0] ?? room;
  const { width } = own;
  const layout = fit(drawn, { width, height: own.height, ...(found ? { enlarged: found.enlarged } : {}) });
  const tall = layout.height ?? Math.min(height, room.width / 2);
  Plotly.newPlot(plot, drawn.data, { ...layout, width, height: tall }, { staticPlot: true });
  inkCells(plot);
  Object.assign(plot.style, { width: `${width}px`, height: `${tall}px`, transform: `scale(${scale})` });
  Object.assign(place.style, { width: `${width * scale}px`, height: `${tall * scale}px` });
}

/** @param {LiveFigure} figure */
function titleOf({ meta }) {
  return document.querySelector("h1")?.textContent?.trim() || meta?.name || "";
}

/** @param {LiveFigure} figure */
function sentenceOf({ sentence }) {
  const copy = document.createElement("p");
  copy.append(...[...sentence.node.childNodes].map((node) => node.cloneNode(true)));
  return copy;
}

/** What each control says, those of the figure last. @param {LiveFigure} figure */
function settingsOf({ meta, controls }) {
  const list = document.createElement("dl");
  for (const [name, value] of [...(meta?.settings ?? []), ...controls.pairs()]) {
    const pair = document.createElement("div");
    pair.append(...elements("dt", [name]), ...elements("dd", [value]));
    list.append(pair);
  }
  return list;
}

/** Elements with texts; none for an empty one. @param {string} tag @param {string[]} texts */
function elements(tag, texts) {
  return texts.filter(Boolean).map((text) => {
    const node = document.createElement(tag);
    node.textContent = text;
    return node;
  });
}
