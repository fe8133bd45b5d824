// A table that is wider than its room can be scrolled by keyboard: it takes the focus, and says what it is.
(() => {
  const TABLES = ".stMain [data-testid=stMarkdownContainer] table";
  const STEP = 40; // pixels

  const mark = () => {
    for (const table of document.querySelectorAll(TABLES)) {
      const scrolls = table.scrollWidth > table.clientWidth + 1;
      if (scrolls === table.hasAttribute("tabindex")) continue;
      if (scrolls) {
        const columns = [...table.querySelectorAll("th")].map((head) => head.innerText.trim()).filter(Boolean);
        table.tabIndex = 0;
        table.ariaLabel = `Table, wider than its room: ${columns.join(", ")}`;
      } else {
        table.removeAttribute("tabindex");
        table.removeAttribute("aria-label");
      }
    }
  };
  const onKey = (event) => {
    if (event.key === "Tab") mark(); // another table may stand in its place
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (!step || !event.target.matches?.(`${TABLES}[tabindex]`)) return;
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
