// When a picture that follows a hand is shown: at once where the machine keeps up. Where frames come late, only
// the last move before each is shown, since the page is laid out again for every one.

const LATE_MILLISECONDS = 40; // between two frames: more than one was missed
const PAUSE_MILLISECONDS = 400; // between two moves; after it the next is shown at once

export class Pace {
  /** @param {() => void} show */
  constructor(show) {
    this.show = show;
    this.late = false;
    this.waiting = false; // for the next frame
    this.last = -Infinity; // when the frame before began
    /** @type {number | undefined} */
    this.frame = undefined;
  }

  move() {
    if (performance.now() - this.last > PAUSE_MILLISECONDS) this.late = false;
    this.waiting = this.late;
    if (!this.late) this.show();
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = undefined;
      const apart = now - this.last;
      this.last = now;
      this.late = apart > LATE_MILLISECONDS && apart <= PAUSE_MILLISECONDS;
      if (this.waiting) this.show();
      this.waiting = false;
    });
  }

  stop() {
    cancelAnimationFrame(this.frame ?? 0);
    this.frame = undefined;
  }
}
