// All that is used of Plotly and Plotly does not document: properties of what it has drawn into, and the classes of
// its drawing. A function a purpose; each gives nothing where Plotly has changed, and says what is missing then. The
// figure itself is drawn, moved and saved by what Plotly documents. (The style sheet leaves `.svg-container` unpainted
// under a frame of the film; without that class it is painted for nothing.)

/**
 * The traces as Plotly has completed them. Without them cells are not framed.
 *
 * @param {any} node what Plotly has drawn into
 * @returns {any[]}
 */
export function drawnTraces(node) {
  return node._fullData ?? [];
}

/**
 * The pixels, from the left or the top edge of the whole figure, at which an axis shows values. Without an axis' offset
 * or its function cells are not framed.
 *
 * @param {any} node what Plotly has drawn into
 * @param {string} name of the axis, as a trace has it: x, y2
 * @param {number[]} values
 * @returns {number[] | undefined}
 */
export function pixelsAt(node, name, values) {
  const axis = completedAxis(node, name);
  if (!axis?.l2p || !Number.isFinite(axis._offset)) return undefined;
  return values.map((value) => axis._offset + axis.l2p(value));
}

/**
 * The same from the edge of the axis' own panel, in which Plotly draws its maps, in whole pixels. Without the function
 * maps stay pictures, and are wrong where a browser falsifies these.
 *
 * @param {any} node what Plotly has drawn into
 * @param {string} name of the axis
 * @param {number[]} values
 * @returns {number[] | undefined}
 */
export function panelPixelsAt(node, name, values) {
  const axis = completedAxis(node, name);
  return axis?.c2p && Array.from(values, (value) => Math.round(axis.c2p(value)));
}

/** @param {any} node @param {string} name */
function completedAxis(node, name) {
  return node._fullLayout?.[name.replace(/^[xy]/, "$&axis")];
}

/**
 * The groups of SVG that maps are drawn in, what Plotly knows of each (its trace, its numbers, its cells' edges) and
 * what gives their colours. Without them digits have the ink that Plotly chooses, and a hyphen for a minus.
 *
 * @param {any} node what Plotly has drawn into
 * @returns {{ group: any, known: any, colours: any }[]}
 */
export function drawnMaps(node) {
  const maps = [];
  for (const group of node.querySelectorAll(".heatmaplayer .hm")) {
    const known = group.__data__?.[0];
    const colours = known?.trace && (node._fullLayout?.[known.trace.coloraxis] ?? known.trace);
    if (colours) maps.push({ group, known, colours });
  }
  return maps;
}

/**
 * The digits of a map: their SVG text, and the number that they write. Without them as without `drawnMaps`.
 *
 * @param {any} group of the map
 * @returns {{ text: any, z: number }[]}
 */
export function digitsOf(group) {
  const labels = [];
  for (const label of group.querySelectorAll(".heatmap-label")) {
    const text = label.querySelector("text");
    if (text) labels.push({ text, z: label.__data__?.z });
  }
  return labels;
}

/**
 * The lines that are drawn, and the trace of each. Without them no arc is lit by pointing at its cell.
 *
 * @param {any} node what Plotly has drawn into
 * @returns {{ line: Element, trace: any }[]}
 */
export function drawnLines(node) {
  const lines = [];
  for (const group of node.querySelectorAll(".scatterlayer .trace")) {
    const trace = group.__data__?.[0]?.trace;
    for (const line of trace ? group.querySelectorAll(".js-line") : []) lines.push({ line, trace });
  }
  return lines;
}

/**
 * The points that Plotly has found under the pointer. Without them a click within 50 ms of the pointer's last move
 * chooses nothing.
 *
 * @param {any} node what Plotly has drawn into
 * @returns {any[]}
 */
export function underPointer(node) {
  return node._hoverdata ?? [];
}

/**
 * Points at a cell, as a pointer does, and tells what its label says once it is there: Plotly looks every 50 ms at most.
 * Without the label a cell is framed and not said.
 *
 * @param {any} Plotly @param {any} node @param {any} trace @param {number} [row] @param {number} [column]
 * @param {(said: string) => void} [tell]
 */
export function pointAtCell(Plotly, node, { x, y, xaxis, yaxis }, row = 0, column = 0, tell) {
  Plotly.Fx.hover(node, { xval: x?.[column] ?? column, yval: y?.[row] ?? row }, xaxis + yaxis);
  setTimeout(() => {
    const lines = [...node.querySelectorAll(".hoverlayer :is(.line, text:not(:has(.line)))")];
    tell?.(lines.map((line) => line.textContent).join(", "));
  }, 60);
}

/**
 * Takes from Plotly's areas what listens to fingers there. Where it is not found, a swipe over a figure chooses a cell
 * too.
 *
 * @param {HTMLElement} node what Plotly has drawn into
 */
export function stopTouches(node) {
  for (const area of node.querySelectorAll(".draglayer *")) {
    const heard = /** @type {any} */ (area)._ontouchstart;
    if (heard) area.removeEventListener("touchstart", heard);
  }
}

/**
 * The drawings that lie over one another and are the figure. Without them there is no film, and each step is drawn
 * by Plotly when it is asked for.
 *
 * @param {HTMLElement} node what Plotly has drawn into
 * @returns {Element[]}
 */
export function drawingsOf(node) {
  return [...node.querySelectorAll(".svg-container > svg")];
}

/**
 * Empties the layers that serve pointing alone, in a copy. Those that stay cost room, and show nothing.
 *
 * @param {HTMLElement} copy
 */
export function withoutPointing(copy) {
  for (const layer of copy.querySelectorAll(".hoverlayer, .draglayer, .zoomlayer")) layer.replaceChildren();
}

// How Plotly's style sheet draws what has this class, for copies that stand where it is not read.
export const CRISP = ".crisp { shape-rendering: crispEdges; }";

/**
 * Whether a group's class itself changes how it looks: Plotly's style sheet draws lines of this one sharp. Unknown,
 * lines of a film's frames are softer.
 *
 * @param {Element} group
 */
export function isCrisp(group) {
  return group.classList.contains("crisp");
}

/**
 * The ticks of the axes of one side, an array an axis. Without them labels of a small picture that is saved touch.
 *
 * @param {HTMLElement} node what Plotly has drawn into
 * @param {"x" | "y"} side
 * @returns {Element[][]}
 */
export function ticksOf(node, side) {
  /** @type {Map<Element | null, Element[]>} */
  const axes = new Map();
  for (const tick of node.querySelectorAll(`[class^="${side}"][class$="tick"]`)) {
    const axis = tick.parentElement;
    const found = axes.get(axis);
    if (found) found.push(tick);
    else axes.set(axis, [tick]);
  }
  return [...axes.values()];
}

/**
 * Titles of axes. Without them words that hang under a chart of a small picture may lie on one.
 *
 * @param {HTMLElement} node what Plotly has drawn into
 * @returns {Element[]}
 */
export function axisTitlesOf(node) {
  return [...node.querySelectorAll('[class^="g-x"][class$="title"] text')];
}

/**
 * Words that are points of a trace. Without them none is lifted off such a title.
 *
 * @param {HTMLElement} node what Plotly has drawn into
 * @returns {Element[]}
 */
export function wordsOf(node) {
  return [...node.querySelectorAll(".textpoint text")];
}
