// Half a character, as of an emoji that was cut, is no text: a message with one in it would end the connection.
(() => {
  if (window.lettersAreWhole) return;
  window.lettersAreWhole = true;
  const mend = ({ target }) => {
    if (target.value?.isWellFormed?.() !== false) return;
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value"); // React's own hides it
    set.call(target, target.value.toWellFormed());
  };
  window.addEventListener("input", mend, true);
})();
