// The live figure: unpacks the steps that Python computed and swaps them as a slider moves.
// There is no mathematics of attention here, only picking, placing and drawing.

const TYPES = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array };
const PLAY_MILLISECONDS = 140;
const SEND_AFTER_MILLISECONDS = 120;
const SLIDE = { width: 1600, height: 900 };
const ICONS = {
  play: '<svg viewBox="0 0 10 10" aria-hidden="true"><path d="M1 0l9 5-9 5z"/></svg>',
  pause: '<svg viewBox="0 0 10 10" aria-hidden="true"><path d="M1 0h3v10H1zM6 0h3v10H6z"/></svg>',
};

const instances = new WeakMap(); // element -> LiveFigure: one for as long as the element lives
const positions = new Map(); // figure key -> last position, so that a re-mount does not jump back
let plotly; // promise of the Plotly library, loaded once for all figures

function loadPlotly(url) {
  plotly ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly);
    const script = document.createElement("script");
    script.src = new URL(url, document.baseURI).href;
    script.onload = () => (window.Plotly ? resolve(window.Plotly) : reject(new Error("Plotly is missing")));
    script.onerror = () => {
      plotly = undefined;
      reject(new Error(`could not load ${script.src}`));
    };
    document.head.appendChild(script);
  });
  return plotly;
}

// ---- unpacking ------------------------------------------------------------------------------------

function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  // Copied, so that typed arrays start at an offset that their type allows.
  const blobs = bytes.slice(4 + length).buffer;
  const arrays = header.arrays.map(({ type, shape, offset, text }) => {
    if (text) return text;
    const size = shape.reduce((product, n) => product * n, 1);
    return nest(new TYPES[type](blobs, offset, size), shape);
  });
  return { header, arrays };
}

function nest(flat, shape) {
  if (shape.length < 2) return flat;
  const [rows, ...rest] = shape;
  const size = flat.length / (rows || 1);
  return Array.from({ length: rows }, (_, i) => nest(flat.subarray(i * size, (i + 1) * size), rest));
}

// Copies the tree, puts arrays in their places and swaps colours; arrays themselves are shared.
function resolve(value, arrays, colours) {
  if (typeof value === "string") return recolour(value, colours);
  if (value === null || typeof value !== "object") return value;
  if (ArrayBuffer.isView(value)) return value;
  if ("@" in value) return arrays[value["@"]];
  if (isMatrix(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => resolve(inner, arrays, colours));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, arrays, colours)]));
}

// Rows of numbers or words: one array to Plotly, which recomputes a trace only when its identity changes.
function isMatrix(value) {
  if (!Array.isArray(value) || value.length === 0) return false;
  const [row] = value;
  return ArrayBuffer.isView(row) || isMatrix(row) || (Array.isArray(row) && typeof row[0] === "string");
}

function recolour(text, colours) {
  if (!colours || !text.includes("#")) return text;
  return text.replace(/#[0-9A-F]{6}/g, (colour) => colours[colour] ?? colour);
}

function put(figure, path, value) {
  let node = figure;
  for (const step of path.slice(0, -1)) node = node[step] ??= {};
  const last = path[path.length - 1];
  if (value === null) delete node[last];
  else node[last] = value;
}

// "xaxis2.domain", "annotations[3].xshift"
const paths = new Map();

function parsePath(path) {
  if (!paths.has(path)) {
    paths.set(path, path.match(/[^.[\]]+/g).map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
  }
  return paths.get(path);
}

// ---- one figure on the page -----------------------------------------------------------------------

class LiveFigure {
  constructor(parent) {
    this.root = parent.querySelector(".live-figure");
    this.stage = this.root.querySelector(".live-stage");
    this.node = this.root.querySelector(".live-plot");
    this.frames = this.root.querySelector(".live-frames");
    this.controls = this.root.querySelector(".live-controls");
    this.step = 0;
    this.row = 0;
    this.cell = null;
    this.revision = undefined;
    this.width = 0; // of the stage, kept by the observer so that drawing never has to ask for it
    this.resized = new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry.contentRect.width);
      this.onResize();
    });
    this.resized.observe(this.stage);
    this.onWindow = () => this.onResize();
    window.addEventListener("resize", this.onWindow);
  }

  destroy() {
    this.pause();
    clearTimeout(this.sending);
    cancelAnimationFrame(this.frame);
    this.resized.disconnect();
    window.removeEventListener("resize", this.onWindow);
    if (this.Plotly) this.Plotly.purge(this.node);
  }

  // Called for every message from Python and for every change of theme.
  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    const fresh = data !== this.data;
    if (fresh) {
      this.data = data;
      const head = new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true);
      this.meta = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + head)));
      Object.assign(this, unpack(data.subarray(4 + head)));
      this.adopt();
      this.buildControls();
      this.root.setAttribute("aria-label", this.meta.alt);
      this.node.setAttribute("role", "img");
      this.node.setAttribute("aria-label", this.meta.alt);
    }
    const theme = this.readTheme();
    if (fresh || theme !== this.theme) {
      this.theme = theme;
      this.build();
    }
    loadPlotly(this.meta.plotly).then(
      (Plotly) => {
        this.Plotly = Plotly;
        this.draw();
      },
      (error) => this.fail(error),
    );
  }

  // Python's position counts when it is a new command; otherwise the browser's own stands.
  adopt() {
    const { slider, cursor, revision, key } = this.meta;
    const known = positions.get(key);
    if (revision !== this.revision) {
      const own = known && known.revision === revision ? known : null;
      this.step = own ? own.step : slider ? slider.index : 0;
      this.row = own ? own.row : cursor ? cursor.index : 0;
      this.revision = revision;
    }
    this.step = Math.min(this.step, this.header.n_steps - 1);
    this.row = cursor ? Math.min(this.row, cursor.texts.length - 1) : 0;
    this.remember();
  }

  remember() {
    positions.set(this.meta.key, { revision: this.revision, step: this.step, row: this.row });
  }

  readTheme() {
    const probe = getComputedStyle(this.root).getPropertyValue("--st-background-color").trim();
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = probe || "#ffffff";
    const channels = canvas.fillStyle.match(/[0-9a-f]{2}/gi).map((pair) => parseInt(pair, 16));
    return channels[0] + channels[1] + channels[2] < 384 ? "dark" : "light";
  }

  // ---- drawing ----

  colours(theme) {
    return this.meta.colours[theme] ?? null;
  }

  build() {
    this.base = resolve(this.header.figure, this.arrays, this.colours(this.theme));
    this.changes = this.resolveChanges(this.colours(this.theme));
  }

  resolveChanges(colours) {
    return this.header.changes.map(({ path, values, at }) => ({
      path,
      at,
      values: values.map((value) => resolve(value, this.arrays, colours)),
    }));
  }

  // The figure at the present step and row, written into the base itself: every step sets every path that
  // differs between steps, so nothing of another step is left, and nothing has to be copied.
  compose(base, changes, colours) {
    const figure = base;
    for (const { path, values, at } of changes) put(figure, path, values[at[this.step]]);
    for (const { path, values, by_step } of this.header.cursor?.changes ?? []) {
      const rows = "@" in values ? this.arrays[values["@"]] : values;
      const value = by_step ? rows[this.step][this.row] : rows[this.row];
      put(figure, path, typeof value === "string" ? recolour(value, colours) : value);
    }
    for (const { path, of } of this.header.cursor?.copies ?? []) {
      put(figure, path, of.reduce((node, part) => node[part], figure)[this.row]);
    }
    return figure;
  }

  // Chooses the arrangement for a width: the widest that fits and, but for phones, is not too high.
  fit(figure, width, height) {
    const { meta, ...layout } = figure.layout; // Plotly would compare the screens at every step
    const screens = meta?.screens;
    if (!screens) return { ...layout, width };
    const narrow = screens[0].width;
    const fitting = screens.filter((s) => s.width <= Math.max(width, narrow) && (s.width < 640 || s.height <= height));
    const screen = fitting[fitting.length - 1] ?? screens[0];
    const fitted = { ...figure, layout };
    for (const [path, value] of Object.entries(screen.settings)) put(fitted, parsePath(path), value);
    const side = Math.max(0, (width - screen.width) / 2);
    return { ...layout, width, height: screen.height, margin: { l: side, r: side, t: 0, b: 0 } };
  }

  draw() {
    if (!this.Plotly) return;
    const width = this.width || Math.floor(this.stage.clientWidth);
    if (!width) return; // hidden, in a closed tab: the observer calls again when it is shown
    const figure = this.compose(this.base, this.changes, this.colours(this.theme));
    const layout = this.fit(figure, width, this.roomBelow());
    this.drawnWidth = width;
    this.drawnRoom = this.roomBelow();
    if (layout.height !== this.drawnHeight) this.stage.style.minHeight = `${layout.height}px`;
    this.drawnHeight = layout.height;
    const first = !this.node.data;
    this.Plotly.react(this.node, figure.data, layout, { displayModeBar: false, responsive: false, doubleClick: false }).then(
      () => {
        this.root.dataset.state = "drawn";
        this.root.dataset.step = this.step;
        this.root.dataset.row = this.row;
      },
      (error) => this.fail(error),
    );
    if (first) this.listen();
    this.say();
  }

  roomBelow() {
    return Math.max(360, Math.round(window.innerHeight * 0.62));
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  onResize() {
    if (this.width !== this.drawnWidth || this.roomBelow() !== this.drawnRoom) this.schedule();
  }

  fail(error) {
    console.error("live figure:", error);
    this.root.dataset.state = "failed";
    this.root.querySelector(".live-notice").textContent =
      "The moving figure could not be drawn in this browser. The plain chart below shows the present step.";
    this.controls.replaceChildren();
    if (!this.failed) this.setStateValue("failed", true);
    this.failed = true;
  }

  // ---- controls ----

  buildControls() {
    const { slider, cursor } = this.meta;
    const had = document.activeElement?.dataset?.live;
    this.controls.replaceChildren();
    this.outputs = {};
    const ranges = [];
    if (slider) ranges.push(this.range("step", slider, true));
    if (cursor) ranges.push(this.range("row", cursor, false));
    this.controls.append(...ranges);
    (ranges[0] ?? this.controls).append(this.tools());
    if (had) this.controls.querySelector(`[data-live="${had}"]`)?.focus({ preventScroll: true });
    this.say();
  }

  range(name, slider, playable) {
    const row = document.createElement("div");
    row.className = "live-row";
    const play = playable ? this.playButton() : document.createElement("span");
    const input = document.createElement("input");
    const id = `live-${this.meta.key}-${name}`;
    Object.assign(input, { type: "range", id, min: 0, max: slider.texts.length - 1, step: 1 });
    input.value = this[name];
    input.dataset.live = name;
    input.disabled = slider.texts.length < 2;
    const label = document.createElement("label");
    label.htmlFor = id;
    label.textContent = slider.label;
    const output = document.createElement("output");
    output.htmlFor = id;
    output.style.minWidth = `${Math.max(...slider.texts.map((text) => text.length))}ch`;
    input.addEventListener("input", () => {
      this.pause();
      this[name] = Number(input.value);
      this.draw(); // at once: the browser itself merges the moves of a drag
    });
    input.addEventListener("change", () => this.send());
    this.outputs[name] = { input, output, texts: slider.texts };
    row.append(play, label, input, output);
    return row;
  }

  playButton() {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "live-play";
    button.dataset.live = "play";
    button.addEventListener("click", () => (this.playing ? this.stop() : this.play()));
    this.playControl = button;
    this.showPlaying();
    return button;
  }

  tools() {
    const row = document.createElement("div");
    row.className = "live-tools";
    for (const format of ["png", "svg"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = format.toUpperCase();
      button.title = `Save this picture for a slide, ${SLIDE.width} × ${SLIDE.height}`;
      button.dataset.live = format;
      button.addEventListener("click", () => this.save(format));
      row.append(button);
    }
    return row;
  }

  say() {
    for (const [name, { input, output, texts }] of Object.entries(this.outputs ?? {})) {
      input.value = this[name];
      output.textContent = texts[this[name]];
      input.setAttribute("aria-valuetext", texts[this[name]]);
    }
  }

  play() {
    if (this.step >= this.header.n_steps - 1) this.step = 0;
    this.playing = setInterval(() => {
      if (this.step >= this.header.n_steps - 1) return this.stop();
      this.step += 1;
      this.say();
      this.schedule();
    }, PLAY_MILLISECONDS);
    this.showPlaying();
  }

  pause() {
    clearInterval(this.playing);
    this.playing = undefined;
    this.showPlaying();
  }

  stop() {
    this.pause();
    this.send();
  }

  showPlaying() {
    if (!this.playControl) return;
    this.playControl.innerHTML = this.playing ? ICONS.pause : ICONS.play;
    this.playControl.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.playControl.title = this.playing ? "Pause" : "Play: sweep the slider";
  }

  // ---- to Python ----

  // Keys repeat faster than a rerun: the last position within a moment is the one that is sent.
  send() {
    this.remember();
    clearTimeout(this.sending);
    this.sending = setTimeout(() => {
      this.writeAddress();
      this.setStateValue("view", { step: this.step, row: this.row, cell: this.cell, revision: this.revision });
    }, SEND_AFTER_MILLISECONDS);
  }

  // Written here first, so that Python's own write finds it done and adds no entry to the history.
  writeAddress() {
    const address = new URL(window.location.href);
    for (const [control, position] of [[this.meta.slider, this.step], [this.meta.cursor, this.row]]) {
      if (!control?.name) continue;
      if (position === control.default) address.searchParams.delete(control.name);
      else address.searchParams.set(control.name, control.values[position]);
    }
    if (address.href !== window.location.href) window.history.replaceState({}, "", address);
  }

  // ---- pointing ----

  listen() {
    this.node.on("plotly_hover", (event) => this.highlight(event.points[0]));
    this.node.on("plotly_unhover", () => this.frames.replaceChildren());
    this.node.on("plotly_afterplot", () => this.frames.replaceChildren());
    this.node.on("plotly_click", (event) => this.choose(event.points[0]));
  }

  highlight(point) {
    this.frames.replaceChildren();
    if (point.data.type !== "heatmap") return;
    const [row, column] = point.pointIndex ?? point.pointNumber;
    const seen = new Set();
    this.node._fullData.forEach((trace) => {
      if (trace.type !== "heatmap" || !trace.visible || trace.meta?.cells !== point.data.meta?.cells) return;
      const place = trace.xaxis + trace.yaxis;
      if (seen.has(place)) return;
      seen.add(place);
      this.outline(trace, row, column);
    });
  }

  outline(trace, row, column) {
    const x = this.node._fullLayout[trace.xaxis.replace("x", "xaxis")];
    const y = this.node._fullLayout[trace.yaxis.replace("y", "yaxis")];
    const xs = [column - 0.5, column + 0.5].map((value) => x._offset + x.l2p(cell(trace.x, value)));
    const ys = [row - 0.5, row + 0.5].map((value) => y._offset + y.l2p(cell(trace.y, value)));
    const frame = document.createElement("div");
    frame.className = "live-frame";
    Object.assign(frame.style, {
      left: `${Math.min(...xs)}px`,
      top: `${Math.min(...ys)}px`,
      width: `${Math.abs(xs[1] - xs[0])}px`,
      height: `${Math.abs(ys[1] - ys[0])}px`,
    });
    this.frames.append(frame);
  }

  choose(point) {
    const isCell = point.data.type === "heatmap";
    const [row, column] = isCell ? (point.pointIndex ?? point.pointNumber) : [point.pointIndex, null];
    const moves = point.data.meta?.cursor;
    // A trace whose points are not the rows themselves brings the row of each of its points.
    const target = Array.isArray(moves) || ArrayBuffer.isView(moves) ? moves[row] : row;
    if (this.meta.cursor && moves && target < this.meta.cursor.texts.length) {
      this.row = target;
      this.say();
      this.schedule();
    }
    // The time tells a second click on one cell from an echo of the first.
    if (isCell) this.cell = { trace: point.data.name, row, column, at: performance.now() };
    if (isCell || moves) this.send();
  }

  // ---- for a slide ----

  async save(format) {
    const colours = this.colours("print");
    const base = resolve(this.header.figure, this.arrays, colours);
    const figure = this.compose(base, this.resolveChanges(colours), colours);
    const fitted = this.fit(figure, SLIDE.width, SLIDE.height);
    const above = Math.max(0, (SLIDE.height - fitted.height) / 2);
    const layout = {
      ...fitted,
      height: SLIDE.height,
      margin: { ...fitted.margin, t: above, b: above },
    };
    const at = [this.outputs.step, this.outputs.row]
      .map((control, i) => control && `${[this.meta.slider, this.meta.cursor][i].label} ${control.texts[[this.step, this.row][i]]}`)
      .filter(Boolean);
    const filename = [this.meta.name, ...at].join(" ").toLowerCase().replace(/[^\p{L}\p{N}.-]+/gu, "-");
    await this.Plotly.downloadImage(
      { data: figure.data, layout, config: {} },
      { format, ...SLIDE, scale: format === "png" ? 2 : 1, filename },
    );
  }
}

// Where a cell's edge lies: cells are numbered unless the trace brings evenly spaced coordinates.
function cell(coordinates, index) {
  if (!coordinates || coordinates.length < 2) return index;
  return coordinates[0] + (coordinates[1] - coordinates[0]) * index;
}

export default function (component) {
  const { parentElement, data } = component;
  if (!(data instanceof Uint8Array)) return;
  let figure = instances.get(parentElement);
  if (!figure) {
    figure = new LiveFigure(parentElement);
    instances.set(parentElement, figure);
  }
  figure.update(component);
  return () => {
    instances.get(parentElement)?.destroy();
    instances.delete(parentElement);
  };
}
