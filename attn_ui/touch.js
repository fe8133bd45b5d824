// A finger that touches one of Streamlit's sliders and then scrolls has set nothing: the old values come back.
(() => {
  if (window.slidersLetScroll) return;
  window.slidersLetScroll = true;
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set; // React's own hides it
  let touched = []; // thumbs with their values, by the finger that is down

  const onTouch = ({ target, isPrimary }) => {
    if (!isPrimary) return;
    const thumbs = target.closest?.("[data-testid=stSlider]")?.querySelectorAll("input[type=range]") ?? [];
    touched = [...thumbs].map((thumb) => [thumb, thumb.value]);
  };
  const giveBack = () => {
    for (const [thumb, value] of touched) {
      if (thumb.value === value) continue;
      setValue.call(thumb, value);
      thumb.dispatchEvent(new Event("input", { bubbles: true }));
    }
    touched = [];
  };
  window.addEventListener("pointerdown", onTouch, true);
  window.addEventListener("pointercancel", giveBack, true); // before the slider tells of where it stands
})();
