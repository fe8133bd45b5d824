// A picture for a slide: the present step in colours for print, at a slide's size, as PNG or SVG.

import { SLIDE } from "./controls.js";
import { fit, Moving } from "./figure.js";

/**
 * @param {any} Plotly
 * @param {import("./types").Steps} steps
 * @param {import("./types").Meta} meta
 * @param {{ step: number, row: number, texts: string[] }} at where the sliders stand and what they say
 * @param {"png" | "svg"} format
 */
export async function saveSlide(Plotly, steps, meta, at, format) {
  const figure = new Moving(steps, meta.colours.print ?? null).at(at.step, at.row);
  const fitted = fit(figure, SLIDE.width, SLIDE.height);
  const above = Math.max(0, (SLIDE.height - fitted.height) / 2);
  const layout = { ...fitted, height: SLIDE.height, margin: { ...fitted.margin, t: above, b: above } };
  const filename = [meta.name, ...at.texts]
    .join(" ")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.-]+/gu, "-");
  await Plotly.downloadImage(
    { data: figure.data, layout, config: {} },
    { format, ...SLIDE, scale: format === "png" ? 2 : 1, filename },
  );
}
