// A zip archive whose files are stored as they are (PKWARE's APPNOTE 6.3, sections 4.3.7 to 4.3.16).

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});
const DAY = (1 << 5) | 1; // 1 January 1980: a file's content says when it was made, not its clock
const UTF8 = 1 << 11;

/** @param {[string, Uint8Array][]} files names and contents @returns {Uint8Array<ArrayBuffer>} */
export function zipped(files) {
  /** @type {Uint8Array[]} */
  const parts = [];
  /** @type {Uint8Array[]} */
  const entries = [];
  let at = 0;
  for (const [name, content] of files) {
    const said = new TextEncoder().encode(name);
    const about = [20, UTF8, 0, 0, DAY];
    const sums = [crc32(content), content.length, content.length];
    const local = record(0x04034b50, about, sums, [said.length, 0]);
    parts.push(local, said, content);
    const entry = record(0x02014b50, [20, ...about], sums, [said.length, 0, 0, 0, 0], [0, at]);
    entries.push(entry, said);
    at += local.length + said.length + content.length;
  }
  const length = entries.reduce((sum, entry) => sum + entry.length, 0);
  const end = record(0x06054b50, [0, 0, files.length, files.length], [length, at], [0]);
  return joined([...parts, ...entries, end]);
}

/**
 * @param {number} mark
 * @param {number[]} halves
 * @param {number[]} wholes
 * @param {number[]} more halves
 * @param {number[]} last wholes
 */
function record(mark, halves, wholes, more, last = []) {
  const bytes = new Uint8Array(4 + 2 * (halves.length + more.length) + 4 * (wholes.length + last.length));
  const view = new DataView(bytes.buffer);
  let at = 0;
  const put32 = (/** @type {number} */ value) => {
    view.setUint32(at, value, true);
    at += 4;
  };
  const put16 = (/** @type {number} */ value) => {
    view.setUint16(at, value, true);
    at += 2;
  };
  put32(mark);
  halves.forEach(put16);
  wholes.forEach(put32);
  more.forEach(put16);
  last.forEach(put32);
  return bytes;
}

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (TABLE[(rest ^ byte) & 255] ?? 0) ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
}

/** @param {Uint8Array[]} parts */
export function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
