// Before the app: chooses the still picture for this window, and takes all away in the frame in which the app's own
// figure stands there. It runs while the HTML is read, so it waits for nothing.

import { choose, roomBelow } from "../../attn_live/js/figure.js";

const MOST_WAITED_MILLISECONDS = 700; // should the picture be late, or what follows fail: the app does not wait for it
const WITHOUT_FIGURE_MILLISECONDS = 3000; // after which a page is taken for one that has none
const LOOK_MILLISECONDS = 50; // between two looks at what else may stand there
const SHORT = 480; // pixels, as in markup.css: in less a page stands otherwise
const LOW = "(min-width: 769px) and (max-height: 790px)"; // as in markup.css
const HIGHER = { title: 20, about: 32, stage: 44 }; // pixels that all stands higher there than in a high window

/**
 * @param {{ side: number, tops: number[][], screens: { width: number, height: number, svg: string }[] }} places
 */
function standEarly({ side, tops, screens }) {
  setTimeout(startApp, MOST_WAITED_MILLISECONDS);
  const [grounds, room] = [".early-grounds", ".early-room"].map((each) => document.querySelector(each));
  const gone = () => {
    for (const each of document.querySelectorAll("[data-early]")) each.remove();
    startApp();
  };
  // Of the ground that stands there (ground.js); none where nobody knows.
  const scheme = /** @type {"light" | "dark" | undefined} */ (document.documentElement.dataset.scheme);
  const isWide = innerWidth > 768; // a narrower window opens with its sidebar closed
  const own = isWide ? side : 0;
  const at = tops.find(([from = 0, to = 0]) => from <= innerWidth && innerWidth <= to);
  for (const each of [grounds, room]) each.hidden = false; // what is hidden has no width
  room.style.left = `${own}px`;
  const page = room.firstElementChild.firstElementChild;
  const width = Math.floor(page.clientWidth);
  const chosen = choose(screens, { width, height: roomBelow() });
  const isOther = innerHeight <= SHORT || !chosen?.svg || chosen.width > width || (own && widthKept(own));
  if (!scheme || !at || isOther) return gone();
  const [, , title = 0, beside = 0, about = 0, stage = 0] = at;
  const higher = matchMedia(LOW).matches ? HIGHER : { title: 0, about: 0, stage: 0 };
  for (const each of [grounds, room]) each.dataset.scheme = scheme;
  grounds.firstElementChild.style.width = `${own}px`;
  grounds.firstElementChild.hidden = !own;
  const [heading, sentence, picture] = page.children;
  Object.assign(heading.style, { top: `${title - higher.title}px`, width: `calc(100% - ${beside}px)` });
  sentence.style.top = `${about - higher.about}px`;
  Object.assign(picture.style, { top: `${stage - higher.stage}px`, height: `${chosen.height}px` });
  // It is painted before the first script of the app has come.
  const stand = async (/** @type {Response} */ answer) => {
    if (answer.ok) picture.innerHTML = await answer.text();
  };
  fetch(chosen.svg).then(stand).catch(startApp).then(startApp);

  const { pathname } = location;
  let without = 0; // since when the app shows a page without a figure
  const look = () => {
    const figure = document.querySelector(".live-figure");
    const isOther =
      location.pathname !== pathname ||
      innerWidth < at[0] ||
      innerWidth > at[1] ||
      document.querySelector(".stMain [data-testid=stAlert], [data-testid=stDialog], .st-key-lesson");
    const awaits = figure ?? document.querySelector(".stMain :is(.stBidiComponent, [data-testid=stSkeleton])");
    const isReady = document.querySelector(
      "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED] .stMain h1",
    );
    const now = performance.now();
    without = isReady && !awaits ? without || now : 0;
    const isOver = without && now - without > WITHOUT_FIGURE_MILLISECONDS;
    if (!figure?.dataset.state && !isOther && !isOver) return;
    clearInterval(looking);
    drawn.disconnect();
    gone();
  };
  // A figure says so itself as it is drawn; a frame asked for each time would have the page drawn all the while.
  const drawn = new MutationObserver(look);
  drawn.observe(document, { subtree: true, attributeFilter: ["data-state"] });
  const looking = setInterval(look, LOOK_MILLISECONDS);
  document.addEventListener("scroll", ({ target }) => {
    if (target instanceof Element && target.matches(".stMain")) room.scrollTop = target.scrollTop;
  }, { capture: true, passive: true });
}

/** @param {number} side whether the visitor has given the sidebar another width */
function widthKept(side) {
  try {
    const kept = localStorage.getItem("sidebarWidth");
    return kept !== null && Number.parseInt(kept, 10) !== side;
  } catch {
    return false; // a browser that keeps nothing
  }
}

/** Has the app fetched and started: what it needs stands in a template at the end of the HTML, once that is read. */
function startApp() {
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", startApp, { once: true });
    return;
  }
  const later = document.querySelector("template[data-later]");
  if (later instanceof HTMLTemplateElement) later.replaceWith(document.importNode(later.content, true));
}
