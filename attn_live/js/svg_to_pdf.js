// A drawing of Plotly's as a PDF of one page: paths stay paths, words stay words, maps stay exact pictures.

import { PdfFile, short } from "./pdf.js";
import { Font } from "./pdf_font.js";
import { pathOperators } from "./pdf_path.js";
import { addPixels, brushOf } from "./pdf_pixels.js";
import { addWordPicture, codesOf } from "./word_pictures.js";

/** @typedef {import("./raster.js").Picture} Picture */
/** @typedef {import("./pdf_path.js").Placed} Placed */
/** @typedef {{ red: number, green: number, blue: number, alpha: number }} Colour */

const POINTS = 0.6; // to a pixel of a picture: a slide of 900 pixels is 7.5 inches high
const SHARP = 4; // pixels of a map to one of the drawing, so that a reader that smooths blurs no edge
const PIECES = /\s*\S{1,200}\s*|\s+/gu; // a font that is a picture has room for 256 letters
const LONGEST_PICTURED = 220; // of them
const DRAWN = "path, rect, image, text";
const NOT_DRAWN = "defs, clipPath, pattern, linearGradient";
const UNKNOWN = "circle, ellipse, line, polyline, polygon, use, foreignObject, mask, filter, radialGradient";

/**
 * @param {Picture} picture
 * @param {string} title
 * @param {(name: string) => Promise<Uint8Array>} bytesOf a font's file, by its name
 * @returns {Promise<{ blob: Blob, size: number[], pictured: string[] }>} its width and height in points; and the
 *   words that are pictures, since no font has their letters
 */
export async function pdfOf(picture, title, bytesOf) {
  const home = document.createElement("div");
  Object.assign(home.style, { position: "absolute", left: "-20000px", top: "0" });
  const root = new DOMParser().parseFromString(picture.svg, "image/svg+xml").documentElement;
  const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (root));
  const { width, height } = svg.viewBox.baseVal;
  // In its own units: then the browser's matrices lead to these.
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  home.append(svg);
  document.body.append(home);
  try {
    const missing = svg.querySelector(UNKNOWN);
    if (missing) throw new Error(`a PDF is made without <${missing.localName}>`);
    const drawing = new Drawing(svg, (POINTS * picture.width) / width, POINTS * picture.height, bytesOf);
    for (const shape of svg.querySelectorAll(DRAWN))
      if (!shape.closest(NOT_DRAWN)) await drawing.draw(/** @type {SVGGraphicsElement} */ (shape));
    const size = [picture.width, picture.height].map((pixels) => POINTS * pixels);
    return {
      blob: await drawing.blob(size, title),
      size,
      pictured: [...drawing.pictured.values()].map(({ words }) => words.trim()),
    };
  } finally {
    home.remove();
  }
}

class Drawing {
  /**
   * @param {SVGSVGElement} svg
   * @param {number} scale points to one of its units
   * @param {number} height points
   * @param {(name: string) => Promise<Uint8Array>} bytesOf
   */
  constructor(svg, scale, height, bytesOf) {
    this.svg = svg;
    this.base = new DOMMatrix([scale, 0, 0, -scale, 0, height]);
    this.bytesOf = bytesOf;
    this.file = new PdfFile();
    /** @type {string[]} */
    this.operators = [];
    /** @type {Map<string, Promise<Font>>} */
    this.fonts = new Map();
    /** @type {Record<"ExtGState" | "Font" | "Pattern" | "Shading" | "XObject", Map<string, string>>} */
    this.resources = {
      ExtGState: new Map(),
      Font: new Map(),
      Pattern: new Map(),
      Shading: new Map(),
      XObject: new Map(),
    };
    /** @type {Map<string, { name: string, words: string }>} */
    this.pictured = new Map(); // words in their look, each with the font that is its picture
  }

  /** @param {number[]} size of the page in points @param {string} title */
  async blob(size, title) {
    for (const [name, font] of this.fonts)
      this.resources.Font.set(fontName(name), await (await font).addTo(this.file));
    const resources = Object.entries(this.resources).map(
      ([kind, named]) => `/${kind} << ${[...named].map(([name, of]) => `/${name} ${of}`).join(" ")} >>`,
    );
    const contents = this.operators.join("\n");
    return this.file.blob({ size, title, contents, resources: resources.join(" ") });
  }

  /** Names what the page refers to. @param {keyof Drawing["resources"]} kind @param {string} reference */
  named(kind, reference) {
    const name = `${kind[0]}${this.resources[kind].size}`;
    this.resources[kind].set(name, reference);
    return name;
  }

  /** @param {SVGGraphicsElement} shape */
  async draw(shape) {
    const style = getComputedStyle(shape);
    if (style.visibility === "hidden" || !shape.getClientRects().length) return;
    const alpha = opacity(shape, this.svg);
    if (!alpha) return;
    const matrix = this.matrixOf(shape);
    this.operators.push("q", ...this.clips(shape));
    if (shape instanceof SVGImageElement) await this.image(shape, matrix, alpha);
    else if (shape instanceof SVGTextElement) await this.text(shape, matrix, alpha);
    else await this.path(shape, style, matrix, alpha);
    this.operators.push("Q");
  }

  /** From an element's own units to points of the page. @param {SVGGraphicsElement} element */
  matrixOf(element) {
    const own = element.getCTM();
    if (!own) throw new Error(`a <${element.localName}> stands nowhere`);
    return this.base.multiply(DOMMatrix.fromMatrix(own));
  }

  /** What an element may be seen through. @param {Element} element @returns {string[]} */
  clips(element) {
    const found = [];
    for (
      let each = /** @type {Element | null} */ (element);
      each && each !== this.svg;
      each = each.parentElement
    ) {
      const clip = this.referred(getComputedStyle(each).clipPath);
      if (!clip) continue;
      const placed = placedBy(this.matrixOf(/** @type {SVGGraphicsElement} */ (each)));
      const outlines = [...clip.children].map((child) => pathOperators(dataOf(child), placed));
      found.push(outlines.join("\n") || "0 0 0 0 re", "W n");
    }
    return found;
  }

  /** @param {string} value a style's `url("#id")` @returns {Element | null} */
  referred(value) {
    const [, id] = value.match(/^url\(["']?[^#]*#([^"')]+)["']?\)/) ?? [];
    return id === undefined ? null : this.svg.querySelector(`[id="${CSS.escape(id)}"]`);
  }

  /** @param {number} fill @param {number} stroke opacities @returns {string[]} */
  opacities(fill, stroke) {
    if (fill >= 1 && stroke >= 1) return [];
    const name = `A${Math.round(1000 * fill)}-${Math.round(1000 * stroke)}`;
    this.resources.ExtGState.set(name, `<< /ca ${short(fill)} /CA ${short(stroke)} >>`);
    return [`/${name} gs`];
  }

  // ---- shapes ----

  /**
   * @param {SVGElement} shape
   * @param {CSSStyleDeclaration} style
   * @param {DOMMatrix} matrix
   * @param {number} alpha
   */
  async path(shape, style, matrix, alpha) {
    const outline = pathOperators(dataOf(shape), placedBy(matrix));
    if (!outline) return;
    const evenOdd = style.fillRule === "evenodd" ? "*" : "";
    const paint = this.referred(style.fill);
    if (paint) {
      const ground = await this.ground(paint, shape, matrix);
      const clear = this.opacities(Number(style.fillOpacity) * alpha, 1);
      this.operators.push("q", ...clear, `${outline}\nW${evenOdd} n`, ground, "Q");
    }
    const fill = paint ? undefined : seen(style.fill, Number(style.fillOpacity) * alpha);
    const width = Number.parseFloat(style.strokeWidth) * enlargement(matrix);
    const stroke = width ? seen(style.stroke, Number(style.strokeOpacity) * alpha) : undefined;
    if (fill) this.operators.push(`${inColour(fill)} rg`);
    if (stroke) this.operators.push(`${inColour(stroke)} RG`, ...strokes(style, width, enlargement(matrix)));
    if (!fill && !stroke) return;
    const how = fill && stroke ? `B${evenOdd}` : fill ? `f${evenOdd}` : "S";
    this.operators.push(...this.opacities(fill?.alpha ?? 1, stroke?.alpha ?? 1), outline, how);
  }

  /**
   * What a gradient or a hatch paints, through whatever clips it.
   *
   * @param {Element} paint
   * @param {SVGElement} shape
   * @param {DOMMatrix} matrix
   */
  async ground(paint, shape, matrix) {
    const { x, y, width, height } = /** @type {SVGGraphicsElement} */ (shape).getBBox();
    if (paint instanceof SVGLinearGradientElement) {
      const box = matrix.multiply(new DOMMatrix([width, 0, 0, height, x, y]));
      return `/${this.named("Shading", this.file.add(shading(paint, placedBy(box))))} sh`;
    }
    if (!(paint instanceof SVGPatternElement))
      throw new Error(`a PDF is made without a ground of <${paint.localName}>`);
    const box = `${pathOperators(boxData(x, y, width, height), placedBy(matrix))}\nf`;
    // What fills a whole tile fills all at once: between tiles a reader may leave a gap that is seen.
    const whole = [...paint.children].filter((child) => child instanceof SVGRectElement);
    const flat = whole.flatMap((child) => {
      const { fill, fillOpacity } = getComputedStyle(child);
      const colour = seen(fill, Number(fillOpacity));
      return colour ? [`${inColour(colour)} rg`, box] : [];
    });
    const name = this.named("Pattern", await this.tiling(paint, matrix));
    return [...flat, `/Pattern cs /${name} scn`, box].join("\n");
  }

  /**
   * The lines of a hatch.
   *
   * @param {SVGPatternElement} pattern in the units of what it fills
   * @param {DOMMatrix} matrix from these to the page
   */
  async tiling(pattern, matrix) {
    const [width, height] = [pattern.width, pattern.height].map((each) => each.baseVal.value);
    const turned = pattern.patternTransform.baseVal.consolidate()?.matrix;
    const to = turned ? matrix.multiply(DOMMatrix.fromMatrix(turned)) : matrix;
    const inner = new Drawing(this.svg, 1, 0, this.bytesOf);
    for (const child of pattern.querySelectorAll("path"))
      await inner.path(child, getComputedStyle(child), new DOMMatrix(), opacity(child, pattern));
    const states = [...inner.resources.ExtGState].map(([name, of]) => `/${name} ${of}`).join(" ");
    return this.file.stream(
      `/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 ${width} ${height}] ` +
        `/XStep ${width} /YStep ${height} /Matrix [${sixOf(to)}] /Resources << /ExtGState << ${states} >> >>`,
      inner.operators.join("\n"),
    );
  }

  // ---- pictures ----

  /** @param {SVGImageElement} image @param {DOMMatrix} matrix @param {number} alpha */
  async image(image, matrix, alpha) {
    const source = new Image();
    source.src = image.href.baseVal;
    await source.decode();
    const [x = 0, y = 0, width = 0, height = 0] = [image.x, image.y, image.width, image.height].map(
      (each) => each.baseVal.value,
    );
    // So many for each pixel: its colours stay as they are.
    const times = (/** @type {number} */ shown, /** @type {number} */ pixels) =>
      pixels * Math.max(1, Math.ceil((SHARP * shown) / pixels));
    const canvas = document.createElement("canvas");
    canvas.width = times(width, source.naturalWidth);
    canvas.height = times(height, source.naturalHeight);
    const brush = brushOf(canvas);
    brush.imageSmoothingEnabled = false;
    brush.drawImage(source, 0, 0, canvas.width, canvas.height);
    const name = this.named("XObject", await addPixels(this.file, canvas));
    const to = matrix.multiply(new DOMMatrix([width, 0, 0, -height, x, y + height]));
    this.operators.push(...this.opacities(alpha, 1), `${sixOf(to)} cm /${name} Do`);
  }

  // ---- words ----

  /** @param {SVGTextElement} text @param {DOMMatrix} matrix @param {number} alpha */
  async text(text, matrix, alpha) {
    const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    let at = 0; // letters of the whole text before this part of it
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      const said = node.nodeValue ?? "";
      const style = getComputedStyle(/** @type {Element} */ (node.parentElement));
      const font = await this.font(style);
      for (const [words, isKnown] of runs(said, font)) {
        const first = at;
        at += words.length;
        const length = words.trim() ? text.getSubStringLength(first, words.length) : 0;
        if (!length) continue;
        const fill = seen(style.fill, Number(style.fillOpacity) * alpha);
        if (!fill) continue;
        const size = Number.parseFloat(style.fontSize);
        const letters = lettersFromLeft(text, first, words);
        const [left, baseline] = [letters[0]?.left ?? 0, text.getStartPositionOfChar(first).y];
        const to = sixOf(matrix.multiply(new DOMMatrix([1, 0, 0, -1, left, baseline])));
        this.operators.push(...this.opacities(fill.alpha, 1), `${inColour(fill)} rg`);
        const set = (/** @type {string} */ name, /** @type {string} */ codes, wide = "100") =>
          this.operators.push(`BT /${name} ${short(size)} Tf ${wide} Tz ${to} Tm <${codes}> Tj ET`);
        if (isKnown) {
          const { codes, width } = font.set(words.normalize("NFC"));
          // As wide as the browser has it, which moves letters closer together.
          set(fontName(font.name), codes, short((100 * length) / (width * size)));
        } else set(await this.pictureOf(words, letters, style), codesOf(letters));
      }
    }
  }

  /**
   * @param {string} words
   * @param {import("./word_pictures.js").Letter[]} letters
   * @param {CSSStyleDeclaration} style
   * @returns {Promise<string>} the name of the font that is their picture
   */
  async pictureOf(words, letters, { fontWeight, fontSize, fontFamily, fill }) {
    const look = { size: Number.parseFloat(fontSize), font: `${fontWeight} ${fontSize} ${fontFamily}`, fill };
    const key = [words, look.font, fill].join();
    const name =
      this.pictured.get(key)?.name ??
      this.named("Font", await addWordPicture(this.file, words, letters, look));
    this.pictured.set(key, { name, words });
    return name;
  }

  /** @param {CSSStyleDeclaration} style */
  font({ fontFamily, fontWeight }) {
    const bold = Number(fontWeight) >= 600 ? "sans-bold" : "sans";
    const name = /^["']?Source Serif/.test(fontFamily) ? "serif" : bold;
    let font = this.fonts.get(name);
    if (!font) {
      font = this.bytesOf(name).then((bytes) => new Font(name, bytes));
      this.fonts.set(name, font);
    }
    return font;
  }
}

// ---- what styles and shapes say ----

/** @param {Element} element @param {Element} root @returns {number} with that of all that it stands in */
function opacity(element, root) {
  let product = 1;
  for (let each = /** @type {Element | null} */ (element); each && each !== root; each = each.parentElement)
    product *= Number(getComputedStyle(each).opacity);
  return product;
}

/** @param {string} value a colour of a style @param {number} alpha @returns {Colour | undefined} nothing to see */
function seen(value, alpha) {
  const [red, green, blue, own = 1] = (value.match(/[\d.]+/g) ?? []).map(Number);
  if (red === undefined || green === undefined || blue === undefined || !(own * alpha)) return undefined;
  return { red: red / 255, green: green / 255, blue: blue / 255, alpha: own * alpha };
}

/** @param {Colour} colour */
function inColour({ red, green, blue }) {
  return [red, green, blue].map(short).join(" ");
}

/** @param {CSSStyleDeclaration} style @param {number} width @param {number} scale @returns {string[]} */
function strokes(style, width, scale) {
  const dashes = (style.strokeDasharray.match(/[\d.]+/g) ?? []).map((each) => short(Number(each) * scale));
  const offset = short((Number.parseFloat(style.strokeDashoffset) || 0) * scale);
  const cap = Math.max(0, ["butt", "round", "square"].indexOf(style.strokeLinecap));
  const join = Math.max(0, ["miter", "round", "bevel"].indexOf(style.strokeLinejoin));
  const miter = style.strokeMiterlimit || "4";
  return [`${short(width)} w ${cap} J ${join} j ${miter} M [${dashes.join(" ")}] ${offset} d`];
}

/** @param {Element} shape a path or a rectangle @returns {string} */
function dataOf(shape) {
  if (!(shape instanceof SVGRectElement)) return shape.getAttribute("d") ?? "";
  const [x = 0, y = 0, w = 0, h = 0] = [shape.x, shape.y, shape.width, shape.height].map(
    (each) => each.baseVal.value,
  );
  return w && h ? boxData(x, y, w, h) : "";
}

/** @param {number} x @param {number} y @param {number} width @param {number} height */
function boxData(x, y, width, height) {
  return `M${x},${y}h${width}v${height}h${-width}Z`;
}

/** @param {DOMMatrix} matrix @returns {Placed} */
function placedBy({ a, b, c, d, e, f }) {
  return (x, y) => [a * x + c * y + e, b * x + d * y + f];
}

/** @param {DOMMatrix} matrix */
function sixOf({ a, b, c, d, e, f }) {
  return [a, b, c, d, e, f].map((each) => String(Math.round(1e5 * each) / 1e5)).join(" ");
}

/** @param {DOMMatrix} matrix @returns {number} times that a length grows */
function enlargement({ a, b, c, d }) {
  return Math.sqrt(Math.abs(a * d - b * c));
}

/**
 * A gradient along a line, from stop to stop.
 *
 * @param {SVGLinearGradientElement} gradient in the units of the box that it fills
 * @param {Placed} placed
 */
function shading(gradient, placed) {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [gradient.x1, gradient.y1, gradient.x2, gradient.y2].map(
    (each) => each.baseVal.value,
  );
  const stops = [...gradient.children].map((stop) => {
    const colour = seen(getComputedStyle(stop).stopColor, 1);
    if (!colour) throw new Error("a PDF is made without gradients that end in nothing");
    return { at: /** @type {SVGStopElement} */ (stop).offset.baseVal, colour: inColour(colour) };
  });
  const parts = stops.slice(1).map(({ colour }, i) => {
    const from = stops[i]?.colour;
    return `<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [${from}] /C1 [${colour}] >>`;
  });
  const bounds = stops.slice(1, -1).map(({ at }) => at);
  const along = [...placed(x1, y1), ...placed(x2, y2)].map(short);
  return (
    `<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [${along.join(" ")}] /Extend [true true] ` +
    `/Function << /FunctionType 3 /Domain [0 1] /Functions [${parts.join(" ")}] /Bounds [${bounds.join(" ")}] ` +
    `/Encode [${parts.map(() => "0 1").join(" ")}] >> >>`
  );
}

/**
 * A text in parts that a font has, and parts that it has not; blanks stay with what stands before them.
 *
 * @param {string} text
 * @param {Font} font
 * @returns {[string, boolean][]}
 */
function runs(text, font) {
  /** @type {[string, boolean][]} */
  const found = [];
  for (const word of text.match(PIECES) ?? []) {
    const isKnown = font.has(word.normalize("NFC"));
    const last = found[found.length - 1];
    const fits = isKnown || (last && last[0].length + word.length <= LONGEST_PICTURED);
    if (last && last[1] === isKnown && fits) last[0] += word;
    else found.push([word, isKnown]);
  }
  return found;
}

/**
 * The letters of a part of a text as they stand from the left; a script may run from the right.
 *
 * @param {SVGTextElement} text
 * @param {number} first
 * @param {string} words
 */
function lettersFromLeft(text, first, words) {
  let at = first;
  const found = [...words].map((said) => {
    const { x, width } = text.getExtentOfChar(at);
    at += said.length;
    return { said, left: x, width };
  });
  return found.sort((one, other) => one.left - other.left);
}

/** @param {string} name of a font's file @returns {string} in the PDF */
function fontName(name) {
  return `Figure-${name}`;
}
