// A TrueType font in a PDF: the outlines of the characters that are used, and what each of them is.

import { hex, utf16 } from "./pdf.js";
import { joined } from "./zip.js";

/** @typedef {import("./pdf.js").PdfFile} PdfFile */

const TABLES = ["glyf", "head", "hhea", "hmtx", "loca", "maxp"]; // what a PDF needs of a font, in their order
const LONG_PLACES = 1; // how `loca` says where glyphs stand, written into `head`
const MOST_AT_ONCE = 100; // characters that one part of a map of characters may hold
// Of a glyph made of others (composite): what stands behind the number of each.
const [WORDS, SCALE, MORE, TWO_SCALES, MATRIX] = [1, 8, 32, 64, 128];

export class Font {
  /** @param {string} name @param {Uint8Array} bytes a TrueType file with a character map of format 12 */
  constructor(name, bytes) {
    this.name = name;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    /** @type {Record<string, number>} */
    this.tables = {};
    for (let at = 12; at < 12 + 16 * this.view.getUint16(4); at += 16)
      this.tables[String.fromCharCode(...bytes.subarray(at, at + 4))] = this.view.getUint32(at + 8);
    this.unit = this.view.getUint16(this.table("head") + 18);
    /** @type {Map<string, number>} */
    this.used = new Map(); // the characters, each with its code in the PDF
    this.glyphs = this.charactersToGlyphs();
  }

  /** @param {string} tag @returns {number} where a table begins */
  table(tag) {
    const at = this.tables[tag];
    if (at === undefined) throw new Error(`the font ${this.name} has no table ${tag}`);
    return at;
  }

  /** @returns {Map<number, number>} */
  charactersToGlyphs() {
    const { view } = this;
    const start = this.table("cmap");
    const count = view.getUint16(start + 2);
    const found = Array.from({ length: count }, (_, i) => start + view.getUint32(start + 8 + 8 * i));
    const at = found.find((each) => view.getUint16(each) === 12);
    if (at === undefined) throw new Error(`the font ${this.name} has no map of all characters`);
    const glyphs = new Map();
    for (let group = at + 16; group < at + 16 + 12 * view.getUint32(at + 12); group += 12) {
      const [first, last, glyph] = [0, 4, 8].map((i) => view.getUint32(group + i));
      for (let code = Number(first); code <= Number(last); code++)
        glyphs.set(code, Number(glyph) + code - Number(first));
    }
    return glyphs;
  }

  /** @param {string} text @returns {boolean} whether it has them all, each as one letter by itself */
  has(text) {
    const isSimple = !/\p{M}/u.test(text); // marks would have to be put over their letters
    return isSimple && [...text].every((each) => this.glyphs.has(Number(each.codePointAt(0))));
  }

  /** @param {string} text of characters that it has @returns {{ codes: string, width: number }} of a size of 1 */
  set(text) {
    const codes = [...text].map((each) => {
      if (!this.used.has(each)) this.used.set(each, this.used.size + 1);
      return hex(Number(this.used.get(each)));
    });
    const width = [...text].reduce((sum, each) => sum + this.width(each), 0);
    return { codes: codes.join(""), width };
  }

  /** @param {string} character @returns {number} */
  width(character) {
    const last = this.view.getUint16(this.table("hhea") + 34) - 1;
    const glyph = Math.min(this.glyphOf(character), last);
    return this.view.getUint16(this.table("hmtx") + 4 * glyph) / this.unit;
  }

  /** @param {string} character */
  glyphOf(character) {
    return this.glyphs.get(Number(character.codePointAt(0))) ?? 0;
  }

  /** @param {PdfFile} file @returns {Promise<string>} the font's reference */
  async addTo(file) {
    const used = [...this.used.keys()];
    const glyphs = used.map((each) => this.glyphOf(each));
    const outlines = await file.stream("", this.cut(glyphs));
    const places = await file.stream("", bigEndian([0, ...glyphs], 2));
    const said = await file.stream("", charactersOf([...this.used].map(([each, code]) => [hex(code), each])));
    const name = `/ABCDEF+${this.name}`; // six letters stand for: a part of it
    const thousandths = (/** @type {number} */ units) => Math.round((1000 * units) / this.unit);
    const box = [36, 38, 40, 42].map((i) => thousandths(this.view.getInt16(this.table("head") + i)));
    const [above, below] = [4, 6].map((i) => thousandths(this.view.getInt16(this.table("hhea") + i)));
    const about = file.add(
      `<< /Type /FontDescriptor /FontName ${name} /Flags 4 /FontBBox [${box.join(" ")}] /ItalicAngle 0 ` +
        `/Ascent ${above} /Descent ${below} /CapHeight ${above} /StemV 80 /FontFile2 ${outlines} >>`,
    );
    const widths = used.map((each) => Math.round(1000 * this.width(each))).join(" ");
    const inner = file.add(
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont ${name} /FontDescriptor ${about} /W [1 [${widths}]] ` +
        `/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap ${places} >>`,
    );
    return file.add(
      `<< /Type /Font /Subtype /Type0 /BaseFont ${name} /Encoding /Identity-H /DescendantFonts [${inner}] ` +
        `/ToUnicode ${said} >>`,
    );
  }

  /** The file with the outlines of some glyphs alone; all keep their numbers. @param {number[]} wanted */
  cut(wanted) {
    const kept = new Set([0, ...wanted]);
    for (const glyph of kept) for (const part of this.partsOf(glyph)) kept.add(part); // also of those added here
    const count = this.view.getUint16(this.table("maxp") + 4);
    const places = [0];
    /** @type {Uint8Array[]} */
    const outlines = [];
    for (let glyph = 0; glyph < count; glyph++) {
      const outline = kept.has(glyph) ? this.outline(glyph) : new Uint8Array();
      outlines.push(outline);
      places.push(Number(places[glyph]) + outline.length);
    }
    const { bytes, view } = this;
    const part = (/** @type {string} */ tag, /** @type {number} */ length) =>
      bytes.slice(this.table(tag), this.table(tag) + length);
    const head = part("head", 54);
    head[51] = LONG_PLACES;
    const metrics = view.getUint16(this.table("hhea") + 34);
    return withTables({
      ...{ glyf: joined(outlines), head, hhea: part("hhea", 36) },
      hmtx: part("hmtx", 4 * metrics + 2 * (count - metrics)),
      ...{ loca: bigEndian(places, 4), maxp: part("maxp", 32) },
    });
  }

  /** @param {number} glyph @returns {Uint8Array} */
  outline(glyph) {
    const { view } = this;
    const isLong = view.getUint16(this.table("head") + 50) === LONG_PLACES;
    const loca = this.table("loca");
    const [from, to] = [glyph, glyph + 1].map((i) =>
      isLong ? view.getUint32(loca + 4 * i) : 2 * view.getUint16(loca + 2 * i),
    );
    const glyf = this.table("glyf");
    return this.bytes.subarray(glyf + Number(from), glyf + Number(to));
  }

  /** @param {number} glyph @returns {number[]} those that it is made of, none where it has an outline of its own */
  partsOf(glyph) {
    const outline = this.outline(glyph);
    const view = new DataView(outline.buffer, outline.byteOffset, outline.byteLength);
    /** @type {number[]} */
    const parts = [];
    if (!outline.length || view.getInt16(0) >= 0) return parts;
    for (let at = 10, flags = MORE; flags & MORE; ) {
      flags = view.getUint16(at);
      parts.push(view.getUint16(at + 2));
      at += flags & WORDS ? 8 : 6;
      at += flags & SCALE ? 2 : flags & TWO_SCALES ? 4 : flags & MATRIX ? 8 : 0;
    }
    return parts;
  }
}

/**
 * What tells a reader of a PDF which text its codes stand for.
 *
 * @param {[code: string, text: string][]} pairs codes as hexadecimal digits, all of one length
 */
export function charactersOf(pairs) {
  const [[code = ""] = []] = pairs;
  const parts = [];
  for (let from = 0; from < pairs.length; from += MOST_AT_ONCE) {
    const some = pairs.slice(from, from + MOST_AT_ONCE).map(([each, text]) => `<${each}> <${utf16(text)}>`);
    parts.push(`${some.length} beginbfchar\n${some.join("\n")}\nendbfchar`);
  }
  return [
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
    "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
    "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
    `1 begincodespacerange <${"0".repeat(code.length)}> <${"f".repeat(code.length)}> endcodespacerange`,
    ...parts,
    "endcmap CMapName currentdict /CMap defineresource pop end end",
  ].join("\n");
}

/** @param {Record<string, Uint8Array>} tables @returns {Uint8Array} a font file */
function withTables(tables) {
  const power = Math.floor(Math.log2(TABLES.length));
  const head = [0x0001, 0, TABLES.length, 16 << power, power, 16 * (TABLES.length - (1 << power))];
  /** @type {number[]} */
  const entries = [];
  const contents = [];
  let at = 12 + 16 * TABLES.length;
  for (const tag of TABLES) {
    const content = tables[tag] ?? new Uint8Array();
    const padded = new Uint8Array(4 * Math.ceil(content.length / 4));
    padded.set(content);
    const view = new DataView(padded.buffer);
    let sum = 0;
    for (let i = 0; i < padded.length; i += 4) sum = (sum + view.getUint32(i)) >>> 0;
    const name = [...tag].reduce((word, letter) => (word << 8) | letter.charCodeAt(0), 0);
    entries.push(name, sum, at, content.length);
    contents.push(padded);
    at += padded.length;
  }
  return joined([bigEndian(head, 2), bigEndian(entries, 4), ...contents]);
}

/** @param {number[]} numbers @param {2 | 4} size bytes of each */
function bigEndian(numbers, size) {
  const view = new DataView(new ArrayBuffer(numbers.length * size));
  for (const [i, number] of numbers.entries())
    if (size === 2) view.setUint16(2 * i, number);
    else view.setUint32(4 * i, number);
  return new Uint8Array(view.buffer);
}
