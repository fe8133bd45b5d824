// The shapes that the modules hand to one another. Checked by tsc, never shipped.

/** A value in a packed header: plain JSON in which `{"@": i}` stands for array i. */
export type Packed = any;
/** A path into a figure: `["data", 0, "z"]`. */
export type Path = (string | number)[];
export type Rows = any;

export interface Change {
  path: Path;
  values: Packed[];
  at: number[];
}

export interface CursorChange {
  path: Path;
  values: Packed;
  by_step: boolean;
  picked?: Packed; // which of the values it is, by step and row
}

export interface Cursor {
  n_rows: number;
  changes: CursorChange[];
  copies: { path: Path; of: Path }[];
}

export interface ArrayEntry {
  type?: "f8" | "f4" | "i4" | "u1";
  shape?: number[];
  at?: number; // the first word of all, or the first byte for u1
  above?: number; // words to the one that each is a difference from
  of?: number; // the array that this one is nearly a multiple of
  times?: number; // the array of factors, a row of it each
  text?: any[];
  rows?: string[]; // with columns: a cell's words are those of its row, then those of its column
  columns?: string[];
}

/** Arrangements by width, one column a setting; null where a step has no such setting. */
export interface ScreenTable {
  width: number[];
  height: number[];
  unit: number[];
  slide: boolean[];
  label: number[];
  every: number[];
  settings: Record<string, any[] | null>;
}

export interface Header {
  n_steps: number;
  figure: Packed;
  changes: Change[];
  cursor: Cursor | null;
}

/** What `packing.pack` made, its arrays unpacked. */
export interface Steps {
  header: Header;
  arrays: any[];
}

/** All that one message brings; the steps still packed. */
export interface Message {
  meta: Meta;
  captions: Captions | null;
  packed: Uint8Array;
}

/** One slider: its read-outs, its values as the address has them, and where Python wants it. */
export interface Control {
  label: string;
  name: string;
  texts: string[];
  values: string[];
  index: number;
  default: number;
}

/** A setting that is chosen by pointing: its values as the address has them, and where Python wants it. */
export type Choice = Omit<Control, "label" | "texts">;
/** Which place of each setting is chosen: of the query, the key, the head. */
export type Chosen = Record<string, number>;

/** Where one map's cells stand, in pixels of the stage. */
export interface Place {
  left: number;
  top: number;
  width: number; // of one cell
  height: number;
  rows: number;
  columns: number;
}

export type Colours = Record<string, string> | null;

/** Sentences by step, or by step and row: runs of a role and a text, each once. See captions.py. */
export interface Captions {
  runs: [string, string][];
  texts: number[][];
  at: (number | number[])[];
}

export interface Meta {
  key: string;
  alt: string;
  name: string;
  caption: string;
  settings?: [string, string][]; // what it was made with: what each control of the page is called, and says
  invites?: string; // said to whoever never moved a slider
  revision: number;
  slider: Control | null;
  cursor: Control | null;
  chosen: Record<string, Choice>;
  plotly: string;
  saver: string; // the module that saves files; empty where none is served
  palette?: string; // what colours its maps, by name
  colours: Record<string, Colours>; // by theme; of a theme that is not there they stay as they are
  words?: Record<string, string>; // in a notebook: what is said there, by its English
  fixed?: boolean; // outside the app: its sentences tell of what is chosen, and there are none of anything else
  link?: string; // on a page that was built: what of the app it shows, from its page's name on
}

/** A figure as it stands when it is saved. */
export interface Subject {
  Plotly: any;
  meta: Meta;
  captions: Captions | null;
  packed: Uint8Array;
  steps: Steps;
  at: { step: number; row: number };
  chosen: Chosen;
  texts: string[]; // what the sliders say
  textsAt(at: { step: number; row: number }): string[];
  address: string;
  font(name: string): Promise<Uint8Array>; // its file
}

/** How a saved picture is to look. */
export interface Look {
  shape: string;
  colours: string;
  large: boolean;
  caption: boolean;
}

/** One arrangement of a figure: settings by path ("layout.xaxis.domain"), for windows from `width` up. */
export interface Screen {
  width: number;
  height: number;
  unit: number; // pixels to a cell of most matrices
  slide: boolean; // for slides and projectors alone, before it is enlarged
  label: number; // pixels of the smallest label of a matrix, 0 without any
  every: number; // of crowded labels one in so many stands
  settings: Record<string, any>;
}

/** The pixels that a figure may take on a page, or all that it has on a slide, before it is enlarged there. */
export interface Space {
  width: number;
  height: number;
  enlarged?: Enlarged;
}

/** How far a picture is enlarged, and what it must have there. */
export interface Enlarged {
  scale: number;
  wanted: Wanted;
}

/** What a picture that is enlarged must have, as far as it can. */
export interface Wanted {
  /** Times that it is enlarged, at least. */
  scale: number;
  /** Pixels of a matrix's labels, enlarged. */
  label: number;
  /** Pixels of a label that is not wanted smaller, should others have to go; as `label` where it is not said. */
  least?: number;
  /** Pixels of a number in a cell, enlarged. */
  digit: number;
  /** Pixels below which a number is worth nothing. */
  tiny: number;
  /** What the figure has on its page: no cell becomes smaller than it is there. */
  page?: Space;
}

/** A figure as Plotly takes it. */
export interface Figure {
  data: any[];
  layout: any;
}

/** What Streamlit hands to a component. */
export interface Component {
  parentElement: HTMLElement;
  data: unknown;
  setStateValue(name: string, value: unknown): void;
}

/** What anywidget hands to a widget in a notebook. */
export interface Model {
  get(name: string): any;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: (content?: any, buffers?: DataView[]) => void): void;
  off(event: string, callback: (content?: any, buffers?: DataView[]) => void): void;
  send(content: unknown): void;
}

/** Cells of one level of a map, as many as are sent at once, row after row; NaN where masked. */
export interface Tile {
  cells: Float32Array;
  rows: number;
  columns: number;
  image?: HTMLCanvasElement; // in the colours of now
}

/** Where the tiles of one map come from. */
export interface TileSource {
  key: string; // tells its tiles from all others
  keep: "max" | "mean"; // what a cell says of its block
  tile(level: number, row: number, column: number): Promise<Float32Array>;
}

/** A map of any size: see pyramid.py and long_map.py. */
export interface LongMeta {
  sizes: [number, number][]; // of each level, the map's own first
  tile: number; // cells a side of a tile
  power: number; // a colour stands for this power of its place on the ramp
  rows: string[] | null; // what queries are called; null where by number
  columns: string[] | null;
  titles: { query: string; key: string };
  quantity: string; // what a number is called
  looks: { light: LongLook; dark: LongLook };
}

/** The colours of a map and its axes. */
export interface LongLook {
  paper: string;
  ink: string;
  muted: string;
  rule: string;
  query: string;
  key: string;
  masked: string;
  hatch: string;
  ramp: string[];
  font: string;
  mono: string;
}

/** A cell that was clicked; the time tells a second click on one cell from an echo of the first. */
export interface Cell {
  trace: string;
  row: number;
  column: number;
  at: number;
}

declare global {
  interface Window {
    Plotly?: any;
    labParts?: Record<string, string>; // on a page that was built: files that scripts brought, by their names
    labStills?: (message: string, widths: number[], colours: ("light" | "dark")[]) => Promise<unknown>; // while a site is built
    labWords?: Record<string, string>; // what is said, by its English; none where English is spoken
  }
}
