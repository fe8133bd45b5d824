// Tiles of maps, as many as there is room for: those that were looked at last.

/** @typedef {import("./types").Tile} Tile */
/** @typedef {import("./types").TileSource} TileSource */

const MOST_BYTES = 96_000_000; // cells and their pictures
const BYTES_A_CELL = 8; // a number and a colour

export class Tiles {
  /**
   * @param {[number, number][]} sizes of each level
   * @param {number} side cells of a tile
   * @param {() => void} onTile when one has come
   */
  constructor(sizes, side, onTile) {
    this.sizes = sizes;
    this.side = side;
    this.onTile = onTile;
    /** @type {Map<string, Tile>} */
    this.kept = new Map(); // what was asked for last stands last
    /** @type {Map<string, Promise<void>>} */
    this.coming = new Map();
    this.bytes = 0;
  }

  /**
   * @param {TileSource} source
   * @param {number} level
   * @param {number} row
   * @param {number} column
   * @returns {Tile | undefined} none where it is not there yet
   */
  get(source, level, row, column) {
    const key = `${source.key}/${level}/${row}/${column}`;
    const tile = this.kept.get(key);
    if (!tile) return undefined;
    this.kept.delete(key);
    this.kept.set(key, tile);
    return tile;
  }

  /**
   * Asks for a tile, unless it is there or on its way.
   *
   * @param {TileSource} source
   * @param {number} level
   * @param {number} row
   * @param {number} column
   * @returns {Promise<void>}
   */
  bring(source, level, row, column) {
    const key = `${source.key}/${level}/${row}/${column}`;
    if (this.kept.has(key)) return Promise.resolve();
    let coming = this.coming.get(key);
    if (!coming) {
      coming = source
        .tile(level, row, column)
        .then((cells) => {
          const { rows, columns } = placeOf(this.sizes, this.side, 0, level, row, column);
          this.put(key, { cells, rows, columns });
        })
        .finally(() => this.coming.delete(key));
      this.coming.set(key, coming);
    }
    return coming;
  }

  /** @param {string} key @param {Tile} tile */
  put(key, tile) {
    this.kept.set(key, tile);
    this.bytes += tile.cells.length * BYTES_A_CELL;
    for (const [oldest, { cells }] of this.kept) {
      if (this.bytes <= MOST_BYTES || oldest === key) break;
      this.kept.delete(oldest);
      this.bytes -= cells.length * BYTES_A_CELL;
    }
    this.onTile();
  }

  /**
   * Takes all tiles from a level on, as `Pyramid.tiles` of pyramid.py joins them.
   *
   * @param {string} key of their source
   * @param {number} first
   * @param {Float32Array} cells
   */
  fill(key, first, cells) {
    for (const [level, [height, width]] of this.sizes.entries()) {
      if (level < first) continue;
      for (let row = 0; row * this.side < height; row++) {
        for (let column = 0; column * this.side < width; column++) {
          const { at, rows, columns } = placeOf(this.sizes, this.side, first, level, row, column);
          const tile = cells.subarray(at, at + rows * columns);
          this.put(`${key}/${level}/${row}/${column}`, { cells: tile, rows, columns });
        }
      }
    }
  }

  /** Forgets the pictures, which were in other colours. */
  recolour() {
    for (const tile of this.kept.values()) tile.image = undefined;
  }
}

/**
 * Where a tile stands among all tiles from a level on, in cells.
 *
 * @param {[number, number][]} sizes of each level
 * @param {number} side cells of a tile
 * @param {number} first the level
 * @param {number} level
 * @param {number} row
 * @param {number} column
 * @returns {{ at: number, rows: number, columns: number }}
 */
export function placeOf(sizes, side, first, level, row, column) {
  const before = sizes.slice(first, level).reduce((sum, [height, width]) => sum + height * width, 0);
  const [height, width] = sizes[level] ?? [0, 0];
  const rows = Math.min(side, height - row * side);
  const columns = Math.min(side, width - column * side);
  return { at: before + row * side * width + column * side * rows, rows, columns };
}

/**
 * @param {string[]} ramp colours as #RRGGBB, from 0 to 1
 * @returns {Uint32Array} 256 colours evenly over the ramp, as an image's bytes hold them
 */
export function lookUp(ramp) {
  const table = new Uint32Array(256);
  const bytes = new Uint8Array(table.buffer);
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (ramp.length - 1);
    const from = Math.min(ramp.length - 2, Math.floor(place));
    const share = place - from;
    for (let c = 0; c < 3; c++) {
      const [one, other] = [from, from + 1].map((at) =>
        parseInt(ramp[at]?.slice(1 + 2 * c, 3 + 2 * c) ?? "0", 16),
      );
      bytes[4 * i + c] = Math.round((one ?? 0) * (1 - share) + (other ?? 0) * share);
    }
    bytes[4 * i + 3] = 255;
  }
  return table;
}

/**
 * Paints a tile, a pixel a cell; a masked cell stays clear.
 *
 * @param {Tile} tile
 * @param {Uint32Array} colours
 * @param {number} power a colour stands for this power of its place
 * @returns {HTMLCanvasElement}
 */
export function imageOf(tile, colours, power) {
  if (tile.image) return tile.image;
  const canvas = document.createElement("canvas");
  canvas.width = tile.columns;
  canvas.height = tile.rows;
  const pixels = new Uint32Array(tile.cells.length);
  for (let i = 0; i < pixels.length; i++) {
    const weight = tile.cells[i] ?? NaN;
    if (!Number.isNaN(weight)) pixels[i] = colours[step(weight, power)] ?? 0;
  }
  const data = new Uint8ClampedArray(pixels.buffer);
  canvas.getContext("2d")?.putImageData(new ImageData(data, tile.columns), 0, 0);
  tile.image = canvas;
  return canvas;
}

/** @param {number} weight @param {number} power @returns {number} which of 256 colours it has */
export function step(weight, power) {
  const place = power === 2 ? Math.sqrt(weight) : weight ** (1 / power);
  return Math.min(255, Math.round(255 * place));
}
