// Explains words in prose and letters in formulas where they stand, by hover, tap and keyboard. What is drawn there
// is read and never touched: words are marked by the CSS Custom Highlight API, and one card lies over the page.
// What Streamlit calls its elements is filled in by `attn_ui.screen.terms`.

import { word } from "../../attn_live/js/word.js";

const PROSE = "{prose}, .live-says";
const APART = "a, button, label, summary, code, pre, h1, h2, h3, [role=tab], .katex, .st-key-terms";
const FORMULA = "{main} .katex-html";
const DWELL = 180; // milliseconds that a pointer rests before a word is explained
const LEAVE = 260; // that it may take on its way to the card
const MARGIN = 8; // pixels between word, card and window
const CUTS = { mathbb: "bb ", mathbf: "bf " };
const ACCENTS = { "~": "\u0303", "^": "\u0302", ˉ: "\u0304" };
// Functions that formulas name and nobody asks about.
const FUNCTIONS = new Set(["arg", "argmax", "argmin", "cos", "exp", "ln", "log", "max", "min", "sin"]);
const idle = globalThis.requestIdleCallback ?? ((call) => setTimeout(call, 100));

let list; // what the server has, once for a visit and language
let from; // its address
let card;
let shown; // what the card explains: { key, box(), button }

// ---- the list ----

const isHan = (text) => /\p{Script=Han}/u.test(text); // Chinese has no spaces between words
const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const either = (form) =>
  /^\p{Ll}[^_/]/u.test(form)
    ? `[${form[0]}${form[0].toUpperCase()}]${literal(form.slice(1))}`
    : literal(form);
const whole = (form) =>
  `(?<![\\p{L}\\p{N}_-])(?:${form})(?![\\p{L}\\p{N}_]|-[\\p{L}\\p{N}_])`;

// As `attn_ui.base.terms` finds a form that is no part of another word, where names are Chinese.
function bounded(form, [before, notAfter]) {
  const han = "\\p{Script=Han}";
  if (form.length === 1)
    return `(?:(?<!${han})|(?<=[${before}]))${form}(?![${notAfter}])`;
  const letter = `(?!${han})[\\p{L}\\p{N}_]`;
  const begins = isHan(form[0]) ? "" : `(?<!${letter}|-)`;
  const ends = isHan(form.at(-1)) ? "" : `(?!${letter}|-[\\p{L}\\p{N}_])`;
  return begins + either(form) + ends;
}

function prepared({ terms, named, beside }) {
  const forms = new Map();
  for (const term of terms) for (const form of term.forms ?? []) forms.set(form, term);
  const longest = [...forms.keys()].sort((one, other) => other.length - one.length);
  const words = beside
    ? longest.map((form) => bounded(form, beside)).join("|")
    : whole(longest.map(either).join("|"));
  return {
    terms,
    forms,
    words: new RegExp(words, "gu"),
    named: new Set(named),
    keys: new Map(terms.map((term) => [term.key, term])),
  };
}

async function fetched() {
  const address = line().dataset.list;
  const answer = await fetch(new URL(address, document.baseURI));
  if (!answer.ok) throw new Error(`${answer.status}`);
  [list, from] = [prepared(await answer.json()), address];
}

const line = () => document.querySelector(".terms-here");

// What a letter means here: what this view means by it goes before what the page means, and that before all others.
export function meaning(all, symbol, on) {
  const places = ["", on.split(":")[0], on];
  const found = all.terms.filter((term) => term.symbols?.includes(symbol) && places.includes(term.on ?? ""));
  return found.sort((one, other) => places.indexOf(other.on ?? "") - places.indexOf(one.on ?? ""))[0];
}

// ---- words in prose ----

export function* matches(all, text) {
  for (const found of text.matchAll(all.words)) {
    const [form] = found;
    const term = all.forms.get(form) ?? all.forms.get(form[0].toLowerCase() + form.slice(1));
    if (term) yield { term, start: found.index, end: found.index + form.length };
  }
}

function* texts(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.data.trim() && !node.parentElement.closest(APART)) yield node;
}

const prose = () =>
  [...document.querySelectorAll(PROSE)].filter((each) => !each.closest(APART) && each.offsetParent);

function rangeOf(node, start, end) {
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  return range;
}

const inside = ({ left, right, top, bottom }, x, y) => x >= left && x <= right && y >= top && y <= bottom;

function caret(x, y) {
  if (document.caretPositionFromPoint) {
    const at = document.caretPositionFromPoint(x, y);
    return at && [at.offsetNode, at.offset];
  }
  const range = document.caretRangeFromPoint?.(x, y);
  return range && [range.startContainer, range.startOffset];
}

function wordAt(target, x, y) {
  if (!target.closest(PROSE) || target.closest(APART)) return;
  const [node, at] = caret(x, y) ?? [];
  if (node?.nodeType !== Node.TEXT_NODE) return;
  for (const { term, start, end } of matches(list, node.data)) {
    if (at < start || at > end) continue;
    const range = rangeOf(node, start, end);
    if ([...range.getClientRects()].some((box) => inside(box, x, y))) return { term, range };
  }
}

// ---- letters in formulas: what `attn_ui.base.latex` finds in the source, found in what KaTeX has drawn ----

const bare = (node) => node.textContent.replace(/[^\p{L}\p{N}]/gu, "");

function scripts(node) {
  const next = node?.nextElementSibling;
  if (!next?.classList.contains("msupsub")) return {};
  const table = next.querySelector(":scope > .vlist-t");
  const rows = [...(table?.querySelector(":scope > .vlist-r > .vlist")?.children ?? [])];
  return table?.classList.contains("vlist-t2") ? { under: rows[0], over: rows[1] } : { over: rows[0] };
}

// The letter, word or accented letter of a leaf, at one of its characters: { base, node, part }.
function baseOf(leaf, at) {
  const text = leaf.textContent;
  const cut = Object.keys(CUTS).find((name) => leaf.classList.contains(name));
  if (cut) return { base: CUTS[cut] + text, node: leaf };
  const accent = leaf.closest(".accent");
  if (accent) {
    const sign = ACCENTS[accent.querySelector(".accent-body")?.textContent.trim()];
    if (!sign || leaf.closest(".accent-body")) return;
    return { base: (bare(leaf) + sign).normalize("NFC"), node: accent };
  }
  const isWord = leaf.closest(".mathrm, .mop") !== null;
  const base = isWord ? text : text[at];
  if (!/^\p{L}+$/u.test(base ?? "") || FUNCTIONS.has(base)) return;
  return text.length > 1 && !isWord ? { base, node: leaf, part: at } : { base, node: leaf };
}

// The symbol of a leaf, with the subscript where that belongs to it.
function symbolOf(leaf, at = 0) {
  for (let script = leaf.closest(".msupsub"); script; script = script.parentElement?.closest(".msupsub")) {
    const owner = script.previousElementSibling;
    const holder = owner?.classList.contains("mord") || owner?.classList.contains("mop") ? owner : undefined;
    const whole = holder && withScript(holder);
    if (whole && scripts(holder).under.contains(leaf)) return whole;
  }
  if (leaf.closest(".text")) return;
  const found = baseOf(leaf, at);
  if (!found) return;
  return withScript(found.node, found.base) ?? { key: found.base, node: found.node, part: found.part };
}

function withScript(node, base) {
  const { under } = scripts(node);
  const letter = base ?? baseOf(leaves(node)[0] ?? node, 0)?.base;
  if (!under || !letter) return;
  const key = `${letter}_${bare(under)}`;
  return list.named.has(key) ? { key, node: node.parentElement, base: node, under } : undefined;
}

function leaves(root) {
  const every = root.children.length ? [...root.querySelectorAll("*")] : [root];
  return every.filter((each) => !each.children.length && /[\p{L}1]/u.test(each.textContent));
}

// All symbols of what is drawn, in no order, each once.
export function symbolsIn(all, root) {
  list ??= all;
  const found = new Set();
  for (const leaf of leaves(root))
    for (let at = 0; at < leaf.textContent.length; at++) {
      const symbol = symbolOf(leaf, at);
      if (symbol) found.add(symbol.key);
    }
  return [...found];
}

// The letter that is drawn nearest to a point: KaTeX lays boxes over one another, so what is hit need not be it.
function nearest(formula, x, y) {
  let best;
  for (const leaf of leaves(formula)) {
    for (let at = 0; at < leaf.textContent.length; at++) {
      const box = rangeOf(leaf.firstChild, at, at + 1).getBoundingClientRect();
      const off = Math.abs((box.top + box.bottom) / 2 - y);
      if (inside(box, x, y) && (!best || off < best.off)) best = { leaf, at, off };
    }
  }
  return best;
}

function letterAt(target, x, y) {
  const formula = target.closest(FORMULA);
  const hit = formula && nearest(formula, x, y);
  const symbol = hit && symbolOf(hit.leaf, hit.at);
  const term = symbol && meaning(list, symbol.key, line()?.dataset.on ?? "");
  if (!term) return;
  const range = document.createRange();
  if (symbol.part !== undefined) {
    range.setStart(symbol.node.firstChild, symbol.part);
    range.setEnd(symbol.node.firstChild, symbol.part + 1);
  } else if (symbol.under) {
    range.setStartBefore(symbol.base);
    range.setEndAfter(symbol.under);
  } else range.selectNodeContents(symbol.node);
  return { term, range };
}

// ---- marks ----

function mark(name, ranges) {
  if (!globalThis.Highlight || !CSS.highlights) return;
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}

// Where a system forces its colours, whatever is marked is painted as if it were selected, and no style prevents it.
const forced = matchMedia("(forced-colors: active)");

// Each term's first place in a block of prose is underlined; a range that is fixed is left out when its text changes.
function underline() {
  if (!globalThis.Highlight) return;
  if (forced.matches) return mark("terms", []);
  const ranges = [];
  for (const block of prose()) {
    const known = new Set();
    for (const node of texts(block))
      for (const { term, start, end } of matches(list, node.data)) {
        if (known.has(term)) continue;
        known.add(term);
        ranges.push(
          new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end }),
        );
      }
  }
  mark("terms", ranges);
}

// ---- the card ----

function runs(written) {
  const tags = { i: "i", sub: "sub", sup: "sup" };
  return written.map(([text, role]) => {
    if (!role) return document.createTextNode(text);
    const node = document.createElement(tags[role]);
    node.textContent = text;
    return node;
  });
}

function element(tag, name, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...children);
  return node;
}

function notation(term) {
  const found = [];
  const say = (label, ...nodes) => found.push(element("span", "", `${label} `, ...nodes));
  if (term.paper) say(word("in papers"), element("span", "term-formula", ...runs(term.paper)));
  if (term.ours) say(word("here"), element("span", "term-formula", ...runs(term.ours)));
  for (const code of term.code ?? []) say(word("in code"), element("code", "", code));
  return element("p", "term-notation", ...found);
}

function made() {
  card = element("div", "term-card");
  card.id = "term-card";
  card.setAttribute("role", "dialog");
  card.hidden = true;
  document.body.append(card);
  card.addEventListener("pointerenter", () => clearTimeout(leaving));
  card.addEventListener("pointerleave", leaveSoon);
  card.addEventListener("keydown", (event) => {
    if (event.key === "Tab" && shown?.button) {
      event.preventDefault();
      const { button } = shown;
      close();
      button.focus();
    }
  });
  return card;
}

function fill(term) {
  const [label, address] = term.see;
  const link = element("a", "", label);
  link.href = address;
  const name = element("strong", "", term.name);
  card.replaceChildren(
    element("p", "", name, ...(term.english ? [` ${term.english}`] : [])),
    notation(term),
    element("p", "", ...runs(term.says)),
    element("p", "", link),
  );
  card.setAttribute("aria-label", term.name);
  const app = getComputedStyle(document.querySelector(line()?.dataset.app ?? "body"));
  card.style.setProperty("--paper", app.backgroundColor);
  card.style.color = app.color;
  card.style.fontFamily = app.fontFamily;
}

function put() {
  const box = shown.box();
  const view = { width: document.documentElement.clientWidth, height: window.innerHeight };
  if (!box.width || box.bottom < 0 || box.top > view.height) return close();
  const { offsetWidth: width, offsetHeight: height } = card;
  const left = Math.max(MARGIN, Math.min(box.left, view.width - width - MARGIN));
  const below = box.bottom + MARGIN;
  const top = below + height <= view.height || box.top < height + MARGIN ? below : box.top - height - MARGIN;
  card.style.left = `${left}px`;
  card.style.top = `${Math.max(MARGIN, Math.min(top, view.height - height - MARGIN))}px`;
}

function open(term, box, { range, button } = {}) {
  clearTimeout(leaving);
  if (!card?.isConnected) made();
  if (shown?.button !== button) shown?.button?.setAttribute("aria-expanded", "false");
  shown = { term, box, button };
  fill(term);
  card.hidden = false;
  mark("term-now", range ? [range] : []);
  button?.setAttribute("aria-expanded", "true");
  put();
}

function close() {
  clearTimeout(leaving);
  if (!shown) return;
  shown.button?.setAttribute("aria-expanded", "false");
  shown = undefined;
  card.hidden = true;
  mark("term-now", []);
}

// ---- hand and pointer ----

let resting;
let leaving;
let isLeaving = false;

function leaveSoon() {
  clearTimeout(leaving);
  if (shown && !card.contains(document.activeElement) && shown.button !== document.activeElement)
    leaving = setTimeout(close, LEAVE);
}

function look(target, x, y) {
  const found = target.isConnected && (letterAt(target, x, y) ?? wordAt(target, x, y));
  if (!found) return false;
  if (shown?.term !== found.term || shown.button)
    open(found.term, () => found.range.getBoundingClientRect(), found);
  clearTimeout(leaving);
  return true;
}

const button = (target) => (target instanceof Element ? target.closest(".terms-here button") : null);
const termOf = (node) => list.keys.get(node.dataset.term);

function explainButton(node) {
  open(termOf(node), () => node.getBoundingClientRect(), { button: node });
}

function onMove({ target, clientX, clientY, pointerType, buttons }) {
  clearTimeout(resting);
  if (pointerType === "touch" || buttons || !(target instanceof Element) || card?.contains(target)) return;
  const isText = target.closest(`${PROSE}, ${FORMULA}`);
  if (button(target) === shown?.button && shown?.button) return;
  if (!isText) return leaveSoon();
  resting = setTimeout(() => look(target, clientX, clientY) || leaveSoon(), DWELL);
}

function onClick(event) {
  const { target, clientX, clientY } = event;
  if (!(target instanceof Element) || card?.contains(target)) return;
  const node = button(target);
  if (node) {
    explainButton(node);
    if (event.detail === 0) card.querySelector("a").focus(); // by the keyboard
    return;
  }
  if (!target.closest("a, button, input, label, summary") && look(target, clientX, clientY)) return;
  close();
}

function onKey(event) {
  if (event.key !== "Escape" || !shown) return;
  const { button: from } = shown;
  const was = card.contains(document.activeElement);
  close();
  isLeaving = true; // a button that gets the focus back explains nothing by that
  if (was) from?.focus();
  isLeaving = false;
  event.preventDefault();
  event.stopPropagation(); // and nothing else is left by it
}

// ---- the line of all that occurs here ----

let unfolded = false;

function occurring(here) {
  const found = new Set(here.dataset.here.split("|").map((key) => list.keys.get(key)));
  for (const block of prose())
    for (const node of texts(block)) for (const { term } of matches(list, node.data)) found.add(term);
  for (const formula of document.querySelectorAll(FORMULA))
    if (formula.offsetParent !== null || formula.getClientRects().length)
      for (const key of symbolsIn(list, formula)) found.add(meaning(list, key, here.dataset.on));
  found.delete(undefined);
  return [...found];
}

function unfold(here) {
  const room = here.querySelector("div");
  const terms = occurring(here);
  const present = [...room.children].map((each) => each.dataset.term);
  if (terms.map((term) => term.key).join("|") === present.join("|")) return;
  const focused = room.contains(document.activeElement) ? document.activeElement.dataset.term : undefined;
  room.replaceChildren(
    ...terms.map((term) => {
      const node = element("button", "", term.name);
      node.type = "button";
      node.dataset.term = term.key;
      node.ariaHasPopup = "dialog";
      node.setAttribute("aria-expanded", "false");
      node.setAttribute("aria-describedby", "term-card");
      if (term.ours && (term.on?.includes(":") ?? false)) node.replaceChildren(...runs(term.ours));
      return node;
    }),
  );
  if (focused) [...room.children].find((each) => each.dataset.term === focused)?.focus();
}

async function refresh() {
  const here = line();
  if (!here) return close();
  if (unfolded && !here.open) here.open = true; // a run has drawn it anew
  try {
    if (!list || from !== here.dataset.list) await fetched();
  } catch {
    if (here.open)
      here.querySelector("div").textContent = word("The list could not be fetched: the server does not answer.");
    return;
  }
  if (shown && !shown.box().width) close();
  if (here.open) unfold(here);
  underline();
}

// ---- begin ----

let due;
const soon = (wait) => {
  clearTimeout(due);
  due = setTimeout(() => idle(refresh), wait);
};

export function begin() {
  document.addEventListener("pointermove", (event) => list && onMove(event), { passive: true });
  document.addEventListener("click", (event) => list && onClick(event));
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("scroll", () => shown && put(), { capture: true, passive: true });
  window.addEventListener("resize", () => shown && put());
  window.addEventListener("popstate", close);
  forced.addEventListener("change", () => list && underline());
  document.addEventListener("focusin", ({ target }) => {
    const node = button(target);
    if (node && list && !isLeaving) explainButton(node);
    else if (shown?.button && !card.contains(target)) close();
  });
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (target !== line()) return;
      unfolded = target.open;
      if (unfolded) refresh();
      else close();
    },
    true,
  );
  // What is said changes with each run, and while a slider moves.
  const run = new MutationObserver(() => {
    soon(250);
    setTimeout(() => soon(0), 1600); // what the browser fetched for it, as KaTeX, has drawn by then
  });
  const says = new MutationObserver(() => soon(350));
  const app = document.querySelector(line().dataset.app);
  run.observe(app, { attributes: true, attributeFilter: ["{state}"] });
  const watched = new WeakSet();
  const watch = () => {
    for (const node of document.querySelectorAll(".live-says"))
      if (!watched.has(node)) {
        watched.add(node);
        says.observe(node, { childList: true });
      }
  };
  new MutationObserver(watch).observe(app, { attributes: true, attributeFilter: ["{state}"] });
  watch();
  made();
  unfolded = line().open;
  return refresh();
}
