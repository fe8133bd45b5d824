// The digits in cells: their ink, and their sign. Plotly weighs white against dark grey, which leaves the middle
// of a ramp with 3.1 to 1. Of black and white the better one has 4.58 to 1 or more on every colour there is.
// Plotly's number formats know a hyphen alone for a minus.

import { drawCells } from "./cells.js";
import { digitsOf, drawnMaps } from "./plotly_inside.js";

/**
 * Gives each digit of a drawn figure the ink that reads best on its cell, and each negative number its minus; and
 * cells their colours, where Plotly's way to give them is closed.
 *
 * @param {any} node what Plotly has drawn into
 */
export function inkCells(node) {
  for (const map of drawnMaps(node)) {
    const { colorscale, cmin, zmin, cmax, zmax } = map.colours;
    if (!colorscale) continue;
    const low = cmin ?? zmin;
    const high = cmax ?? zmax;
    drawCells(node, map, (z) => colourAt(colorscale, (z - low) / (high - low)));
    for (const { text, z } of digitsOf(map.group)) {
      const place = (z - low) / (high - low);
      const ground = Number.isFinite(place) && colourAt(colorscale, place);
      if (ground) text.style.fill = inkOn(ground);
      if (text.textContent?.startsWith("-")) text.textContent = `−${text.textContent.slice(1)}`;
    }
  }
}

/**
 * @param {number[]} colour red, green and blue, from 0 to 255
 * @returns {string} black or white, whichever has more contrast (WCAG 2.2)
 */
export function inkOn(colour) {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? "rgb(0, 0, 0)" : "rgb(255, 255, 255)";
}

/**
 * @param {[number, string][]} scale colours as #RRGGBB at places from 0 to 1; of others nothing is drawn
 * @param {number} place
 * @returns {number[] | undefined} red, green and blue
 */
function colourAt(scale, place) {
  if (!scale.every(([, colour]) => colour.startsWith("#"))) return undefined;
  const inside = Math.min(1, Math.max(0, place));
  const after = Math.max(
    1,
    scale.findIndex(([at]) => at >= inside),
  );
  const [[from, low] = [0, "#000000"], [to, high] = [1, "#000000"]] = scale.slice(after - 1, after + 1);
  const share = (inside - from) / (to - from || 1);
  return [1, 3, 5].map((i) => {
    const [one, other] = [parseInt(low.slice(i, i + 2), 16), parseInt(high.slice(i, i + 2), 16)];
    return one + (other - one) * share;
  });
}
