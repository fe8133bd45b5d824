"""Words beside points: each where it lies on no other, and inside its panel."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.matrix import Numbers
from attn_figures.screens import LETTER_WIDE
from attn_figures.ties import largest_first
from attn_figures.widths import letters, shorten

ROOM = 1.25  # of the farthest coordinate, for words beside points
FEW_LETTERS = 6  # of a name, where all are there: 9 words of 14 letters have no room in a pane of 260 pixels
LONGEST = 14  # letters of a name beside its point; pointing at it tells all of them
_LETTER, _CAPITAL, _WIDEST, _BOLD = 7.5, 2.5, 4.0, 1.1  # pixels of a letter, more of two kinds, times if bold
_LINE, _BETWEEN, _POINT = 18.0, 5.0, 6.0  # pixels of a line, between two words on it, of a point's radius
LARGEST = 3.5  # times the panel where words just have their full size, what any panel has at most
ON_ARROW = 9  # places along an arrow that a name may lie on
_APART = np.array([[_BETWEEN], [_BETWEEN], [0.0], [0.0]])  # pixels to the left, right, below and above
_SPACE = "\u2003"  # about as wide and high as half of the largest point: it keeps a word apart
# The sides of a point, the first of equal ones first: where a word begins in its own widths, and its line.
_SIDES = {
    "middle right": (0.0, 0),
    "middle left": (-1.0, 0),
    "top center": (-0.5, 1),
    "bottom center": (-0.5, -1),
    "top right": (0.0, 1),
    "top left": (-1.0, 1),
    "bottom right": (0.0, -1),
    "bottom left": (-1.0, -1),
}


@dataclass(frozen=True)
class PlaneStyle:
    """How planes are drawn: how large, with how many lines, and how much of them is named."""

    side: float = 7.0  # units of a square panel
    lines: int = 9  # of equal score, to both sides of the origin
    most_names: int = 12  # keys that are all named beside their points
    of_many: int = 8  # of more keys, so many that have the largest weights are named, where there is room
    diamond: float = 8.0  # pixels of a query
    # Pointing tells: of a key what the plane shows of its q·k, and of a line its own; or words' places.
    tells: Literal["products", "levels", "places"] = "products"
    by_place: bool = False  # whether colour tells the place of a word, earlier ones paler, and no weight
    pixels: float = 260.0  # of a side that has room for words of their full size; in less they are smaller

    def names_all(self, words: Sequence[str]) -> bool:
        """Return whether all words are to be named: few, and no long ones.

        >>> PlaneStyle().names_all(["cat"] * 9), PlaneStyle().names_all(["incomprehensibility"] * 9)
        (True, False)
        """
        room = FEW_LETTERS * self.most_names
        return (
            len(words) <= self.most_names and sum(letters(shorten(word, LONGEST)) for word in words) <= room
        )

    @property
    def letter(self) -> float:
        """Units that a letter has."""
        return LETTER_WIDE * theme.FONT_SIZE * self.side / self.pixels


@dataclass(frozen=True, eq=False)
class QueryPoints:
    """Queries in a plane, (n, 2), their names, and where their arrows begin, (2,)."""

    places: Numbers
    words: Sequence[str]
    origin: Numbers = field(default_factory=lambda: np.zeros(2))


Parts = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Names:
    """Words beside points, a row for each query.

    Attributes:
        parts: of a trace, (n, most) each; asked: the same of the queries' own names, (n, 1).
    """

    parts: Parts
    asked: Parts


def farthest(*places: Numbers) -> float:
    """Return how far axes reach to both sides of the origin, for all these places."""
    return ROOM * max(*(float(np.abs(each).max()) for each in places), 1e-12)


def named_points(name: str, parts: Parts, colour: str) -> marks.Mark:
    """Write the first row of some names."""
    x, y, text, sides = (parts[part][0] for part in ("x", "y", "text", "textposition"))
    said = marks.words(name, x, y, list(text)) | {"textposition": list(sides)}
    return said | {
        "textfont": said["textfont"] | {"color": colour},
        "meta": {"placed": True},
        "cliponaxis": False,
    }


def names_beside(
    places: Numbers,
    words: Sequence[str],
    weights: Numbers,
    look: PlaneStyle,
    *,
    asked: QueryPoints | None = None,
    rows: Sequence[int] | None = None,
) -> Names:
    """Return which words stand where beside their points, for each query.

    Few are all to stand there. Of many those of the largest weights are, as far as there is room. None lies
    on another, or on the name of the query.

    Args:
        places: of the points, and their words.
        words: one a point.
        weights: (n_query, n_key).
        look: how many are named.
        asked: the queries, where they stand in the same plane.
        rows: the queries that are wanted, from 0; all of them when None.
    """
    points = places if asked is None else np.vstack([places, asked.places])
    panel = _Panel(points, look)
    keys = panel.ways(places, _joined(places, words))
    asking = None if asked is None else panel.ways(asked.places, asked.words, bold=True)
    few = look.names_all(words)
    found, called = [], []
    for row in range(len(weights)) if rows is None else rows:
        given = weights[row]
        order = range(len(words)) if few else largest_first(given).tolist()
        wanted = [key for key in order if keys.words[key] and (few or given[key] > 0)]
        free, arrow = keys.inside, np.zeros((0, 2))
        if asked is not None and asking is not None:
            to = asking.at[row] - panel.scale * asked.origin
            side, free = asking.leaving(row, to, keys, wanted[:1])
            called.append([(row, side)])
            inside = to * min(1, 3 * panel.half / max(float(np.linalg.norm(to)), 1e-12))
            arrow = np.linspace(asking.at[row] - inside, asking.at[row], ON_ARROW)
        found.append(_placed(keys, wanted, free, arrow, some=None if few else look.of_many))
    most = len(words) if few else look.of_many
    return Names(_parts(keys, found, most), {} if asking is None else _parts(asking, called, 1))


class _Panel:
    """A panel where words just have their full size, in pixels from its middle, y upwards."""

    def __init__(self, points: Numbers, look: PlaneStyle) -> None:
        self.half = look.pixels / 2
        self.scale = self.half / farthest(points)
        self.points = points * self.scale

    def ways(self, places: Numbers, words: Sequence[str], *, bold: bool = False) -> "_LabelBoxes":
        """Return words on each side of their points.

        None takes more than half of the panel, so that it is inside on a side above its point or below.
        """
        said, wide = [], []
        for word in words:
            short = shorten(word, LONGEST)
            while _wide(short, bold=bold) > self.half and letters(short) > 1:
                short = shorten(word, letters(short) - 1)
            said.append(short)
            wide.append(_wide(short, bold=bold))
        at, across = places * self.scale, np.array(wide)[:, None]
        begins, lines = np.array([*_SIDES.values()]).T
        left = at[:, :1] + begins * across + np.where(lines, 0, (0.75 + 1.5 * begins) * _LINE)
        low = at[:, 1:] + (1.4 * lines - 0.5) * _LINE
        boxes = np.stack([left, low, left + across, low + _LINE], axis=-1)
        inside = (boxes.min(axis=-1) >= -self.half) & (boxes.max(axis=-1) <= self.half)
        return _LabelBoxes(places, said, bold, at, boxes, inside, _lie_on(boxes, self.points))


@dataclass(frozen=True, eq=False)
class _LabelBoxes:
    """Words on each of the `_SIDES` of their points.

    Attributes:
        places: of the points, (n, 2), and their words, cut; at: the places in pixels.
        bold: how they are written.
        boxes: left, low, right and high edges, (n, n_sides, 4); inside: whether the panel has room for each.
        hides: how many points each lies on, (n, n_sides).
    """

    places: Numbers
    words: Sequence[str]
    bold: bool
    at: Numbers
    boxes: Numbers
    inside: NDArray[np.bool_]
    hides: NDArray[np.int64]

    def leaving(
        self, word: int, arrow: Numbers, others: "_LabelBoxes", first: Sequence[int]
    ) -> tuple[int, NDArray[np.bool_]]:
        """Return a side for a word that leaves the first others room, if any; and where all are free then.

        Of such sides one where it hides few points, and of these one beyond its point, off its arrow.
        """
        away = np.array([line for _begins, line in _SIDES.values()]) == (-1 if arrow[1] < 0 else 1)
        cost = 2 * self.hides[word] + ~away
        sides = sorted(np.flatnonzero(self.inside[word]).tolist(), key=lambda side: int(cost[side]))
        for side in [*sides, sides[0]]:
            free = others.inside & others.apart(self, word, side)
            if free[first].any(axis=1).all():
                break
        return side, free

    @cached_property
    def _edges(self) -> Numbers:
        """Right, left, high and low edges, those that begin a box negative, (4, 2, n, n_sides).

        In the smallest panel and in the largest, where points are farther apart.
        """
        widest = self.boxes + (LARGEST - 1) * self.at[:, None, [0, 1, 0, 1]]
        left, low, right, high = np.moveaxis(np.stack([self.boxes, widest]), -1, 0)
        return np.stack([right, -left, high, -low])

    def apart(self, other: "_LabelBoxes", word: int, side: int) -> NDArray[np.bool_]:
        """Whether each stays clear of a word on one side of its point, (n, n_sides).

        What lies to the right of it in the smallest panel and in the largest does so in all between.
        """
        beyond = -other._edges[[1, 0, 3, 2], :, word, side] - _APART
        return np.asarray((self._edges <= beyond[..., None, None]).all(axis=1).any(axis=0))

    def text(self, word: int, side: str) -> str:
        """A word, and the space that keeps it apart from its point."""
        said = f"<b>{escape(self.words[word])}</b>" if self.bold else escape(self.words[word])
        if side.startswith("middle"):
            return f"{_SPACE}{said}" if side.endswith("right") else f"{said}{_SPACE}"
        return f"{said}<br>{_SPACE}" if side.startswith("top") else f"{_SPACE}<br>{said}"


def _lie_on(boxes: Numbers, points: Numbers) -> NDArray[np.int64]:
    """Count the points of a usual size that each box lies on: boxes (..., 4), points (n, 2)."""
    left, low, right, high = np.moveaxis(boxes, -1, 0)[..., None]
    x, y = points.T
    inside = (left - _POINT < x) & (x < right + _POINT) & (low - _POINT < y) & (y < high + _POINT)
    return np.asarray(inside.sum(axis=-1))


_Found = Sequence[tuple[int, int]]  # words, and their sides, both from 0


def _placed(
    ways: _LabelBoxes,
    wanted: Sequence[int],
    free: NDArray[np.bool_],
    arrow: Numbers,
    *,
    some: int | None,
) -> _Found:
    """Place words in this order, each where it is free and hides fewest points, off the arrow first.

    Where but some are wanted, none but the first lies on points or on the arrow, places (n, 2) along it.
    """
    found: list[tuple[int, int]] = []
    for word in wanted:
        if len(found) == some:
            break
        may = free[word] & ~ways.hides[word].astype(bool) if some and found else free[word]
        if not may.any():
            continue
        cost = ways.hides[word] + len(ways.at) * (_lie_on(ways.boxes[word], arrow) > 0)
        side = int(np.where(may, cost, np.inf).argmin())
        if some and found and cost[side]:
            continue
        found.append((word, side))
        free = free & ways.apart(ways, word, side)
    return found


def _wide(word: str, *, bold: bool) -> float:
    wider = sum(_CAPITAL * letter.isupper() + _WIDEST * (letter in "mwMW") for letter in word)
    return (_BOLD if bold else 1.0) * (_LETTER * letters(word) + wider)


def _parts(ways: _LabelBoxes, rows: Sequence[_Found], most: int) -> Parts:
    """Return what a trace has of the words that are placed, so many in each row."""
    sides = [*_SIDES]
    filled = [
        [(*ways.places[word], ways.text(word, sides[at]), sides[at]) for word, at in row] for row in rows
    ]
    blank = (np.nan, np.nan, "", sides[0])
    columns = zip(*([*row, *[blank] * (most - len(row))] for row in filled), strict=True)
    x, y, text, where = zip(*(zip(*column, strict=True) for column in columns), strict=True)
    return {
        "x": np.array(x, dtype=float).T,
        "y": np.array(y, dtype=float).T,
        "text": np.array(text).T,
        "textposition": np.array(where).T,
    }


def _joined(places: Numbers, words: Sequence[str]) -> list[str]:
    """Write words that stand at one place once, together; the others stay empty."""
    at = [tuple(each) for each in np.round(places, 9).tolist()]
    return [
        ", ".join(word for other, word in zip(at, words, strict=True) if other == place)
        if at.index(place) == number
        else ""
        for number, place in enumerate(at)
    ]
