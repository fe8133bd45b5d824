const SLACK_PIXELS = 8; // that a finger moves before it goes anywhere

/**
 * A finger on a slider: until it is known that it does not scroll, it sets nothing. Where another one comes to the
 * same slider before that, they set nothing at all.
 */
export class Finger {
  /**
   * @param {HTMLElement} slider
   * @param {{ touched: () => void, set: () => void, back: () => void }} calls what to do when it is pressed, once that
   *     is meant, and where it was not
   */
  constructor(slider, { touched, set, back }) {
    this.waits = false;
    this.several = false;
    /** @type {{ x: number, y: number }} */
    this.from = { x: 0, y: 0 };
    /** @type {Set<number>} */
    const down = new Set(); // a mouse is not told of when it is let go elsewhere
    slider.addEventListener("pointerdown", ({ pointerType, pointerId, isPrimary, clientX, clientY }) => {
      if (isPrimary) down.clear(); // no other finger is anywhere
      if (down.size) {
        this.several = this.waits;
      } else {
        this.several = false;
        this.waits = pointerType !== "mouse";
        this.from = { x: clientX, y: clientY };
        touched();
      }
      if (pointerType !== "mouse") down.add(pointerId);
    });
    slider.addEventListener("pointermove", ({ clientX, clientY }) => {
      const [across, along] = [Math.abs(clientX - this.from.x), Math.abs(clientY - this.from.y)];
      if (this.waits && !this.several && across > SLACK_PIXELS && across > along) this.means(set);
    });
    slider.addEventListener("pointerup", ({ pointerId }) => {
      down.delete(pointerId);
      if (this.waits && !(this.several && down.size)) this.means(this.several ? back : set);
    });
    slider.addEventListener("pointercancel", ({ pointerId }) => {
      down.delete(pointerId);
      if (!(this.several && down.size)) this.means(back);
    });
  }

  /** @param {() => void} done */
  means(done) {
    this.waits = false;
    this.several = false;
    done();
  }
}
