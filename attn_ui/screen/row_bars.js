// Bars of one row of weights: whoever drags one leaves the rest to the others, so that they always sum to one.

import { Finger } from "../../attn_live/js/finger.js";

const ALL = 100; // hundredths, so that what is shown sums to one too
const rows = new WeakMap(); // what each element shows: which question, and its shares

export default function ({ parentElement, data, setStateValue }) {
  const list = parentElement.querySelector(".row-bars");
  const known = rows.get(list);
  if (known?.turn === data.turn) return;
  const shares = spread(data.labels.map(() => 1), ALL);
  const row = { turn: data.turn, shares, told: shares, basis: [], held: -1 };
  rows.set(list, row);
  list.setAttribute("aria-label", data.about);
  const bars = data.labels.map((label, i) => bar(label, `row-bar-${data.turn}-${i}`));
  list.replaceChildren(...bars.map(({ node }) => node));
  const show = () => {
    for (const [i, { input, output }] of bars.entries()) {
      const share = row.shares[i];
      if (Number(input.value) !== share) input.value = String(share);
      output.textContent = (share / ALL).toFixed(2);
      input.setAttribute("aria-valuetext", output.textContent);
      input.style.setProperty("--share", `${share}%`);
    }
  };
  for (const [i, { input }] of bars.entries()) {
    let stood = row.shares; // when it was touched
    const set = () => {
      if (row.held !== i) Object.assign(row, { held: i, basis: [...row.shares] });
      const own = Number(input.value);
      const others = spread(row.basis.toSpliced(i, 1), ALL - own);
      row.shares = others.toSpliced(i, 0, own);
      show();
    };
    const back = () => {
      row.shares = stood;
      show();
    };
    const finger = new Finger(input, { touched: () => (stood = row.shares), set, back });
    input.addEventListener("input", () => finger.waits || set());
    input.addEventListener("change", () => {
      if (row.shares.join() === row.told.join()) return; // a finger scrolled over it
      row.told = row.shares;
      setStateValue("shares", { turn: row.turn, shares: row.shares.map((share) => share / ALL) });
    });
  }
  show();
}

/** Shares out a whole number as these parts are to one another, in whole numbers; evenly where all are nothing. */
function spread(parts, whole) {
  const sum = parts.reduce((all, part) => all + part, 0);
  const exact = parts.map((part) => (sum ? (whole * part) / sum : whole / parts.length));
  const shares = exact.map(Math.floor);
  const short = whole - shares.reduce((all, share) => all + share, 0);
  const order = exact.map((_, i) => i).sort((a, b) => exact[b] - shares[b] - (exact[a] - shares[a]) || a - b);
  for (const i of order.slice(0, short)) shares[i] += 1;
  return shares;
}

function bar(label, id) {
  const node = document.createElement("div");
  const [name, input, output] = ["label", "input", "output"].map((tag) => document.createElement(tag));
  name.textContent = label;
  name.htmlFor = id;
  Object.assign(input, { id, type: "range", min: "0", max: String(ALL), step: "1" });
  output.setAttribute("aria-hidden", "true"); // the bar itself says it
  node.append(name, input, output);
  return { node, input, output };
}
