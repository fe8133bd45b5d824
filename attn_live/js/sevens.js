// Bytes as text that an HTML file can hold in UTF-8: seven bits a character, an eighth less room than base64 leaves.

const KEPT = "\0\r<"; // what HTML would change or end a script at; each stands as a character beyond ASCII
const BEYOND = 0xa0;
const CHUNK = 0x8000; // characters that one call can take as arguments

/** @param {Uint8Array} bytes */
export function toSevens(bytes) {
  const codes = new Uint16Array(Math.ceil((bytes.length * 8) / 7));
  let [bits, count, at] = [0, 0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0x7fff;
    for (count += 8; count >= 7; ) {
      count -= 7;
      codes[at++] = (bits >> count) & 127;
    }
  }
  if (count) codes[at] = (bits << (7 - count)) & 127;
  let text = "";
  for (let from = 0; from < codes.length; from += CHUNK)
    text += String.fromCharCode(...codes.subarray(from, from + CHUNK));
  return [...KEPT].reduce((out, kept, i) => out.replaceAll(kept, String.fromCharCode(BEYOND + i)), text);
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export function fromSevens(text) {
  const bytes = new Uint8Array(Math.floor((text.length * 7) / 8));
  let [bits, count, at] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const seven = code < BEYOND ? code : KEPT.charCodeAt(code - BEYOND);
    bits = ((bits << 7) | seven) & 0x7fff;
    count += 7;
    if (count >= 8 && at < bytes.length) {
      count -= 8;
      bytes[at++] = (bits >> count) & 255;
    }
  }
  return bytes;
}
