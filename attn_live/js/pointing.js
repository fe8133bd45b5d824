// Pointing at cells: the frame around the same cell in all maps, and the click that chooses it.

import { drawnLines, drawnTraces, pixelsAt, underPointer } from "./plotly_inside.js";
import { onlyTaps } from "./touching.js";

/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").Place} Place */
/**
 * Which settings a map's rows and columns are, and which place of another setting all of it is.
 *
 * @typedef {{ axes: [string | null, string | null], part: [string, number] | null }} Choosing
 */
const HEARD_AFTER_MILLISECONDS = 60; // Plotly looks under the pointer every 50 ms at most
const STILL_PIXELS = 3; // what a hand moves while it taps
const STILL_FINGER_PIXELS = 16; // what browsers let a finger

/**
 * What of a map is framed; null stands for all rows or columns.
 *
 * @typedef {{ row: number | null, column: number | null, whole: boolean }} Frame
 */

/**
 * The plot and the layer that frames are drawn on.
 *
 * @typedef {{ node: any, frames: HTMLElement }} Surface
 */

/**
 * Frames the cell under the pointer in every map whose cells mean the same, and pales all arcs but that of the same
 * query and key. An arc, or a word that arcs lead to, is pointed at as that cell is.
 *
 * @param {Surface} surface
 * @param {any} point of Plotly's event
 * @param {number} at the row that the figure's arcs come from
 */
export function highlight({ node, frames }, point, at) {
  unlight({ node, frames });
  const { rows, column } = pointed(point, at);
  const { cells } = point.data.meta ?? {};
  if (column === null || !cells) return; // no other map has cells that mean the same
  for (const trace of maps(drawnTraces(node))) {
    const found = trace.meta?.cells === cells && place(node, trace);
    if (found) frames.append(...rows.map((row) => outline(found, { row, column, whole: false })));
  }
  const arcs = drawnLines(node).filter(({ trace }) => trace.meta?.cells === cells);
  const lit = arcs.filter(({ trace: { meta } }) => {
    const from = [at, ...meta.rows];
    return meta.column === column && rows.some((row) => from.includes(row));
  });
  if (!lit.length) return; // of another query than the one that arcs are drawn of
  for (const arc of arcs) arc.line.toggleAttribute("data-pale", !lit.includes(arc));
}

/** Takes back what pointing has lit. @param {Surface} surface */
export function unlight({ node, frames }) {
  frames.replaceChildren();
  for (const { line } of drawnLines(node)) line.removeAttribute("data-pale");
}

/**
 * The cells that are pointed at: one of a map; for an arc or its word one of each query that arcs come from.
 *
 * @param {any} point of Plotly's event
 * @param {number} at the row that the figure's arcs come from
 * @returns {{ rows: number[], column: number | null }}
 */
function pointed({ data, pointIndex, pointNumber }, at) {
  if (data.type === "heatmap") {
    const [row, column] = pointIndex ?? pointNumber;
    return { rows: [row], column };
  }
  const { column, columns, rows = [] } = data.meta ?? {};
  return { rows: [...new Set([at, ...rows])], column: column ?? (columns ? pointIndex : null) };
}

/**
 * Where the maps stand whose cells can be chosen.
 *
 * @param {any} node a drawn figure
 * @returns {{ place: Place, choosing: Choosing, trace?: any }[]}
 */
export function choosable(node) {
  return maps(drawnTraces(node))
    .filter((trace) => trace.meta?.chosen)
    .flatMap((trace) => {
      const found = place(node, trace);
      return found ? [{ place: found, choosing: trace.meta.chosen, trace }] : [];
    });
}

/**
 * The frames around what is chosen.
 *
 * @param {{ place: Place, choosing: Choosing }[]} maps
 * @param {Chosen} chosen
 */
export function outlines(maps, chosen) {
  const every = maps.map(({ choosing }) => choosing);
  return maps.flatMap(({ place, choosing }) =>
    framed(choosing, every, chosen, place).map((frame) => outline(place, frame)),
  );
}

/**
 * A figure with the same frames as shapes of its own, for a picture that is saved.
 *
 * @param {import("./types").Figure} figure
 * @param {Chosen} chosen
 * @returns {import("./types").Figure}
 */
export function withFrames({ data, layout }, chosen) {
  const drawn = maps(data).filter((trace) => trace.meta?.chosen);
  const every = drawn.map((trace) => trace.meta.chosen);
  const shapes = drawn.flatMap((trace) => {
    const size = { rows: trace.z.length, columns: trace.z[0].length };
    return framed(trace.meta.chosen, every, chosen, size).flatMap(({ row, column, whole }) => {
      const frame = {
        type: "rect",
        ...{ xref: trace.xaxis, x0: (column ?? 0) - 0.5, x1: (column ?? size.columns - 1) + 0.5 },
        ...{ yref: trace.yaxis, y0: (row ?? 0) - 0.5, y1: (row ?? size.rows - 1) + 0.5 },
      };
      const width = whole ? 1 : 2;
      // On paper, so that it is seen on cells as dark as its ink.
      return [
        { ...frame, line: { color: layout.paper_bgcolor, width: width + 2 } },
        { ...frame, line: { color: layout.font?.color, width } },
      ];
    });
  });
  return { data, layout: { ...layout, shapes: [...(layout.shapes ?? []), ...shapes] } };
}

/**
 * What of a map is framed: its chosen cell, row or column; and all of it where it is itself chosen.
 *
 * @param {Choosing} choosing
 * @param {Choosing[]} every of all maps of the figure
 * @param {Chosen} chosen a place beyond the last stands for the last
 * @param {{ rows: number, columns: number }} size
 * @returns {Frame[]}
 */
function framed({ axes, part }, every, chosen, { rows, columns }) {
  /** @type {Frame[]} */
  const frames = [];
  const [row, column] = axes.map((name, i) =>
    name !== null && name in chosen ? Math.min(chosen[name] ?? 0, (i ? columns : rows) - 1) : null,
  );
  if (row != null || column != null) frames.push({ row: row ?? null, column: column ?? null, whole: false });
  if (part && part[0] in chosen) {
    const last = Math.max(...every.map((other) => (other.part?.[0] === part[0] ? other.part[1] : 0)));
    if (part[1] === Math.min(chosen[part[0]] ?? 0, last))
      frames.push({ row: null, column: null, whole: true });
  }
  return frames;
}

/**
 * The maps of a figure, one a place: what is hatched lies over its map.
 *
 * @param {any[]} traces
 * @returns {any[]}
 */
function maps(traces) {
  const seen = new Set();
  return traces.filter(({ type, visible, xaxis, yaxis }) => {
    if (type !== "heatmap" || visible === false || seen.has(xaxis + yaxis)) return false;
    seen.add(xaxis + yaxis);
    return true;
  });
}

/** @param {Place} place @param {Frame} frame */
function outline({ left, top, width, height, rows, columns }, { row, column, whole }) {
  const node = document.createElement("div");
  node.className = whole ? "live-frame live-whole" : "live-frame";
  Object.assign(node.style, {
    left: `${left + width * (column ?? 0)}px`,
    top: `${top + height * (row ?? 0)}px`,
    width: `${width * (column === null ? columns : 1)}px`,
    height: `${height * (row === null ? rows : 1)}px`,
  });
  return node;
}

/** @param {any} node a drawn figure @param {any} trace @returns {Place | undefined} */
function place(node, trace) {
  const [left, right] = pixelsAt(node, trace.xaxis, edges(trace.x)) ?? [];
  const [top, bottom] = pixelsAt(node, trace.yaxis, edges(trace.y)) ?? [];
  if (left === undefined || right === undefined || top === undefined || bottom === undefined)
    return undefined;
  const size = { rows: trace.z.length, columns: trace.z[0].length };
  return { left, top, width: right - left, height: bottom - top, ...size };
}

/**
 * Where the first cell's edges lie on its axis: cells are numbered unless the trace brings evenly spaced
 * coordinates, and they run to the right and down.
 *
 * @param {any} coordinates
 * @returns {[number, number]}
 */
function edges(coordinates) {
  const [first, second] = coordinates?.length > 1 ? coordinates : [0, 1];
  const half = (second - first) / 2;
  return [first - half, first + half];
}

/**
 * What a click on a point means: the cell that was meant (a box that opens something is a single cell, a point that
 * can be picked a row of its own), the row to move to, what it chooses.
 *
 * @param {any} point of Plotly's event
 * @returns {{ cell: import("./types").Cell | null, row: number | null, chosen: Chosen }}
 */
export function meant(point) {
  const isCell = point.data.type === "heatmap";
  const [row, column] = isCell ? (point.pointIndex ?? point.pointNumber) : [point.pointIndex, null];
  const { cursor: moves, chosen: choosing, opens, picks, column: key } = point.data.meta ?? {};
  // A trace whose points are not the rows themselves brings the row of each of its points.
  const target = Array.isArray(moves) || ArrayBuffer.isView(moves) ? /** @type {any} */ (moves)[row] : row;
  const at = performance.now();
  const trace = point.data.name;
  const single = opens || picks ? { trace, row: opens ? 0 : row, column: 0, at } : null;
  const cell = isCell ? { trace, row, column, at } : single;
  /** @type {Chosen} */
  const chosen = {};
  if (cell && choosing) {
    const { axes, part } = /** @type {Choosing} */ (choosing);
    if (axes[0] !== null) chosen[axes[0]] = row;
    if (axes[1] !== null) chosen[axes[1]] = column;
    if (part) chosen[part[0]] = part[1];
  }
  if (!isCell && key !== undefined && choosing) chosen[choosing.axes[1]] = key; // an arc leads to its key
  return { cell, row: moves ? target : null, chosen };
}

/**
 * Tells which point is clicked. Plotly forgets what lies under a pointer that is pressed and let go within 50 ms of
 * its last move, and says nothing of a tap that quick: it is then shown the same place once more.
 *
 * @param {any} node a drawn figure
 * @param {(point: any) => void} choose
 */
export function onClick(node, choose) {
  /** @type {{ clientX: number, clientY: number, still: number } | null} */
  let pressed = null;
  onlyTaps(node);
  node.on("plotly_click", (/** @type {any} */ event) => {
    pressed = null;
    choose(event.points[0]);
  });
  node.addEventListener(
    "pointerdown",
    (/** @type {PointerEvent} */ { pointerType, isPrimary, button, clientX, clientY }) => {
      const still = pointerType === "mouse" ? STILL_PIXELS : STILL_FINGER_PIXELS;
      pressed = isPrimary && button === 0 ? { clientX, clientY, still } : null;
    },
    true,
  );
  node.addEventListener("click", (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const unheard = pressed;
    pressed = null;
    if (!unheard || Math.hypot(clientX - unheard.clientX, clientY - unheard.clientY) > unheard.still) return;
    setTimeout(() => {
      const under = document.elementFromPoint(clientX, clientY);
      if (!node.contains(under)) return;
      under?.dispatchEvent(new MouseEvent("mousemove", { clientX, clientY, bubbles: true }));
      const points = underPointer(node);
      if (points.length) node.emit("plotly_click", { points });
    }, HEARD_AFTER_MILLISECONDS);
  });
}
