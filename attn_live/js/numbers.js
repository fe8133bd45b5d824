// The numbers on screen as a table (CSV) and as arrays (NPZ).

import { zipped } from "./zip.js";

/** @typedef {import("./types").Figure} Figure */
/** @typedef {{ name: string, rows: string[], columns: string[], values: any[], masked: boolean[][], hidden: string }} Map */
/** @typedef {{ name: string, panel: string, rows: string[], values: any[], coordinates: [string, any[]][] }} Line */
/** @typedef {{ maps: Map[], lines: Line[] }} Numbers */

/**
 * What a figure draws from numbers: its maps with their labels, and its lines and points. A panel is called
 * by its title, as on the screen; by its trace where it has none, or shares it with another panel.
 *
 * @param {Figure} figure
 * @returns {Numbers}
 */
export function drawnNumbers({ data, layout }) {
  /** @type {globalThis.Map<string, Map>} */
  const maps = new globalThis.Map();
  /** @type {Line[]} */
  const lines = [];
  const titles = panelTitles(layout);
  for (const trace of data) {
    if (trace.visible === false || !trace.name || !showsNumbers(trace, layout)) continue;
    if (trace.type === "heatmap") {
      const place = `${trace.xaxis}${trace.yaxis}`;
      const under = maps.get(place);
      if (!under) maps.set(place, mapOf(trace, layout, titles));
      else if (!trace.name.endsWith(" leaking")) hide(under, trace); // what is hatched lies over its map
    } else {
      /** @type {[string, any[]][]} */
      const coordinates = [];
      for (const side of ["x", "y"])
        if (trace[side]?.length) coordinates.push([side, Array.from(trace[side])]);
      if (coordinates.length) lines.push({ ...lineOf(trace, layout, titles), coordinates });
    }
  }
  return { maps: [...maps.values()], lines };
}

/**
 * Whether a trace shows numbers: a map, or what stands on axes; no hatching and bars beside a map, no bands, and
 * nothing that only serves the pointer.
 *
 * @param {any} trace
 * @param {any} layout
 */
function showsNumbers(trace, layout) {
  const { type, hoverinfo, base, fill, fillpattern, line, marker, mode, x } = trace;
  if (type === "heatmap") return hoverinfo !== "skip";
  const { showticklabels, showgrid } = axisOf(trace, layout, "x") ?? {};
  if (showticklabels === false && showgrid === false) return false; // words, arcs, boxes
  if (fill === "toself" || fillpattern || base !== undefined || /^#.{6}00$/.test(marker?.color)) return false;
  if (!x.some((/** @type {any} */ at) => at !== null && !Number.isNaN(at))) return false;
  if (hoverinfo === undefined) return true;
  const rises = (/** @type {any} */ at, /** @type {number} */ i) => !i || at > x[i - 1];
  return mode === "lines" && line.width !== 0 && x.length > 2 && x.every(rises); // no arrow
}

/**
 * One row a number: which panel, which row and column of it, and the value. A masked cell says so, and one that a
 * teacher's link covers. The row of a point is its x, its column the curve that it belongs to.
 *
 * @param {Numbers} numbers
 */
export function csvBlob({ maps, lines }) {
  const rows = [["panel", "row", "column", "value"]];
  for (const { name, rows: down, columns, values, masked, hidden } of maps) {
    for (const [i, line] of values.entries()) {
      for (const [j, value] of Array.from(line).entries()) {
        const said = masked[i]?.[j] ? hidden : written(value);
        rows.push([name, down[i] ?? String(i), columns[j] ?? String(j), said]);
      }
    }
  }
  for (const { name, panel, rows: along, values } of lines) {
    for (const [i, value] of values.entries())
      if (along[i] || written(value)) rows.push([panel, along[i] ?? String(i), name, written(value)]);
  }
  const text = rows.map((row) => row.map(field).join(",")).join("\n");
  return new Blob([`${text}\n`], { type: "text/csv" });
}

/**
 * Arrays by name, as `numpy.load` reads them: a map's values, its masked cells, the labels of its rows and columns;
 * the coordinates of lines.
 *
 * @param {Numbers} numbers
 */
export function npzBlob({ maps, lines }) {
  /** @type {[string, Uint8Array][]} */
  const files = [];
  const taken = new Set();
  const add = (/** @type {string} */ name, /** @type {any} */ values) => {
    const plain = name.replaceAll("|", "").replace(/[\\/:*?"<>]/g, (sign) => (sign === "/" ? " over " : "-"));
    let free = plain;
    for (let n = 2; taken.has(free); n++) free = `${plain} ${n}`;
    taken.add(free);
    files.push([`${free}.npy`, npy(values)]);
  };
  for (const { name, rows, columns, values, masked, hidden } of maps) {
    add(name, values);
    if (masked.length) add(`${name} ${hidden}`, masked);
    add(`${name} rows`, rows);
    add(`${name} columns`, columns);
  }
  for (const { name, coordinates } of lines) {
    for (const [side, values] of coordinates) add(`${name} ${side}`, values);
  }
  return new Blob([zipped(files)], { type: "application/zip" });
}

/**
 * The title under each panel, by its axes, without the shape that a matrix has after it; only those that are
 * one panel's own.
 *
 * @param {any} layout
 * @returns {globalThis.Map<string, string>}
 */
function panelTitles({ annotations = [] }) {
  /** @type {globalThis.Map<string, string>} */
  const titles = new globalThis.Map();
  for (const { visible, xref, yref, y, yanchor, text } of annotations) {
    if (visible === false || !xref?.endsWith(" domain") || y !== 0 || yanchor !== "top") continue;
    const said = plainText(String(text).replace(/<span[^>]*>[\d,]+ × [^<]*<\/span>$/, ""));
    if (said) titles.set(xref.replace(" domain", "") + yref.replace(" domain", ""), said);
  }
  const all = [...titles.values()];
  return new globalThis.Map([...titles].filter(([, said]) => all.indexOf(said) === all.lastIndexOf(said)));
}

/** @param {any} trace @param {any} layout @param {globalThis.Map<string, string>} titles @returns {Map} */
function mapOf(trace, layout, titles) {
  const [rows, columns] = [trace.z.length, trace.z[0]?.length ?? 0];
  const [down, across] = wholeLabels(trace);
  return {
    name: titles.get(trace.xaxis + trace.yaxis) ?? trace.name,
    rows: down ?? labels(axisOf(trace, layout, "y"), trace.y, rows),
    columns: across ?? labels(axisOf(trace, layout, "x"), trace.x, columns),
    values: Array.from(trace.z),
    masked: [],
    hidden: trace.meta?.covered ? "covered" : "masked",
  };
}

/** @param {any} trace @param {any} layout @param {globalThis.Map<string, string>} titles */
function lineOf(trace, layout, titles) {
  const [along, up] = trace.orientation === "h" ? ["y", "x"] : ["x", "y"];
  const values = Array.from(trace[up] ?? []);
  return {
    name: String(trace.meta?.said ?? trace.name),
    panel: titles.get(trace.xaxis + trace.yaxis) ?? trace.name,
    rows: labels(axisOf(trace, layout, along), trace[along], values.length),
    values,
  };
}

/** @param {any} trace @param {any} layout @param {string} side */
function axisOf(trace, layout, side) {
  return layout[trace[`${side}axis`]?.replace(side, `${side}axis`) ?? `${side}axis`];
}

/**
 * The labels of a map's rows and columns as they were typed, where its axes leave some out or cut them short:
 * the words that hover says in bold of a cell, or those that the map brings for this.
 *
 * @param {any} trace
 * @returns {string[][]}
 */
function wholeLabels({ meta, hovertext }) {
  if (meta?.labels) return meta.labels.map((/** @type {any[]} */ side) => side.map(String));
  const bold = (/** @type {unknown} */ text) => [...String(text).matchAll(/<b>(.*?)<\/b>/g)];
  if (bold(hovertext?.[0]?.[0]).length !== 2) return [];
  const label = (/** @type {unknown} */ text, /** @type {number} */ side) =>
    plainText(bold(text)[side]?.[1] ?? "");
  return [
    Array.from(hovertext, (row) => label(row[0], 0)),
    Array.from(hovertext[0], (text) => label(text, 1)),
  ];
}

/** @param {Map} under @param {any} hatch */
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
    const at = coordinates ? (coordinates[i] ?? Number.NaN) : i;
    return named.get(Number(at)) || plainText(axis?.labelalias?.[at] || written(at));
  });
}

/** A label without Plotly's tags. @param {string} text */
function plainText(text) {
  const page = new DOMParser().parseFromString(text.replaceAll("<br>", " "), "text/html");
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

/** @param {any} values @param {number} depth @returns {any[]} */
function flattened(values, depth) {
  return depth < 2 ? Array.from(values) : Array.from(values).flatMap((row) => flattened(row, depth - 1));
}

/** @param {any} values */
function firstRow(values) {
  let node = values;
  while (Array.isArray(node) && typeof node[0] === "object" && node[0] !== null) node = node[0];
  return node;
}

/** @param {any[]} flat @param {any} row of which kind the numbers were @returns {[string, Uint8Array]} */
function figures(flat, row) {
  if (typeof flat[0] === "boolean") return ["|b1", Uint8Array.from(flat, Number)];
  const name = /** @type {keyof typeof NUMPY} */ (row?.constructor?.name);
  const Kind = ArrayBuffer.isView(row) && name in NUMPY ? /** @type {any} */ (row.constructor) : Float64Array;
  const numbers = Kind.from(flat, (/** @type {any} */ value) =>
    value === null ? Number.NaN : Number(value),
  );
  return [NUMPY[/** @type {keyof typeof NUMPY} */ (Kind.name)], new Uint8Array(numbers.buffer)];
}

/** @param {string[]} texts @returns {[string, Uint8Array]} as UTF-32, each as long as the longest */
function words(texts) {
  const points = texts.map((text) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0));
  const longest = Math.max(1, ...points.map((letters) => letters.length));
  const units = new Uint32Array(texts.length * longest);
  for (const [i, letters] of points.entries()) units.set(letters, i * longest);
  return [`<U${longest}`, new Uint8Array(units.buffer)];
}
