// The wire format: a message of bytes into its head, its header and its typed arrays. See packing.py, arrays.py.

/** @typedef {import("./types").Steps} Steps */
/** @typedef {import("./types").Screen} Screen */
/** @typedef {import("./types").ScreenTable} ScreenTable */

const TYPES = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array };
const PREFIX_BYTES = 4;

/**
 * Splits what `live_figure` sends: its head, its captions, the packed steps.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<import("./types").Message>}
 */
export async function readMessage(bytes) {
  const [head, sentences, packed] = split(bytes);
  const captions = sentences.length ? unfolded(parse(await inflate(sentences))) : null;
  return { meta: parse(head), captions, packed };
}

/**
 * Captions with their numbers, which a message has as differences; see captions.py. A saved figure has them
 * whole.
 *
 * @param {any} captions
 * @returns {import("./types").Captions}
 */
function unfolded(captions) {
  if (!captions.next) return captions;
  let last = 0;
  /** @type {(part: any) => any} */
  const count = (part) => {
    if (Array.isArray(part)) return part.map(count);
    last += part;
    return last;
  };
  /** @type {number[][]} */
  const texts = [];
  /** @type {number[]} */
  let text = [];
  const numbers = new Int32Array(captions.texts.length);
  for (const [place, further] of captions.texts.entries()) {
    const number = further + (numbers[place - captions.lag] ?? 0);
    numbers[place] = number;
    if (number < 0) {
      texts.push(text);
      text = [];
    } else text.push(number);
  }
  return { at: captions.next.map(count), runs: captions.runs, texts };
}

/** @param {Uint8Array} one @param {Uint8Array} other */
export function isSame(one, other) {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

/** Unpacks what `packing.pack` made. @param {Uint8Array} bytes @returns {Promise<Steps>} */
export async function unpack(bytes) {
  const body = await inflate(bytes.subarray(PREFIX_BYTES));
  const length = numberAt(body, 0);
  const nWords = numberAt(body, 4);
  const packed = parse(body.subarray(8, 8 + length));
  const words = joinPlanes(body.subarray(8 + length), nWords);
  const singles = body.subarray(8 + length + 4 * nWords);
  /** @type {any[]} */
  const flat = [];
  const arrays = packed.arrays.map((/** @type {import("./types").ArrayEntry} */ entry) => {
    const read = entry.text ?? crossed(entry) ?? readArray(entry, words, singles, flat);
    flat.push(read);
    return entry.shape ? nest(read, entry.shape) : read;
  });
  const changes = packed.changes.map((/** @type {any} */ change) =>
    Array.isArray(change.values) ? change : { ...change, values: Array.from(arrays[change.values["@"]]) },
  );
  if (packed.screens) changes.push(screensChange(packed.screens));
  const header = { n_steps: numberAt(bytes, 0), figure: packed.figure, changes, cursor: packed.cursor };
  return { header, arrays };
}

/** @param {Uint8Array} bytes */
export async function inflate(bytes) {
  const stream = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Puts words together from their four planes and takes the sign back out of the lowest bit.
 *
 * @param {Uint8Array} planes
 * @param {number} n
 */
function joinPlanes(planes, n) {
  const words = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const lower = (planes[i] ?? 0) | ((planes[n + i] ?? 0) << 8);
    const word = lower | ((planes[2 * n + i] ?? 0) << 16) | ((planes[3 * n + i] ?? 0) << 24);
    words[i] = (word >>> 1) ^ -(word & 1);
  }
  return words;
}

/**
 * The numbers of one array. Its words are differences of differences: summed in place, twice.
 *
 * @param {import("./types").ArrayEntry} entry
 * @param {Int32Array} words of all arrays; each array is read once
 * @param {Uint8Array} singles
 * @param {any[]} before the arrays before it
 */
function readArray(entry, words, singles, before) {
  const { type, shape, at, above = 0 } = /** @type {Required<import("./types").ArrayEntry>} */ (entry);
  const size = shape.reduce((product, n) => product * n, 1);
  if (type === "u1") return singles.slice(at, at + size);
  const mine = words.slice(at, at + (size * TYPES[type].BYTES_PER_ELEMENT) / 4);
  for (let pass = 0; pass < 2; pass++) {
    for (let i = above; i < mine.length; i++) {
      mine[i] = /** @type {number} */ (mine[i]) + /** @type {number} */ (mine[i - above]);
    }
  }
  if (entry.of !== undefined) addMultiple(mine, before[entry.of], before[entry.times ?? 0]);
  return new TYPES[type](mine.buffer);
}

/**
 * Adds to words those of another array, each row of which is times a number; see arrays.py.
 *
 * @param {Int32Array} words
 * @param {Float32Array} base of all steps, or of one that stands for each
 * @param {Float32Array} factors a row
 */
function addMultiple(words, base, factors) {
  const columns = words.length / factors.length;
  const own = new Int32Array(base.buffer, base.byteOffset, base.length);
  const times = new Float32Array(1);
  const multiple = new Int32Array(times.buffer);
  for (let i = 0, at = 0, row = 0, column = 0; i < words.length; i++) {
    const number = /** @type {number} */ (base[at]);
    times[0] = number * /** @type {number} */ (factors[row]);
    // What is not finite, less itself, is not zero: its own words stay.
    const near = /** @type {number} */ (number - number === 0 ? multiple[0] : own[at]);
    words[i] = /** @type {number} */ (words[i]) + near;
    if (++at === base.length) at = 0;
    if (++column === columns) {
      column = 0;
      row++;
    }
  }
}

/** Words for each cell of a matrix. @param {import("./types").ArrayEntry} entry */
function crossed({ rows, columns = [] }) {
  return rows?.map((row) => columns.map((column) => row + column));
}

/**
 * Arrangements as one more thing that differs between steps.
 *
 * @param {{ tables: ScreenTable[], at: number[] }} packed later tables name only what is not as in the first
 */
function screensChange({ tables, at }) {
  const first = tables[0]?.settings ?? {};
  const values = tables.map((table) => screens({ ...table, settings: { ...first, ...table.settings } }));
  return { path: ["layout", "meta", "screens"], values, at };
}

/**
 * @param {ScreenTable} table whose columns have one entry where all arrangements share it
 * @returns {Screen[]}
 */
function screens({ settings: columns, ...rest }) {
  return rest.width.map((_, i) => {
    /** @type {Screen["settings"]} */
    const settings = {};
    for (const [path, column] of Object.entries(columns)) {
      const value = column?.length === 1 ? column[0] : column?.[i];
      if (value !== null && value !== undefined) settings[path] = value;
    }
    const own = Object.entries(rest).map(([name, column]) => [name, column[i]]);
    return { ...Object.fromEntries(own), settings };
  });
}

/**
 * @param {Uint8Array} bytes twice a length of four bytes and that many bytes, then the rest
 * @returns {[Uint8Array, Uint8Array, Uint8Array]}
 */
function split(bytes) {
  const head = 4 + numberAt(bytes, 0);
  const said = head + 4 + numberAt(bytes, head);
  return [bytes.subarray(4, head), bytes.subarray(head + 4, said), bytes.subarray(said)];
}

/** @param {Uint8Array} bytes of JSON @returns {any} */
function parse(bytes) {
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** @param {Uint8Array} bytes @param {number} offset */
function numberAt(bytes, offset) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset, true);
}

/**
 * Rows of rows over one flat array, without copying it.
 *
 * @param {any} flat
 * @param {number[]} shape
 * @returns {any}
 */
function nest(flat, shape) {
  if (shape.length < 2) return flat;
  const [rows = 0, ...rest] = shape;
  const size = flat.length / (rows || 1);
  return Array.from({ length: rows }, (_, i) => nest(flat.subarray(i * size, (i + 1) * size), rest));
}
