"""Words beside points, inside their panel, where they cover no other word."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from html import escape
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.matrix import Numbers
from attn_figures.screens import LETTER_WIDE
from attn_figures.ties import largest_first
from attn_figures.widths import letters, shorten

ROOM = 1.25  # length of an axis, as a multiple of the farthest coordinate: words need room
FEW_LETTERS = 6  # mean letters of names up to which all are drawn: no pane has room for 9 of 14
LONGEST = 14  # letters of a name beside its point; the hover shows all of them
_LETTER, _CAPITAL, _WIDEST, _BOLD = 7.5, 2.5, 4.0, 1.1  # a letter's pixels, more for two kinds; times if bold
_LINE, _BETWEEN, _POINT = 18.0, 5.0, 6.0  # pixels of a line, between two words on it, of a point's radius
LARGEST = 3.5  # size of the largest panel, as a multiple of one in which words just have full size
ON_ARROW = 9  # places along an arrow that a name may lie on
_APART = np.array([[_BETWEEN], [_BETWEEN], [0.0], [0.0]])  # pixels to the left, right, below and above
_SPACE = "\u2003"  # about as wide and high as half of the largest point: it keeps a word apart
# The sides of a point, best first: the shift of a word in its own widths, and its line.
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
    """How planes are drawn: their size, the number of lines, and how many points are named."""

    side: float = 7.0  # units of a square panel
    lines: int = 9  # of equal score, on both sides of the origin together
    most_names: int = 12  # up to so many keys all are named
    of_many: int = 8  # of more keys those with the largest weights are named, so many where there is room
    diamond: float = 8.0  # pixels of a query

    # The hover: a key's q·k and its part in the plane, and q·k of lines; only q·k of lines; or words' places.
    tells: Literal["products", "levels", "places"] = "products"
    by_place: bool = False  # whether opacity shows a word's place in place of colour showing its weight
    pixels: float = 260.0  # of a side with room for words of full size; on a shorter one they are smaller

    def names_all(self, words: Sequence[str]) -> bool:
        """Whether all words are named: if they are few and short enough.

        >>> PlaneStyle().names_all(["cat"] * 9), PlaneStyle().names_all(["incomprehensibility"] * 9)
        (True, False)
        """
        room = FEW_LETTERS * self.most_names
        return (
            len(words) <= self.most_names and sum(letters(shorten(word, LONGEST)) for word in words) <= room
        )

    @property
    def letter(self) -> float:
        """The width of a letter in units."""
        return LETTER_WIDE * theme.FONT_SIZE * self.side / self.pixels


@dataclass(frozen=True, eq=False)
class QueryPoints:
    """Queries in a plane, (n, 2), their names, and the origin of their arrows, (2,)."""

    places: Numbers
    words: Sequence[str]
    origin: Numbers = field(default_factory=lambda: np.zeros(2))


Parts = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Names:
    """Words beside points, a row for each query.

    Attributes:
        parts: the fields of a trace, (n_query, most) each; queries: of the queries' names, (n_query, 1) each.
    """

    parts: Parts
    queries: Parts


def axis_reach(*places: Numbers) -> float:
    """Return how far axes must reach from the origin to hold all these places and their names."""
    return ROOM * max(*(float(np.abs(each).max()) for each in places), 1e-12)


def named_points(name: str, parts: Parts, colour: str) -> marks.Mark:
    """Return the first row of names as a trace."""
    x, y, text, sides = (parts[part][0] for part in ("x", "y", "text", "textposition"))
    trace = marks.words(name, x, y, list(text)) | {"textposition": list(sides)}
    return trace | {
        "textfont": trace["textfont"] | {"color": colour},
        "meta": {"placed": True},
        "cliponaxis": False,
    }


def names_beside(
    places: Numbers,
    words: Sequence[str],
    weights: Numbers,
    style: PlaneStyle,
    *,
    queries: QueryPoints | None = None,
    rows: Sequence[int] | None = None,
) -> Names:
    """Return the names beside points, and where they are written, for each query.

    Few points are all named; of many those with the largest weights, as far as there is room. No name covers
    another or the query's name.

    Args:
        weights: (n_query, n_key).
        queries: the queries, if they are in the same plane.
        rows: the indices of the queries to return; all when None.
    """

    points = places if queries is None else np.vstack([places, queries.places])
    panel = _Panel(points, style)
    keys = panel.boxes(places, _join_words(places, words))

    query_boxes = None if queries is None else panel.boxes(queries.places, queries.words, bold=True)
    few = style.names_all(words)
    key_sides, query_sides = [], []
    for row in range(len(weights)) if rows is None else rows:
        row_weights = weights[row]
        order = range(len(words)) if few else largest_first(row_weights).tolist()
        candidates = [key for key in order if keys.words[key] and (few or row_weights[key] > 0)]
        free, arrow = keys.inside, np.zeros((0, 2))
        if queries is not None and query_boxes is not None:
            to = query_boxes.at[row] - panel.scale * queries.origin
            side, free = query_boxes.side_for(row, to, keys, candidates[:1])
            query_sides.append([(row, side)])
            inside = to * min(1, 3 * panel.half / max(float(np.linalg.norm(to)), 1e-12))
            arrow = np.linspace(query_boxes.at[row] - inside, query_boxes.at[row], ON_ARROW)
        key_sides.append(_place_names(keys, candidates, free, arrow, some=None if few else style.of_many))
    most = len(words) if few else style.of_many
    return Names(
        _parts(keys, key_sides, most), {} if query_boxes is None else _parts(query_boxes, query_sides, 1)
    )


class _Panel:
    """A panel just large enough for words of full size; places are in pixels from its middle, y upwards."""

    def __init__(self, points: Numbers, style: PlaneStyle) -> None:
        self.half = style.pixels / 2
        self.scale = self.half / axis_reach(points)
        self.points = points * self.scale

    def boxes(self, places: Numbers, words: Sequence[str], *, bold: bool = False) -> "_LabelBoxes":
        """Return the boxes of words on each side of their points.

        Words are cut to half of the panel's width, so that they fit above or below their points.
        """
        texts, widths = zip(*(_fit_word(word, self.half, bold) for word in words), strict=True)
        at, across = places * self.scale, np.array(widths)[:, None]
        begins, lines = np.array([*_SIDES.values()]).T
        left = at[:, :1] + begins * across + np.where(lines, 0, (0.75 + 1.5 * begins) * _LINE)
        low = at[:, 1:] + (1.4 * lines - 0.5) * _LINE
        boxes = np.stack([left, low, left + across, low + _LINE], axis=-1)
        inside = (boxes.min(axis=-1) >= -self.half) & (boxes.max(axis=-1) <= self.half)
        return _LabelBoxes(places, texts, bold, at, boxes, inside, _lie_on(boxes, self.points))


@dataclass(frozen=True, eq=False)
class _LabelBoxes:
    """The boxes of words on each of the `_SIDES` of their points.

    Attributes:
        places: of the points, (n, 2); words: cut to fit; at: the places in pixels.
        bold: whether the words are bold.
        boxes: left, low, right and high edges, (n, n_sides, 4); inside: whether each is inside the panel.
        hides: the number of points that each box covers, (n, n_sides).
    """

    places: Numbers
    words: Sequence[str]
    bold: bool
    at: Numbers
    boxes: Numbers
    inside: NDArray[np.bool_]
    hides: NDArray[np.int64]

    def side_for(
        self, word: int, arrow: Numbers, others: "_LabelBoxes", first: Sequence[int]
    ) -> tuple[int, NDArray[np.bool_]]:
        """Return a side for a word that leaves room for the first others, and which boxes are still free.

        Among such sides the word covers few points there, and lies off its arrow.
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
        """Right, left, high and low edges, left and low ones negated, (4, 2, n, n_sides).

        The second axis has the smallest panel and the largest, where points are farther apart.
        """
        widest = self.boxes + (LARGEST - 1) * self.at[:, None, [0, 1, 0, 1]]
        left, low, right, high = np.moveaxis(np.stack([self.boxes, widest]), -1, 0)
        return np.stack([right, -left, high, -low])

    def apart(self, other: "_LabelBoxes", word: int, side: int) -> NDArray[np.bool_]:
        """Whether each box stays clear of the other's word on this side of its point, (n, n_sides).

        Boxes that are apart in one direction in the smallest panel and in the largest are so in all between.
        """
        beyond = -other._edges[[1, 0, 3, 2], :, word, side] - _APART
        return np.asarray((self._edges <= beyond[..., None, None]).all(axis=1).any(axis=0))

    def text(self, word: int, side: str) -> str:
        """Return a word with the space that separates it from its point."""
        text = f"<b>{escape(self.words[word])}</b>" if self.bold else escape(self.words[word])
        if side.startswith("middle"):
            return f"{_SPACE}{text}" if side.endswith("right") else f"{text}{_SPACE}"
        return f"{text}<br>{_SPACE}" if side.startswith("top") else f"{_SPACE}<br>{text}"


def _lie_on(boxes: Numbers, points: Numbers) -> NDArray[np.int64]:
    """Return the number of points of the usual size that each box covers: boxes (..., 4), points (n, 2)."""
    left, low, right, high = np.moveaxis(boxes, -1, 0)[..., None]
    x, y = points.T
    inside = (left - _POINT < x) & (x < right + _POINT) & (low - _POINT < y) & (y < high + _POINT)
    return np.asarray(inside.sum(axis=-1))


_Sides = Sequence[tuple[int, int]]  # indices of words and of their sides


def _place_names(
    ways: _LabelBoxes, candidates: Sequence[int], free: NDArray[np.bool_], arrow: Numbers, *, some: int | None
) -> _Sides:
    """Choose sides for words in this order: free ones that cover few points, and not the arrow if possible.

    With at most ``some`` names only the first may cover points or the arrow, given as points (n, 2) along it.
    """
    sides: list[tuple[int, int]] = []
    for word in candidates:
        if len(sides) == some:
            break
        may = free[word] & ~ways.hides[word].astype(bool) if some and sides else free[word]
        if not may.any():
            continue
        cost = ways.hides[word] + len(ways.at) * (_lie_on(ways.boxes[word], arrow) > 0)
        side = int(np.where(may, cost, np.inf).argmin())
        if some and sides and cost[side]:
            continue
        sides.append((word, side))
        free = free & ways.apart(ways, word, side)
    return sides


@lru_cache(maxsize=4096)
def _fit_word(word: str, room: float, bold: bool) -> tuple[str, float]:
    """Cut a word to the room, in pixels; return it with its width."""
    short = shorten(word, LONGEST)
    while (width := _wide(short, bold=bold)) > room and letters(short) > 1:
        short = shorten(word, letters(short) - 1)
    return short, width


def _wide(word: str, *, bold: bool) -> float:
    wider = sum(_CAPITAL * letter.isupper() + _WIDEST * (letter in "mwMW") for letter in word)
    return (_BOLD if bold else 1.0) * (_LETTER * letters(word) + wider)


def _parts(ways: _LabelBoxes, rows: Sequence[_Sides], most: int) -> Parts:
    """Return the fields of a trace of words on their sides; blanks fill each row up to ``most``."""
    sides = [*_SIDES]
    rows_of_words = [
        [(*ways.places[word], ways.text(word, sides[at]), sides[at]) for word, at in row] for row in rows
    ]
    blank = (np.nan, np.nan, "", sides[0])
    columns = zip(*([*row, *[blank] * (most - len(row))] for row in rows_of_words), strict=True)
    x, y, text, where = zip(*(zip(*column, strict=True) for column in columns), strict=True)
    return {
        "x": np.array(x, dtype=float).T,
        "y": np.array(y, dtype=float).T,
        "text": np.array(text).T,
        "textposition": np.array(where).T,
    }


def _join_words(places: Numbers, words: Sequence[str]) -> list[str]:
    """Join all words at one place into the first; the others become empty."""
    at = [tuple(each) for each in np.round(places, 9).tolist()]
    joined: dict[tuple[float, ...], list[str]] = {}
    for place, word in zip(at, words, strict=True):
        joined.setdefault(place, []).append(word)
    return [", ".join(joined.pop(place, ())) for place in at]
