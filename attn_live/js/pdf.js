// The parts of a PDF file: numbered objects, some of them deflated streams, and the table of where they stand.

/** @typedef {string | Uint8Array} Part */

export class PdfFile {
  constructor() {
    /** @type {Part[][]} */
    this.objects = [];
  }

  /** @param {...Part} parts what an object is made of @returns {string} how others refer to it */
  add(...parts) {
    this.objects.push(parts);
    return `${this.objects.length} 0 R`;
  }

  /** @param {string} about the entries of its dictionary @param {Part} content */
  async stream(about, content) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const packed = await compressed(bytes, "deflate");
    const head = `<< ${about} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`;
    return this.add(head, packed, "\nendstream");
  }

  /**
   * The file, with one page.
   *
   * @param {{ size: number[], title: string, contents: string, resources: string }} page its size in points
   */
  async blob({ size, title, contents, resources }) {
    const drawn = await this.stream("", contents);
    const pages = `${this.objects.length + 2} 0 R`; // after the page itself
    const box = `/MediaBox [0 0 ${size.join(" ")}]`;
    const page = this.add(
      `<< /Type /Page /Parent ${pages} ${box} /Contents ${drawn} /Resources << ${resources} >> >>`,
    );
    this.add(`<< /Type /Pages /Kids [${page}] /Count 1 >>`);
    const about = this.add(`<< /Title <feff${utf16(title)}> /Producer (Attention lab) >>`);
    const root = this.add(
      `<< /Type /Catalog /Pages ${pages} /ViewerPreferences << /DisplayDocTitle true >> >>`,
    );
    return this.assembled(`/Root ${root} /Info ${about}`);
  }

  /** @param {string} trailer */
  assembled(trailer) {
    const encoder = new TextEncoder();
    /** @type {Uint8Array[]} */
    const written = [];
    let at = 0;
    const write = (/** @type {Part} */ part) => {
      const bytes = typeof part === "string" ? encoder.encode(part) : part;
      written.push(bytes);
      at += bytes.length;
    };
    write("%PDF-1.4\n%\u00e2\u00e3\n");
    const starts = this.objects.map((parts, i) => {
      const start = at;
      for (const part of [`${i + 1} 0 obj\n`, ...parts, "\nendobj\n"]) write(part);
      return `${String(start).padStart(10, "0")} 00000 n \n`;
    });
    const table = at;
    const count = starts.length + 1;
    write(`xref\n0 ${count}\n0000000000 65535 f \n${starts.join("")}`);
    write(`trailer\n<< /Size ${count} ${trailer} >>\nstartxref\n${table}\n%%EOF\n`);
    return new Blob(/** @type {BlobPart[]} */ (written), { type: "application/pdf" });
  }
}

/** @param {Uint8Array} bytes @param {CompressionFormat} format */
export async function compressed(bytes, format) {
  const stream = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)])
    .stream()
    .pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {string} text @returns {string} as hexadecimal digits */
export function utf16(text) {
  return Array.from({ length: text.length }, (_, i) => hex(text.charCodeAt(i))).join("");
}

/** @param {number} number @returns {string} two bytes */
export function hex(number) {
  return number.toString(16).padStart(4, "0");
}

/** @param {number} number @returns {string} to a thousandth */
export function short(number) {
  return String(Math.round(1000 * number) / 1000);
}
