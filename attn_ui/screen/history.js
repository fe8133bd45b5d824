// The browser's history in steps that a person would count: a page, and a view of it. Streamlit adds an entry
// for every setting that the server writes into the address, and clears the settings of a page on the way out
// of it; here both are written into the entry that stands.
(() => {
  if (window.stepsOfHistory) return;
  window.stepsOfHistory = true;
  const { pushState, replaceState } = History.prototype;
  let acted = false; // whether the person did anything since this entry was made
  let settled = window.location.href; // the address when they last did

  const act = () => {
    acted = true;
    settled = window.location.href;
  };
  for (const kind of ["pointerdown", "keydown", "click"]) window.addEventListener(kind, act, true);
  window.addEventListener("popstate", () => (acted = false), true);

  const pathOf = (url) => new URL(url).pathname;
  const view = (url) => window.viewsOfPage.map((name) => url.searchParams.get(name)).join("\n");

  const write = (state, title, to) => {
    const here = new URL(window.location.href);
    const there = new URL(to ?? here, here);
    const leaves = there.pathname !== here.pathname;
    // A page may first lose its view, which looks like choosing another: that entry is then the new page's.
    if (acted && (leaves || view(there) !== view(here))) {
      if (pathOf(settled) === here.pathname) replaceState.call(window.history, window.history.state, title, settled);
      pushState.call(window.history, state, title, there);
      acted = false;
    } else {
      replaceState.call(window.history, state, title, there);
    }
  };
  window.history.pushState = write;
  window.history.replaceState = write;
})();
