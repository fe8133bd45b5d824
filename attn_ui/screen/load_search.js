// The search field, links of the glossary and the steps of a lesson: what they need is fetched when they are first used.
(() => {
  if (window.searchesByName) return;
  window.searchesByName = true;
  const load = () => import(new URL(document.querySelector(".search").dataset.module, document.baseURI));
  const isField = (target) => target instanceof Element && target.matches(".search input");

  // The next step of a lesson begins at its top, for eyes and for the keyboard.
  const arrive = () => {
    const before = document.querySelector(".lesson-head h2")?.textContent;
    const watch = new MutationObserver(() => {
      const title = document.querySelector(".lesson-head h2");
      if (!title || title.textContent === before) return;
      watch.disconnect();
      document.querySelector(".st-key-lesson").scrollTop = 0;
      if (document.querySelector(".live-figure[data-projector]")) return; // it has the keys
      title.tabIndex = -1;
      title.focus({ preventScroll: true });
    });
    watch.observe(document.body, { childList: true, subtree: true, characterData: true });
    setTimeout(() => watch.disconnect(), 20_000);
  };

  document.addEventListener("focusin", async ({ target }) => {
    if (isField(target)) (await load()).open(target);
  });
  // Pressed before the script is there: it looks for this.
  document.addEventListener("keydown", ({ target, key }) => {
    if (isField(target)) target.dataset.pressed = key;
  });
  document.addEventListener("click", async (event) => {
    const lists = ".st-key-terms, .st-key-lesson, .st-key-lessons, .term-card";
    const link = event.target instanceof Element && event.target.closest(`:is(${lists}) a[href]`);
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.closest(".st-key-lesson")) arrive();
    try {
      (await load()).go(link.href);
    } catch {
      window.location.assign(link.href); // where there is no field: embedded
    }
  });
})();
