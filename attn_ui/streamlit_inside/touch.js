// A finger that touches one of Streamlit's sliders and then scrolls has set nothing: the old values come back. Until
// it is known where it goes, the slider hears of no move: it sets a moment later, when the finger was taken away.
(() => {
  if (window.slidersLetScroll) return;
  window.slidersLetScroll = true;
  const SLACK = 16; // pixels; after fewer a browser knows that a finger scrolls
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set; // React's own hides it
  let touched = []; // thumbs with their values, by the finger that is down
  let from = null; // where it came down, until it sets one of them

  const onTouch = ({ target, isPrimary, pointerType, clientX, clientY }) => {
    if (!isPrimary) return;
    const thumbs = target.closest?.("[data-testid=stSlider]")?.querySelectorAll("input[type=range]") ?? [];
    touched = [...thumbs].map((thumb) => [thumb, thumb.value]);
    from = touched.length && pointerType !== "mouse" ? { clientX, clientY } : null;
  };
  const onMove = (event) => {
    if (!from || !event.isPrimary) return;
    const [right, down] = [event.clientX - from.clientX, event.clientY - from.clientY].map(Math.abs);
    if (right >= SLACK && right > down) from = null;
    else event.stopImmediatePropagation();
  };
  const giveBack = () => {
    for (const [thumb, value] of touched) {
      if (thumb.value === value) continue;
      setValue.call(thumb, value);
      thumb.dispatchEvent(new Event("input", { bubbles: true }));
    }
    touched = [];
    from = null;
  };
  window.addEventListener("pointerdown", onTouch, true);
  window.addEventListener("pointermove", onMove, true);
  window.addEventListener("pointerup", () => (from = null), true);
  window.addEventListener("pointercancel", giveBack, true); // before the slider tells of where it stands
})();
