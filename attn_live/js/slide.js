// A picture for a slide: the present step in colours for print, as large as a slide holds, with its settings.

import { SLIDE } from "./controls.js";
import { choose, fit, Moving } from "./figure.js";
import { inkCells } from "./ink.js";
import { withFrames } from "./pointing.js";

/** @typedef {import("./types").Screen} Screen */

const CAPTION_HEIGHT = 40; // of a slide's own pixels, before it is scaled
const CHARACTER = 7.5; // pixels that one takes on average, to break lines
const SMALLEST_NUMBER = 12; // pixels of a number in a cell on the slide
const PNG_SCALE = 2;

/**
 * @param {any} Plotly
 * @param {import("./types").Steps} steps
 * @param {import("./types").Meta} meta
 * @param {{ step: number, row: number, texts: string[], chosen: import("./types").Chosen }} at where the sliders
 *   stand, what they say, and what is chosen
 * @param {"png" | "svg"} format
 */
export async function saveSlide(Plotly, steps, meta, at, format) {
  const moving = new Moving(steps, meta.colours.print ?? null);
  const figure = withFrames(moving.at(at.step, at.row), at.chosen);
  const size = slideSize(figure.layout.meta?.screens ?? []);
  const layout = arrange(figure, size, [meta.caption, ...at.texts].filter(Boolean).join(" · "));
  const svg = enlarge(await draw(Plotly, { data: figure.data, layout }, size), size);
  const name = [meta.name, ...at.texts]
    .join(" ")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.-]+/gu, "-");
  const image = new Blob([svg], { type: "image/svg+xml" });
  download(format === "svg" ? image : await paint(image), `${name}.${format}`);
}

/**
 * Draws out of sight, as `Plotly.toImage` does, but inks the digits before the drawing becomes text.
 *
 * @param {any} Plotly
 * @param {import("./types").Figure} figure
 * @param {{ width: number, height: number }} size
 * @returns {Promise<string>} an SVG
 */
async function draw(Plotly, { data, layout }, size) {
  const node = document.createElement("div");
  Object.assign(node.style, { position: "absolute", left: "-20000px", top: "0" });
  document.body.append(node);
  try {
    await Plotly.newPlot(node, data, { ...layout, ...size }, { staticPlot: true });
    inkCells(node);
    return Plotly.Snapshot.toSVG(node, "svg", 1);
  } finally {
    Plotly.purge(node);
    node.remove();
  }
}

/**
 * The size at which a figure is drawn so that, enlarged to a slide, as many of its matrices as can say their
 * numbers, and it fills the slide as far as it then can.
 *
 * @param {Screen[]} screens
 */
function slideSize(screens) {
  let best = { width: SLIDE.width, numbers: -1, scale: 0 };
  for (const { width: own, height } of screens) {
    const scale = Math.min(SLIDE.width / own, SLIDE.height / (height + CAPTION_HEIGHT));
    const width = Math.ceil(SLIDE.width / scale);
    const numbers = readable(choose(screens, width, heightFor(width) - CAPTION_HEIGHT), scale);
    if (numbers > best.numbers || (numbers === best.numbers && scale > best.scale))
      best = { width, numbers, scale };
  }
  return { width: best.width, height: heightFor(best.width) };
}

/** @param {number} width */
function heightFor(width) {
  return Math.ceil((width * SLIDE.height) / SLIDE.width);
}

/**
 * @param {Screen | undefined} screen
 * @param {number} scale
 * @returns {number} how many matrices have numbers that can be read on a slide
 */
function readable(screen, scale) {
  const settings = screen?.settings ?? {};
  return Object.entries(settings).filter(
    ([path, form]) =>
      form &&
      path.endsWith(".texttemplate") &&
      Number(settings[path.replace("texttemplate", "textfont.size")]) * scale >= SMALLEST_NUMBER,
  ).length;
}

/**
 * @param {import("./types").Figure} figure
 * @param {{ width: number, height: number }} size
 * @param {string} words
 */
function arrange(figure, { width, height }, words) {
  const layout = fit(figure, width, height - CAPTION_HEIGHT);
  const own = layout.margin ?? {};
  const above = figure.layout.meta?.screens
    ? Math.max(0, (height - CAPTION_HEIGHT - layout.height) / 2)
    : own.t;
  const below = above + CAPTION_HEIGHT;
  const said = {
    text: lines(words, Math.floor(width / CHARACTER))
      .map(escapeText)
      .join("<br>"),
    ...{ xref: "paper", x: 0.5, xanchor: "center", yref: "paper", y: 0, yanchor: "bottom" },
    yshift: 6 - below,
    showarrow: false,
  };
  return {
    ...layout,
    height,
    margin: { ...own, t: above, b: below },
    annotations: [...(layout.annotations ?? []), ...(words ? [said] : [])],
  };
}

/**
 * @param {string} words
 * @param {number} longest
 */
function lines(words, longest) {
  const broken = [""];
  for (const word of words.split(" ")) {
    const line = `${broken[broken.length - 1]} ${word}`.trim();
    if (line.length > longest) broken.push(word);
    else broken[broken.length - 1] = line;
  }
  return broken;
}

/** @param {string} text for Plotly, which takes some HTML */
function escapeText(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}

/**
 * @param {string} svg
 * @param {{ width: number, height: number }} size
 */
function enlarge(svg, { width, height }) {
  const [root = ""] = svg.match(/<svg[^>]*>/) ?? [];
  const larger = root
    .replace(/ width="[^"]*"/, ` width="${SLIDE.width}"`)
    .replace(/ height="[^"]*"/, ` height="${SLIDE.height}"`)
    .replace(/ viewBox="[^"]*"/, "")
    .replace(/>$/, ` viewBox="0 0 ${width} ${height}">`);
  return svg.replace(root, larger);
}

/**
 * @param {Blob} svg
 * @returns {Promise<Blob>} the same as PNG
 */
async function paint(svg) {
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SLIDE.width * PNG_SCALE;
    canvas.height = SLIDE.height * PNG_SCALE;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the canvas gave no picture"))));
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
