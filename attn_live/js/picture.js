// A picture for a slide: one step, drawn out of sight in the shape, colours and type that are asked for.

import { printable } from "./address.js";
import { inkCells } from "./cell_ink.js";
import { enlarge, fit, leftOut, Moving, pick } from "./figure.js";
import { axisTitlesOf, ticksOf, wordsOf } from "./plotly_inside.js";
import { withFrames } from "./pointing.js";
import { breadth } from "./word.js";
import { heldByXml } from "./xml.js";

/** @typedef {import("./types").Figure} Figure */
/** @typedef {import("./types").Screen} Screen */
/** @typedef {import("./types").Space} Space */
/** @typedef {import("./types").Enlarged} Enlarged */
/** @typedef {import("./types").Subject} Subject */
/** @typedef {import("./types").Look} Look */
/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ font: number, lines: string[], height: number }} Caption */

/** Pixels of each shape at scale 1. @type {Record<string, Size>} */
export const SHAPES = {
  "16:9": { width: 1600, height: 900 },
  "under a title": { width: 1600, height: 690 }, // what is left of such a slide
  "4:3": { width: 1200, height: 900 },
  "half slide": { width: 800, height: 900 },
  square: { width: 900, height: 900 },
};

const LARGE_SHARE = 0.025; // of a slide's height that a label takes at least, where large type is asked for
const SLIDE_HEIGHT = 900; // pixels of the slide on which each shape stands
const USUAL_LABEL = 13; // pixels of most labels as figures bring them
const MOST_RAISED = 1.2; // times that a label may grow before it needs room that its figure has not kept for it
const CAPTION_FONT = 14;
const WIDER = 1.15; // times that words may come out wider in letters of another program
const WORDS_APART = 6; // pixels between words under panels side by side
const NEARLY_APART = 0.95; // of their size: in the letters of the page they do not meet
const LEAST_SET = 0.6; // of their size, what such words keep at least
const LINE = 1.35; // of a caption's font size
const CHARACTER = 0.54; // of a font's size that a character takes on average, to break lines
const CAPITAL = 0.3; // of a character that a capital takes more: an address has many, each after a percent sign
const PERCENT = 0.65; // likewise
const CAPTION_PADDING = 18;
const EDGE = 8; // pixels of a picture that stay free at its sides, for letters that lean out
const SMALLEST_NUMBER = 11.25; // pixels of a number in a cell: nine where the picture is 1,280 wide
const SMALLEST_LABEL = 11.25; // pixels of a label beside a matrix, likewise
const LEAST_SCALE = 1.1; // times that a figure is enlarged without large type, four fifths of it at least
// Of a text, what no line breaks: a word with the space before it, or one letter of Chinese with its punctuation.
const PIECE =
  / *[“（《「]*(?:[\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff][、。，；：？！”）》」]*|[^ \u3040-\u9fff\uac00-\ud7af\uf900-\ufaff]+)/gu;
const EVERY = [1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 64]; // which numbers of a crowded axis stay

/**
 * Draws a figure at one place of its sliders, as an SVG of the shape's size.
 *
 * @param {Subject} subject
 * @param {Look} look
 * @param {Moving} [known] the figure in these colours, where many steps of it are drawn
 * @returns {Promise<{ svg: string } & Size>}
 */
export async function makePicture(subject, look, known) {
  const moving = known ?? inColours(subject, look);
  const shape = shapeOf(look);
  const figure = withFrames(moving.at(subject.at.step, subject.at.row), subject.chosen);
  const own = figure.layout.meta?.screens;
  const lists = known ? moving.arrangements : own ? [own] : []; // those of a film stay one size
  const { enlarged, screens, ...size } = logicalSize(lists, subject, look, shape);
  const scale = shape.width / size.width;
  const captionOf = (/** @type {Screen[][]} */ each, /** @type {Screen[]} */ taken) =>
    captionFor(subject, look, size, leftOut(each, taken, SMALLEST_NUMBER / scale));
  const { height } = captionOf(lists, screens); // the highest of a film's steps: none jumps
  const space = { ...size, height: size.height - height, enlarged };
  const screen = own && pick(own, space);
  const caption = { ...captionOf(own ? [own] : [], screen ? [screen] : []), height };
  const layout = arranged(figure, space, caption);
  const smallest = look.large ? largeType(1 / scale) : 0;
  const said = figure.data.map((trace) => withoutTiny(trace, scale));
  const data = look.large ? said.map((trace) => raised(trace, smallest, true)) : said;
  const drawn = { data, layout: look.large ? raisedLayout(layout, smallest, screen) : layout };
  if (look.colours === "transparent") bare(drawn.layout);
  return {
    svg: blownUp(await draw(subject.Plotly, drawn, size, caption.lines.length > 0), size, shape),
    ...shape,
  };
}

/** @param {Look} look @returns {Size} */
function shapeOf(look) {
  return SHAPES[look.shape] ?? { width: 1600, height: 900 };
}

/** @param {Subject} subject @param {Look} look */
export function inColours({ steps, meta }, { colours }) {
  const named = colours === "transparent" ? "print" : colours;
  return new Moving(steps, meta.colours[named] ?? null);
}

/**
 * What stands under a picture: its parameters, its address.
 *
 * @param {Subject} subject
 * @param {string[]} [left] what there is no room for
 * @returns {string[]}
 */
export function captionTexts({ meta, texts, address }, left = []) {
  const about = [meta.caption, ...texts, ...left].filter(Boolean).join(" · ");
  return [about, printable(address)].filter(Boolean);
}

/**
 * Draws out of sight, as `Plotly.toImage` does, but inks the digits before the drawing becomes text.
 *
 * @param {any} Plotly
 * @param {Figure} figure
 * @param {Size} size
 * @param {boolean} isCaptioned whether the last of its annotations is the caption
 * @returns {Promise<string>} an SVG
 */
async function draw(Plotly, { data, layout }, size, isCaptioned) {
  const node = document.createElement("div");
  Object.assign(node.style, { position: "absolute", left: "-20000px", top: "0" });
  document.body.append(node);
  try {
    await Plotly.newPlot(node, data, { ...layout, ...size }, { staticPlot: true });
    inkCells(node);
    thin(node);
    lift(node);
    setApart(
      [...node.querySelectorAll(".annotation-text")].slice(0, isCaptioned ? -1 : undefined),
      size.width,
    );
    return heldByXml(Plotly.Snapshot.toSVG(node, "svg", 1));
  } finally {
    Plotly.purge(node);
    node.remove();
  }
}

/**
 * The arrangements of a figure for a shape, and the size at which it is drawn so that, enlarged, it fills that.
 *
 * @param {Screen[][]} lists the arrangements of each step
 * @param {Subject} subject
 * @param {Look} look
 * @param {Size} shape
 * @returns {Size & { enlarged?: Enlarged, screens: Screen[] }}
 */
function logicalSize(lists, subject, look, shape) {
  const large = largeType(1) / USUAL_LABEL;
  if (!lists.length) return { ...sizeAt(look.large ? large : 1, shape), screens: [] };
  const least = look.large ? large / MOST_RAISED : LEAST_SCALE;
  /** @type {Parameters<typeof enlarge>[1]} */
  const roomAt = (scale, screens, each) => {
    const left = leftOut(each, screens, SMALLEST_NUMBER / scale);
    const caption = captionFor(subject, look, sizeAt(scale, shape), left).height * scale;
    return { width: shape.width - 2 * EDGE, height: shape.height - caption };
  };
  const { enlarged, screens } = enlarge(lists, roomAt, {
    scale: least,
    label: look.large ? 0.8 * largeType(1) : SMALLEST_LABEL,
    least: SMALLEST_LABEL,
    digit: look.large ? largeType(1) : SMALLEST_NUMBER,
    tiny: SMALLEST_NUMBER,
  });
  return { ...sizeAt(enlarged.scale, shape), enlarged, screens };
}

/** The size of the smallest words in large type. @param {number} drawn pixels to one of the picture */
function largeType(drawn) {
  return Math.ceil(10 * LARGE_SHARE * SLIDE_HEIGHT * drawn) / 10;
}

/** @param {number} scale @param {Size} shape @returns {Size} */
function sizeAt(scale, { width, height }) {
  const logical = Math.ceil(width / scale);
  return { width: logical, height: Math.round((logical * height) / width) };
}

// ---- words ----

/**
 * @param {Subject} subject
 * @param {Look} look
 * @param {Size} size
 * @param {string[]} left what there is no room for
 * @returns {Caption}
 */
function captionFor(subject, look, { width }, left) {
  const drawn = width / shapeOf(look).width;
  const font = look.large ? Math.max(CAPTION_FONT, largeType(drawn)) : CAPTION_FONT;
  const texts = look.caption ? captionTexts(subject, left) : [];
  const longest = Math.floor((width - 2 * CAPTION_PADDING) / (CHARACTER * font));
  const broken = texts.flatMap((text) => lines(text, longest));
  return { font, lines: broken, height: broken.length * LINE * font + CAPTION_PADDING };
}

/**
 * Breaks a text between words, Chinese between letters, and a word that is longer than a line where the line ends.
 *
 * @param {string} words
 * @param {number} longest
 */
function lines(words, longest) {
  const broken = [""];
  for (const [piece] of words.matchAll(PIECE)) {
    const space = piece.startsWith(" ") ? " " : "";
    for (const part of parts(piece.trim(), longest)) {
      const line = `${broken[broken.length - 1]}${space}${part}`.trim();
      if (across(line) > longest) broken.push(part);
      else broken[broken.length - 1] = line;
    }
  }
  return broken;
}

/** A word in parts that a line has room for. @param {string} word @param {number} longest */
function parts(word, longest) {
  const found = [""];
  let room = longest;
  for (const letter of word) {
    room -= across(letter);
    if (room < 0) {
      found.push("");
      room = longest - across(letter);
    }
    found[found.length - 1] += letter;
  }
  return found;
}

/** @param {string} text @returns {number} characters of usual width that it takes in a caption */
function across(text) {
  const count = (/** @type {RegExp} */ kind) => text.match(kind)?.length ?? 0;
  return breadth(text) + CAPITAL * count(/\p{Lu}/gu) + PERCENT * count(/%/g);
}

/** @param {string} text for Plotly, which takes some HTML */
function escapeText(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}

// ---- the layout ----

/** @param {Figure} figure @param {Space} space what the caption leaves @param {Caption} caption */
function arranged(figure, space, caption) {
  const layout = fit(figure, space);
  const own = layout.margin ?? {};
  const below = (own.b ?? 0) + caption.height;
  const said = {
    text: caption.lines.map(escapeText).join("<br>"),
    font: { size: caption.font },
    ...{ xref: "paper", x: 0.5, xanchor: "center", yref: "paper", y: 0, yanchor: "bottom" },
    yshift: CAPTION_PADDING / 3 - below,
    showarrow: false,
  };
  return {
    ...layout,
    height: space.height + caption.height,
    margin: { ...own, b: below },
    annotations: [...(layout.annotations ?? []), ...(caption.lines.length ? [said] : [])],
  };
}

/**
 * A trace, without numbers in its cells where they would be too small to be read.
 *
 * @param {any} trace
 * @param {number} scale times that the picture is enlarged
 */
function withoutTiny(trace, scale) {
  const tiny = trace.texttemplate && trace.textfont?.size * scale < SMALLEST_NUMBER;
  return tiny ? { ...trace, texttemplate: "" } : trace;
}

/**
 * A copy of a layout or a trace in which no label is smaller; digits in cells keep the size of their cells.
 *
 * @param {any} part
 * @param {number} smallest
 * @param {boolean} isTrace
 * @returns {any}
 */
function raised(part, smallest, isTrace) {
  if (Array.isArray(part)) return part.map((inner) => raised(inner, smallest, isTrace));
  if (part === null || typeof part !== "object" || ArrayBuffer.isView(part)) return part;
  if (isTrace) {
    // Words that stand where their letters have room have none for larger ones.
    if (part.type === "heatmap" || part.meta?.placed || !(part.textfont?.size < smallest)) return part;
    return { ...part, textfont: { ...part.textfont, size: smallest } };
  }
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      if (name === "size" && typeof value === "number" && "size" in part && isFont(part))
        return [name, Math.max(value, smallest)];
      return [name, raised(value, smallest, false)];
    }),
  );
}

/**
 * A copy of a layout in which no words are smaller; labels beside the cells of a matrix keep the size of these.
 *
 * @param {any} layout
 * @param {number} smallest
 * @param {Screen | undefined} screen
 */
function raisedLayout(layout, smallest, screen) {
  const larger = raised(layout, smallest, false);
  for (const [path, size] of Object.entries(screen?.settings ?? {})) {
    const [, axis = "", part] = path.split(".");
    if (part === "tickfont") larger[axis] = { ...larger[axis], tickfont: layout[axis].tickfont };
    if (path.endsWith(".colorbar.tickfont.size") && Number(size) < USUAL_LABEL)
      larger[axis].colorbar.tickfont = layout[axis].colorbar.tickfont; // a short bar has no room for more
  }
  return larger;
}

/** @param {any} part whether this is what Plotly calls a font */
function isFont(part) {
  return Object.keys(part).every((name) => ["size", "color", "family", "weight", "style"].includes(name));
}

/** Takes the ground away. @param {any} layout */
function bare(layout) {
  layout.paper_bgcolor = "rgba(0,0,0,0)";
  layout.plot_bgcolor = "rgba(0,0,0,0)";
}

/**
 * Takes away numbers of an axis that touch their neighbours, evenly: every second, every third. Those that stay say
 * what lies between; words beside cells have their room from the arrangement, and none goes.
 *
 * @param {HTMLElement} node
 */
function thin(node) {
  for (const side of /** @type {const} */ (["x", "y"])) {
    for (const ticks of ticksOf(node, side)) {
      const labels = ticks.map((tick) => tick.querySelector("text"));
      if (!labels.every((label) => /\d/.test(label?.textContent ?? ""))) continue;
      const every = EVERY.find((n) => !touching(labels.filter((_, i) => i % n === 0)));
      for (const [i, tick] of ticks.entries()) if (i % (every ?? ticks.length)) tick.remove();
    }
  }
}

/**
 * Lifts words that hang under a chart, by lines that are empty, off the title of an axis below that large type let
 * them reach.
 *
 * @param {HTMLElement} node
 */
function lift(node) {
  const titles = axisTitlesOf(node).map((title) => title.getBoundingClientRect());
  for (const words of wordsOf(node)) {
    const [first, ...others] = [...words.children].map((line) => line.getBoundingClientRect());
    const last = others[others.length - 1];
    if (!first || !last || first.width) continue;
    const above = others.find((line) => line.width)?.top ?? 0;
    const under = titles.filter(
      ({ top, left, right }) => top > above && left < last.right && last.left < right,
    );
    const over = last.bottom - Math.min(...under.map(({ top }) => top));
    if (over > 0)
      words.setAttribute("transform", `translate(0,${-over}) ${words.getAttribute("transform") ?? ""}`);
  }
}

/**
 * Words side by side over or under panels that large type made run into one another, or beyond the edge, are set
 * smaller, all alike.
 *
 * @param {Element[]} all the words of a picture but its caption
 * @param {number} width of the picture
 */
function setApart(all, width) {
  const words = all.filter(
    (each) => each.textContent?.trim() && each.getAttribute("text-anchor") === "middle",
  );
  const [first] = words;
  if (!first) return;
  const edge = first.closest("svg")?.getBoundingClientRect().left ?? 0;
  const boxes = words.map((each) => {
    const { left, width: across, top, height } = each.getBoundingClientRect();
    return { middle: left + across / 2, half: (WIDER * across) / 2, top, height };
  });
  let share = 1;
  for (const [i, one] of boxes.entries()) {
    share = Math.min(share, Math.min(one.middle - edge, edge + width - one.middle) / one.half);
    for (const other of boxes.slice(i + 1)) {
      const between = Math.abs(one.middle - other.middle) - WORDS_APART;
      const areBeside = Math.abs(one.top - other.top) < one.height / 2;
      if (areBeside) share = Math.min(share, between / (one.half + other.half));
    }
  }
  if (share > NEARLY_APART) return;
  const size = getComputedStyle(first).fontSize;
  for (const each of words)
    if (each instanceof SVGElement && getComputedStyle(each).fontSize === size)
      each.style.fontSize = `${Math.max(share, LEAST_SET) * Number.parseFloat(size)}px`;
}

/** @param {(SVGTextElement | null)[]} labels of one axis, in their order */
function touching(labels) {
  const boxes = labels.map((label) => label?.getBoundingClientRect());
  return boxes.some((box, i) => {
    const next = boxes[i + 1];
    if (!box || !next) return false;
    const across = box.left < next.right && next.left < box.right;
    return across && box.top < next.bottom && next.top < box.bottom;
  });
}

/** @param {string} svg @param {Size} size @param {Size} shape */
function blownUp(svg, { width, height }, shape) {
  const [root = ""] = svg.match(/<svg[^>]*>/) ?? [];
  const larger = root
    .replace(/ width="[^"]*"/, ` width="${shape.width}"`)
    .replace(/ height="[^"]*"/, ` height="${shape.height}"`)
    .replace(/ viewBox="[^"]*"/, "")
    // Its sides are whole pixels, in nearly the same ratio: no edge may be half covered.
    .replace(/>$/, ` viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">`);
  return svg.replace(root, larger);
}
