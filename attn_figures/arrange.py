"""The places of a figure's subplots, in pixels, for every width that a browser may have.

A server cannot know how wide the window is, so a figure brings one arrangement for each of `SCREENS`,
and the browser takes the largest that fits. Square cells stay square because every box of a figure is
measured in one shared unit.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from attn_figures.picture import Spec

Tree = dict[Any, Any]  # settings by their place in a figure, a dict a branch

# (width, greatest height) in pixels: phones may scroll, wider screens should show the figure whole.
SCREENS: tuple[tuple[int, int], ...] = (
    (320, 4000), (350, 4000), (380, 4000), (460, 4000), (560, 1200), (680, 460), (780, 420), (860, 420),
    (968, 420), (1050, 440), (1120, 480), (1280, 560), (1420, 600), (1560, 640), (1900, 760),
)  # fmt: skip
# The same for slides and projectors, before the figure is enlarged so that its words are large enough there:
# from a half slide and a square to screens of 4:3 and of 16:9, in large and larger type.
SLIDES: tuple[tuple[int, int], ...] = (
    (560, 430), (688, 340), (688, 640), (788, 460), (788, 800), (1085, 700), (1240, 535), (1316, 640),
)  # fmt: skip
# The same for screens of 1024, 1280 and 1366 pixels in words of 16, the smallest that a projector shows;
# there a number may be smaller than in a picture that is saved.
PROJECTED: tuple[tuple[int, int], ...] = ((861, 535), (868, 390), (928, 510), (1085, 390), (1160, 490))
SCROLLS_BELOW = 640  # pixels of width below which a figure may be higher than the screen
REFERENCE = 968  # the width of a window of 1280, and what a notebook or a test sees
HARDLY_HIGHER = 1.1  # times the lowest arrangement's height
WORTH = 0.9  # of the largest unit possible: what may be taken to avoid a short line
FULL = 0.6  # of the longest line: what a line takes that does not count as short
CAPTIONS_APART = 14  # pixels
ALL_UP_TO = 6  # boxes for which every way to break lines is tried; for more the even ways
ROUNDING = 1e-9  # of a unit: what another must be larger by to be surely larger
USUAL_UNIT = 30.0  # pixels, to compare labels with cells before it is known how large these are


class Box(NamedTuple):
    """The room that one subplot needs: a body of columns x rows units, and pixels for the labels around it.

    `lead` is the room on the left of a box that starts a line (its row labels), `left` of any other box;
    `trail` is the room on the right of a box that ends a line. `caption` is the width of the words centred
    under the body, which is kept free even if the body is narrower.
    """

    columns: float
    rows: float
    left: int = 0
    lead: int = 0
    trail: int = 0
    top: int = 0
    bottom: int = 0
    caption: int = 0


@dataclass(frozen=True)
class Placement:
    """The place of a box: its body as fractions of the figure, and whether it starts a line."""

    x: tuple[float, float]
    y: tuple[float, float]
    leads: bool


class Layout(NamedTuple):
    """A figure's size and its longest line, in pixels; ``places`` has one item a box, in the boxes' order."""

    width: int
    height: int
    longest: int
    places: tuple[Placement, ...]


@dataclass(frozen=True)
class Arrangement:
    """Boxes broken into lines, and pixels to a unit; `layout` is computed when it is first read."""

    unit: float
    _way: "_LineBreaks"
    _room: int  # pixels of width that there are
    _right: int
    _tight: bool

    @cached_property
    def layout(self) -> Layout:
        """The figure's size, and the place of each box."""
        sizes = self.unit, self._room, self._right
        layout = _place(self._way.lines, *sizes, tight=self._tight)
        places = sorted(zip(self._way.order, layout.places, strict=True), key=lambda each: each[0])
        return layout._replace(places=tuple(place for _, place in places))


def arrange(
    boxes: Sequence[Box],
    width: int,
    height: int,
    *,
    largest_unit: float = 56.0,
    right: int = 0,
    legible: Sequence[float] = (),
    tight: bool = False,
) -> Arrangement:
    """Flow boxes into lines so that the shared unit becomes as large as possible.

    A line much shorter than the others is avoided if the unit keeps at least `WORTH` of its size then, and
    as many words and numbers are readable.

    Args:
        boxes: what to place, in reading order.
        width: pixels available; height: pixels that the figure may take.
        largest_unit: pixels that a unit never exceeds.
        right: pixels kept free on the right of the whole figure, for colour bars.
        legible: units at which more of the words and numbers become readable.
        tight: whether the figure is no wider than its longest line; it fills the width otherwise.

    Raises:
        ValueError: if there is no box.
    """
    if not boxes:
        raise ValueError("a figure needs at least one box, got none")
    # The exact unit takes a search where captions are wide: it is computed only where it may still win.
    most = sorted(
        (
            (way.most(width - right, height, largest_unit), -number, way)
            for number, way in enumerate(_ways(tuple(boxes)))
        ),
        reverse=True,
    )
    candidates: list[tuple[float, _LineBreaks]] = []
    largest = -math.inf
    for at_most, _, way in most:
        if at_most < min(largest, WORTH * largest):
            break
        candidates.append((min(largest_unit, way.unit(width - right, height, largest_unit)), way))
        largest = max(largest, candidates[-1][0])
    n_legible = sum(unit <= largest for unit in legible)
    good = [
        (unit, way)
        for unit, way in candidates
        if unit >= WORTH * largest and sum(each <= unit for each in legible) == n_legible
    ]
    unit, way = max(
        good,
        # Of equal units the fewest lines win, and of these the most even ones: 4 + 4 boxes, not 6 + 2.
        key=lambda each: (
            each[1].is_full(each[0]),
            each[0],
            -len(each[1].lines),
            -len(each[1].lines[0].boxes),
        ),
    )
    return Arrangement(max(unit, 1.0), way, width, right, tight)


@dataclass(frozen=True)
class _Line:
    """Boxes side by side, and the room that they need: pixels and units across, pixels and units down."""

    boxes: tuple[Box, ...]
    pixels: int
    columns: float
    top: int
    rows: float
    bottom: int
    free: float  # with larger units no caption is wider than its body

    def gaps(self, unit: float) -> list[float]:
        """Return the pixels before each box, and after the last."""
        over = [max(0.0, (box.caption - box.columns * unit) / 2) for box in self.boxes]
        between = [
            max(box.left, one + other + CAPTIONS_APART if one or other else 0)
            for box, one, other in zip(self.boxes[1:], over, over[1:], strict=False)
        ]
        return [max(self.boxes[0].lead, over[0]), *between, max(self.boxes[-1].trail, over[-1])]

    def width(self, unit: float) -> float:
        """Return the pixels that the line takes."""
        gaps = self.pixels if unit > self.free else sum(self.gaps(unit))
        return gaps + self.columns * unit

    def unit(self, width: int, largest: float) -> float:
        """Return the largest unit, in pixels, with which the line fits."""
        unit = min(largest, (width - self.pixels) / self.columns)
        if unit <= 0 or self.width(unit) <= width + 1e-6:
            return unit
        low, high = 0.0, unit  # captions are wider than their bodies, by less with larger units
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (middle, high) if self.width(middle) <= width else (low, middle)
        return low


@dataclass(frozen=True)
class _LineBreaks:
    """One way to break boxes into lines."""

    lines: tuple[_Line, ...]
    labels: int  # pixels down that are taken by labels
    rows: float
    order: tuple[int, ...]  # the index of the box at each place, line by line
    across: tuple[tuple[int, float], ...]  # the distinct pixels and units across of its lines

    def most(self, width: int, height: int, largest: float) -> float:
        """Return an upper bound of `unit` without a search: wide captions may leave less."""
        across = [(width - pixels) / columns for pixels, columns in self.across]
        return min(largest, (height - self.labels) / self.rows, *across)

    def unit(self, width: int, height: int, largest: float) -> float:
        """Return the largest unit, in pixels, with which all lines fit."""
        unit = min(largest, (height - self.labels) / self.rows)
        for line in self.lines:
            unit = min(unit, line.unit(width, max(unit, 0.0)))
        return unit

    def is_full(self, unit: float) -> bool:
        """Whether no line is much shorter than the longest; lines of one box each never count as short."""
        if max(len(line.boxes) for line in self.lines) == 1:
            return True
        widths = [line.width(max(unit, 1.0)) for line in self.lines]
        return min(widths) >= FULL * max(widths)


@lru_cache(maxsize=256)  # line breaks do not depend on the width
def _ways(boxes: tuple[Box, ...]) -> tuple[_LineBreaks, ...]:
    count = len(boxes)
    if count <= ALL_UP_TO:
        cuts = (combinations(range(1, count), n_lines) for n_lines in range(count))
        breaks = {(*ends, count): None for each in cuts for ends in each}
    else:
        breaks = {_uniform(count, per_line): None for per_line in range(count, 0, -1)}
        breaks |= dict.fromkeys(_even(boxes))
        if half := _half(boxes):
            return _in_pairs(boxes, half)
    return tuple(_break_into_lines(boxes, ends, range(count)) for ends in breaks)


def _break_into_lines(boxes: Sequence[Box], line_ends: Sequence[int], order: Sequence[int]) -> _LineBreaks:
    """Return the boxes in this order, broken into lines that end before these places."""
    ordered = tuple(boxes[place] for place in order)
    lines = tuple(_line(ordered[start:end]) for start, end in pairwise((0, *line_ends)))
    labels = sum(line.top + line.bottom for line in lines)
    across = tuple({(line.pixels, line.columns): None for line in lines})
    return _LineBreaks(lines, labels, sum(line.rows for line in lines), tuple(order), across)


def _in_pairs(boxes: Sequence[Box], half: int) -> tuple[_LineBreaks, ...]:
    """Return line breaks that put each box of the second half under its partner, or all in one line."""
    count = len(boxes)
    ways = [_break_into_lines(boxes, (count,), range(count))]
    for per_line in range(half, 0, -1):
        if half % per_line == 0:
            order = sorted(range(count), key=lambda place: (place % half // per_line, place // half, place))
            ways.append(_break_into_lines(boxes, _uniform(count, per_line), order))
    return tuple(ways)


def _half(boxes: Sequence[Box]) -> int:
    """Return half the number of boxes if boxes are alike within each half and the halves differ; else 0."""
    half = len(boxes) // 2
    kinds = [(box.columns, box.rows, box.top, box.bottom) for box in boxes]
    first, second = {*kinds[:half]}, {*kinds[half:]}
    return half if 2 * half == len(boxes) and len(first) == len(second) == 1 and first != second else 0


def _uniform(count: int, per_line: int) -> tuple[int, ...]:
    """Return the places at which lines of ``per_line`` boxes end."""
    return (*range(per_line, count, per_line), count)


def _even(boxes: Sequence[Box]) -> list[tuple[int, ...]]:
    """Return, for each number of lines, the ends that make the longest line as short as possible."""
    count = len(boxes)
    ends = [0.0]
    for box in boxes:
        ends.append(ends[-1] + box.columns + box.left / USUAL_UNIT)
    best: list[tuple[float, tuple[int, ...]]] = [(ends[end], (end,)) for end in range(count + 1)]
    result = [best[count][1]]
    for n_lines in range(2, count + 1):
        longer = []
        for end in range(count + 1):
            ways = [
                (max(best[start][0], ends[end] - ends[start]), (*best[start][1], end))
                for start in range(n_lines - 1, end)
            ]
            longer.append(min(ways, default=(math.inf, ())))
        best = longer
        result.append(best[count][1])
    return result


@lru_cache(maxsize=512)  # ways have many lines in common
def _line(boxes: tuple[Box, ...]) -> _Line:
    return _Line(
        boxes,
        pixels=boxes[0].lead + sum(box.left for box in boxes[1:]) + boxes[-1].trail,
        columns=sum(box.columns for box in boxes),
        top=max(box.top for box in boxes),
        rows=max(box.rows for box in boxes),
        bottom=max(box.bottom for box in boxes),
        free=max(box.caption / box.columns if box.caption else 0.0 for box in boxes) * (1 + ROUNDING),
    )


def _place(lines: Sequence[_Line], unit: float, width: int, right: int, *, tight: bool) -> Layout:
    height = round(sum(line.top + line.rows * unit + line.bottom for line in lines))
    places = []
    top = 0.0
    # Lines start at one left edge, the page's own, so that columns of matrices stay aligned.
    gaps = [line.gaps(unit) for line in lines]
    widths = [sum(apart) + line.columns * unit for apart, line in zip(gaps, lines, strict=True)]
    lead = max(apart[0] for apart in gaps)
    longest = max(wide + lead - apart[0] for wide, apart in zip(widths, gaps, strict=True))
    if longest > width - right:  # one edge for all would push a long line out
        lead, longest = 0.0, max(widths)
    if tight:
        width = min(width, math.ceil(longest) + right)
    for line, before in zip(lines, gaps, strict=True):
        top += line.top
        cursor = 0.0
        before[0] = max(before[0], lead)
        for index, box in enumerate(line.boxes):
            cursor += before[index]
            body = (cursor, cursor + box.columns * unit)
            # Bodies share their top edge.
            y = (1 - (top + box.rows * unit) / height, 1 - top / height)
            places.append(
                Placement((body[0] / width, min(1.0, body[1] / width)), (max(0.0, y[0]), y[1]), index == 0)
            )
            cursor = body[1]
        top += line.rows * unit + line.bottom
    return Layout(width, height, math.ceil(longest), tuple(places))


def fitting(screens: Sequence[dict[str, Any]], width: int, height: float = math.inf) -> dict[str, Any]:
    """Return a page's widest screen that fits, by the rule of `choose` in the browser; phones may scroll.

    In a wide window that is too low for all it is the widest of those hardly higher than the lowest.
    """
    page = [screen for screen in screens if not screen["slide"]]
    across = [screen for screen in page if screen["width"] <= width] or page[:1]
    wide = [screen for screen in across if screen["width"] >= SCROLLS_BELOW]
    lowest = min((screen["height"] for screen in wide), default=0)
    fit = [screen for screen in wide if screen["height"] <= max(height, HARDLY_HIGHER * lowest)]
    return (fit or across)[-1]


def as_tree(screen: Mapping[str, Any]) -> Tree:
    """Return a screen's size and settings as one tree, with the figure's own keys.

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
    """Return a figure in the arrangement of its widest screen that fits."""
    result: Spec = overlay(spec, as_tree(fitting(spec["layout"]["meta"]["screens"], width, height)))
    return result


def overlay(part: Any, tree: Tree) -> Any:
    """Return a part of a figure with a tree of settings laid over it, as a copy.

    Steps may share their parts: what no setting touches stays the same object.
    """
    over: Any = list(part) if isinstance(part, list) else dict(part or {})
    for key, value in tree.items():
        if isinstance(value, dict):
            over[key] = overlay(over[key] if isinstance(part, list) else over.get(key), value)
        else:
            over[key] = value
    return over
