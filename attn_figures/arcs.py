"""Arcs between the words of a paragraph, as thick as the weights of one query, beside the map."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.marks import readings
from attn_figures.matrix import Matrix, Numbers, frame_at, may_not_attend
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Spec
from attn_figures.widths import letters, shorten
from attn_words import _

LIGHT = theme.LIGHT
COLUMNS = 12.0  # units that a line of words takes
MAP = (7.6, 7.6)  # units that the map takes
LETTERS = 44  # for which a line has room
LETTER = COLUMNS / LETTERS
SPACE, WIDEST = 1.3, 6.0  # letters between two words: at least; at most, where all are on one line
PITCH = 1.55  # units from one line to the next, at least
FILLED = 6.8, 4.4  # units that all lines together may take, and a single line: of few lines arcs rise higher
ABOVE, BELOW = 0.34, 0.3  # units from a line's middle to where arcs begin over it, and under it
BENDS = 24  # segments of an arc
LOOP_ROOM = 0.75  # units beside the first word and the last, for their loops
LOOP = 0.9  # units from a word to the control points of its arc to itself: up, and to each side
CROWN = 0.3  # units over the highest arc, for half of the thickest line
THICKEST = 16.0  # pixels of an arc that has all the weight
LEAST = 0.005  # weights below draw no arc


@dataclass(frozen=True)
class Group:
    """Queries whose rows are added to the selected query's, as a sum or a mean.

    ``also`` holds the zero-based indices of these queries.
    """

    also: tuple[int, ...] = ()
    summed: bool = False

    def rows(self, row: int) -> list[int]:
        """Return the zero-based indices of the group's queries, the selected ``row`` among them."""
        return sorted({row, *self.also})

    def mean(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each query the mean row of its group, in the shape (..., n_query, n_key) of the weights.

        >>> Group((1,)).mean(np.eye(2)).tolist()
        [[0.5, 0.5], [0.0, 1.0]]
        """
        if not self.also:
            return weights
        rows = range(weights.shape[-2])
        return np.stack([weights[..., self.rows(row), :].mean(axis=-2) for row in rows], axis=-2)

    def totals(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows that the hover shows: the mean rows (..., n_query, n_key), or their sums."""
        sizes = np.array([len(self.rows(row)) for row in range(mean.shape[-2])])
        return mean * sizes[:, None] if self.summed else mean


NO_GROUP = Group()


@dataclass(frozen=True)
class WordPlace:
    """The place of a word: its middle and its width in units; `line` counts from 0 at the top."""

    word: str
    x: float
    line: int
    width: float


@lru_cache(maxsize=64)
def set_words(words: tuple[str, ...], first_line: int = 0) -> tuple[WordPlace, ...]:
    """Lay words out as a paragraph: as many on a line as have room, each as wide as its letters.

    Words that fit on one line are spread over it, so that their arcs do not crowd.

    >>> [each.line for each in set_words(("attention",) * 6)]
    [0, 0, 0, 0, 1, 1]
    """
    texts = [shorten(word, LETTERS) for word in words]
    widths = [max(1, letters(text)) * LETTER for text in texts]
    spaces = max(1, len(words) - 1)
    space = max(SPACE * LETTER, min(WIDEST * LETTER, (COLUMNS - sum(widths)) / spaces))
    places, x, line = [], 0.0, first_line
    for word, width in zip(texts, widths, strict=True):
        if x and x + width > COLUMNS + 1e-9:
            x, line = 0.0, line + 1
        places.append(WordPlace(word, x + width / 2, line, width))
        x += width + space
    return tuple(places)


def pitch_of(lines: int) -> float:
    """Return the units from one line to the next.

    >>> pitch_of(1), pitch_of(3) > pitch_of(4) > pitch_of(9) == PITCH
    (4.4, True)
    """
    whole, one = FILLED
    return max(PITCH, min(one, whole / lines))


def arcs_of(queries: Sequence[WordPlace], keys: Sequence[WordPlace], pitch: float = PITCH) -> Numbers:
    """Return the points of every arc, (n_query, n_key, n_points, 2), in units, y downwards; see `arc`."""
    courses = np.empty((len(queries), len(keys), BENDS + 1, 2))
    for row, query in enumerate(queries):
        for column, key in enumerate(keys):
            courses[row, column] = arc(query, key, pitch)
    return courses


def arc(
    query: WordPlace,
    key: WordPlace,
    pitch: float,
    *,
    bends: int = BENDS,
    lane: float = 0.0,
    height: float = 1.0,
) -> Numbers:
    """Return the points of one arc, (bends + 1, 2), in units, y downwards.

    On one line an arc rises over the words between, higher for words farther apart; to another line it goes
    from edge to edge of the words. A word's arc to itself is a loop above it.

    Args:
        query, key: where it begins and ends; pitch: units from one line to the next.
        bends: number of segments.
        lane: units by which it is shifted sideways; height: a factor on its rise.
    """
    return np.asarray(bezier_shares(bends) @ np.array([*_bezier(query, key, pitch, height)]) + (lane, 0.0))


@lru_cache
def bezier_shares(bends: int) -> Numbers:
    """Return the weights of a Bézier curve's four control points at each place along it, (bends + 1, 4)."""
    along = np.linspace(0, 1, bends + 1)
    others = 1 - along
    return np.stack([others**3, 3 * along * others**2, 3 * along**2 * others, along**3], axis=1)


def _bezier(query: WordPlace, key: WordPlace, pitch: float, height: float) -> Iterator[tuple[float, float]]:
    """Yield the four control points of an arc's Bézier curve."""
    (x, y), (to, at) = (query.x, query.line * pitch), (key.x, key.line * pitch)
    if query.line == key.line:
        apart = abs(to - x)
        # A loop's ends lie beside the word's middle, so that even the thickest line leaves paper inside.
        aside, least = (LOOP, LOOP) if apart == 0 else (0.0, 0.35)
        # A cubic Bézier rises to three quarters of the height of its control points.
        highest = pitch - ABOVE - BELOW
        rise = height * min(highest, least + 0.132 * highest * apart) / 0.75
        yield x - aside / 6, y - ABOVE
        yield x - aside, y - ABOVE - rise
        yield to + aside, at - ABOVE - rise
        yield to + aside / 6, at - ABOVE
        return
    down = key.line > query.line
    start, end = (y + BELOW, at - ABOVE) if down else (y - ABOVE, at + BELOW)
    lean = 0.6 * (end - start)
    yield x, start
    yield x, start + lean
    yield to, end - lean
    yield to, end


def arcs(
    weights: Numbers,
    queries: Sequence[str],
    keys: Sequence[str],
    matrix: Matrix,
    *,
    row: int = 0,
    group: Group = NO_GROUP,
) -> Spec:
    """Draw the words with the arcs of one query, beside the map of all weights.

    Args:
        weights: (n_query, n_key), each row the mean of its query's group; queries, keys: the words, the same
            where a sequence attends to itself.
        matrix: the map of all weights, whose rows a click chooses.
        row: the index of the query; group: the queries whose rows are added to its own.
    """
    page = Words(queries, keys, group)
    colour = theme.rgba(LIGHT.query, 0.55)
    widths = thickness(weights)[row].tolist()
    moving = arcs_of(page.queries[row : row + 1], page.keys, page.pitch)[0].transpose(0, 2, 1)
    strokes = [
        marks.line(f"arc {number}", x, y, colour, width=width, hover=page.hover(f"weights[{number - 1}]"))
        | page.target(number - 1)
        for number, ((x, y), width) in enumerate(zip(moving, widths, strict=True), start=1)
    ]
    strokes += [
        marks.line(
            f"arc {number} of others", x, y, colour, width=width, hover=page.hover(f"weights[{number - 1}]")
        )
        | page.target(number - 1)
        for number, ((x, y), width) in enumerate(zip(page.others(), widths, strict=True), start=1)
        if group.also
    ]
    for stroke in strokes:
        stroke["line"] |= {"simplify": False}  # else a thick line shows corners
        stroke["meta"]["weights"] = np.nan_to_num(group.totals(weights))[row]
    return page.beside(strokes, weights, matrix, row=row, legend=[(page.legend(), LIGHT.muted)])


def cursor(
    weights: NDArray[np.float64],
    masks: NDArray[np.bool_],
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    group: Group = NO_GROUP,
) -> dict[str, Any]:
    """Return the settings of `arcs` that change with the query: by row, and by step and row.

    Args:
        weights: (n_steps, n_query, n_key), each row the mean of its query's group.
        masks: of the same shape, True where any of the group may attend.
    """
    page = Words(queries, keys, group)
    course, widths = arcs_of(page.queries, page.keys, page.pitch), thickness(weights)
    course[list(group.also)] = np.nan  # the traces "of others" draw these
    moves = page.cursor(weights, masks)
    for number in range(1, len(keys) + 1):
        for side, axis in enumerate("xy"):
            moves["changes"][f"data[arc {number}].{axis}"] = course[:, number - 1, :, side]
        for name in (f"arc {number}", *([f"arc {number} of others"] if group.also else [])):
            moves["by_step"][f"data[{name}].line.width"] = widths[:, :, number - 1]
            # One array for all arcs and for the words: it is sent once.
            moves["by_step"][f"data[{name}].meta.weights"] = moves["by_step"]["data[key weights].customdata"]
    return moves


class Words:
    """The words of a picture of arcs, their places, and their settings that change with the query.

    In self-attention they are one paragraph, else the queries above the keys.
    """

    def __init__(self, queries: Sequence[str], keys: Sequence[str], group: Group = NO_GROUP) -> None:
        """Lay out the words."""
        self.queries = self.keys = set_words(tuple(queries))
        self.apart = tuple(queries) != tuple(keys)
        if self.apart:
            self.keys = set_words(tuple(keys), self.queries[-1].line + 1)
        self.group = group
        self.lines = max(each.line for each in (*self.queries, *self.keys)) + 1
        self.pitch = pitch_of(self.lines)

    def others(self) -> Numbers:
        """Return the arcs to each key from the group's other queries: (n_key, 2, n)."""
        gap = np.full((len(self.keys), 1, 2), np.nan)
        queries = [self.queries[row] for row in self.group.also]
        parts = [part for course in arcs_of(queries, self.keys, self.pitch) for part in (course, gap)]
        return np.concatenate(parts or [gap], axis=1).transpose(0, 2, 1)

    def target(self, column: int) -> dict[str, Any]:
        """Return the `meta` of an arc: the key that it leads to, for all queries of the group."""
        key = escape(self.keys[column].word)
        means = {"cells": "query-key", "column": column, "key": key, "rows": list(self.group.also)}
        return {"meta": means | {"chosen": {"axes": [None, "key"], "part": None}}}

    def hover(self, weight: str, first: str = "") -> str:
        """Return the hover text of an arc whose trace's `meta` holds the weight under the name ``weight``."""
        return first + key_hover(self.group, "%{meta.key}", f"%{{meta.{weight}:.6f}}")

    def legend(self) -> str:
        """Return the legend: what an arc's thickness means."""
        if not self.group.also:
            return _("arcs as thick as weights")
        if self.group.summed:
            return _("arcs as thick as sums of weights")
        return _("arcs as thick as mean weights")

    def beside(
        self,
        strokes: Sequence[marks.Mark],
        weights: Numbers,
        matrix: Matrix,
        *,
        row: int,
        legend: Sequence[tuple[str, str]],
        legend_lines: int = 1,
        hover: str = "",
    ) -> Spec:
        """Draw words and arcs beside the map.

        Args:
            strokes: the arcs; weights: (n_query, n_key), `group.mean`'s result.
            matrix: the map; row: the index of the query.
            legend: (text, colour) of each entry, above the words; legend_lines: the number of its lines.
            hover: the hover text of a key; its weight when empty.
        """
        queries, keys, group = self.queries, self.keys, self.group
        pitch = self.pitch
        quiet: dict[str, Any] = {"showticklabels": False, "showgrid": False}
        key_words = _words("key words", keys, LIGHT.key if self.apart else LIGHT.ink, pitch)
        texts = key_words["text"]
        query_hover = _("query <b>{word}</b>", word="%{text}")  # words without a hover cannot be clicked
        words = [
            key_words,
            *([_words("query words", queries, LIGHT.ink, pitch, hover=query_hover)] if self.apart else []),
        ]
        words[-1]["text"] = self._plain_words(row)
        # The keys' weights are a trace of their own, which can be covered while the words stay readable.
        numbers = marks.points(
            "key weights",
            key_words["x"],
            key_words["y"],
            theme.rgba(LIGHT.paper, 0),
            size=24,
            hover=hover or key_hover(group, "%{text}", "%{customdata:.6f}"),
        )
        numbers |= {"text": texts, "customdata": np.nan_to_num(group.totals(weights))[row]}
        numbers["meta"] = {"cells": "query-key", "columns": True, "rows": list(group.also)}
        may = np.ones(weights.shape, dtype=bool) if matrix.mask is None else matrix.mask
        visible = np.any(may[group.rows(row)], axis=0)
        masked = _strike(np.where(visible, np.nan, [each.x for each in keys]), keys, pitch)
        for each in (words[-1], *(() if self.apart else (numbers, masked))):
            each["meta"] = each.get("meta", {}) | {
                "cursor": list(range(len(queries)))
            }  # a click selects the query
        others = [queries[each] for each in group.also]
        if others:
            words.append(_words("other query words", others, LIGHT.query, pitch, bold=True))
        chart = Chart(
            "arcs",
            [
                *strokes,
                *words,
                numbers,
                masked,
                _words("query word", [queries[row]], LIGHT.query, pitch, bold=True),
            ],
            columns=COLUMNS,
            rows=self.lines * pitch + 0.2 + CROWN,
            letter=LETTER * COLUMNS / (COLUMNS + 2 * LOOP_ROOM),
            legend=legend,
            legend_lines=legend_lines,
            x=quiet | {"range": [-LOOP_ROOM, COLUMNS + LOOP_ROOM]},
            y=quiet | {"range": [(self.lines - 1) * pitch + BELOW + 0.2, -pitch + BELOW - CROWN]},
        )
        # The map has a fixed size, or the cells of a long text would leave no room for the words.
        beside = replace(matrix, size=MAP, framed_rows=group.also)
        return compose([chart, beside], largest_unit=44, phone_height=IN_SIGHT)

    def _plain_words(self, row: int) -> list[str]:
        """Return the queries' words, with "" for each that another trace writes in bold."""
        bold = {row, *self.group.also}
        return ["" if at in bold else escape(each.word) for at, each in enumerate(self.queries)]

    def cursor(self, weights: NDArray[np.float64], masks: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the settings of the words that change with the query, as `cursor` does for the arcs."""
        rows = np.arange(len(self.queries))
        changes: dict[str, Any] = {
            **frame_at("weights", row=rows),
            "data[query word].x": np.array([[place.x] for place in self.queries]),
            "data[query word].y": np.array([[place.line * self.pitch] for place in self.queries]),
            "data[query word].text": [[_bold(place.word)] for place in self.queries],
            f"data[{'query words' if self.apart else 'key words'}].text": [
                *map(self._plain_words, rows.tolist())
            ],
        }
        by_step: dict[str, Any] = {
            "data[key weights].customdata": np.nan_to_num(self.group.totals(weights)),
            "data[masked words].x": np.where(masks, np.nan, [each.x for each in self.keys]),
        }
        return {"changes": changes, "by_step": by_step}


def thickness(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the width of each arc in pixels; 0 for a weight below `LEAST` or NaN."""
    finite = np.nan_to_num(weights)
    return np.where(finite < LEAST, 0.0, THICKEST * finite)


def key_hover(group: Group, word: str, weight: str, *, of_heads: bool = False) -> str:
    """Return the hover text of a key: its weight, or the sum or mean of the group's weights."""
    measure = _("sum of the rows") if group.summed else _("mean of the rows")
    if of_heads:
        mean = _("mean of the heads")
        measure = _("{measure}, {mean}", measure=measure, mean=mean) if group.also else mean
    elif not group.also:
        measure = _("weight")
    return readings((_("key"), word), (measure, weight))


def _strike(x: Numbers, places: Sequence[WordPlace], pitch: float) -> marks.Mark:
    """Return a stroke through each masked word; x is NaN for the others."""
    strokes = marks.points(
        "masked words",
        x,
        [each.line * pitch for each in places],
        LIGHT.muted,
        size=22,
        ring=LIGHT.muted,
        ring_width=2,
        symbol="line-ew",
        hover=may_not_attend(),
    )
    return strokes | {"cliponaxis": False}


def _words(
    name: str, places: Sequence[WordPlace], colour: str, pitch: float, *, bold: bool = False, hover: str = ""
) -> marks.Mark:

    texts = [_bold(each.word) if bold else escape(each.word) for each in places]
    x, y = [each.x for each in places], [each.line * pitch for each in places]
    words = marks.words(name, x, y, texts, hover=hover)
    words["textfont"] = words["textfont"] | {"color": colour}
    return words | {"cliponaxis": False, "meta": {"placed": True}}


def _bold(word: str) -> str:
    return f"<b>{escape(word)}</b>"
