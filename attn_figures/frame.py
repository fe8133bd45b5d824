"""The frame of a matrix: its room, its labels and its axes, made once for all steps that share it."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from html import escape
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.arrange import Box
from attn_figures.geometry import LABEL_SIZES, Axes, Geometry, Tick
from attn_figures.widths import letters, shorten
from attn_words import _

Role = Literal["query", "key", "value", "output", "ink"]
Ticks = Sequence[tuple[float, str]]  # places on the axis, in cells counted from 0, and their texts

LONGEST_LABEL = 12  # letters; longer tokens end in an ellipsis on the axis and stand whole in the hover
MOST_LABELS = 32
MOST_FLAT = 8  # labels chosen for the columns; more of them are slanted
SLANTED_SHARE = 0.95  # distance of two slanted labels, as a share of that of flat ones
FLAT_LETTERS = 2  # for which a unit has room
DIGIT, POINT = 0.56, 0.28  # widths of a digit or sign, and of a point, in its font's size: Arial's are wide
SIDE_GAP, SIDE_SHARE = 0.03, 0.16  # of the body's width: the gap before the side bars, and gap and bars
TITLE_PIXELS = 22
CAPTION_LETTER = 7  # pixels
OPERATOR_LETTER, OPERATOR_GAP = 8.2, 16  # pixels: operators are set in larger type
# Pixels that a slanted letter takes to the right, and those of a cell just large enough for its full size.
SLANTED_LETTER, LABELLED_CELL = 5.5, 16.5


def key_title() -> str:
    """Return the title of the keys' axis."""
    return _("Key (attended to)")


def query_title() -> str:
    """Return the title of the queries' axis."""
    return _("Query (attending)")


@dataclass(frozen=True)
class Side:
    """The rows or the columns of a matrix.

    Attributes:
        labels: one a row or column, as typed.
        ticks: which labels stand on the axis; as many as fit when None.
        n_visible: how many are visible, from the first on; all when None. The caption shows this number.
    """

    labels: Sequence[str]
    title: str = ""
    role: Role = "query"
    ticks: Ticks | None = None
    n_visible: int | None = None

    @classmethod
    def queries(cls, labels: Sequence[str], ticks: Ticks | None = None) -> "Side":
        """Return the side of the queries."""
        return cls(labels, query_title(), "query", ticks)

    @classmethod
    def keys(cls, labels: Sequence[str], ticks: Ticks | None = None) -> "Side":
        """Return the side of the keys."""
        return cls(labels, key_title(), "key", ticks)

    @classmethod
    def numbers(cls, count: int, title: str, role: Role, ticks: Ticks | None = None) -> "Side":
        """Return a side that is numbered from 1."""
        return cls([str(number) for number in range(1, count + 1)], title, role, ticks)

    def __len__(self) -> int:
        """Return how many rows or columns there are."""
        return len(self.labels)

    @property
    def in_sight(self) -> int:
        """How many rows or columns are in sight."""
        return self.n_visible or len(self.labels)

    @property
    def on_axis(self) -> Sequence[str]:
        """The labels of the axis, before they are shortened."""
        return self.labels if self.ticks is None else [label for _place, label in self.ticks]

    @property
    def step(self) -> float:
        """The distance of two labels on the axis, in rows or columns."""
        if self.ticks is None:
            return _step(self.labels)
        return _least_gap([place for place, _label in self.ticks], len(self.labels))

    @cached_property
    def as_tuples(self) -> "Side":
        """This side with tuples of labels and ticks, so that equal sides share one cache entry."""
        labels, ticks = tuple(self.labels), None if self.ticks is None else tuple(self.ticks)
        if labels is self.labels and ticks is self.ticks:
            return self
        return replace(self, labels=labels, ticks=ticks)


@dataclass(frozen=True)
class Frame:
    """All that decides a matrix's room and axes; steps of a slider with equal frames are laid out once."""

    rows: Side
    columns: Side
    size: tuple[float, float]
    operator: str
    names_rows: bool
    has_side: bool
    formats: tuple[tuple[str, float], ...]
    caption_letters: int

    @property
    def is_slanted(self) -> bool:
        """Whether column labels are slanted: not if all are short, or if they are few and far apart."""
        labels = self.columns.on_axis
        longest = max(map(letters, labels))
        many = self.columns.ticks is None or len(labels) > MOST_FLAT
        return longest > 3 and (many or longest > FLAT_LETTERS * self.label_units[0])

    @property
    def label_units(self) -> tuple[float, float]:
        """The distances of two column labels and of two row labels, in units."""
        (wide, tall), rows, columns = self.size, self.rows, self.columns
        return float(columns.step * wide / len(columns)), float(rows.step * tall / len(rows))


@lru_cache(maxsize=512)
def geometry(frame: Frame) -> Geometry:
    """Return the room for the body, and for the words around it."""
    n_columns, n_rows = frame.size
    operator = round(OPERATOR_LETTER * max(map(letters, without_tags(frame.operator).split("<br>"))))
    sizes = [_room(frame, operator, size) for size in (*LABEL_SIZES, 0)]
    (box, _), *smaller = sizes
    return Geometry(
        box,
        frame.rows.title,
        frame.columns.title,
        tuple(pixels for _, pixels in sizes),
        formats=frame.formats,
        operator=frame.operator,
        operator_pixels=operator,
        names_rows=frame.names_rows,
        label_units=(frame.label_units[0] * (SLANTED_SHARE if frame.is_slanted else 1), frame.label_units[1]),
        cell=(n_columns / len(frame.columns), n_rows / len(frame.rows)),
        smaller=tuple(each for each, _ in smaller),
        ticks=(_tick_labels(frame.columns), _tick_labels(frame.rows)),
    )


def _room(frame: Frame, operator: int, size: int) -> tuple[Box, int]:
    """Return the room with labels of a size in pixels, 0 for none, and the width of the row labels."""
    n_columns, n_rows = frame.size
    of_usual = size / theme.FONT_SIZE
    is_slanted = frame.is_slanted and size > 0
    labels = frame.columns.on_axis
    columns = round(0.72 * _label_pixels(labels, of_usual)) + 8 if is_slanted else round(16 * of_usual)
    row_pixels = _label_pixels(frame.rows.on_axis, of_usual) if size else 0
    row_pixels += TITLE_PIXELS if frame.rows.title else 0
    left = operator + OPERATOR_GAP if operator else 24
    box = Box(
        columns=n_columns * (1 + SIDE_SHARE * frame.has_side),
        rows=n_rows,
        left=left + frame.names_rows * row_pixels,
        lead=max(row_pixels, operator + 4 if operator else 0)
        if size
        else row_pixels + (operator + 8 if operator else 0),
        trail=max(16, round(of_usual * _beyond(labels))) if is_slanted else 4,
        top=10 + columns + (20 if frame.columns.title else 0),
        bottom=32,
        caption=CAPTION_LETTER * frame.caption_letters,
    )
    return box, row_pixels


@lru_cache(maxsize=512)
def axes_of(frame: Frame, axes: Axes) -> dict[str, Any]:
    """Return the settings of both axes: columns on top, row 0 the highest."""
    n_rows, n_columns = frame.rows.in_sight, frame.columns.in_sight
    beside = SIDE_SHARE * n_columns if frame.has_side else 0.0
    return {
        axes.x_layout: _ticks(frame.columns)
        | {
            "side": "top",
            "anchor": axes.y,
            "range": [-0.5, n_columns - 0.5 + beside],
            "tickangle": -45 if frame.is_slanted else 0,
        },
        axes.y_layout: _ticks(frame.rows) | {"anchor": axes.x, "range": [n_rows - 0.5, -0.5]},
    }


def shortens(*sides: Side) -> bool:
    """Whether either axis leaves labels out or cuts them short."""
    return any(
        each.ticks is not None or _step(each.labels) > 1 or max(map(letters, each.labels)) > LONGEST_LABEL
        for each in sides
    )


def _shorten(label: str) -> str:
    return shorten(label, LONGEST_LABEL)


def _label_pixels(labels: Sequence[str], of_usual: float = 1.0) -> int:
    return 8 + round(7.6 * of_usual * max(letters(_shorten(label)) for label in labels))


def _beyond(labels: Sequence[str]) -> int:
    """Return how far slanted labels go beyond the body's right edge, in pixels."""
    ends = (
        SLANTED_LETTER * letters(_shorten(label)) - (place + 0.5) * LABELLED_CELL
        for place, label in enumerate(reversed(labels))
    )
    return round(max(ends))


def without_tags(text: str) -> str:
    """Remove Plotly's tags except <br>; users' own "<" is escaped."""
    return re.sub(r"<(?!br>)[^>]*>", "", text)


def number_width(number: str) -> float:
    """Return how wide a number is, as a multiple of its font's size.

    >>> round(number_width("0.25"), 2)
    1.96
    """
    return sum(POINT if character == "." else DIGIT for character in number)


def _step(labels: Sequence[str]) -> int:
    """Return how many rows or columns there are for each label."""
    return -(-len(labels) // MOST_LABELS)


def middles_of_parts(count: int, cells: int) -> NDArray[np.float64]:
    """Return the middles of equal parts of an axis that counts cells.

    >>> middles_of_parts(2, 4).tolist()
    [0.5, 2.5]
    """
    places: NDArray[np.float64] = (np.arange(count) + 0.5) * cells / count - 0.5
    return places


def _least_gap(places: Sequence[float], otherwise: float) -> float:
    return float(np.diff(sorted(places)).min(initial=otherwise))


def _tick_labels(side: Side) -> Tick:
    ticks = list(enumerate(side.labels))[:: _step(side.labels)] if side.ticks is None else side.ticks
    return tuple(place for place, _label in ticks), tuple(escape(_shorten(label)) for _place, label in ticks)


def _ticks(side: Side) -> dict[str, Any]:
    places, texts = _tick_labels(side)
    colour = getattr(theme.LIGHT, side.role)
    return {
        "tickmode": "array",
        "tickvals": [*places],
        "ticktext": [*texts],
        # The hover's text for a place whose label a screen leaves out.
        "labelalias": {f"{place:g}": text for place, text in zip(places, texts, strict=True)},
        "tickfont": {"color": colour, "size": theme.FONT_SIZE},
        "title": {"text": side.title, "font": {"color": colour, "size": theme.FONT_SIZE - 1}, "standoff": 6},
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "automargin": False,
        # The default measures every label at every step: two thirds of the time to draw 64 x 64 cells.
        "ticklabeloverflow": "allow",
    }


def few_ticks(labels: Sequence[str]) -> Ticks:
    """Return ticks for every place while there are up to eight, then for every second, fourth, ...

    >>> few_ticks(["a", "b"]), len(few_ticks("abcdefghi"))
    ([(0, 'a'), (1, 'b')], 5)
    """
    step = 1 << max(0, math.ceil(math.log2(len(labels) / 8)))
    return list(enumerate(labels))[::step]
