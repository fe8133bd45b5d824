"""Where the subplots of a figure stand, in pixels, for every width that a browser may offer.

A server cannot know how wide the window is, so a figure brings one arrangement for each of `SCREENS`,
and the browser takes the largest that fits. Square cells stay square because every box of a figure is
measured in one shared unit.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attn_figures.picture import Spec

Tree = dict[Any, Any]  # settings by their place in a figure, a dict a branch

# (width, greatest height) in pixels: phones may scroll, wider screens should show the figure whole.
SCREENS: tuple[tuple[int, int], ...] = (
    (320, 4000), (350, 4000), (380, 4000), (460, 4000), (560, 1200), (680, 460), (780, 420), (860, 420),
    (930, 420), (980, 420), (1120, 480), (1280, 560), (1420, 600), (1560, 640), (1900, 760),
)  # fmt: skip
PHONES = 640  # pixels of width below which a figure may be higher than the screen
REFERENCE = 980  # the width that a notebook or a test sees


@dataclass(frozen=True)
class Box:
    """The room that one subplot needs: a body of columns x rows units, and pixels for the labels around it.

    `lead` is the room on the left of a box that starts a line (its row labels), `left` of any other box;
    `trail` is the room on the right of a box that ends a line.
    """

    columns: float
    rows: float
    left: int = 0
    lead: int = 0
    trail: int = 0
    top: int = 0
    bottom: int = 0


@dataclass(frozen=True)
class Place:
    """Where one box came to stand: its body as fractions of the figure, and whether it starts a line."""

    x: tuple[float, float]
    y: tuple[float, float]
    leads: bool


@dataclass(frozen=True)
class Arrangement:
    """All boxes placed: figure size in pixels, pixels to a unit, and one `Place` a box in the same order."""

    width: int
    height: int
    unit: float
    places: tuple[Place, ...]


def arrange(
    boxes: Sequence[Box], width: int, height: int, *, largest_unit: float = 56.0, right: int = 0
) -> Arrangement:
    """Flow boxes into lines so that the shared unit comes out as large as it can.

    Args:
        boxes: what to place, in reading order.
        width: pixels that there are; height: pixels that the figure may take.
        largest_unit: pixels that a unit never exceeds.
        right: pixels kept free on the right of the whole figure, for colour bars.

    Raises:
        ValueError: if there is no box.
    """
    if not boxes:
        raise ValueError("a figure needs at least one box, got none")
    unit, way = max(
        ((min(largest_unit, each.unit(width - right, height)), each) for each in _ways(tuple(boxes))),
        # Of equal units the fewest lines win, and of these the most even ones: 4 + 4 boxes, not 6 + 2.
        key=lambda found: (found[0], -len(found[1].lines), -len(found[1].lines[0].boxes)),
    )
    return _place(way.lines, max(unit, 1.0), width, right)


@dataclass(frozen=True)
class _Line:
    """Boxes side by side, and what they need together: pixels and units across, pixels and units down."""

    boxes: tuple[Box, ...]
    pixels: int
    columns: float
    top: int
    rows: float
    bottom: int


@dataclass(frozen=True)
class _Way:
    """One way to break boxes into lines."""

    lines: tuple[_Line, ...]
    labels: int  # pixels down that are taken by labels
    rows: float

    def unit(self, width: int, height: int) -> float:
        """Return how many pixels a unit can have."""
        return min(
            (height - self.labels) / self.rows, *((width - line.pixels) / line.columns for line in self.lines)
        )


@lru_cache(maxsize=256)  # what does not depend on the width, for all widths
def _ways(boxes: tuple[Box, ...]) -> tuple[_Way, ...]:
    ways = []
    for per_line in range(len(boxes), 0, -1):
        lines = tuple(_line(boxes[start : start + per_line]) for start in range(0, len(boxes), per_line))
        labels = sum(line.top + line.bottom for line in lines)
        ways.append(_Way(lines, labels, sum(line.rows for line in lines)))
    return tuple(ways)


def _line(boxes: tuple[Box, ...]) -> _Line:
    return _Line(
        boxes,
        pixels=boxes[0].lead + sum(box.left for box in boxes[1:]) + boxes[-1].trail,
        columns=sum(box.columns for box in boxes),
        top=max(box.top for box in boxes),
        rows=max(box.rows for box in boxes),
        bottom=max(box.bottom for box in boxes),
    )


def _place(lines: Sequence[_Line], unit: float, width: int, right: int) -> Arrangement:
    height = round(sum(line.top + line.rows * unit + line.bottom for line in lines))
    places = []
    top = 0.0
    # Lines start at one left edge, so that columns of matrices stay aligned; the longest line is centred.
    longest = max(line.pixels + line.columns * unit for line in lines)
    for line in lines:
        top += line.top
        cursor = max(0.0, (width - right - longest) / 2)
        for index, box in enumerate(line.boxes):
            cursor += box.left if index else box.lead
            body = (cursor, cursor + box.columns * unit)
            # Bodies share their top edge.
            y = (1 - (top + box.rows * unit) / height, 1 - top / height)
            places.append(
                Place((body[0] / width, min(1.0, body[1] / width)), (max(0.0, y[0]), y[1]), index == 0)
            )
            cursor = body[1]
        top += line.rows * unit + line.bottom
    return Arrangement(width, height, unit, tuple(places))


def screens(variants: Sequence[tuple[Arrangement, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """List arrangements by width, for the browser to choose from.

    Settings are paths into the figure: "layout.xaxis.domain", "data[0].texttemplate".
    """
    return [
        {"width": placed.width, "height": placed.height, "settings": dict(settings)}
        for placed, settings in variants
    ]


def fitting(listed: Sequence[dict[str, Any]], width: int, height: float = math.inf) -> dict[str, Any]:
    """Return the widest screen that fits, as the browser chooses it; phones may scroll.

    Args:
        listed: what `screens` returned.
        width, height: pixels that there are.
    """
    fit = [s for s in listed if s["width"] <= width and (s["width"] < PHONES or s["height"] <= height)]
    return fit[-1] if fit else listed[0]


def as_tree(screen: Mapping[str, Any]) -> Tree:
    """Return a screen's size and settings as one tree, its branches named as the figure's are.

    >>> as_tree({"width": 9, "height": 6, "settings": {"data[0].x": 1}})
    {'layout': {'width': 9, 'height': 6}, 'data': {0: {'x': 1}}}
    """
    tree: Tree = {"layout": {"width": screen["width"], "height": screen["height"]}}
    for path, value in screen["settings"].items():
        *parents, last = (int(key) if key.isdigit() else key for key in re.findall(r"[^.\[\]]+", path))
        node = tree
        for key in parents:
            node = node.setdefault(key, {})
        node[last] = value
    return tree


def settle(spec: Spec, width: int, height: float = math.inf) -> Spec:
    """Return a figure as it stands on the widest of its screens that fits."""
    found: Spec = settled(spec, as_tree(fitting(spec["layout"]["meta"]["screens"], width, height)))
    return found


def settled(part: Any, tree: Tree) -> Any:
    """Return a part of a figure with a tree of settings laid over it; the part itself stays as it is.

    So steps may share their parts, and what a setting does not touch stays the same object.
    """
    over: Any = list(part) if isinstance(part, list) else dict(part or {})
    for key, value in tree.items():
        if isinstance(value, dict):
            over[key] = settled(over[key] if isinstance(part, list) else over.get(key), value)
        else:
            over[key] = value
    return over
