// A table, program or formula that is wider than its room is scrolled by keyboard: it takes the focus, and says what it is.

import { word } from "../../attn_live/js/word.js";

(() => {
  const PROGRAMS = ".stMain .stCode pre";
  const BOXES = `.stMain :is([data-testid=stMarkdownContainer] table, .katex-display), ${PROGRAMS}`;
  const STEP = 40; // pixels

  const nameOf = (box) => {
    if (box.tagName === "PRE") return word("Code, wider than its room");
    if (box.tagName === "SPAN") return word("Formula, wider than its room");
    const columns = [...box.querySelectorAll("th")].map((head) => head.innerText.trim()).filter(Boolean);
    return word("Table, wider than its room: {columns}", { columns: columns.join(word(", ")) });
  };
  const mark = () => {
    for (const box of document.querySelectorAll(BOXES)) {
      const scrolls = box.scrollWidth > box.clientWidth + 1;
      if (scrolls !== box.hasAttribute("tabindex")) {
        if (scrolls) {
          box.tabIndex = 0;
          box.ariaLabel = nameOf(box);
        } else {
          box.removeAttribute("tabindex");
          box.removeAttribute("aria-label");
        }
        if (box.tagName !== "TABLE") box.role = scrolls ? "group" : null;
        if (box.tagName === "PRE") {
          // Streamlit's own stop is the box around it, which does not scroll: one stop is enough.
          box.closest(".stCode").tabIndex = scrolls ? -1 : 0;
        }
      }
    }
    watchPrograms();
  };
  // Colouring a program, or another one in its place, changes its lines and not always how high the page is.
  const watchPrograms = () => {
    for (const lines of document.querySelectorAll(`${PROGRAMS} code`)) {
      if (watched.has(lines)) continue;
      watched.add(lines);
      window.scrollers.observe(lines);
    }
  };
  const watched = new WeakSet();
  const onKey = (event) => {
    if (event.key === "Tab") mark(); // another table may stand in its place
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (!step || !event.target.matches?.(`:is(${BOXES})[tabindex]`)) return;
    event.target.scrollBy({ left: step });
    event.preventDefault();
    event.stopImmediatePropagation(); // a page may step its view by the same keys
  };
  if (!window.scrollers) {
    window.scrollers = new ResizeObserver(mark); // no slider changes how high a page is
    window.addEventListener("keydown", onKey, true);
  }
  const page = document.querySelector(".stMainBlockContainer");
  if (page) window.scrollers.observe(page);
})();
