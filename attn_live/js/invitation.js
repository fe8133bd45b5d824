// What a figure says to whoever never moved one: what is seen, and that its slider can be dragged.

const MOVED_BEFORE = "live-figure-moved"; // in the browser's own store
const HAND =
  '<svg viewBox="0 0 24 10" aria-hidden="true"><path d="M5 0v4h14V0l5 5-5 5V6H5v4L0 5z" fill="currentColor"/></svg>';

export class Invitation {
  constructor() {
    this.node = document.createElement("p");
    this.node.className = "live-invites";
    this.open = false;
  }

  /** @param {string} text nothing where nobody is invited */
  show(text) {
    if (this.open) this.node.lastChild?.replaceWith(text); // perhaps in another language now
    if (!text || this.node.textContent || wasMoved()) return;
    this.node.innerHTML = HAND;
    this.node.append(text);
    this.open = true;
  }

  /** A slider moves: it is not asked for again. Its room stays, so that nothing moves under the finger. */
  accept() {
    if (!this.open) return;
    this.open = false;
    this.node.style.visibility = "hidden";
    try {
      localStorage.setItem(MOVED_BEFORE, "true");
    } catch {} // a browser that keeps nothing asks again
  }
}

function wasMoved() {
  try {
    return localStorage.getItem(MOVED_BEFORE) !== null;
  } catch {
    return false;
  }
}
