// Pointing at cells: the frame around the same cell in all maps, and the click that chooses it.

/**
 * The plot and the layer that frames are drawn on.
 *
 * @typedef {{ node: any, frames: HTMLElement }} Surface
 */

/**
 * Frames the cell under the pointer in every map whose cells mean the same.
 *
 * @param {Surface} surface
 * @param {any} point of Plotly's event
 */
export function highlight({ node, frames }, point) {
  frames.replaceChildren();
  if (point.data.type !== "heatmap") return;
  const [row, column] = point.pointIndex ?? point.pointNumber;
  const seen = new Set();
  for (const trace of node._fullData) {
    if (trace.type !== "heatmap" || !trace.visible || trace.meta?.cells !== point.data.meta?.cells) continue;
    const place = trace.xaxis + trace.yaxis;
    if (seen.has(place)) continue;
    seen.add(place);
    frames.append(outline(node._fullLayout, trace, row, column));
  }
}

/**
 * @param {any} layout
 * @param {any} trace
 * @param {number} row
 * @param {number} column
 */
function outline(layout, trace, row, column) {
  const x = layout[trace.xaxis.replace("x", "xaxis")];
  const y = layout[trace.yaxis.replace("y", "yaxis")];
  const [left = 0, right = 0] = edges(x, trace.x, column);
  const [upper = 0, lower = 0] = edges(y, trace.y, row);
  const frame = document.createElement("div");
  frame.className = "live-frame";
  Object.assign(frame.style, {
    left: `${Math.min(left, right)}px`,
    top: `${Math.min(upper, lower)}px`,
    width: `${Math.abs(right - left)}px`,
    height: `${Math.abs(lower - upper)}px`,
  });
  return frame;
}

/**
 * Where a cell's edges lie, in pixels: cells are numbered unless the trace brings evenly spaced coordinates.
 *
 * @param {any} axis
 * @param {any} coordinates
 * @param {number} index
 */
function edges(axis, coordinates, index) {
  const [first, second] = coordinates?.length > 1 ? coordinates : [0, 1];
  return [index - 0.5, index + 0.5].map((at) => axis._offset + axis.l2p(first + (second - first) * at));
}

/**
 * What a click on a point means: the cell chosen, the row to move to.
 *
 * @param {any} point of Plotly's event
 * @returns {{ cell: import("./types").Cell | null, row: number | null }}
 */
export function chosen(point) {
  const isCell = point.data.type === "heatmap";
  const [row, column] = isCell ? (point.pointIndex ?? point.pointNumber) : [point.pointIndex, null];
  const moves = point.data.meta?.cursor;
  // A trace whose points are not the rows themselves brings the row of each of its points.
  const target = Array.isArray(moves) || ArrayBuffer.isView(moves) ? /** @type {any} */ (moves)[row] : row;
  const cell = isCell ? { trace: point.data.name, row, column, at: performance.now() } : null;
  return { cell, row: moves ? target : null };
}
