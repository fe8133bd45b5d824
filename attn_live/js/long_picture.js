// What is in sight of a map of any size, as a picture to be kept: with its words, and a caption that says what it is.

import { mustBeTruthful } from "./canvas.js";
import { download, fileName } from "./files.js";
import { pngBlob } from "./raster.js";
import { paragraph, word } from "./word.js";
import { heldByXml } from "./xml.js";

/** @typedef {import("./long_map.js").LongMap} LongMap */
/** @typedef {"png" | "svg" | "slide"} Kind */

/** @returns {{ kind: Kind, text: string, label: string }[]} what can be saved, as its buttons say */
export function savable() {
  return [
    { kind: "png", text: "PNG", label: `${word("Save")} PNG` },
    { kind: "svg", text: "SVG", label: `${word("Save")} SVG` },
    { kind: "slide", text: word("Slide"), label: `${word("Save")}: ${word("Slide")}` },
  ];
}

const SCALE = 2; // pixels of a picture, of its own
const SLIDE = { width: 1120, height: 630, left: 140, top: 104, around: 20, beside: 300 };
const SLIDE_SCALE = 1920 / SLIDE.width;
const OTHER_FONT = 0.85; // of a line, where another font may be found in the place of the page's
const TITLE = 26; // pixels of a slide's title, which a map's own name is
const LINE = 19;
const MARGIN = 10;

/** Saves what is in sight. @param {LongMap} map @param {Kind} kind @param {string} name */
export async function saveMap(map, kind, name) {
  const picture = kind === "slide" ? onSlide(map) : asSeen(map);
  await allThere(picture.map);
  const parts = kind === "slide" ? [name, "slide"] : [name];
  const blob = kind === "svg" ? svgOf(picture, name) : await pngOf(picture, name, kind === "slide");
  download(blob, fileName(parts, kind === "svg" ? "svg" : "png"));
}

/**
 * @typedef {{ map: LongMap, width: number, height: number, scale: number, left: number, top: number, lines: number }} Picture
 *   Its map has sides of its own; `left` and `top` are where that stands, `lines` where its caption begins.
 */

/** @param {LongMap} map @returns {Picture} */
function asSeen(map) {
  const still = stillOf(map, map.plot ?? { width: 1, height: 1 }, map.edge ?? { left: 0, top: 0 });
  const width = sideOf(still, "left") + 2 * MARGIN;
  const lines = sideOf(still, "top") + 2 * MARGIN + LINE;
  return { map: still, width, height: lines, scale: SCALE, left: MARGIN, top: MARGIN, lines };
}

/** @param {LongMap} map @returns {Picture} of the shape of a slide: words beside the map, as there is room in a wide picture */
function onSlide(map) {
  const { width, height, left, top, around, beside } = SLIDE;
  const room = { width: width - left - beside - 3 * around, height: height - top - 2 * around };
  const [rows, columns] = [map.inSight.height / map.down, map.inSight.width / map.across];
  const cell = Math.min(room.width / columns, room.height / rows);
  const still = stillOf(
    map,
    { width: Math.round(cell * columns), height: Math.round(cell * rows) },
    { left, top },
  );
  return { map: still, width, height, scale: SLIDE_SCALE, left: around, top: around, lines: around };
}

/**
 * The same part of a map in other sides; it shares all else with the map.
 *
 * @param {LongMap} map
 * @param {{ width: number, height: number }} plot
 * @param {{ left: number, top: number }} edge
 * @returns {LongMap}
 */
function stillOf(map, plot, edge) {
  const fixed = (/** @type {unknown} */ value) => ({ value, writable: true });
  const [across, down] = [
    plot.width / (map.inSight.width / map.across),
    plot.height / (map.inSight.height / map.down),
  ];
  return Object.create(map, {
    plot: fixed(plot),
    edge: fixed(edge),
    ratio: fixed(SCALE),
    point: fixed(undefined),
    across: fixed(across),
    down: fixed(down),
  });
}

/** @param {LongMap} map @param {"left" | "top"} side */
function sideOf({ edge, plot }, side) {
  return (edge?.[side] ?? 0) + (plot?.[side === "left" ? "width" : "height"] ?? 0) + 2;
}

/** @param {LongMap} map */
async function allThere(map) {
  const { source, level, meta } = map;
  if (!source) return;
  const cells = meta.tile * 2 ** level;
  const seen = map.seen();
  const coming = [];
  for (let row = Math.floor(seen.top / cells); row * cells < seen.bottom; row++)
    for (let column = Math.floor(seen.left / cells); column * cells < seen.right; column++)
      coming.push(map.tiles.bring(source, level, row, column));
  await Promise.all(coming);
}

/** @param {LongMap} map @returns {string} */
function caption(map) {
  const seen = map.seen();
  const range = (/** @type {number} */ first, /** @type {number} */ last, /** @type {number} */ all) =>
    first === 0 && last === all ? String(all) : `${first + 1}–${last} / ${all}`;
  return paragraph(
    word("Queries {queries}, keys {keys}.", {
      queries: range(seen.top, seen.bottom, map.rows),
      keys: range(seen.left, seen.right, map.columns),
    }),
    map.scaleInWords,
    word("Colours are steps of the square root, from 0 to 1."),
  );
}

/** @param {Picture} picture @param {string} name @param {boolean} isSlide @returns {Promise<Blob>} */
async function pngOf(picture, name, isSlide) {
  const { map, width, scale } = picture;
  const canvas = document.createElement("canvas");
  const brush = canvas.getContext("2d");
  if (!brush) throw new Error("the browser gave no canvas");
  brush.font = captionFont(map);
  const beside = picture.left + sideOf(map, "left") + 2 * picture.left;
  const lines = isSlide
    ? wrapped(brush, caption(map), width - beside - picture.left)
    : wrapped(brush, `${name}. ${caption(map)}`, width - 2 * picture.left);
  const height = isSlide ? picture.height : picture.height + lines.length * LINE;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  brush.setTransform(scale, 0, 0, scale, 0, 0);
  brush.fillStyle = map.look.paper;
  brush.fillRect(0, 0, width, height);
  drawMap(brush, picture);
  if (isSlide) {
    const top = picture.top + SLIDE.top;
    brush.font = `600 ${TITLE}px ${map.look.font}`;
    brush.fillStyle = map.look.ink;
    brush.textAlign = "left";
    brush.textBaseline = "middle";
    brush.fillText(name, beside, top + TITLE / 2, width - beside - picture.left);
    below(brush, map, lines, beside, top + 2 * TITLE);
  } else {
    below(brush, map, lines, picture.left, picture.lines);
  }
  return pngBlob(canvas);
}

/** @param {CanvasRenderingContext2D | SvgBrush} brush @param {Picture} picture */
function drawMap(brush, picture) {
  const { map } = picture;
  brush.save();
  brush.translate(picture.left, picture.top);
  brush.drawImage(
    cellsOf(map),
    map.edge?.left ?? 0,
    map.edge?.top ?? 0,
    map.plot?.width ?? 0,
    map.plot?.height ?? 0,
  );
  words(brush, map);
  brush.restore();
}

/** @param {Picture} picture @param {string} name @returns {Blob} */
function svgOf(picture, name) {
  const { map, width } = picture;
  mustBeTruthful();
  const brush = new SvgBrush();
  brush.font = captionFont(map);
  const lines = wrapped(brush, `${name}. ${caption(map)}`, OTHER_FONT * (width - 2 * picture.left));
  const height = picture.height + lines.length * LINE;
  brush.fillStyle = map.look.paper;
  brush.fillRect(0, 0, width, height);
  drawMap(brush, picture);
  below(brush, map, lines, picture.left, picture.lines);
  return new Blob([brush.svg(width, height, name)], { type: "image/svg+xml" });
}

/** @param {CanvasRenderingContext2D | SvgBrush} brush @param {LongMap} map */
function words(brush, map) {
  const taken = /** @type {CanvasRenderingContext2D} */ (brush);
  taken.save();
  taken.translate(map.edge?.left ?? 0, map.edge?.top ?? 0);
  map.drawNumbers(taken);
  taken.restore();
  map.drawAxes(taken, undefined);
}

/**
 * @param {CanvasRenderingContext2D | SvgBrush} brush
 * @param {LongMap} map
 * @param {string[]} lines
 * @param {number} left
 * @param {number} from
 */
function below(brush, map, lines, left, from) {
  brush.font = captionFont(map);
  brush.fillStyle = map.look.muted;
  brush.textAlign = "left";
  brush.textBaseline = "middle";
  for (const [at, line] of lines.entries()) brush.fillText(line, left, from + at * LINE);
}

/** @param {LongMap} map */
function captionFont(map) {
  return `14px ${map.look.font}`;
}

/** @param {LongMap} map @returns {HTMLCanvasElement} its cells alone */
function cellsOf(map) {
  const canvas = document.createElement("canvas");
  const { width, height } = map.plot ?? { width: 1, height: 1 };
  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  const brush = canvas.getContext("2d");
  if (!brush || !map.source) return canvas;
  brush.scale(SCALE, SCALE);
  brush.beginPath();
  brush.rect(0, 0, map.inSight.width, map.inSight.height);
  brush.clip();
  map.drawCells(brush, map.source);
  return canvas;
}

/**
 * Breaks a text into lines; one without spaces where its letters have no room.
 *
 * @param {{ measureText: (text: string) => { width: number } }} brush
 * @param {string} text
 * @param {number} width
 * @returns {string[]}
 */
function wrapped(brush, text, width) {
  const lines = [""];
  for (const piece of text.split(/(?<=\s)|(?<=[\u3000-\u9fff\uff00-\uffef])/u)) {
    const longer = lines[lines.length - 1] + piece;
    if (brush.measureText(longer.trimEnd()).width > width && lines[lines.length - 1]) lines.push(piece);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => line.trim());
}

/** What the map draws its words and lines with, where these stay letters and lines: as much of a canvas's brush as it takes. */
class SvgBrush {
  constructor() {
    this.font = "";
    this.fillStyle = "";
    this.strokeStyle = "";
    this.lineWidth = 1;
    /** @type {CanvasTextAlign} */
    this.textAlign = "left";
    /** @type {CanvasTextBaseline} */
    this.textBaseline = "middle";
    /** @type {string[]} */
    this.parts = [];
    this.open = [0];
    this.ruler = document.createElement("canvas").getContext("2d");
  }

  save() {
    this.open.push(0);
  }

  restore() {
    this.parts.push("</g>".repeat(this.open.pop() ?? 0));
  }

  /** @param {string} how */
  turn(how) {
    this.parts.push(`<g transform="${how}">`);
    this.open[this.open.length - 1] = (this.open[this.open.length - 1] ?? 0) + 1;
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.turn(`translate(${near(x)} ${near(y)})`);
  }

  /** @param {number} angle */
  rotate(angle) {
    this.turn(`rotate(${near((180 * angle) / Math.PI)})`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.parts.push(`<rect ${box(x, y, width, height)} fill="${this.fillStyle}"/>`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.parts.push(
      `<rect ${box(x, y, width, height)} fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`,
    );
  }

  /** @param {HTMLCanvasElement} canvas @param {number} x @param {number} y @param {number} width @param {number} height */
  drawImage(canvas, x, y, width, height) {
    this.parts.push(
      `<image ${box(x, y, width, height)} preserveAspectRatio="none" href="${canvas.toDataURL()}"/>`,
    );
  }

  /** @param {string} text */
  measureText(text) {
    if (!this.ruler) return { width: 0 };
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  /** @param {string} text @param {number} x @param {number} y @param {number} [most] pixels that it may take */
  fillText(text, x, y, most = Number.POSITIVE_INFINITY) {
    const anchor = { center: "middle", right: "end", end: "end", left: "start", start: "start" }[
      this.textAlign
    ];
    const { width } = this.measureText(text);
    const squeezed = width > most ? ` textLength="${near(most)}" lengthAdjust="spacingAndGlyphs"` : "";
    this.parts.push(
      `<text x="${near(x)}" y="${near(y)}" text-anchor="${anchor}" dominant-baseline="central" fill="${this.fillStyle}" style="font:${escaped(this.font)}"${squeezed}>${escaped(text)}</text>`,
    );
  }

  /** @param {number} width @param {number} height @param {string} name */
  svg(width, height, name) {
    const sides = `width="${near(width)}" height="${near(height)}" viewBox="0 0 ${near(width)} ${near(height)}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${sides} role="img"><title>${escaped(name)}</title>${this.parts.join("")}</svg>`;
  }
}

/** @param {number} x @param {number} y @param {number} width @param {number} height */
function box(x, y, width, height) {
  return `x="${near(x)}" y="${near(y)}" width="${near(width)}" height="${near(height)}"`;
}

/** @param {number} number */
function near(number) {
  return Number(number.toFixed(2));
}

/** @param {string} text */
function escaped(text) {
  return heldByXml(text)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}
