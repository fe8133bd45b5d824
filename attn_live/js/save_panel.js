// The panel that saves a figure for a slide. Fetched when it is first asked for, so that no page waits for it.

import { checkFiles, FalsifiedError } from "./canvas.js";
import { Moving } from "./figure.js";
import { download, fileName, settingsIn, sizeInWords } from "./files.js";
import { movingFile } from "./moving_file.js";
import { csvBlob, drawnNumbers, npzBlob } from "./numbers.js";
import { makePicture, SHAPES } from "./picture.js";
import { lettered, painted, paintsAlike, pngBlob, svgBlob } from "./raster.js";
import { pdfOf } from "./svg_to_pdf.js";
import { recordable, videoBlob } from "./video.js";
import { paragraph, word } from "./word.js";

/** @typedef {import("./types").Subject} Subject */
/** @typedef {import("./types").Look} Look */
/** @typedef {{ blob: Blob, name: string, about?: string, note?: string, shown?: Blob }} Made `about` is how large it is seen, `shown` stands for what no browser shows as a picture */
/**
 * @typedef {object} Format
 * @property {string} label
 * @property {string} said what it is good for
 * @property {boolean} picture whether it has a look: a shape, colours, a caption
 * @property {boolean} pixels whether it has a size
 */

/** What can be saved, in the language of the page. @returns {Record<string, Format>} */
function formats() {
  return {
    png: { label: "PNG", said: "", picture: true, pixels: true },
    svg: {
      label: "SVG",
      said: word("A drawing that stays sharp at any size."),
      picture: true,
      pixels: false,
    },
    pdf: {
      label: "PDF",
      said: word("One page that stays sharp at any size; its words can be found and copied."),
      picture: true,
      pixels: false,
    },
    html: {
      label: word("HTML that moves"),
      said: word("One file that opens in any browser, without a network: its slider and its hover work."),
      picture: false,
      pixels: false,
    },
    film: {
      label: word("Film"),
      said: "",
      picture: true,
      pixels: false,
    },
    csv: { label: "CSV", said: word("The numbers on screen, one a row."), picture: false, pixels: false },
    npz: {
      label: "NPZ",
      said: word("The numbers on screen as arrays, for numpy.load."),
      picture: false,
      pixels: false,
    },
  };
}

/** What shapes and colours are called. @returns {Record<string, string>} */
function names() {
  return {
    "under a title": word("under a title"),
    "half slide": word("half slide"),
    square: word("square"),
    print: word("Print"),
    light: word("Light"),
    dark: word("Dark"),
    transparent: word("Transparent"),
  };
}

const COLOURS = ["print", "light", "dark", "transparent"];
const POINTS_AN_INCH = 72;
const MOST_NAMED = 60; // characters of words that are told of
const HEAD_OF_TABLE = 12; // lines of a CSV that are shown
const MOST_TYPED_MILLISECONDS = 150; // before a preview is made again

/** What was chosen last, for all figures of this visit. */
const wanted = { format: "png", shape: "16:9", scale: "2", colours: "print", large: true, caption: true };

/**
 * Opens the panel for a figure.
 *
 * @param {HTMLElement} home where the panel stands in the document
 * @param {Subject} subject
 */
export default function openSavePanel(home, subject) {
  new SavePanel(home, subject).open();
}

class SavePanel {
  /** @param {HTMLElement} home @param {Subject} subject */
  constructor(home, subject) {
    this.subject = subject;
    this.formats = formats();
    this.dialog = document.createElement("dialog");
    this.dialog.className = "save-panel";
    this.dialog.setAttribute("aria-label", word("Save this figure"));
    this.form = element("form", { className: "save-panel-choices", method: "dialog" });
    this.shown = element("div", { className: "save-panel-preview" });
    this.said = element("p", { className: "save-panel-said" });
    this.said.setAttribute("role", "status");
    this.save = button(word("Save the file"), () => this.download());
    this.save.dataset.live = "file";
    this.copy = button(word("Copy picture"), () => this.copyPicture());
    /** @type {Made | undefined} */
    this.made = undefined;
    this.turn = 0; // which preview is the newest
    this.stop = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    this.build();
    home.append(this.dialog);
  }

  open() {
    this.dialog.showModal();
    this.refresh();
  }

  build() {
    const { form, dialog } = this;
    const moves = this.subject.steps.header.n_steps > 1;
    const called = names();
    const noFilm = paragraph(
      word("No film: this browser cannot record one."),
      word("Chrome, Edge, Firefox and Safari can."),
    );
    const offered = Object.entries(this.formats).filter(
      ([name]) =>
        (name !== "film" || (recordable().length > 0 && moves)) &&
        (name !== "html" || import.meta.url.startsWith("http")), // a server has the page that is filled
    );
    if (!offered.some(([name]) => name === wanted.format)) wanted.format = "png";
    form.append(
      radios(
        "format",
        word("File"),
        offered.map(([name, { label }]) => [name, label]),
      ),
      ...(moves && !recordable().length ? [element("p", { textContent: noFilm })] : []),
      radios(
        "shape",
        word("Shape"),
        Object.keys(SHAPES).map((name) => [name, called[name] ?? name]),
      ),
      radios(
        "scale",
        word("Size"),
        ["1", "2", "4"].map((scale) => [scale, `${scale}×`]),
      ),
      radios(
        "colours",
        word("Colours"),
        COLOURS.map((name) => [name, called[name] ?? name]),
      ),
      ticks([
        ["large", word("Large type")],
        ["caption", word("Caption")],
      ]),
    );
    form.addEventListener("change", () => this.chose());
    form.addEventListener("submit", (event) => event.preventDefault());
    const close = button(word("Close"), () => dialog.close());
    const head = element("div", { className: "save-panel-head" });
    head.append(element("h2", { textContent: word("Save this figure") }), close);
    const foot = element("div", { className: "save-panel-foot" });
    foot.append(this.save, this.copy, this.said);
    dialog.append(head, form, this.shown, foot);
    for (const kind of ["keydown", "keyup"])
      dialog.addEventListener(kind, (event) => event.stopPropagation());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close(); // beside the panel
    });
    dialog.addEventListener("close", () => {
      this.stop.abort();
      this.turn += 1;
      clearTimeout(this.waiting);
      dialog.remove();
    });
  }

  chose() {
    const chosen = new FormData(/** @type {HTMLFormElement} */ (this.form));
    for (const name of /** @type {const} */ (["format", "shape", "scale", "colours"]))
      wanted[name] = String(chosen.get(name) ?? wanted[name]);
    for (const name of /** @type {const} */ (["large", "caption"])) {
      const tick = this.form.querySelector(`input[name=${name}]`);
      // Where the file before had no look, it was asked for none.
      if (tick instanceof HTMLInputElement && !tick.matches(":disabled")) wanted[name] = tick.checked;
    }
    this.forget();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.refresh(), MOST_TYPED_MILLISECONDS);
  }

  /** The file that was made is not the one that is asked for any more. */
  forget() {
    this.turn += 1;
    this.made = undefined;
    this.save.disabled = true;
    this.copy.disabled = true;
    this.dialog.dataset.made = "";
  }

  /** Makes the file that is asked for, and shows it. */
  async refresh() {
    this.stop.abort();
    this.stop = new AbortController();
    const format = this.formats[wanted.format];
    if (!format) return;
    for (const group of this.form.querySelectorAll("fieldset")) {
      const { name } = group.dataset;
      const off =
        (name === "scale" && !format.pixels) ||
        (["shape", "colours", "more"].includes(name ?? "") && !format.picture);
      group.disabled = off;
    }
    this.forget();
    this.copy.hidden = wanted.format !== "png";
    const { turn } = this;
    this.say(paragraph(format.said, word("It is being made.")));
    try {
      const made = await this.make(wanted.format);
      if (turn !== this.turn) return;
      await this.show(made, format);
      if (turn !== this.turn) return;
      this.made = made;
      this.save.disabled = false;
      this.copy.disabled = false;
      const size = sizeInWords(made.blob.size);
      const about = word("{size}.", { size: [made.about, size].filter(Boolean).join(word(", ")) });
      this.say(paragraph(about, format.said, made.note ?? ""));
      this.dialog.dataset.made = wanted.format;
    } catch (error) {
      if (turn !== this.turn) return;
      console.warn("live figure: not saved:", error);
      this.shown.replaceChildren();
      this.say(
        error instanceof FalsifiedError
          ? error.message
          : paragraph(
              word("This file could not be made in this browser."),
              word("A smaller size or another kind of file may do."),
            ),
      );
      this.dialog.dataset.made = "failed";
    }
  }

  /** @param {string} format @returns {Promise<Made>} */
  async make(format) {
    await checkFiles();
    const { subject } = this;
    const { meta, texts } = subject;
    const settings = settingsIn(subject.address, [meta.slider?.name, meta.cursor?.name]);
    const about = [meta.name, ...settings, ...texts];
    const look = {
      shape: wanted.shape,
      colours: wanted.colours,
      large: wanted.large,
      caption: wanted.caption,
    };
    const scale = Number(wanted.scale);
    const inLook = [
      ...about,
      ...(look.colours === "print" ? [] : [look.colours]),
      ...shapeInName(look.shape),
    ];
    const figure = () => new Moving(subject.steps, null).at(subject.at.step, subject.at.row);
    switch (format) {
      case "svg": {
        const picture = await lettered(await makePicture(subject, look), subject.font);
        return { blob: svgBlob(picture), name: fileName(inLook, "svg"), about: sizeOf(picture, 1) };
      }
      case "pdf": {
        const picture = await makePicture(subject, look);
        const { blob, pictured, size } = await pdfOf(picture, [meta.name, ...texts].join(" "), subject.font);
        const inches = size.map((points) => Math.round((100 * points) / POINTS_AN_INCH) / 100).join(" × ");
        return {
          blob,
          name: fileName(inLook, "pdf"),
          about: word("{size} inches", { size: inches }),
          shown: svgBlob(await lettered(picture, subject.font)),
          note: asPictures(pictured),
        };
      }
      case "html":
        return {
          blob: await movingFile(subject, {
            plotly: new URL(meta.plotly, document.baseURI).href,
            page: new URL(`moving.html${new URL(import.meta.url).search}`, import.meta.url).href,
            title: [meta.name, ...texts].join(", "),
          }),
          name: fileName([meta.name, ...settings], "html"),
        };
      case "film": {
        const report = (/** @type {string} */ said) => this.say(said);
        const { blob, ending, missing } = await videoBlob(subject, look, report, this.stop.signal);
        return {
          blob,
          name: fileName([meta.name, ...settings, "sweep", ...shapeInName(look.shape)], ending),
          about: ending === "mp4" ? "MP4" : "WebM",
          note: paragraph(
            missing ? word("This computer was busy: {count} pictures are missing.", { count: missing }) : "",
            ending === "mp4" ? "" : word("Slides play MP4 best, which this browser does not record."),
          ),
        };
      }
      case "csv":
      case "npz": {
        const numbers = drawnNumbers(figure());
        const blob = format === "csv" ? csvBlob(numbers) : npzBlob(numbers);
        const isEmpty = !numbers.maps.length && !numbers.lines.length;
        const note = isEmpty ? word("This picture shows none: the file is empty.") : "";
        return { blob, name: fileName(about, format), note };
      }
      default: {
        const picture = await lettered(await makePicture(subject, look), subject.font);
        const blob = await pngBlob(await painted(picture, scale, paintsAlike));
        return { blob, name: fileName(inLook, "png"), about: sizeOf(picture, scale) };
      }
    }
  }

  /** Shows the file itself: a picture, a film, the first lines. @param {Made} made @param {Format} format */
  async show({ blob, name, shown }, format) {
    const url = URL.createObjectURL(shown ?? blob);
    this.dialog.addEventListener("close", () => URL.revokeObjectURL(url));
    const label = element("p", { className: "save-panel-name", textContent: name });
    /** @type {HTMLElement} */
    let seen;
    if (wanted.format === "csv") {
      const lines = (await blob.text()).trimEnd().split("\n");
      const more = lines.length - HEAD_OF_TABLE;
      const rest = more > 0 ? [word("and {count} lines more", { count: more })] : [];
      const text = [...lines.slice(0, HEAD_OF_TABLE), ...rest].join("\n");
      seen = element("pre", { textContent: text, tabIndex: 0 });
    } else if (wanted.format === "film") {
      seen = element("video", { src: url, controls: true, loop: true, muted: true });
      seen.setAttribute("aria-label", format.label);
    } else if (wanted.format === "html") {
      seen = element("iframe", { src: url, title: format.label });
      seen.setAttribute("sandbox", "allow-scripts");
    } else if (format.picture) {
      const image = element("img", { alt: this.subject.meta.alt });
      image.src = url;
      await image.decode();
      seen = image;
    } else {
      const found = await namesInside(blob);
      seen = element("pre", { textContent: found.join("\n"), tabIndex: 0 });
    }
    this.shown.replaceChildren(seen, label);
  }

  download() {
    if (!this.made) return;
    download(this.made.blob, this.made.name);
    this.say(word("{file} was handed to the browser.", { file: this.made.name }));
  }

  async copyPicture() {
    if (!this.made) return;
    try {
      if (!("ClipboardItem" in window)) throw new Error("no clipboard for pictures");
      await navigator.clipboard.write([new ClipboardItem({ "image/png": this.made.blob })]);
      this.say(word("The picture is on the clipboard."));
    } catch (error) {
      console.warn("live figure: not copied:", error);
      this.say(
        word(
          "This browser lets a page copy no picture here: that takes https or localhost. Save the file instead.",
        ),
      );
    }
  }

  /** @param {string} text */
  say(text) {
    this.said.textContent = text;
  }
}

/** @param {string} shape @returns {string[]} nothing for the usual one */
function shapeInName(shape) {
  return shape === "16:9" ? [] : [shape.replace(":", "x")];
}

/** @param {{ width: number, height: number }} size @param {number} scale */
function sizeOf({ width, height }, scale) {
  return word("{width} × {height} pixels", { width: width * scale, height: height * scale });
}

/** What is said of words whose letters no font here has. @param {string[]} words */
function asPictures(words) {
  const told = words.filter((each) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(each)); // not a legend's line
  if (!told.length) return "";
  const list = [...new Set(told)].join(word(", "));
  const some = list.length > MOST_NAMED ? `${list.slice(0, MOST_NAMED)}…` : list;
  return word(
    "Its fonts lack letters of these words, which are pictures as this browser draws them: {words}",
    { words: some },
  );
}

/** The names of the files in an archive, as its own directory lists them. @param {Blob} blob */
async function namesInside(blob) {
  const view = new DataView(await blob.arrayBuffer());
  const names = [];
  let at = view.getUint32(view.byteLength - 6, true);
  while (view.getUint32(at, true) === 0x02014b50) {
    const length = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, at + 46, length));
    names.push(name.replace(/\.npy$/, ""));
    at += 46 + length;
  }
  return names;
}

// ---- elements ----

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} properties
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function element(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

/** @param {string} text @param {() => void} pressed */
function button(text, pressed) {
  const made = element("button", { type: "button", textContent: text });
  made.addEventListener("click", pressed);
  return made;
}

/**
 * @param {"format" | "shape" | "scale" | "colours"} name
 * @param {string} label
 * @param {string[][]} options values and what is said
 */
function radios(name, label, options) {
  const group = element("fieldset", {});
  group.dataset.name = name;
  group.append(element("legend", { textContent: label }));
  for (const [value = "", said = ""] of options) {
    const input = element("input", { type: "radio", name, value, checked: wanted[name] === value });
    group.append(labelled(input, said));
  }
  return group;
}

/** @param {["large" | "caption", string][]} options */
function ticks(options) {
  const group = element("fieldset", {});
  group.dataset.name = "more";
  group.append(element("legend", { textContent: word("More") }));
  for (const [name, said] of options) {
    group.append(labelled(element("input", { type: "checkbox", name, checked: wanted[name] }), said));
  }
  return group;
}

/** @param {HTMLInputElement} input @param {string} said */
function labelled(input, said) {
  const label = element("label", {});
  label.append(input, element("span", { textContent: said }));
  return label;
}
