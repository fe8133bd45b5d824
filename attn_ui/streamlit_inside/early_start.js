// Should the picture before the app be late, or whatever chooses it fail: the app does not wait for it.

const MOST_WAITED_MILLISECONDS = 700;

setTimeout(() => {
  const later = document.querySelector("template[data-later]");
  if (later instanceof HTMLTemplateElement) later.replaceWith(document.importNode(later.content, true));
}, MOST_WAITED_MILLISECONDS);
