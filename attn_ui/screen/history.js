// The browser's history in steps that a person would count: a page, and each change of it that has settled. Streamlit
// adds an entry for what the server writes into the address and none for what a control does, and clears the settings of
// a page on the way out of it; here what one act changes is one entry, and so is a setting that is moved on and on.
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
    moved = ""; // what is changed from here on goes on from nothing
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

  const differing = (here, there) =>
    [...new Set([...here.searchParams.keys(), ...there.searchParams.keys()])].filter(
      (name) => text(here, name) !== text(there, name),
    );

  const note = (here, there) => {
    forget();
    for (const name of differing(here, there)) {
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
  const TOGETHER = 1000; // milliseconds
  const SIGHT = "zoom"; // where a long map is looked at: to move there is no step
  let moved = ""; // the settings that the last entry changed
  let last = 0; // when they were written last

  const write = (state, title, to) => {
    const here = new URL(window.location.href);
    const there = new URL(to ?? here, here);
    const leaves = there.pathname !== here.pathname;
    if (leaves) written.clear();
    else if (typeof to !== "string" || !to.startsWith("/")) note(here, there);
    else if (!travels) dropEchoes(here, there); // the server's
    const changed = differing(here, there)
      .filter((name) => name !== SIGHT)
      .join();
    const goesOn = !leaves && changed === moved && performance.now() - last < TOGETHER;
    if (changed) last = performance.now();
    // A page may first lose a setting, which looks like a change of it: that entry is then the new page's.
    const isStep = acted && (leaves || changed) && !goesOn;
    if (changed || leaves) acted = false;
    if (!isStep) return replaceState.call(window.history, state, title, there);
    moved = changed;
    if (pathOf(settled) === here.pathname) replaceState.call(window.history, window.history.state, title, settled);
    pushState.call(window.history, state, title, there);
  };
  window.history.pushState = write;
  window.history.replaceState = write;
})();
