"""Where the subplots of a figure stand, in pixels, for every width that a browser may offer.

A server cannot know how wide the window is, so a figure brings one arrangement for each of `SCREENS`,
and the browser takes the largest that fits. Square cells stay square because every box of a figure is
measured in one shared unit.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    candidates = []
    for per_line in range(len(boxes), 0, -1):
        lines = [boxes[start : start + per_line] for start in range(0, len(boxes), per_line)]
        unit = min(largest_unit, *(_line_unit(line, width - right) for line in lines), _unit(lines, height))
        candidates.append((unit, lines))
    # Of equal units the fewest lines win, and of these the most even ones: 4 + 4 boxes, not 6 + 2.
    unit, lines = max(candidates, key=lambda each: (each[0], -len(each[1]), -len(each[1][0])))
    return _place(lines, max(unit, 1.0), width, right)


def _pixels(line: Sequence[Box]) -> int:
    return line[0].lead + sum(box.left for box in line[1:]) + line[-1].trail


def _line_unit(line: Sequence[Box], width: int) -> float:
    return (width - _pixels(line)) / sum(box.columns for box in line)


def _unit(lines: Sequence[Sequence[Box]], height: int) -> float:
    labels = sum(max(box.top for box in line) + max(box.bottom for box in line) for line in lines)
    return (height - labels) / sum(max(box.rows for box in line) for line in lines)


def _place(lines: Sequence[Sequence[Box]], unit: float, width: int, right: int) -> Arrangement:
    height = round(
        sum(
            max(box.top for box in line)
            + max(box.rows for box in line) * unit
            + max(box.bottom for box in line)
            for line in lines
        )
    )
    places = []
    top = 0.0
    # Lines start at one left edge, so that columns of matrices stay aligned; the longest line is centred.
    longest = max(_pixels(line) + sum(box.columns for box in line) * unit for line in lines)
    for line in lines:
        top += max(box.top for box in line)
        tallest = max(box.rows for box in line) * unit
        cursor = max(0.0, (width - right - longest) / 2)
        for index, box in enumerate(line):
            cursor += box.left if index else box.lead
            body = (cursor, cursor + box.columns * unit)
            # Bodies share their top edge.
            y = (1 - (top + box.rows * unit) / height, 1 - top / height)
            places.append(
                Place((body[0] / width, min(1.0, body[1] / width)), (max(0.0, y[0]), y[1]), index == 0)
            )
            cursor = body[1]
        top += tallest + max(box.bottom for box in line)
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
