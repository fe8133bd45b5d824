// A chart to draw a curve in: with a finger or a mouse, or by keys, a height at a time.

import { word } from "../../attn_live/js/word.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, EDGE] = [720, 300, 34];
const STEPS = 50; // of a key press, from the floor to the top
const pads = new WeakMap(); // which question each element shows

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".curve-pad");
  if (pads.get(root) === data.turn) return;
  pads.set(root, data.turn);
  const [low, high] = data.y;
  const [first, last] = data.x;
  const across = (x) => EDGE + ((x - first) / (last - first)) * (WIDTH - 2 * EDGE);
  const up = (y) => HEIGHT - EDGE - ((y - low) / (high - low)) * (HEIGHT - 2 * EDGE);
  const place = (i) => first + ((last - first) * i) / (data.nodes - 1);
  const svg = made("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": data.about });
  svg.append(made("rect", { x: EDGE, y: EDGE, width: WIDTH - 2 * EDGE, height: HEIGHT - 2 * EDGE, class: "pad-ground" }));
  for (const [x, y] of data.points) svg.append(made("circle", { cx: across(x), cy: up(y), r: 3.5, class: "pad-point" }));
  for (const [x, y, anchor, said] of [
    [EDGE, HEIGHT - 12, "start", first], [WIDTH - EDGE, HEIGHT - 12, "end", last],
    [EDGE - 6, HEIGHT - EDGE, "end", low], [EDGE - 6, EDGE + 10, "end", high],
  ]) {
    const text = made("text", { x, y, "text-anchor": anchor });
    text.textContent = String(Number(said.toPrecision(2)));
    svg.append(text);
  }
  const line = (points, name) => made("polyline", { points: points.map(([x, y]) => `${across(x)},${up(y)}`).join(" "), class: name });
  root.replaceChildren(svg);
  if (data.computed) {
    svg.append(line(data.computed, "pad-computed"), line(data.drawn.map((y, i) => [place(i), y]), "pad-drawn"));
    const key = document.createElement("p");
    key.innerHTML = '<span class="pad-drawn"></span> <span class="pad-computed"></span>';
    const [drawn, computed] = key.children;
    drawn.append("━ ", word("yours"));
    computed.append("━ ", word("computed"));
    root.append(key);
    return;
  }
  const heights = Array(data.nodes).fill((low + high) / 2);
  let isDrawn = false;
  let at = 0; // the node that keys move
  const curve = line([], "pad-drawn");
  const node = made("circle", { r: 8, class: "pad-node", role: "slider", tabindex: "0", "aria-valuemin": low, "aria-valuemax": high });
  svg.append(curve, node);
  const show = () => {
    curve.setAttribute("points", heights.map((y, i) => `${across(place(i))},${up(y)}`).join(" "));
    svg.classList.toggle("pad-empty", !isDrawn);
    const [x, y] = [place(at), heights[at]];
    const values = { cx: across(x), cy: up(y), "aria-valuenow": y, "aria-valuetext": word("{height} at {place}", { height: y.toPrecision(3), place: x.toPrecision(3) }) };
    for (const [name, value] of Object.entries(values)) node.setAttribute(name, String(value));
    node.setAttribute("aria-label", word("Height of your curve: arrow up and down; arrow left and right for another place"));
  };
  const tell = () => setStateValue("heights", { turn: data.turn, heights: [...heights] });
  const pointed = ({ clientX, clientY }) => {
    const box = svg.getBoundingClientRect();
    const [x, y] = [((clientX - box.left) / box.width) * WIDTH, ((clientY - box.top) / box.height) * HEIGHT];
    const share = (x - EDGE) / (WIDTH - 2 * EDGE);
    const i = Math.round(Math.min(1, Math.max(0, share)) * (data.nodes - 1));
    const height = low + ((HEIGHT - EDGE - y) / (HEIGHT - 2 * EDGE)) * (high - low);
    return [i, Math.min(high, Math.max(low, height))];
  };
  let before = null;
  const draw = (event) => {
    const [i, height] = pointed(event);
    if (!isDrawn) heights.fill(height); // the first touch takes the whole curve along
    isDrawn = true;
    const [j, from] = before ?? [i, height];
    for (let k = Math.min(i, j); k <= Math.max(i, j); k++) heights[k] = i === j ? height : from + ((height - from) * (k - j)) / (i - j);
    before = [i, height];
    at = i;
    show();
  };
  svg.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button) return;
    svg.setPointerCapture(event.pointerId);
    before = null;
    draw(event);
  });
  svg.addEventListener("pointermove", (event) => { if (svg.hasPointerCapture(event.pointerId)) draw(event); });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { if (before) tell(); before = null; }); // what is drawn is shown
  node.addEventListener("keydown", (event) => {
    const { key } = event;
    const move = { ArrowUp: 1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[key];
    const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!move && !side) return;
    event.preventDefault();
    if (side) at = Math.min(data.nodes - 1, Math.max(0, at + side));
    else {
      heights[at] = Math.min(high, Math.max(low, heights[at] + (move * (high - low)) / STEPS));
      isDrawn = true;
    }
    show();
  });
  node.addEventListener("keyup", ({ key }) => { if (/^(Arrow|Page)(Up|Down)$/.test(key)) tell(); });
  show();
}

function made(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}
