// Words in a row that are dragged into another order, with a finger or a mouse, or moved by keys.

import { word } from "../../attn_live/js/word.js";

const TOLD_AFTER = 400; // ms without another move
const OWN_FOR = 1500; // ms in which what comes back from the server is older than what is shown
const rows = new WeakMap(); // what each element shows

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".word-order");
  const known = rows.get(root);
  const same = known && known.words.join("\n") === data.words.join("\n");
  if (same && (Date.now() - known.movedAt < OWN_FOR || known.order.join() === data.order.join())) return;
  const row = { words: data.words, order: [...data.order], movedAt: 0, timer: 0 };
  rows.set(root, row);
  const list = document.createElement("ol");
  list.setAttribute("aria-label", data.about);
  const said = document.createElement("p");
  said.className = "word-order-said";
  said.setAttribute("aria-live", "polite");
  const items = data.words.map((name) => {
    const [item, button] = ["li", "button"].map((tag) => document.createElement(tag));
    Object.assign(button, { type: "button", textContent: name });
    item.append(button);
    return item;
  });
  list.append(...row.order.map((place) => items[place]));
  root.replaceChildren(list, said);

  const name = () => {
    for (const [at, place] of row.order.entries()) {
      items[place].firstChild.setAttribute(
        "aria-label",
        word("{word}, {place} of {count}; arrow keys move it", { word: data.words[place], place: at + 1, count: row.order.length }),
      );
    }
  };
  const move = (place, to) => {
    const from = row.order.indexOf(place);
    if (to === from || to < 0 || to >= row.order.length) return;
    row.order.splice(from, 1);
    row.order.splice(to, 0, place);
    // What moves keeps the focus, so the others are moved around it.
    const item = items[place];
    for (const before of row.order.slice(0, to)) list.insertBefore(items[before], item);
    for (const after of row.order.slice(to + 1)) list.append(items[after]);
    row.movedAt = Date.now();
    name();
    said.textContent = word("{word} is now {place} of {count}", { word: data.words[place], place: to + 1, count: row.order.length });
    clearTimeout(row.timer);
    row.timer = setTimeout(() => setStateValue("order", { order: [...row.order] }), TOLD_AFTER);
  };
  /** Where a dragged word belongs: past another one once the pointer is over that one's middle, so that a wide one does not swing. */
  const under = (dragged, { clientX, clientY }) => {
    const from = row.order.indexOf(dragged);
    const own = items[dragged].getBoundingClientRect();
    return row.order.findIndex((place, at) => {
      const box = items[place].getBoundingClientRect();
      if (clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom) return false;
      const middle = (box.left + box.right) / 2;
      return box.top !== own.top || (at > from ? clientX > middle : clientX < middle);
    });
  };

  for (const [place, item] of items.entries()) {
    const button = item.firstChild;
    button.addEventListener("pointerdown", (event) => {
      if (!event.isPrimary || event.button) return;
      button.setPointerCapture(event.pointerId);
      item.classList.add("word-held");
    });
    button.addEventListener("pointermove", (event) => {
      if (!button.hasPointerCapture(event.pointerId)) return;
      const to = under(place, event);
      if (to >= 0) move(place, to);
    });
    for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => item.classList.remove("word-held"));
    button.addEventListener("keydown", (event) => {
      const at = row.order.indexOf(place);
      const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: row.order.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      move(place, to);
    });
  }
  name();
}
