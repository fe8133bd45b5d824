const SLACK_PIXELS = 8; // that a finger moves before it goes anywhere

/** A finger on a slider: until it is known that it does not scroll, it sets nothing. */
export class Finger {
  /**
   * @param {HTMLElement} slider
   * @param {{ set: () => void, back: () => void }} calls what to do once it is meant, and where it was not
   */
  constructor(slider, { set, back }) {
    this.waits = false;
    /** @type {{ x: number, y: number }} */
    this.from = { x: 0, y: 0 };
    slider.addEventListener("pointerdown", ({ pointerType, clientX, clientY }) => {
      this.waits = pointerType !== "mouse";
      this.from = { x: clientX, y: clientY };
    });
    slider.addEventListener("pointermove", ({ clientX, clientY }) => {
      const [right, down] = [Math.abs(clientX - this.from.x), Math.abs(clientY - this.from.y)];
      if (this.waits && right > SLACK_PIXELS && right > down) this.means(set);
    });
    slider.addEventListener("pointerup", () => this.waits && this.means(set));
    slider.addEventListener("pointercancel", () => this.means(back));
  }

  /** @param {() => void} done */
  means(done) {
    this.waits = false;
    done();
  }
}
