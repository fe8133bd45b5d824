// A figure as it stands on a page, still: an SVG of one width, small enough to travel inside a page's own HTML.

import { inkCells } from "./cell_ink.js";
import { fit, Moving } from "./figure.js";
import { choosable, outlines } from "./pointing.js";
import { heldByXml } from "./xml.js";

/** @typedef {import("./types").Subject} Subject */

const SVG_SPACE = "http://www.w3.org/2000/svg";
const FOR_NOBODY = ["class", "pointer-events", "cursor", "stroke-miterlimit", "xml:space"]; // on a picture
const OF_PLOTLY = /^(data-|xmlns:)/; // what it remembers, and what no line here uses
const POINTS_AT = ["clip-path", "fill", "stroke", "mask", "href", "xlink:href"];
const USUAL = {
  fill: "rgb(0, 0, 0)",
  opacity: "1",
  "fill-opacity": "1",
  "stroke-opacity": "1",
  stroke: "none",
  "font-weight": "normal",
  "font-style": "normal",
  "font-variant": "normal",
  "line-height": "",
  "pointer-events": "",
  cursor: "",
};

/**
 * Draws a figure at its place, as a page of this width shows it, with the frames around what is chosen.
 *
 * @param {Subject | Pick<Subject, "Plotly" | "steps" | "meta" | "at" | "chosen">} subject
 * @param {number} width pixels
 * @param {"light" | "dark" | "print"} colours
 * @param {number} [height] pixels that it may take, where its arrangements are to be chosen by that too
 * @returns {Promise<{ svg: string, width: number, height: number }>}
 */
export async function drawStill({ Plotly, steps, meta, at, chosen }, width, colours, height = Infinity) {
  const figure = new Moving(steps, meta.colours[colours] ?? null).at(at.step, at.row);
  const layout = fit(figure, { width, height });
  const node = document.createElement("div");
  Object.assign(node.style, { position: "absolute", left: "-20000px", top: "0" });
  document.body.append(node);
  try {
    await Plotly.newPlot(node, figure.data, layout, { staticPlot: true });
    inkCells(node);
    for (const crisp of node.querySelectorAll(".crisp")) crisp.setAttribute("shape-rendering", "crispEdges");
    const frames = outlines(choosable(node), chosen).flatMap((frame) => frameShapes(frame, layout));
    const drawn = heldByXml(Plotly.Snapshot.toSVG(node, "svg", 1));
    const root = new DOMParser().parseFromString(drawn, "image/svg+xml").documentElement;
    root.append(...frames);
    trim(root);
    const svg = renamed(new XMLSerializer().serializeToString(root));
    const size = root.getAttribute("viewBox")?.split(" ").map(Number) ?? [];
    return { svg, width, height: Math.round(size[3] ?? Number(root.getAttribute("height"))) };
  } finally {
    Plotly.purge(node);
    node.remove();
  }
}

/**
 * The frame that a page lays over its figure, as parts of the drawing: in ink, on paper.
 *
 * @param {HTMLElement} frame
 * @param {any} layout of the figure
 */
function frameShapes(frame, layout) {
  const line = frame.classList.contains("live-whole") ? 1 : 2;
  const [left = 0, top = 0, width = 0, height = 0] = ["left", "top", "width", "height"].map((side) =>
    Number.parseFloat(frame.style.getPropertyValue(side)),
  );
  // In whole pixels, as browsers draw borders, and inside.
  const [x, y] = [Math.round(left), Math.round(top)];
  const [across, down] = [Math.round(left + width) - x, Math.round(top + height) - y];
  const at = { x: x + line / 2, y: y + line / 2, width: across - line, height: down - line };
  const strokes = [
    { stroke: layout.paper_bgcolor, "stroke-width": line + 2 },
    { stroke: layout.font?.color, "stroke-width": line },
  ];
  return strokes.map((stroke) => {
    const rect = document.createElementNS(SVG_SPACE, "rect");
    for (const [name, value] of Object.entries({ ...at, fill: "none", ...stroke }))
      rect.setAttribute(name, String(value));
    return rect;
  });
}

// ---- smaller, and the same to the eye ----

/** @param {Element} root of a drawing; it is written into */
export function trim(root) {
  const all = [...root.querySelectorAll("*")];
  for (const each of all) {
    for (const { name, value } of [...each.attributes]) {
      if (FOR_NOBODY.includes(name) || OF_PLOTLY.test(name)) each.removeAttribute(name);
      else if (name === "style") shorten(each, value);
      else if (name !== "id" && !/href$/.test(name)) each.setAttribute(name, rounded(value));
    }
  }
  const used = new Set([root, ...all].flatMap(pointedAt));
  // What holds the definitions has a name too, that nothing points at.
  for (const each of all.filter(({ id }) => id && !used.has(id))) {
    if (each.parentElement?.closest("defs")) each.remove();
    else each.removeAttribute("id");
  }
  // From the inside out: what has lost all that stood in it goes too.
  for (const each of all.reverse()) {
    const { localName } = each;
    if (["g", "defs", "text"].includes(localName) && !each.firstChild) each.remove();
    else if (localName === "path" && !each.getAttribute("d")) each.remove();
    else if (localName === "g" && !each.attributes.length) each.replaceWith(...each.childNodes);
  }
  for (const name of ["style", "class"]) root.removeAttribute(name);
  hoist(root);
}

/** Says once, for the whole drawing, in which font most words stand. @param {Element} root */
function hoist(root) {
  const styles = [...root.querySelectorAll("text")].map((text) => ({
    text,
    parts: text.getAttribute("style")?.split(";") ?? [],
  }));
  const family = styles[0]?.parts.find((part) => part.startsWith("font-family:"));
  if (!family || styles.some(({ parts }) => !parts.some((part) => part.startsWith("font-family:")))) return;
  for (const { text, parts } of styles)
    text.setAttribute("style", parts.filter((part) => part !== family).join(";"));
  root.setAttribute("style", family);
}

/** @param {Element} element @param {string} style */
function shorten(element, style) {
  const kept = [];
  for (const part of style.split(";")) {
    const [name = "", value = ""] = part.split(/:(.*)/s).map((each) => each.trim());
    const usual = /** @type {Record<string, string>} */ (USUAL)[name];
    if (!name || usual === "" || FOR_NOBODY.includes(name)) continue;
    if (name === "white-space" && !/^\s|\s\s|\s$/.test(element.textContent ?? "")) continue;
    // A usual value counts where something around it has another.
    if (usual === value && !inherits(element.parentElement, name)) continue;
    kept.push(`${name}:${rounded(hexed(value))}`);
  }
  if (kept.length) element.setAttribute("style", kept.join(";"));
  else element.removeAttribute("style");
}

/** @param {Element | null} element @param {string} name @returns {boolean} whether something around sets it */
function inherits(element, name) {
  if (!element) return false;
  const sets =
    element.hasAttribute(name) ||
    new RegExp(`(^|;)\\s*${name}\\s*:`).test(element.getAttribute("style") ?? "");
  return sets || inherits(element.parentElement, name);
}

/** @param {string} value with colours as browsers write them */
function hexed(value) {
  return value.replace(
    /rgb\((\d+), (\d+), (\d+)\)/g,
    (_, ...parts) =>
      `#${parts
        .slice(0, 3)
        .map((part) => Number(part).toString(16).padStart(2, "0"))
        .join("")}`,
  );
}

/** @param {string} value its numbers are cut to a hundredth of a pixel */
function rounded(value) {
  return value.replace(/-?\d+\.\d{3,}/g, (number) => String(Math.round(100 * Number(number)) / 100));
}

/**
 * Plotly draws each name by lot. These follow from the drawing: the same drawing has the same, another others, so
 * that several may stand in one document.
 *
 * @param {string} svg
 */
function renamed(svg) {
  const ids = [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? "");
  const places = new Map(ids.map((id, i) => [id, i]));
  const idsWith = (/** @type {string} */ mark) =>
    svg
      .replace(/ id="([^"]+)"/g, (_, id) => ` id="${mark}${places.get(id)}"`)
      .replace(/#([\w-]+)/g, (all, id) => (places.has(id) ? `#${mark}${places.get(id)}` : all));
  let hash = 0;
  for (const letter of idsWith("")) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
  return idsWith(`s${(hash >>> 0).toString(36)}-`);
}

/** @param {Element} element @returns {string[]} ids */
function pointedAt(element) {
  const values = [...POINTS_AT.map((name) => element.getAttribute(name)), element.getAttribute("style")];
  return values.flatMap((value) => [...(value?.matchAll(/#([\w-]+)/g) ?? [])].map(([, id]) => id ?? ""));
}
