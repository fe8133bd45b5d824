import { word } from "../../attn_live/js/word.js";

const MOST = 8; // that are shown
// What is meant before all else by an exact name.
const first = () => [word("term"), word("page")];
const opened = new WeakSet();
const lists = new Map(); // by their addresses, each once for a visit: another language has another

const bare = (text) =>
  text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "").replace(/[^\p{L}\p{N}√]+/gu, " ").trim();
const isHan = (text) => /^\p{Script=Han}+$/u.test(text); // Chinese has no spaces between words
const closed = (text) => bare(text).replaceAll(" ", "");
const SMALL = new Set("a an and as at by for from in is it of on or the to via what with".split(" "));
// Words without their plural, and without small ones where others are left.
const words = (text) => {
  const all = bare(text).split(" ").map((each) => each.replace(/ies$/, "y").replace(/([^su])s$/, "$1"));
  const large = all.filter((each) => !SMALL.has(each));
  return large.length ? large : all;
};

// One line of the list, as it is compared.
export const entry = ([names, kind, place, others = []]) => ({
  names,
  kind,
  place,
  closed: [...names, ...others].map(closed),
  parts: [...names, ...others].map(words),
  words: names.flatMap(words),
  more: [...others, kind].flatMap(words),
});

async function everything(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${address}`);
  return (await answer.json()).map(entry);
}

// Whether two words differ by one slip of the pen: a letter put in, left out, another, or two that changed places.
function isSlip(one, other) {
  const shorter = Math.min(one.length, other.length);
  let [start, end] = [0, 0];
  while (start < shorter && one[start] === other[start]) start++;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one, other].map((word) => word.slice(start, word.length - end));
  return Math.max(left.length, right.length) < 2 || left.length === 2 && left === right.at(-1) + right[0];
}

// How well something answers what was typed: 0 by its very name, 1 a name begins so, 2 words do, 3 with the page;
// else 4 but for a slip of the pen, or up to 5 by the names that stand in it, the longest first.
function rank(each, typed) {
  const whole = closed(typed), said = words(typed);
  if (each.closed.includes(whole) || each.parts.some((name) => name.join(" ") === said.join(" "))) return 0;
  if (each.closed.some((name) => name.startsWith(whole))) return 1;
  const begins = (of) => said.every((part) => of.some((other) => other.startsWith(part) || isHan(part) && other.includes(part)));
  if (begins(each.words)) return 2;
  if (begins([...each.words, ...each.more])) return 3;
  if (whole.length > 4 && each.closed.some((name) => isSlip(name, whole))) return 4;
  const letters = (name) => (`${name}` !== "attention" && name.every((part) => said.some((one) => part.length > 3 ? one.startsWith(part) : one === part)) ? name.join("").length : 0);
  const most = Math.max(...each.parts.map(letters));
  return most > 2 ? 4 + 1 / most : Number.POSITIVE_INFINITY;
}

// All that answers, the best first.
export function matches(list, typed) {
  if (!closed(typed)) return [];
  const ranked = list.map((each) => [rank(each, typed), each]).filter(([at]) => Number.isFinite(at));
  ranked.sort(([one], [other]) => one - other); // of equal ones the order of the list stays
  const sure = ranked.filter(([at]) => at < 4); // what is guessed stands alone
  return (sure.length ? sure : ranked).map(([at, each]) => ({ ...each, rank: at }));
}

// What Enter goes to: what has this very name, or is the only one; undefined where it must be chosen.
export function meant(found) {
  const exact = found.filter((each) => each.rank === 0);
  const best = exact.filter((each) => first().includes(each.kind));
  const one = (some) => new Set(some.map((each) => each.place)).size === 1;
  return [best, exact, found].find(one)?.[0];
}

// A step of the browser's history, and to the app what Forward is: there the address is right in all that it says
// and in all that it leaves out, and the session stays.
export function go(address) {
  const there = new URL(address, document.baseURI);
  if (there.href === window.location.href) return;
  History.prototype.pushState.call(window.history, null, "", there);
  window.dispatchEvent(new PopStateEvent("popstate", { state: null }));
}

function line(each, leave) {
  const link = document.createElement("a");
  link.href = each.place;
  const name = document.createElement("strong");
  name.textContent = each.names[0];
  const about = document.createElement("span");
  about.textContent = [...each.names.slice(1), each.kind].join(" · ");
  link.append(name, about);
  link.onclick = (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    leave(each.place);
  };
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function say(found, typed) {
  if (!closed(typed)) return "";
  if (!found.length) return word("Nothing here is called “{typed}”.", { typed: typed.trim() });
  if (found.length > MOST) return word("{most} of {count} are shown; type more to find fewer.", { most: MOST, count: found.length });
  return found.length === 1 ? word("1 found.") : word("{count} found.", { count: found.length });
}

export async function open(field) {
  if (opened.has(field)) return;
  opened.add(field);
  const box = field.closest(".search");
  const [said, list] = box.querySelectorAll("[aria-live], ul");
  const app = document.querySelector(box.dataset.app);
  let found = [];

  const paint = () => box.style.setProperty("--paper", getComputedStyle(app).backgroundColor);
  paint();
  new MutationObserver(paint).observe(app, { attributes: true, attributeFilter: ["class"] }); // another theme
  const close = () => {
    delete box.dataset.open;
    said.textContent = "";
    list.replaceChildren();
  };
  const leave = (address) => {
    field.value = "";
    close();
    if (box.contains(document.activeElement)) document.activeElement.blur();
    go(address);
  };
  const look = async () => {
    const typed = field.value;
    const address = box.dataset.list;
    try {
      if (!lists.has(address)) lists.set(address, everything(new URL(address, document.baseURI)));
      found = matches(await lists.get(address), typed);
    } catch {
      lists.delete(address); // again with the next letter
      found = [];
      box.dataset.open = "";
      said.textContent = word("The list could not be fetched: the server does not answer.");
      return;
    }
    if (typed !== field.value) return;
    box.toggleAttribute("data-open", Boolean(closed(typed)));
    said.textContent = say(found, typed);
    list.replaceChildren(...found.slice(0, MOST).map((each) => line(each, leave)));
  };
  const enter = async () => {
    await look();
    const one = meant(found);
    if (one) leave(one.place);
    else list.querySelector("a")?.focus();
  };

  field.addEventListener("input", look);
  box.addEventListener("focusin", ({ target }) => target === field && look());
  box.addEventListener("focusout", ({ relatedTarget }) => !box.contains(relatedTarget) && close());
  box.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (event.key === "Enter" && event.target === field) enter();
    else if (event.key === "Escape") {
      field.value = "";
      field.focus();
      close();
    } else if (to !== undefined) (to < 0 ? field : links[Math.min(to, links.length - 1)])?.focus();
    else return;
    if (event.key !== "Enter") event.preventDefault();
    event.stopPropagation(); // no key is a command to the page meanwhile
  });
  await look();
  if (field.dataset.pressed === "Enter") enter();
}
