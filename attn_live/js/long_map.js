// A map of any size on a canvas: from the whole, in blocks of cells, down to single cells with their words. Nothing
// is computed here: each level's numbers come in tiles, and a picture is those that are in sight.

import { inkOn } from "./cell_ink.js";
import { savable, saveMap } from "./long_picture.js";
import { imageOf, lookUp, step, Tiles } from "./tiles.js";
import { paragraph, word } from "./word.js";

/** @typedef {import("./types").LongMeta} LongMeta */
/** @typedef {import("./types").TileSource} TileSource */
/** @typedef {{ at: number, from: number, to: number }} Span a block's number, its first place and the one past its last */

const LARGEST = 56; // pixels of a cell: its number fits
const NUMBERED = 44;
const WORDED = 14; // from here on each place has its word
const GAPS = 10; // from here on cells stand apart
const THIN = 1.5; // pixels of a block, so that one column or a diagonal of them is seen
const HIGHEST = 640;
const SHALLOWEST = 240;
const AROUND = 260; // pixels of a window for the axis, the buttons and what is said
const LEAST = 168; // of a side, where its cells take as much
const ROOM = { row: 54, column: 104 }; // pixels that a range's name takes
const LETTERS = 14; // of a word on an axis
const WHEEL = 0.0015; // of a zoom, a pixel
const TOLD_AFTER = 400; // ms without another move
const KEYS = ["+", "=", "-", "_", "0", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

export class LongMap {
  /**
   * @param {HTMLElement} root whose content it becomes
   * @param {LongMeta} meta
   * @param {string} name of a saved picture
   */
  constructor(root, meta, name) {
    this.root = root;
    this.meta = meta;
    this.tiles = new Tiles(meta.sizes, meta.tile, () => this.redraw());
    /** @type {TileSource | undefined} */
    this.source = undefined;
    /** @type {TileSource | undefined} */
    this.wanted = undefined; // it is shown once it has something to show
    this.look = meta.looks.light;
    this.colours = lookUp(this.look.ramp);
    this.zoom = 1;
    this.left = 0; // the place at the edge, in cells
    this.top = 0;
    /** @type {{ x: number, y: number } | undefined} */
    this.point = undefined; // what is looked at, in cells
    this.frame = 0;
    this.aim = ""; // the part to be in sight once there is room
    /** @type {((sight: string) => void) | undefined} */
    this.onSight = undefined; // told which part is in sight once that stands still
    this.toldSight = "";
    this.telling = 0;
    this.tools = element("div", "long-tools");
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute(
      "aria-label",
      word("A map of {rows} queries and {columns} keys: + and − zoom, arrow keys move, 0 shows all of it", {
        rows: this.rows,
        columns: this.columns,
      }),
    );
    this.said = element("output", "long-said");
    this.scale = element("p", "long-scale");
    this.tools.append(
      this.button("+", word("Zoom in"), () => this.zoomBy(2)),
      this.button("−", word("Zoom out"), () => this.zoomBy(1 / 2)),
      this.button(word("Whole map"), "", () => this.whole()),
      ...savable().map(({ kind, text, label }) =>
        this.button(text, label, () => saveMap(this, kind, name).catch((error) => this.fail(error.message))),
      ),
    );
    const hint = element("p", "long-hint");
    hint.textContent = word(
      "Click the map, then turn the wheel or press + and −; drag it or press arrow keys.",
    );
    root.replaceChildren(this.tools, this.canvas, this.said, this.scale, hint);
    this.listen();
    this.sized = new ResizeObserver(() => this.resize());
    this.sized.observe(root);
  }

  get rows() {
    return this.meta.sizes[0]?.[0] ?? 1;
  }

  get columns() {
    return this.meta.sizes[0]?.[1] ?? 1;
  }

  /** @param {string} text @param {string} label @param {() => void} act */
  button(text, label, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  }

  /**
   * Puts a choice beside the buttons.
   *
   * @param {string} label
   * @param {[string, string][]} options values and what they are called
   * @param {string} value
   * @param {(value: string) => void} act
   */
  choice(label, options, value, act) {
    const around = document.createElement("label");
    const select = document.createElement("select");
    for (const [each, text] of options) select.append(new Option(text, each, false, each === value));
    select.addEventListener("change", () => act(select.value));
    around.append(label, select);
    this.tools.append(around);
  }

  /**
   * Shows another map of the same size, at the same place; what was shown stays until there is something of it.
   *
   * @param {TileSource} source
   */
  async show(source) {
    this.wanted = source;
    try {
      await this.tiles.bring(source, this.meta.sizes.length - 1, 0, 0);
    } catch {
      this.fail();
    }
    if (this.wanted !== source) return;
    this.source = source;
    this.redraw();
  }

  /** @param {string} [why] what was asked for did not come: what is there stays */
  fail(why = word("The numbers of this part could not be fetched: open the page again.")) {
    this.root.dataset.state = "failed";
    this.said.textContent = why;
  }

  /** @param {boolean} dark */
  dress(dark) {
    const look = dark ? this.meta.looks.dark : this.meta.looks.light;
    if (look === this.look) return;
    this.look = look;
    this.colours = lookUp(look.ramp);
    this.tiles.recolour();
    this.redraw();
  }

  destroy() {
    this.sized.disconnect();
    clearTimeout(this.telling);
    cancelAnimationFrame(this.frame);
  }

  // Where things stand

  resize() {
    const width = this.root.clientWidth;
    if (!width) return;
    const isNarrow = width < 480;
    this.edge = { left: isNarrow ? 88 : 132, top: isNarrow ? 100 : 116 };
    const room = Math.max(LEAST, width - this.edge.left - 2);
    const least = [this.columns, this.rows].map((count) => Math.min(LEAST, count * LARGEST));
    const highest = Math.min(HIGHEST, Math.max(SHALLOWEST, window.innerHeight - AROUND));
    let height = Math.min(highest, (room * this.rows) / this.columns);
    let across = room;
    if (height === highest)
      across = Math.max(least[0] ?? 0, Math.min(room, (height * this.columns) / this.rows));
    height = Math.max(least[1] ?? 0, height);
    this.plot = { width: Math.round(across), height: Math.round(height) };
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round((this.edge.left + this.plot.width + 2) * this.ratio);
    this.canvas.height = Math.round((this.edge.top + this.plot.height + 2) * this.ratio);
    this.canvas.style.width = `${this.edge.left + this.plot.width + 2}px`;
    if (this.aim) this.goTo(this.aim);
    else this.move(this.left, this.top);
    this.toldSight = this.sight; // nobody moved it
    clearTimeout(this.telling);
    this.draw();
  }

  /** The part in sight, as a link has it: the query and the key in the middle, and how many keys; "" is all. */
  get sight() {
    if (!this.plot || this.zoom <= 1) return "";
    const { x, y } = this.middle;
    const count = Math.max(1, Math.round(this.plot.width / this.across));
    return `${Math.floor(y) + 1}.${Math.floor(x) + 1}.${Math.min(count, this.columns)}`;
  }

  /** @param {string} sight as the getter has it */
  goTo(sight) {
    this.aim = this.plot ? "" : sight;
    if (!this.plot) return;
    const [query = 1, key = 1, count = this.columns] = sight ? sight.split(".").map(Number) : [];
    this.zoom = 1;
    const most = LARGEST / Math.min(this.across, this.down);
    this.zoom = clamp(this.columns / count, 1, Math.max(1, most));
    const { width, height } = this.plot;
    this.move(key - 0.5 - width / this.across / 2, query - 0.5 - height / this.down / 2);
    this.toldSight = this.sight;
  }

  /** Tells which part is in sight once no hand moves it. */
  tell() {
    clearTimeout(this.telling);
    this.telling = window.setTimeout(() => {
      const { sight } = this;
      if (sight === this.toldSight) return;
      this.toldSight = sight;
      this.onSight?.(sight);
    }, TOLD_AFTER);
  }

  /** Pixels of a cell. */
  get across() {
    const least = (this.plot?.width ?? 1) / this.columns;
    return Math.max(least, Math.min(LARGEST, least * this.zoom));
  }

  get down() {
    const least = (this.plot?.height ?? 1) / this.rows;
    return Math.max(least, Math.min(LARGEST, least * this.zoom));
  }

  /** The level whose blocks are seen: of so many pixels or more. */
  get level() {
    const cell = Math.min(this.across, this.down);
    return Math.min(this.meta.sizes.length - 1, Math.max(0, Math.ceil(Math.log2(THIN / cell))));
  }

  /** @param {number} left @param {number} top in cells */
  move(left, top) {
    if (!this.plot) return;
    this.left = clamp(left, 0, this.columns - this.plot.width / this.across);
    this.top = clamp(top, 0, this.rows - this.plot.height / this.down);
    this.canvas.style.touchAction = this.zoom > 1 ? "none" : "pan-y"; // the page is scrolled over a whole map
    this.tell();
    this.redraw();
  }

  /** @param {number} factor @param {{ x: number, y: number }} [at] what stays where it is, in cells */
  zoomBy(factor, at = this.middle) {
    if (!this.plot) return;
    const before = [this.across, this.down];
    const [x, y] = [(at.x - this.left) * this.across, (at.y - this.top) * this.down];
    const most = LARGEST / Math.min(this.plot.width / this.columns, this.plot.height / this.rows);
    this.zoom = clamp(this.zoom * factor, 1, Math.max(1, most));
    if (before[0] === this.across && before[1] === this.down) return;
    this.move(at.x - x / this.across, at.y - y / this.down);
  }

  get middle() {
    const { width, height } = this.plot ?? { width: 0, height: 0 };
    return { x: this.left + width / this.across / 2, y: this.top + height / this.down / 2 };
  }

  whole() {
    this.zoom = 1;
    this.move(0, 0);
  }

  // Pointers and keys

  listen() {
    /** @type {Map<number, { x: number, y: number }>} */
    const held = new Map();
    const { canvas } = this;
    /** @type {LongMap["point"]} */
    let before; // what was asked when the first of the fingers came down
    let alone = true; // two fingers zoom, and ask nothing
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return; // a menu opens, and keeps to itself that the button is let go
      canvas.setPointerCapture(event.pointerId);
      alone = held.size === 0;
      if (alone) before = this.point;
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (alone) this.lookAt(event);
      else this.goBack(before);
    });
    canvas.addEventListener("pointermove", (event) => {
      const from = held.get(event.pointerId);
      if (from) {
        const to = { x: event.clientX, y: event.clientY };
        const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
        if (other) this.pinch(from, to, other);
        else this.move(this.left - (to.x - from.x) / this.across, this.top - (to.y - from.y) / this.down);
        held.set(event.pointerId, to);
      }
      if (alone || held.size === 0) this.lookAt(event);
    });
    canvas.addEventListener("pointerup", ({ pointerId }) => held.delete(pointerId));
    canvas.addEventListener("pointercancel", ({ pointerId }) => {
      if (held.delete(pointerId)) this.goBack(before); // the page scrolls under it
    });
    canvas.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType === "mouse") this.lookAt(undefined); // a lifted finger or pen leaves what it asked
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        const root = /** @type {Document | ShadowRoot} */ (canvas.getRootNode());
        if (!event.ctrlKey && root.activeElement !== canvas) return; // the page's own wheel
        event.preventDefault();
        const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
        const faster = event.ctrlKey ? 6 : 1; // a pinch on a pad comes in small steps
        this.zoomBy(Math.exp(-event.deltaY * lines * WHEEL * faster), this.cellsAt(event));
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.press(event));
  }

  /**
   * @param {{ x: number, y: number }} from
   * @param {{ x: number, y: number }} to
   * @param {{ x: number, y: number }} other the finger that is still
   */
  pinch(from, to, other) {
    const apart = (/** @type {{ x: number, y: number }} */ one) =>
      Math.hypot(one.x - other.x, one.y - other.y);
    const middle = { clientX: (to.x + other.x) / 2, clientY: (to.y + other.y) / 2 };
    this.zoomBy(apart(to) / Math.max(1, apart(from)), this.cellsAt(middle));
    this.move(this.left - (to.x - from.x) / 2 / this.across, this.top - (to.y - from.y) / 2 / this.down);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (!KEYS.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const at = this.point ?? this.middle;
    this.point = at;
    if (event.key === "0") this.whole();
    else if ("+=".includes(event.key)) this.zoomBy(2, at);
    else if ("-_".includes(event.key)) this.zoomBy(1 / 2, at);
    else {
      const [x = 0, y = 0] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
        event.key
      ] ?? [0, 0];
      const by = this.across >= WORDED || this.down >= WORDED ? 1 : 2 ** this.level * 16;
      this.point = {
        x: clamp(at.x + x * by, 0, this.columns - 0.5),
        y: clamp(at.y + y * by, 0, this.rows - 0.5),
      };
      this.move(this.left + x * by, this.top + y * by);
    }
    this.redraw();
  }

  /** @param {{ clientX: number, clientY: number }} pointer @returns {{ x: number, y: number }} in cells */
  cellsAt({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    const edge = this.edge ?? { left: 0, top: 0 };
    return {
      x: this.left + (clientX - box.left - edge.left) / this.across,
      y: this.top + (clientY - box.top - edge.top) / this.down,
    };
  }

  /** @param {PointerEvent | undefined} event */
  lookAt(event) {
    const at = event && this.cellsAt(event);
    const isInside = at && at.x >= this.left && at.y >= this.top && at.x < this.columns && at.y < this.rows;
    this.point = isInside ? at : undefined;
    this.redraw();
  }

  /** @param {LongMap["point"]} point what was looked at before */
  goBack(point) {
    this.point = point;
    this.redraw();
  }

  // Drawing

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const brush = this.canvas.getContext("2d");
    if (!brush || !this.source || !this.plot || !this.edge || !this.ratio) return;
    const began = performance.now();
    const { edge, look } = this;
    brush.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    brush.fillStyle = look.paper;
    brush.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const block = this.pointed();
    brush.save();
    brush.translate(edge.left, edge.top);
    brush.beginPath();
    brush.rect(0, 0, this.inSight.width, this.inSight.height);
    brush.clip();
    const isWhole = this.drawCells(brush, this.source);
    this.drawNumbers(brush);
    if (block) this.drawFrame(brush, block);
    brush.restore();
    this.drawAxes(brush, block);
    this.say(block);
    const { dataset } = this.root;
    dataset.state = isWhole ? "drawn" : "loading";
    dataset.level = String(this.level);
    dataset.shown = this.source.key;
    dataset.ms = (performance.now() - began).toFixed(1);
  }

  /** Pixels of the cells in sight: those of a map that is smaller than its room end before that does. */
  get inSight() {
    const { width, height } = this.plot ?? { width: 0, height: 0 };
    return {
      width: Math.min(width, (this.columns - this.left) * this.across),
      height: Math.min(height, (this.rows - this.top) * this.down),
    };
  }

  /**
   * Draws what stands in pixels: cells, what is masked, gaps.
   *
   * @param {CanvasRenderingContext2D} brush
   * @param {TileSource} source
   * @returns {boolean} whether all of it is there
   */
  drawCells(brush, source) {
    const { width, height } = this.plot ?? { width: 0, height: 0 };
    brush.fillStyle = this.hatch(brush);
    brush.fillRect(0, 0, width, height);
    const isWhole = this.drawTiles(brush, source);
    if (Math.min(this.across, this.down) >= GAPS) this.drawGaps(brush, this.seen());
    return isWhole;
  }

  /** The places in sight, each side's first and the one past its last. */
  seen() {
    const { width, height } = this.plot ?? { width: 0, height: 0 };
    return {
      left: Math.floor(this.left),
      right: Math.min(this.columns, Math.ceil(this.left + width / this.across)),
      top: Math.floor(this.top),
      bottom: Math.min(this.rows, Math.ceil(this.top + height / this.down)),
    };
  }

  /** @param {CanvasRenderingContext2D} brush */
  hatch(brush) {
    const side = 6;
    const cell = document.createElement("canvas");
    cell.width = cell.height = side;
    const pen = cell.getContext("2d");
    if (!pen) return this.look.masked;
    pen.fillStyle = this.look.masked;
    pen.fillRect(0, 0, side, side);
    pen.strokeStyle = this.look.hatch;
    pen.beginPath();
    for (const from of [-side, 0, side]) {
      pen.moveTo(from - 1, side + 1);
      pen.lineTo(from + side + 1, -1);
    }
    pen.stroke();
    return brush.createPattern(cell, "repeat") ?? this.look.masked;
  }

  /**
   * Draws the level's tiles in sight; where one is not there yet, its part of a coarser one.
   *
   * @param {CanvasRenderingContext2D} brush
   * @param {TileSource} source
   * @returns {boolean} whether all are there
   */
  drawTiles(brush, source) {
    const { level } = this;
    const side = this.meta.tile;
    const cells = side * 2 ** level;
    const seen = this.seen();
    let isWhole = true;
    brush.imageSmoothingEnabled = false;
    for (let row = Math.floor(seen.top / cells); row * cells < seen.bottom; row++) {
      for (let column = Math.floor(seen.left / cells); column * cells < seen.right; column++) {
        let above = level;
        let tile = this.tiles.get(source, level, row, column);
        if (!tile) {
          isWhole = false;
          this.tiles.bring(source, level, row, column).catch(() => this.fail());
        }
        while (!tile && ++above < this.meta.sizes.length)
          tile = this.tiles.get(source, above, row >> (above - level), column >> (above - level));
        if (!tile) continue;
        const size = 2 ** above;
        const [down, right] = [(row >> (above - level)) * side, (column >> (above - level)) * side]; // its first blocks
        const [top, bottom] = within(row * cells, cells, seen.top, seen.bottom, size, down, tile.rows);
        const [left, end] = within(column * cells, cells, seen.left, seen.right, size, right, tile.columns);
        if (bottom <= top || end <= left) continue;
        const [x, y] = [this.acrossAt((left + right) * size), this.downAt((top + down) * size)];
        const width = this.acrossAt((end + right) * size) - x;
        const height = this.downAt((bottom + down) * size) - y;
        const image = imageOf(tile, this.colours, this.meta.power);
        brush.drawImage(image, left, top, end - left, bottom - top, x, y, width, height);
      }
    }
    return isWhole;
  }

  /** @param {number} place @returns {number} where it begins, on a whole pixel of the screen */
  acrossAt(place) {
    const ratio = this.ratio ?? 1;
    return Math.round((place - this.left) * this.across * ratio) / ratio;
  }

  /** @param {number} place */
  downAt(place) {
    const ratio = this.ratio ?? 1;
    return Math.round((place - this.top) * this.down * ratio) / ratio;
  }

  /** @param {CanvasRenderingContext2D} brush @param {ReturnType<LongMap["seen"]>} seen */
  drawGaps(brush, { left, right, top, bottom }) {
    const { width, height } = this.plot ?? { width: 0, height: 0 };
    brush.fillStyle = this.look.paper;
    for (let column = left; column <= right; column++)
      brush.fillRect(this.acrossAt(column) - 1, 0, 1, height);
    for (let row = top; row <= bottom; row++) brush.fillRect(0, this.downAt(row) - 1, width, 1);
  }

  /** @param {CanvasRenderingContext2D} brush */
  drawNumbers(brush) {
    if (this.across < NUMBERED || this.down < 20) return;
    const { left, right, top, bottom } = this.seen();
    brush.font = `12px ${this.look.mono}`;
    brush.textAlign = "center";
    brush.textBaseline = "middle";
    const bytes = new Uint8Array(this.colours.buffer);
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) {
        const weight = this.weight(0, row, column);
        if (weight === undefined || Number.isNaN(weight)) continue;
        const at = 4 * step(weight, this.meta.power);
        brush.fillStyle = inkOn([...bytes.subarray(at, at + 3)]);
        brush.fillText(
          inCell(weight),
          this.acrossAt(column) + this.across / 2,
          this.downAt(row) + this.down / 2,
        );
      }
    }
  }

  /**
   * @param {number} level
   * @param {number} row
   * @param {number} column
   * @returns {number | undefined} the number itself; none where its tile has not come
   */
  weight(level, row, column) {
    const side = this.meta.tile;
    if (!this.source) return undefined;
    const tile = this.tiles.get(this.source, level, Math.floor(row / side), Math.floor(column / side));
    return tile?.cells[(row % side) * tile.columns + (column % side)];
  }

  /** The block that is looked at. */
  pointed() {
    if (!this.point) return undefined;
    const size = 2 ** this.level;
    const [row, column] = [span(this.point.y, size, this.rows), span(this.point.x, size, this.columns)];
    return { row, column, weight: this.weight(this.level, row.at, column.at) };
  }

  /** @param {CanvasRenderingContext2D} brush @param {{ row: Span, column: Span }} block */
  drawFrame(brush, { row, column }) {
    const [x, end] = [this.acrossAt(column.from), this.acrossAt(column.to)];
    const [y, low] = [this.downAt(row.from), this.downAt(row.to)];
    const more = Math.max(0, 3 - Math.min(end - x, low - y) / 2); // a point of few pixels is framed from outside
    brush.strokeStyle = this.look.ink;
    brush.lineWidth = 2;
    brush.strokeRect(x - more, y - more, end - x + 2 * more, low - y + 2 * more);
  }

  /** @param {CanvasRenderingContext2D} brush @param {{ row: Span, column: Span } | undefined} block */
  drawAxes(brush, block) {
    const { look } = this;
    const edge = this.edge ?? { left: 0, top: 0 };
    const plot = this.plot ?? { width: 0, height: 0 };
    const seen = this.seen();
    brush.strokeStyle = look.rule;
    brush.lineWidth = 1;
    brush.strokeRect(edge.left - 0.5, edge.top - 0.5, this.inSight.width + 1, this.inSight.height + 1);
    brush.textBaseline = "middle";
    brush.font = `13px ${look.font}`;
    brush.textAlign = "center";
    brush.fillStyle = look.key;
    const whole = { width: edge.left + plot.width, height: edge.top + plot.height };
    const { key, query } = this.meta.titles;
    const x = Math.min(edge.left + plot.width / 2, whole.width - brush.measureText(key).width / 2);
    brush.fillText(key, x, 9, whole.width);
    brush.save();
    brush.translate(
      9,
      Math.min(edge.top + plot.height / 2, whole.height - brush.measureText(query).width / 2),
    );
    brush.rotate(-Math.PI / 2);
    brush.fillStyle = look.query;
    brush.fillText(query, 0, 0, whole.height);
    brush.restore();
    this.drawLabels(brush, "row", this.labels(seen.top, seen.bottom, this.down, "row"), block?.row);
    this.drawLabels(
      brush,
      "column",
      this.labels(seen.left, seen.right, this.across, "column"),
      block?.column,
    );
  }

  /**
   * @param {CanvasRenderingContext2D} brush
   * @param {"row" | "column"} side
   * @param {Span[]} labels
   * @param {Span | undefined} pointed it has its name whatever else would stand there
   */
  drawLabels(brush, side, labels, pointed) {
    const [length = 0, place] =
      side === "row"
        ? [this.plot?.height, (/** @type {number} */ at) => this.downAt(at)]
        : [this.plot?.width, (/** @type {number} */ at) => this.acrossAt(at)];
    const middle = (/** @type {Span} */ { from, to }) =>
      (clamp(place(from), 0, length) + clamp(place(to), 0, length)) / 2;
    const isOne = labels.every(({ from, to }) => to === from + 1);
    const room = isOne ? WORDED / 2 : ROOM[side] * (side === "row" ? 0.6 : 0.9);
    for (const each of labels)
      if (!pointed || Math.abs(middle(each) - middle(pointed)) >= room)
        this.label(brush, side, each, middle(each), false);
    if (pointed) this.label(brush, side, pointed, middle(pointed), true);
  }

  /**
   * The stretches of an axis that have a name: each place, or ranges of as many as a name takes.
   *
   * @param {number} first
   * @param {number} last the one past it
   * @param {number} cell pixels
   * @param {"row" | "column"} side
   * @returns {Span[]}
   */
  labels(first, last, cell, side) {
    const size = cell >= WORDED ? 1 : 2 ** Math.ceil(Math.log2(ROOM[side] / cell));
    const count = side === "row" ? this.rows : this.columns;
    const found = [];
    for (let from = Math.floor(first / size) * size; from < last; from += size) {
      const each = span(from, size, count);
      const inSight = (Math.min(each.to, last) - Math.max(from, first)) * cell;
      if (size === 1 || inSight >= ROOM[side] / 2 || found.length === 0) found.push(each);
    }
    return found;
  }

  /**
   * @param {CanvasRenderingContext2D} brush
   * @param {"row" | "column"} side
   * @param {Span} places
   * @param {number} at where its middle is
   * @param {boolean} isPointed
   */
  label(brush, side, { from, to }, at, isPointed) {
    const edge = this.edge ?? { left: 0, top: 0 };
    const words = side === "row" ? this.meta.rows : this.meta.columns;
    const number = to === from + 1 ? String(from + 1) : `${from + 1}–${to}`;
    const last = words ? (words[to - 1] ?? "") : "";
    const first = words ? (words[from] ?? "") : "";
    const isOne = to === from + 1;
    const lines = words
      ? isOne
        ? [short(first)]
        : [number, `${short(first, 6)} … ${short(last, 6)}`]
      : [number];
    const isUpright = side === "column" && isOne;
    brush.font = `${isPointed ? "600 " : ""}13px ${this.look.font}`;
    brush.save();
    if (side === "row") brush.translate(edge.left - 6, edge.top + at);
    else brush.translate(edge.left + at, edge.top - 6);
    if (isUpright) brush.rotate(-Math.PI / 2);
    const height = 15;
    const most = side === "row" ? edge.left - 26 : isUpright ? edge.top - 26 : ROOM.column - 4;
    brush.textAlign = side === "row" ? "right" : isUpright ? "left" : "center";
    const middle = side === "row" || isUpright ? 0 : (-height * lines.length) / 2;
    brush.fillStyle = this.look[side === "row" ? "query" : "key"];
    for (const [i, line] of lines.entries())
      brush.fillText(line, 0, middle + (i - (lines.length - 1) / 2) * height, most);
    brush.restore();
  }

  // What is said

  /** @param {{ row: Span, column: Span, weight: number | undefined } | undefined} block */
  say(block) {
    const said = block ? this.sentence(block, this.source?.keep === "mean") : "";
    if (this.said.textContent !== said) this.said.textContent = said;
    const colours = word("Colours are steps of the square root, from 0 to 1.");
    const both = paragraph(this.scaleInWords, colours);
    if (this.scale.textContent !== both) this.scale.textContent = both;
  }

  /** What a point stands for. */
  get scaleInWords() {
    const size = 2 ** this.level;
    if (size === 1) return word("Each square is one cell of the map.");
    return this.source?.keep === "mean"
      ? word(
          "Each point is the mean of {size} × {size} cells: what is thin fades, sinks and the diagonal too.",
          { size },
        )
      : word("Each point is the largest of {size} × {size} cells: sinks and the diagonal stay in sight.", {
          size,
        });
  }

  /** @param {{ row: Span, column: Span, weight: number | undefined }} block @param {boolean} isMean */
  sentence({ row, column, weight }, isMean) {
    const said = weight === undefined ? "…" : inDigits(weight);
    const isMasked = weight !== undefined && Number.isNaN(weight);
    const isOne = row.to === row.from + 1 && column.to === column.from + 1;
    const measure = isOne ? "" : isMean ? word("mean") : word("largest");
    const number = [measure, this.meta.quantity, said].filter(Boolean).join(" ");
    return word("Query {query}, key {key}: {reading}", {
      query: this.named(this.meta.rows, row),
      key: this.named(this.meta.columns, column),
      reading: isMasked ? word("masked") : number,
    });
  }

  /** @param {string[] | null} words @param {Span} places */
  named(words, { from, to }) {
    if (to === from + 1) return words ? `${from + 1} “${words[from]}”` : String(from + 1);
    const range = `${from + 1}–${to}`;
    return words ? `${range} “${short(words[from] ?? "")} … ${short(words[to - 1] ?? "")}”` : range;
  }
}

/**
 * The part of a tile that one tile of the drawn level needs, in the tile's own blocks.
 *
 * @param {number} from the first place of what is drawn
 * @param {number} count its places
 * @param {number} first in sight
 * @param {number} last in sight, the one past it
 * @param {number} size places of a block
 * @param {number} at the number of the tile's first block
 * @param {number} blocks of the tile
 * @returns {[number, number]}
 */
function within(from, count, first, last, size, at, blocks) {
  const start = Math.floor(Math.max(from, first) / size) - at;
  const end = Math.ceil(Math.min(from + count, last) / size) - at;
  return [Math.max(0, start), Math.min(blocks, end)];
}

/**
 * @param {number} place
 * @param {number} size places of a block
 * @param {number} count of all places
 * @returns {Span}
 */
function span(place, size, count) {
  const at = Math.floor(place / size);
  return { at, from: at * size, to: Math.min(count, (at + 1) * size) };
}

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) {
  return Math.max(low, Math.min(Math.max(low, high), value));
}

/** @param {string} text @param {number} [most] */
function short(text, most = LETTERS) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** @param {number} weight */
function inDigits(weight) {
  if (weight === 0 || weight === 1) return String(weight);
  return weight.toPrecision(4).replace("e-", " × 10^−");
}

/** @param {number} weight three digits, while there is room */
function inCell(weight) {
  if (weight === 0 || weight === 1) return String(weight);
  return weight < 0.001 ? "<0.001" : weight.toPrecision(3);
}

/** @param {string} tag @param {string} name */
function element(tag, name) {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}
