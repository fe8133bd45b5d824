// The browser's history in steps that a person would count: a page, and a view of it. Streamlit adds an entry
// for every setting that the server writes into the address, and clears the settings of a page on the way out
// of it; here both are written into the entry that stands.
//
// The server answers with the whole address as it was when its run was asked for. Of a setting that the browser
// has written meanwhile, what it says is an echo, and what the browser has stays.
(() => {
  if (window.stepsOfHistory) return;
  window.stepsOfHistory = true;
  const { pushState, replaceState } = History.prototype;
  let acted = false; // whether the person did anything since this entry was made
  let settled = window.location.href; // the address when they last did

  const act = () => {
    acted = true;
    settled = window.location.href;
    forget();
  };
  for (const kind of ["pointerdown", "keydown", "click"]) window.addEventListener(kind, act, true);
  const travel = () => {
    acted = false;
    travels = true;
  };
  window.addEventListener("popstate", travel, true);

  const written = new Map(); // by setting, its texts since the page was last at rest, the one before them too
  let travels = false; // back or forth since then: whatever the server says is news
  const forget = () => {
    if (!document.querySelector(window.pageAtRest)) return;
    written.clear();
    travels = false;
  };
  const text = (url, name) => url.searchParams.getAll(name).join("\n");

  const note = (here, there) => {
    forget();
    for (const name of new Set([...here.searchParams.keys(), ...there.searchParams.keys()])) {
      if (text(here, name) === text(there, name)) continue;
      if (!written.has(name)) written.set(name, new Set([text(here, name)]));
      written.get(name).add(text(there, name));
    }
  };

  const dropEchoes = (here, there) => {
    for (const [name, texts] of written) {
      if (!texts.has(text(there, name)) || text(there, name) === text(here, name)) continue;
      there.searchParams.delete(name);
      for (const each of here.searchParams.getAll(name)) there.searchParams.append(name, each);
    }
  };

  const pathOf = (url) => new URL(url).pathname;
  const view = (url) => window.viewsOfPage.map((name) => url.searchParams.get(name)).join("\n");

  const write = (state, title, to) => {
    const here = new URL(window.location.href);
    const there = new URL(to ?? here, here);
    const leaves = there.pathname !== here.pathname;
    if (leaves) written.clear();
    else if (typeof to !== "string" || !to.startsWith("/")) note(here, there);
    else if (!travels) dropEchoes(here, there); // the server's
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
