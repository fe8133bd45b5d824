// Path data of SVG as the operators of a PDF: absolute, and every curve a cubic one.

import { short } from "./pdf.js";

/** @typedef {(x: number, y: number) => [number, number]} Placed where a point comes to lie */

const NUMBERS = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi;
const COMMANDS = /([a-z])([^a-df-z]*)/gi; // an e belongs to a number
/** @type {Record<string, number>} */
const TAKES = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };

/** @param {string} data @param {Placed} placed @returns {string} */
export function pathOperators(data, placed) {
  /** @type {string[]} */
  const out = [];
  const write = (/** @type {string} */ operator, /** @type {number[]} */ ...numbers) => {
    /** @type {number[]} */
    const points = [];
    for (let i = 0; i < numbers.length; i += 2)
      points.push(...placed(Number(numbers[i]), Number(numbers[i + 1])));
    out.push([...points.map(short), operator].join(" "));
  };
  let [x, y, startX, startY] = [0, 0, 0, 0];
  /** @type {number[]} */
  let bend = []; // the last point that bent a curve, for one that goes on smoothly
  let before = "";
  const curve = (/** @type {number[]} */ ...points) => {
    write("c", ...points);
    bend = points.slice(2, 4);
    [x, y] = /** @type {[number, number]} */ (points.slice(4));
  };
  /** @param {number} bx @param {number} by @param {number} toX @param {number} toY */
  const quadratic = (bx, by, toX, toY) => {
    const third = (/** @type {number} */ end, /** @type {number} */ b) => end + (2 / 3) * (b - end);
    curve(third(x, bx), third(y, by), third(toX, bx), third(toY, by), toX, toY);
    bend = [bx, by];
  };
  for (const [name, numbers] of segments(data)) {
    const upper = name.toUpperCase();
    const isRelative = name !== upper;
    const [dx, dy] = isRelative ? [x, y] : [0, 0];
    // Of an arc only the last two are a place.
    const places = upper === "A" ? numbers.slice(5) : numbers;
    const to = places.map((each, i) => each + (upper === "V" || i % 2 ? dy : dx));
    const [a = 0, b = 0, c = 0, d = 0] = to;
    const goesOn = (/** @type {string} */ kinds) =>
      kinds.includes(before) ? [2 * x - Number(bend[0]), 2 * y - Number(bend[1])] : [x, y];
    if (upper === "M") [startX, startY] = [a, b];
    if (upper === "C") curve(...to);
    else if (upper === "S") curve(.../** @type {[number, number]} */ (goesOn("CS")), ...to);
    else if (upper === "Q") quadratic(a, b, c, d);
    else if (upper === "T") quadratic(.../** @type {[number, number]} */ (goesOn("QT")), a, b);
    else if (upper === "A") for (const part of arc(x, y, numbers, a, b)) curve(...part);
    else if (upper === "Z") {
      out.push("h");
      [x, y] = [startX, startY];
    } else {
      [x, y] = [upper === "V" ? x : a, upper === "V" ? a : upper === "H" ? y : b];
      write(upper === "M" ? "m" : "l", x, y);
    }
    before = upper;
  }
  return out.join("\n");
}

/**
 * The commands with their numbers, each repetition by itself.
 *
 * @param {string} data
 * @returns {[string, number[]][]}
 */
function segments(data) {
  return [...data.matchAll(COMMANDS)].flatMap(([, name = "", rest = ""]) => {
    const takes = TAKES[name.toUpperCase()];
    if (takes === undefined) throw new Error(`no path knows the command ${name}`);
    const numbers = (rest.match(NUMBERS) ?? []).map(Number);
    if (!takes) return [/** @type {[string, number[]]} */ ([name, []])];
    return Array.from({ length: numbers.length / takes }, (_, i) => {
      // More points after a move are lines.
      const again = i && name === "M" ? "L" : i && name === "m" ? "l" : name;
      return /** @type {[string, number[]]} */ ([again, numbers.slice(i * takes, (i + 1) * takes)]);
    });
  });
}

/**
 * An arc as cubic curves of a quarter turn at most.
 * https://www.w3.org/TR/SVG2/implnote.html#ArcConversionEndpointToCenter
 *
 * @param {number} x0
 * @param {number} y0
 * @param {number[]} numbers radii, slant, whether it is the longer one, whether it turns by the clock
 * @param {number} x1
 * @param {number} y1
 * @returns {number[][]}
 */
function arc(x0, y0, [rx = 0, ry = 0, slant = 0, long = 0, clock = 0], x1, y1) {
  if (!rx || !ry) return [[x0, y0, x1, y1, x1, y1]];
  const [cos, sin] = [Math.cos((slant * Math.PI) / 180), Math.sin((slant * Math.PI) / 180)];
  // On a circle of radius 1 both ends, and its middle.
  const round = (/** @type {number} */ x, /** @type {number} */ y) => [
    (cos * x + sin * y) / Math.abs(rx),
    (cos * y - sin * x) / Math.abs(ry),
  ];
  const [[ax = 0, ay = 0], [bx = 0, by = 0]] = [round(x0, y0), round(x1, y1)];
  const half = Math.hypot(bx - ax, by - ay) / 2;
  const grown = Math.max(1, half); // an arc that is too small for its ends grows
  const aside = Math.sqrt(Math.max(0, grown ** 2 - half ** 2)) * (Boolean(long) === Boolean(clock) ? -1 : 1);
  const length = 2 * half || 1;
  const middleX = (ax + bx) / 2 - (aside * (by - ay)) / length;
  const middleY = (ay + by) / 2 + (aside * (bx - ax)) / length;
  const start = Math.atan2(ay - middleY, ax - middleX);
  let turn = Math.atan2(by - middleY, bx - middleX) - start;
  if (clock && turn < 0) turn += 2 * Math.PI;
  if (!clock && turn > 0) turn -= 2 * Math.PI;
  const count = Math.max(1, Math.ceil(Math.abs(turn) / (Math.PI / 2) - 1e-9));
  const reach = (4 / 3) * Math.tan(turn / count / 4) * grown;
  const back = (/** @type {number} */ u, /** @type {number} */ v) => [
    cos * u * Math.abs(rx) - sin * v * Math.abs(ry),
    sin * u * Math.abs(rx) + cos * v * Math.abs(ry),
  ];
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = [start + (i * turn) / count, start + ((i + 1) * turn) / count];
    const at = (/** @type {number} */ angle, /** @type {number} */ bent) =>
      back(
        middleX + grown * Math.cos(angle) - bent * Math.sin(angle),
        middleY + grown * Math.sin(angle) + bent * Math.cos(angle),
      );
    const end = i === count - 1 ? [x1, y1] : at(to, 0);
    return [...at(from, reach), ...at(to, -reach), ...end];
  });
}
