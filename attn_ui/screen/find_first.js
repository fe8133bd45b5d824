// The search field, links of the glossary and the steps of a lesson: what they need is fetched when they are first used.
(() => {
  if (window.findsByName) return;
  window.findsByName = true;
  const load = () => import(new URL(document.querySelector(".find").dataset.module, document.baseURI));
  const isField = (target) => target instanceof Element && target.matches(".find input");

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
    try {
      (await load()).go(link.href);
    } catch {
      window.location.assign(link.href); // where there is no field: embedded
    }
  });
})();
