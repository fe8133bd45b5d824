// The numbers on screen as a table (CSV) and as arrays (NPZ).

import { zipped } from "./zip.js";

/** @typedef {import("./types").Figure} Figure */
/** @typedef {{ name: string, rows: string[], columns: string[], values: any[], masked: boolean[][] }} Map */
/** @typedef {{ name: string, coordinates: [string, any[]][] }} Line */

/**
 * What a figure draws from numbers: its maps with their labels, and its lines and points.
 *
 * @param {Figure} figure
 * @returns {{ maps: Map[], lines: Line[] }}
 */
export function drawnNumbers({ data, layout }) {
  /** @type {globalThis.Map<string, Map>} */
  const maps = new globalThis.Map();
  /** @type {Line[]} */
  const lines = [];
  for (const trace of data) {
    if (trace.visible === false || !trace.name || isDecoration(trace)) continue;
    if (trace.type === "heatmap") {
      const place = `${trace.xaxis}${trace.yaxis}`;
      const under = maps.get(place);
      if (!under) maps.set(place, mapOf(trace, layout));
      else hide(under, trace); // what is hatched lies over its map
    } else {
      /** @type {[string, any[]][]} */
      const coordinates = [];
      for (const side of ["x", "y"])
        if (trace[side]?.length) coordinates.push([side, Array.from(trace[side])]);
      if (coordinates.length) lines.push({ name: trace.name, coordinates });
    }
  }
  return { maps: [...maps.values()], lines };
}

/** Whether a trace says nothing of its own: hatching, and bars that are drawn beside a map. @param {any} trace */
function isDecoration({ hoverinfo, base, fillpattern }) {
  return hoverinfo === "skip" || base !== undefined || fillpattern !== undefined;
}

/**
 * One row a number: which panel, which row and column of it, and the value. A masked cell says so.
 *
 * @param {Figure} figure
 */
export function csvBlob(figure) {
  const { maps, lines } = drawnNumbers(figure);
  const rows = [["panel", "row", "column", "value"]];
  for (const { name, rows: down, columns, values, masked } of maps) {
    for (const [i, line] of values.entries()) {
      for (const [j, value] of Array.from(line).entries()) {
        const said = masked[i]?.[j] ? "masked" : written(value);
        rows.push([name, down[i] ?? String(i), columns[j] ?? String(j), said]);
      }
    }
  }
  for (const { name, coordinates } of lines) {
    for (const [side, values] of coordinates) {
      for (const [i, value] of values.entries()) rows.push([name, String(i), side, written(value)]);
    }
  }
  const text = rows.map((row) => row.map(field).join(",")).join("\n");
  return new Blob([`${text}\n`], { type: "text/csv" });
}

/**
 * Arrays by name, as `numpy.load` reads them: a map's values, its masked cells, the labels of its rows and columns;
 * the coordinates of lines.
 *
 * @param {Figure} figure
 */
export function npzBlob(figure) {
  const { maps, lines } = drawnNumbers(figure);
  /** @type {[string, Uint8Array][]} */
  const files = [];
  const taken = new Set();
  const add = (/** @type {string} */ name, /** @type {any} */ values) => {
    const plain = name.replace(/[\\/:*?"<>|]/g, "-");
    let free = plain;
    for (let n = 2; taken.has(free); n++) free = `${plain} ${n}`;
    taken.add(free);
    files.push([`${free}.npy`, npy(values)]);
  };
  for (const { name, rows, columns, values, masked } of maps) {
    add(name, values);
    if (masked.length) add(`${name} masked`, masked);
    add(`${name} rows`, rows);
    add(`${name} columns`, columns);
  }
  for (const { name, coordinates } of lines) {
    for (const [side, values] of coordinates) add(`${name} ${side}`, values);
  }
  return new Blob([zipped(files)], { type: "application/zip" });
}

/**
 * @param {any} trace
 * @param {any} layout
 * @returns {Map}
 */
function mapOf(trace, layout) {
  const [rows, columns] = [trace.z.length, trace.z[0]?.length ?? 0];
  return {
    name: trace.name,
    rows: labels(layout[trace.yaxis?.replace("y", "yaxis") ?? "yaxis"], trace.y, rows),
    columns: labels(layout[trace.xaxis?.replace("x", "xaxis") ?? "xaxis"], trace.x, columns),
    values: Array.from(trace.z),
    masked: [],
  };
}

/**
 * @param {Map} under
 * @param {any} hatch
 */
function hide(under, hatch) {
  under.masked = Array.from(hatch.z, (/** @type {any} */ row) =>
    Array.from(row, (value) => value !== null && !Number.isNaN(value)),
  );
}

/**
 * What an axis calls each place: its label, else its coordinate, else its number.
 *
 * @param {any} axis
 * @param {any} coordinates
 * @param {number} count
 * @returns {string[]}
 */
function labels(axis, coordinates, count) {
  const named = new globalThis.Map(
    Array.from(axis?.tickvals ?? [], (at, i) => [Number(at), plainText(String(axis.ticktext?.[i] ?? at))]),
  );
  return Array.from({ length: count }, (_, i) => {
    const at = coordinates?.[i] ?? i;
    return named.get(Number(at)) || written(at);
  });
}

/** A label without Plotly's tags. @param {string} text */
function plainText(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  return page.body.textContent?.trim() ?? "";
}

/** The shortest text that is this number again: of float32 where it is one. @param {any} value */
function written(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value);
  if (Math.fround(value) !== value) return String(value);
  for (const digits of [6, 7, 8]) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

/** A field of a CSV; no spreadsheet takes a person's word for a formula. @param {string} text */
function field(text) {
  const safe = /^[=+@\t\r-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

// ---- numpy's format, version 1.0: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html ----

const NUMPY = { Float64Array: "<f8", Float32Array: "<f4", Int32Array: "<i4", Uint8Array: "|u1" };

/** @param {any} values nested; numbers, words or truths of one shape @returns {Uint8Array} */
function npy(values) {
  const shape = [];
  for (let node = values; typeof node === "object" && node !== null; node = node[0]) shape.push(node.length);
  const flat = flattened(values, shape.length);
  const [kind, body] = typeof flat[0] === "string" ? words(flat) : figures(flat, firstRow(values));
  const sides = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const head = `{'descr': '${kind}', 'fortran_order': False, 'shape': (${sides}), }`;
  const padded = `${head.padEnd(Math.ceil((head.length + 11) / 64) * 64 - 11)}\n`;
  const bytes = new Uint8Array(10 + padded.length + body.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length & 255, padded.length >> 8]);
  bytes.set(new TextEncoder().encode(padded), 10);
  bytes.set(body, 10 + padded.length);
  return bytes;
}

/**
 * @param {any} values
 * @param {number} depth
 * @returns {any[]}
 */
function flattened(values, depth) {
  return depth < 2 ? Array.from(values) : Array.from(values).flatMap((row) => flattened(row, depth - 1));
}

/** @param {any} values */
function firstRow(values) {
  let node = values;
  while (Array.isArray(node) && typeof node[0] === "object" && node[0] !== null) node = node[0];
  return node;
}

/**
 * @param {any[]} flat
 * @param {any} row of which kind the numbers were
 * @returns {[string, Uint8Array]}
 */
function figures(flat, row) {
  if (typeof flat[0] === "boolean") return ["|b1", Uint8Array.from(flat, Number)];
  const name = /** @type {keyof typeof NUMPY} */ (row?.constructor?.name);
  const Kind = ArrayBuffer.isView(row) && name in NUMPY ? /** @type {any} */ (row.constructor) : Float64Array;
  const numbers = Kind.from(flat, (/** @type {any} */ value) =>
    value === null ? Number.NaN : Number(value),
  );
  return [NUMPY[/** @type {keyof typeof NUMPY} */ (Kind.name)], new Uint8Array(numbers.buffer)];
}

/**
 * @param {string[]} texts
 * @returns {[string, Uint8Array]} as UTF-32, each as long as the longest
 */
function words(texts) {
  const points = texts.map((text) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0));
  const longest = Math.max(1, ...points.map((letters) => letters.length));
  const units = new Uint32Array(texts.length * longest);
  for (const [i, letters] of points.entries()) units.set(letters, i * longest);
  return [`<U${longest}`, new Uint8Array(units.buffer)];
}
