// The wire format: a message of bytes into its head, its header and its typed arrays. See packing.py.

/** @typedef {import("./types").Steps} Steps */

const TYPES = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array };

/**
 * Reads what `live_figure` sends: what is said of the figure, its sentences, the packed steps.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<import("./types").Message>}
 */
export async function readMessage(bytes) {
  const [meta, rest] = splitText(bytes);
  const [says, packed] = splitText(rest);
  return { meta, says, steps: await unpack(packed) };
}

/**
 * Unpacks what `packing.pack` made.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<Steps>}
 */
export async function unpack(bytes) {
  const [header, rest] = splitText(bytes);
  // Copied, so that typed arrays start at an offset that their type allows.
  const blobs = rest.slice().buffer;
  const arrays = header.arrays.map((/** @type {import("./types").ArrayEntry} */ entry) => {
    if (entry.text) return entry.text;
    const { type, shape, offset } = /** @type {Required<import("./types").ArrayEntry>} */ (entry);
    const size = shape.reduce((product, n) => product * n, 1);
    return nest(new TYPES[type](blobs, offset, size), shape);
  });
  return { header, arrays };
}

/**
 * @param {Uint8Array} bytes a length of four bytes, that many bytes of JSON, the rest
 * @returns {[any, Uint8Array]} the JSON and the rest
 */
function splitText(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  return [JSON.parse(text), bytes.subarray(4 + length)];
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
