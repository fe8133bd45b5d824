"""Where everything of a drawn figure stands: what overlaps, what is cut off, how small words and cells are.

faults(read(figure.evaluate(MEASURE)))    # figure: a locator of a live figure, or of its `.live-plot`
faults(read(figure.evaluate(MEASURE_SAVED)))    # of the SVG that its Save panel shows, in its own pixels
"""

import itertools
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Quad = NDArray[np.float64]  # (4, 2), the corners in turn

# Texts with their corners (slanted ones too) and sizes in pixels, maps and charts with their corners, all of
# one figure, as they are on screen.
_KIT = """
    // A letter's box is higher than its ink: what is above a small letter and below the line is left out.
    const corners = (element) => {
        const { x, y, width, height } = element.getBBox(), matrix = element.getScreenCTM();
        const size = Number.parseFloat(getComputedStyle(element).fontSize);
        const top = y + 0.28 * size, bottom = y + height - 0.22 * size;
        return [[x, top], [x + width, top], [x + width, bottom], [x, bottom]].map(([x, y]) => {
            const at = new DOMPoint(x, y).matrixTransform(matrix);
            return [at.x, at.y];
        });
    };
    const box = ({ left, top, right, bottom }) =>
        [[left, top], [right, top], [right, bottom], [left, bottom]];
    const seen = (text) => text.textContent.trim() && text.getBBox().width
        && getComputedStyle(text).visibility !== "hidden" && Number(getComputedStyle(text).opacity) > 0
        && !text.closest(".hoverlayer, .live-film");
    const words = (texts, scale) => [...texts].filter(seen).map((text) => ({
        said: text.textContent.replace(/\\s+/g, " ").trim(),
        quad: corners(text),
        size: scale * Number.parseFloat(getComputedStyle(text).fontSize),
        kind: text.closest(".heatmap-label, .heatmaplayer, .hm") ? "digit"
            : text.closest("[class^=cb], .colorbar") ? "bar"
            : text.closest("[class$=tick]") ? "label" : "word",
    }));
    const plot = node.matches(".live-plot") ? node : node.querySelector(".live-plot");
    const layout = plot._fullLayout;
    const drawn = plot._fullData.filter((trace) => trace.visible === true && trace.xaxis);
    const axis = (trace, side) => layout[trace[`${side}axis`].replace(side, `${side}axis`)];
    // Cells are a unit wide unless a map brings places of its own.
    const wide = ({ type, x }) => type === "heatmap" && x?.length > 1 ? Math.abs(x[1] - x[0]) : 1;
    const columns = (trace) =>
        Math.abs(axis(trace, "x").range[1] - axis(trace, "x").range[0]) / wide(trace);
"""
# Texts with their corners (slanted ones too) and sizes in pixels, maps and charts with their corners, all of
# one figure, as they are on screen.
MEASURE = f"""(node) => {{
    {_KIT}
    const around = plot.getBoundingClientRect(), scale = around.width / plot.offsetWidth;
    const panels = drawn.map((trace) => {{
        const [x, y] = ["x", "y"].map((side) => axis(trace, side));
        const left = around.left + scale * x._offset, top = around.top + scale * y._offset;
        return {{
            name: trace.name, type: trace.type, cell: scale * x._length / columns(trace),
            quad: box({{ left, top, right: left + scale * x._length, bottom: top + scale * y._length }}),
        }};
    }});
    return {{
        figure: box(around),
        window: document.documentElement.clientWidth,
        texts: words(plot.querySelectorAll("svg.main-svg text"), scale),
        panels,
    }};
}}"""
# The same of the SVG that the open Save panel shows: `node` tells what its maps are called.
MEASURE_SAVED = f"""async (node) => {{
    {_KIT}
    const image = document.querySelector("dialog.save-panel .save-panel-preview img");
    const home = document.createElement("div");
    home.style.cssText = "position: absolute; left: 0; top: 0; line-height: normal; font-kerning: auto";
    home.innerHTML = await (await fetch(image.src)).text();
    document.body.append(home);
    const svg = home.querySelector("svg");
    const around = svg.getBoundingClientRect();
    const scale = around.width / svg.viewBox.baseVal.width;
    const panels = drawn.flatMap((trace) => {{
        const name = `${{trace.xaxis}}${{trace.yaxis}}`;
        const body = home.querySelector(`.cartesianlayer .subplot.${{name}} .overplot > g`);
        const room = home.querySelector(`clipPath[id$="${{name}}plot"] rect`);
        if (!body || !room) return [];
        const [wide, tall] = ["width", "height"].map((side) => Number(room.getAttribute(side)));
        const [one, other] = [[0, 0], [wide, tall]]
            .map(([x, y]) => new DOMPoint(x, y).matrixTransform(body.getScreenCTM()));
        return [{{
            name: trace.name, type: trace.type, cell: (other.x - one.x) / columns(trace),
            quad: box({{ left: one.x, top: one.y, right: other.x, bottom: other.y }}),
        }}];
    }});
    const measured = {{
        figure: box(around), window: around.right, texts: words(home.querySelectorAll("text"), scale), panels,
    }};
    home.remove();
    return measured;
}}"""
TOUCH = 2.5  # pixels that the empty part of a letter's box may lie in another


@dataclass(frozen=True)
class Text:
    """Words in a figure."""

    said: str
    quad: Quad
    size: float
    kind: str  # "digit" of a cell, "label" of an axis, "bar" of colours, or another "word"


@dataclass(frozen=True)
class Body:
    """A map or a chart without the words around it."""

    name: str
    quad: Quad
    cell: float
    is_map: bool

    @property
    def most(self) -> int:
        """The number of rows or columns of a map, whichever is larger."""
        return round(float(np.ptp(self.quad, axis=0).max()) / self.cell)


@dataclass(frozen=True)
class Drawn:
    """A figure as it was measured."""

    figure: Quad
    window: float
    texts: tuple[Text, ...]
    bodies: tuple[Body, ...]

    @property
    def smallest(self) -> float:
        """The size of the smallest words, in pixels; infinity where there are none."""
        return min((text.size for text in self.texts), default=np.inf)

    @property
    def cell(self) -> float:
        """The width of the smallest cell of a map, in pixels; infinity without a map."""
        return min((body.cell for body in self.bodies if body.is_map), default=np.inf)

    @property
    def share(self) -> float:
        """The share of the figure that maps and charts take."""
        return sum(_area(body.quad) for body in self.bodies) / _area(self.figure)

    def sizes(self, kind: str) -> list[float]:
        """Return the sizes of words of one kind, in pixels."""
        return [text.size for text in self.texts if text.kind == kind]

    @property
    def most(self) -> int:
        """The most rows or columns of a map; 0 without a map."""
        return max((body.most for body in self.bodies if body.is_map), default=0)

    @property
    def bars(self) -> tuple[int, int]:
        """How many colour bars there are, and how many numbers beside them."""
        said = [text.said for text in self.texts if text.kind == "bar"]
        numbers = sum(bool(re.fullmatch(r"−?[\d.,]+( × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", text)) for text in said)
        return len(said) - numbers, numbers


def read(measured: dict[str, Any]) -> Drawn:
    """Take over what `MEASURE` returned; traces on the same axes are one body, of the kind of the first."""
    texts = (
        Text(each["said"], np.array(each["quad"]), each["size"], each["kind"]) for each in measured["texts"]
    )
    bodies: dict[tuple[float, ...], Body] = {}
    for each in measured["panels"]:
        quad = np.array(each["quad"])
        bodies.setdefault(
            tuple(quad.ravel()), Body(each["name"], quad, each["cell"], is_map=each["type"] == "heatmap")
        )
    return Drawn(np.array(measured["figure"]), measured["window"], tuple(texts), tuple(bodies.values()))


def faults(drawn: Drawn) -> list[str]:
    """Say which words are cut off, lie on other words, or on a map or chart that is not theirs."""
    said = []
    (left, top), _, (right, bottom), _ = drawn.figure
    for text in drawn.texts:
        low, high = text.quad.min(axis=0), text.quad.max(axis=0)
        if min(low - (left, top)) < -TOUCH or min((min(right, drawn.window), bottom) - high) < -TOUCH:
            said.append(f"{text.said!r} is cut off")
    words = [text for text in drawn.texts if text.kind != "digit"]
    said += [
        f"{one.said!r} lies on {other.said!r}"
        for one, other in itertools.combinations(words, 2)
        if _depth(one.quad, other.quad) > TOUCH
    ]
    said += [
        f"{text.said!r} lies on {body.name!r}"
        for text, body in itertools.product(words, drawn.bodies)
        if body.is_map and _depth(text.quad, body.quad) > TOUCH
    ]
    said += [
        f"{one.name!r} lies on {other.name!r}"
        for one, other in itertools.combinations(drawn.bodies, 2)
        if _depth(one.quad, other.quad) > TOUCH
    ]
    return said


def _area(quad: Quad) -> float:
    x, y = quad.T
    return float(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2)


def _depth(one: Quad, other: Quad) -> float:
    """Return by how many pixels two convex quads overlap in the direction in which they overlap least."""
    sides = np.concatenate([np.roll(quad, -1, axis=0) - quad for quad in (one, other)])
    lengths = np.linalg.norm(sides, axis=1)
    normals = np.stack([-sides[:, 1], sides[:, 0]], axis=1)[lengths > 0] / lengths[lengths > 0, None]
    spans = [(quad @ normals.T).min(axis=0) for quad in (one, other)]
    ends = [(quad @ normals.T).max(axis=0) for quad in (one, other)]
    return float((np.minimum(*ends) - np.maximum(*spans)).min())
