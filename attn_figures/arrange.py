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


def apply(spec: Spec, variants: list[dict[str, Any]]) -> Spec:
    """Give a figure its `screens`, in `layout.meta`, and settle it on the reference one."""
    spec["layout"]["meta"] = {"screens": variants}
    return settle(spec, REFERENCE)


def settle(spec: Spec, width: int, height: float = math.inf) -> Spec:
    """Settle a figure on the widest of its screens that fits, as the browser does; phones may scroll.

    Args:
        spec: a figure with `screens`; it is changed and returned.
        width, height: pixels that there are.
    """
    listed = spec["layout"]["meta"]["screens"]
    fitting = [s for s in listed if s["width"] <= width and (s["width"] < PHONES or s["height"] <= height)]
    screen = fitting[-1] if fitting else listed[0]
    spec["layout"] |= {"width": screen["width"], "height": screen["height"]}
    for path, value in screen["settings"].items():
        _set(spec, path, value)
    return spec


def _set(spec: Spec, path: str, value: Any) -> None:
    *parents, last = re.findall(r"[^.\[\]]+", path)
    node: Any = spec
    for step in parents:
        node = node[int(step)] if isinstance(node, list) else node.setdefault(step, {})
    node[last] = value
