// The cells of maps, where a browser falsifies what a page reads from a canvas: Plotly paints them on one, and shows
// what it reads. Here they are drawings, one path for all cells of a colour.

import { isTruthful } from "./canvas.js";
import { panelPixelsAt } from "./plotly_inside.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Puts drawn cells in the place of a map's picture.
 *
 * @param {any} node what Plotly has drawn into
 * @param {{ group: any, known: any }} map Plotly's own group, and what it knows of the map
 * @param {(z: number) => number[] | undefined} colourOf red, green and blue of a number, from 0 to 255
 */
export function drawCells(node, { group: map, known }, colourOf) {
  if (isTruthful()) return;
  const xs = panelPixelsAt(node, known.trace.xaxis, known.x);
  const ys = panelPixelsAt(node, known.trace.yaxis, known.y);
  if (!xs || !ys) return;
  for (const old of map.querySelectorAll("image, .live-cells")) old.remove();
  const { xgap, ygap } = known.trace;
  /** @type {Map<string, string>} */
  const paths = new Map();
  for (const [i, row] of known.z.entries()) {
    const [top, bottom] = ordered(ys, i);
    for (const [j, z] of Array.from(row).entries()) {
      const colour = Number.isFinite(z) && colourOf(z);
      if (!colour) continue;
      const [left, right] = ordered(xs, j);
      const fill = `rgb(${colour.map(Math.round).join()})`;
      const cell = `M${left},${top}H${right - (xgap || 0)}V${bottom - (ygap || 0)}H${left}Z`;
      paths.set(fill, (paths.get(fill) ?? "") + cell);
    }
  }
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", "live-cells");
  group.setAttribute("shape-rendering", "crispEdges");
  for (const [fill, d] of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("fill", fill);
    path.setAttribute("d", d);
    group.append(path);
  }
  map.prepend(group);
}

/**
 * Where a cell begins and ends, whichever way its axis runs.
 *
 * @param {number[] | undefined} edges
 * @param {number} i
 * @returns {[number, number]}
 */
function ordered(edges, i) {
  const [one = 0, other = 0] = edges?.slice(i, i + 2) ?? [];
  return [Math.min(one, other), Math.max(one, other)];
}
