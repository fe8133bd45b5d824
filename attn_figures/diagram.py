"""Block diagrams: boxes, and arrows with the shapes of what they carry, mostly from the bottom to the top.

Each diagram has two forms with the same boxes: an upright one for phones, and for slides where its boxes are
larger; a wide one elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.arrange import SCROLLS_BELOW
from attn_figures.chart import Chart
from attn_figures.frame import Role
from attn_figures.marks import Mark
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_figures.widths import letters
from attn_live.plain_labels import strip_tags

Numbers = NDArray[np.float64]
HALF = 0.27  # of a level: half of a box's height
PITCH = 1.6  # units a level
LABEL_GAP = 0.016  # of the width, between an arrow and its label
LABEL_ABOVE = 0.23  # of a level, from the start of an arrow to the middle of its label
STACKED = ((0.009, 0.07), (0.018, 0.14))  # of the width and of a level: shifts of the boxes behind a box
HEAD = 0.09  # of a level, from the end of an arrow to the middle of its head
LARGEST_UNIT = 44.0  # pixels
LETTER = 0.55  # of a font's size: a letter's width
STEEP = 4  # the exponent of the room for words, by which size is multiplied
RAISED = 1.2  # the factor by which large type enlarges the words of a figure


@dataclass(frozen=True)
class Block:
    """One box of a diagram: a step of a computation, with its text, place and hover.

    Attributes:
        name: unique in its diagram; a click sends it.
        text: the text in it; may hold Plotly's tags.
        x: its left and right edge, in the diagram's columns.
        level: counted from 0, the lowest.
        hover: what it computes, its formula and its shape, a line each.
        stacked: whether it is drawn as a stack of several boxes.
    """

    name: str
    text: str
    x: tuple[float, float]
    level: float
    hover: Sequence[str]
    role: Role = "ink"
    stacked: bool = False


@dataclass(frozen=True)
class Arrow:
    """An arrow along `path`, points (x, level): the box that it leaves, corners, the box that it enters.

    An arrow whose last piece is horizontal enters from the side, and its last x is the edge of the box.

    Attributes:
        carries: the name of the matrix on it.
        role: whose colour its label has.
        branches: whether it starts on another arrow, at exactly its first point.
        label_left: whether its label is on its left.
    """

    path: Sequence[tuple[float, float]]
    carries: str = ""
    shape: tuple[int, ...] | None = None
    role: Role = "ink"
    leaves_stack: bool = False
    branches: bool = False
    label_left: bool = False

    @property
    def label(self) -> str:
        """The name and the shape of the matrix that it carries.

        >>> Arrow([(0, 0), (0, 1)], "Q", (6, 4)).label
        'Q 6 × 4'
        """
        return " ".join(filter(None, [self.carries, "" if self.shape is None else dims(self.shape)]))


def dims(shape: Sequence[int]) -> str:
    """Return a shape as text.

    >>> dims((6, 4))
    '6 × 4'
    """
    return " × ".join(map(str, shape))


def diagram(
    boxes: Sequence[Block], arrows: Sequence[Arrow], *, columns: float, upright: float, wide: float
) -> Spec:
    """Draw boxes and arrows on columns that are `upright` units wide on phones and `wide` elsewhere."""
    levels = max(box.level for box in boxes)
    traces = [*_lines(arrows), *_behind(boxes, columns)]
    traces += [trace for box in boxes for trace in _box(box)]
    traces.append(_words(boxes))
    if any(arrow.label for arrow in arrows):
        traces.append(_labels([arrow for arrow in arrows if arrow.label], columns))
    quiet = {"visible": False, "showticklabels": False}
    narrow, spec = (
        compose(
            [
                Chart(
                    "diagram",
                    traces,
                    columns=units,
                    rows=PITCH * (levels + 1),
                    x=quiet | {"range": [0, columns]},
                    y=quiet | {"range": [-0.5, levels + 0.5]},
                )
            ],
            largest_unit=LARGEST_UNIT,
        )
        for units in (upright, wide)
    )
    forms = [
        [_in_words(screen, _room(boxes, arrows, screen["unit"] * units / columns)) for screen in screens]
        for units, screens in (
            (upright, narrow["layout"]["meta"]["screens"]),
            (wide, spec["layout"]["meta"]["screens"]),
        )
    ]
    each = zip(*forms, strict=True)
    spec["layout"]["meta"] = {"screens": [one if _is_upright(one, other) else other for one, other in each]}
    return spec


def _is_upright(narrow: Mapping[str, Any], wide: Mapping[str, Any]) -> bool:
    """Whether the upright form is used: on phones, and on slides where its boxes are larger."""
    if narrow["slide"]:
        return bool(narrow["unit"] > wide["unit"])
    return bool(narrow["width"] < SCROLLS_BELOW)


def _in_words(screen: Mapping[str, Any], room: float) -> dict[str, Any]:
    """Return an arrangement with a smaller unit where its words have too little room.

    On slides arrangements with larger units win, and boxes too narrow for their words must not.
    """
    return {**screen, "unit": round(screen["unit"] * min(1.0, room) ** STEEP, 3)}


def _room(boxes: Sequence[Block], arrows: Sequence[Arrow], column: float) -> float:
    """Return the room for words in a slide's large type, as a share of what they need.

    Args:
        boxes: with words in them; arrows: with labels beside them; column: pixels of a column.
    """
    letter = LETTER * theme.FONT_SIZE * RAISED
    needs = [(_width(box.text) * letter, (box.x[1] - box.x[0]) * column) for box in boxes]
    labels = [
        (_ends(arrow)[0], arrow.label_left, _width(arrow.label) * letter) for arrow in arrows if arrow.label
    ]
    for (x, y), is_left, width in labels:
        # Two labels at one height overlap if one begins before the other ends.
        for (other_x, other_y), other_is_left, other_width in labels:
            if abs(y - other_y) < HALF and x < other_x:
                labels_width = (0.0 if is_left else width) + (other_width if other_is_left else 0.0)
                needs.append((labels_width, (other_x - x) * column))
    return min((room / need for need, room in needs if need), default=1.0)


def _width(text: str) -> int:
    """Return the letters of a text that may hold Plotly's tags."""
    return letters(strip_tags(text))


def _corners(box: Block, sideways: float = 0.0, above: float = 0.0) -> tuple[Numbers, Numbers]:
    left, right = box.x
    x = np.array([left, right, right, left, left]) + sideways
    y = box.level + HALF * np.array([-1, -1, 1, 1, -1]) + above
    return x, y


def _behind(boxes: Sequence[Block], columns: float) -> list[Mark]:
    """Draw the boxes behind the front ones of stacks, the farthest first."""
    marks_behind = []
    for number, (sideways, above) in reversed([*enumerate(STACKED, start=1)]):
        x, y = _join_paths([_corners(box, sideways * columns, above) for box in boxes if box.stacked])
        light = theme.LIGHT
        marks_behind.append(marks.area(f"behind {number}", x, y, light.panel, edge=light.muted, width=1))
    return marks_behind


def _box(box: Block) -> list[Mark]:
    """Draw a box on a ground of paper, so that nothing behind it shows through."""
    colour = getattr(theme.LIGHT, box.role)
    x, y = _corners(box)
    strength, edge = (0.05, theme.LIGHT.muted) if box.role == "ink" else (0.12, colour)
    front = marks.area(box.name, x, y, theme.rgba(colour, strength), edge=edge)
    del front["hoverinfo"]
    hover: dict[str, Any] = {
        "hoveron": "fills",
        "hoverinfo": "text",
        "text": "<br>".join(box.hover),
        "meta": {"opens": True},
    }
    return [marks.area(f"{box.name} ground", x, y, theme.LIGHT.paper), front | hover]


def _join_paths(paths: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Join paths into one, with a gap after each."""
    gap = np.array([np.nan])
    x, y = (
        np.concatenate([part for path in paths for part in (path[axis], gap)] or [gap]) for axis in (0, 1)
    )
    return x, y


def _words(boxes: Sequence[Block]) -> Mark:
    middles = [sum(box.x) / 2 for box in boxes]
    return marks.words("boxes", middles, [box.level for box in boxes], [box.text for box in boxes])


def _ends(arrow: Arrow) -> list[tuple[float, float]]:
    """Return an arrow's corners, from the edge of the box that it leaves to that of the box it enters."""
    (x, level), *corners, (to_x, to_level) = arrow.path
    above = STACKED[-1][1] if arrow.leaves_stack else 0.0
    start = level if arrow.branches else level + HALF + above
    end = to_level if _sideways(arrow) else to_level - HALF
    return [(x, start), *corners, (to_x, end)]


def _sideways(arrow: Arrow) -> float:
    """Return how far an arrow's last piece goes to the right; 0 where it goes up."""
    (from_x, from_level), (to_x, to_level) = arrow.path[-2:]
    return to_x - from_x if from_level == to_level else 0.0


def _lines(arrows: Sequence[Arrow]) -> list[Mark]:
    """Draw all arrows as one line that is broken between them, and their heads."""
    paths = [np.array(_ends(arrow)) for arrow in arrows]
    x, y = _join_paths([(path[:, 0], path[:, 1]) for path in paths])
    heads = np.array([path[-1] for path in paths])
    sideways = np.array([_sideways(arrow) for arrow in arrows])
    muted = theme.LIGHT.muted
    up = heads[sideways == 0]
    result = [
        marks.line("arrows", x, y, muted, width=1.5),
        marks.points("heads of arrows", up[:, 0], up[:, 1] - HEAD, muted, size=8, symbol="triangle-up"),
    ]
    for symbol, is_sideways in (("triangle-right", sideways > 0), ("triangle-left", sideways < 0)):
        if is_sideways.any():
            at = heads[is_sideways]
            back = np.sign(sideways[is_sideways]) * HEAD
            name = f"heads of arrows, {symbol}"
            result.append(marks.points(name, at[:, 0] - back, at[:, 1], muted, size=8, symbol=symbol))
    return result


def _labels(arrows: Sequence[Arrow], columns: float) -> Mark:
    """Write the arrows' labels beside their starts."""
    starts = [_ends(arrow)[0] for arrow in arrows]
    font = {"color": [getattr(theme.LIGHT, arrow.role) for arrow in arrows], "size": theme.FONT_SIZE - 1}
    gaps = [(-LABEL_GAP if arrow.label_left else LABEL_GAP) * columns for arrow in arrows]
    sides = ["middle left" if arrow.label_left else "middle right" for arrow in arrows]
    return marks.words(
        "shapes",
        [x + gap for (x, _), gap in zip(starts, gaps, strict=True)],
        [y + LABEL_ABOVE for _, y in starts],
        [arrow.label for arrow in arrows],
    ) | {"textposition": sides[0] if len({*sides}) == 1 else sides, "textfont": font}


def hover_lines(*lines: str) -> tuple[str, ...]:
    """Return the lines of a hover text, escaped and without empty ones.

    >>> hover_lines("a < b", "")
    ('a &lt; b',)
    """
    return tuple(escape(line, quote=False) for line in lines if line)
