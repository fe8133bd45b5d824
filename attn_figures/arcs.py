"""Words as a paragraph, with an arc from one query to each key, as thick as its weight; and the map."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.matrix import Matrix, Numbers, may_not_attend
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Picture, Spec
from attn_figures.widths import letters, shortened
from attn_words import _

LIGHT = theme.LIGHT
COLUMNS = 12.0  # units that a line of words takes
MAP = (7.6, 7.6)  # units that the map takes
LETTERS = 44  # that a line has room for
LETTER = COLUMNS / LETTERS
SPACE = 1.3  # letters between two words
PITCH = 1.55  # units from one line to the next
ABOVE, BELOW = 0.34, 0.3  # units from a line's middle to where arcs begin over it, and under it
HIGHEST = PITCH - ABOVE - BELOW  # units that an arc may rise
BENDS = 24  # parts of an arc
THICKEST = 16.0  # pixels of an arc that has all the weight
LEAST = 0.005  # weights below draw no arc


@dataclass(frozen=True)
class Place:
    """Where a word stands: its middle, and how wide it is, in units; `line` counts from 0 at the top."""

    word: str
    x: float
    line: int
    width: float


@lru_cache(maxsize=64)
def set_lines(words: tuple[str, ...], first_line: int = 0) -> tuple[Place, ...]:
    """Set words as a paragraph is set: as many on a line as have room, each as wide as its letters.

    >>> [each.line for each in set_lines(("attention",) * 6)]
    [0, 0, 0, 0, 1, 1]
    """
    places, x, line = [], 0.0, first_line
    for word in words:
        said = shortened(word, LETTERS)
        width = max(1, letters(said)) * LETTER
        if x and x + width > COLUMNS:
            x, line = 0.0, line + 1
        places.append(Place(said, x + width / 2, line, width))
        x += width + SPACE * LETTER
    return tuple(places)


def arcs_of(queries: Sequence[Place], keys: Sequence[Place]) -> Numbers:
    """Return the course of every arc, (n_query, n_key, n_points, 2), in units, y downwards.

    On one line an arc rises over the words between, the farther the higher; to another line it goes from the
    query's edge that faces it to the key's. A word's arc to itself is a loop above it.
    """
    along = np.linspace(0, 1, BENDS + 1)[:, None]
    bends = [(1 - along) ** 3, 3 * along * (1 - along) ** 2, 3 * along**2 * (1 - along), along**3]
    made = np.empty((len(queries), len(keys), BENDS + 1, 2))
    for row, query in enumerate(queries):
        for column, key in enumerate(keys):
            points = _bezier(query, key)
            made[row, column] = sum(bend * np.array(point) for bend, point in zip(bends, points, strict=True))
    return made


def _bezier(query: Place, key: Place) -> Iterator[tuple[float, float]]:
    """Yield an arc's four points: where it begins, what it leans to, and where it ends."""
    (x, y), (to, at) = (query.x, query.line * PITCH), (key.x, key.line * PITCH)
    if query.line == key.line:
        apart = abs(to - x)
        aside = 0.3 if apart == 0 else 0.0  # a loop has its ends beside the middle
        # A curve rises to three quarters of what it leans to.
        rise = min(HIGHEST, 0.35 + 0.12 * apart) / 0.75
        yield x - aside / 3, y - ABOVE
        yield x - aside, y - ABOVE - rise
        yield to + aside, at - ABOVE - rise
        yield to + aside / 3, at - ABOVE
        return
    down = key.line > query.line
    start, end = (y + BELOW, at - ABOVE) if down else (y - ABOVE, at + BELOW)
    lean = 0.6 * (end - start)
    yield x, start
    yield x, start + lean
    yield to, end - lean
    yield to, end


@Picture
def arcs(
    weights: Numbers,
    queries: Sequence[str],
    keys: Sequence[str],
    drawn: Matrix,
    row: int = 0,
) -> Spec:
    """Draw the words with the arcs of the query in `row`, beside the map of all weights.

    Args:
        weights: (n_query, n_key); queries, keys: the words, the same where a sequence attends to itself.
        drawn: the map of the same weights, whose rows a click chooses.
        row: the query, from 0.
    """
    asking, answering = _both(queries, keys)
    course = arcs_of(asking[row : row + 1], answering)[0]
    lines = max(each.line for each in (*asking, *answering)) + 1
    apart = asking is not answering
    quiet: dict[str, Any] = {"showticklabels": False, "showgrid": False}
    answers = _written("key words", answering, LIGHT.key if apart else LIGHT.ink, hover=_weighed())
    answers["customdata"] = np.nan_to_num(weights)[row]
    said = [answers, *([_written("query words", asking, LIGHT.ink)] if apart else [])]
    may = np.ones(weights.shape, dtype=bool) if drawn.mask is None else drawn.mask
    struck = _struck(np.where(may[row], np.nan, [each.x for each in answering]), answering)
    for each in (said[-1], *(() if apart else (struck,))):
        each["meta"] = {"cursor": list(range(len(asking)))}  # a click asks there
    chart = Chart(
        "arcs",
        [
            *(
                marks.line(f"arc {number}", x, y, theme.rgba(LIGHT.query, 0.55), width=width)
                for number, ((x, y), width) in enumerate(
                    zip(course.transpose(0, 2, 1), thickness(weights)[row].tolist(), strict=True), start=1
                )
            ),
            *said,
            struck,
            _written("query word", [asking[row]], LIGHT.query, bold=True),
        ],
        columns=COLUMNS,
        rows=lines * PITCH + 0.2,
        legend=[(_("arcs as thick as weights"), LIGHT.muted)],
        x=quiet | {"range": [-0.3, COLUMNS + 0.3]},
        y=quiet | {"range": [(lines - 1) * PITCH + BELOW + 0.2, -PITCH + BELOW]},
    )
    # The map takes a room of its own, or the cells of a long text would leave the words none.
    return compose.spec([chart, replace(drawn, size=MAP)], largest_unit=44, phone_height=IN_SIGHT)


def cursor(
    weights: NDArray[np.float64], masks: NDArray[np.bool_], queries: Sequence[str], keys: Sequence[str]
) -> dict[str, Any]:
    """What follows the query in `arcs`: by row, and by step and row.

    Args:
        weights, masks: (n_steps, n_query, n_key), True where a query may attend.
        queries, keys: as in `arcs`.
    """
    asking, answering = _both(queries, keys)
    course, rows = arcs_of(asking, answering), np.arange(len(asking))
    widths = thickness(weights)
    each = range(1, len(answering) + 1)
    changes: dict[str, Any] = {
        f"data[arc {number}].{axis}": course[:, number - 1, :, side]
        for number in each
        for side, axis in enumerate("xy")
    }
    changes |= {
        "layout.shapes[weights marked].y0": rows - 0.5,
        "layout.shapes[weights marked].y1": rows + 0.5,
        "data[query word].x": np.array([[place.x] for place in asking]),
        "data[query word].y": np.array([[place.line * PITCH] for place in asking]),
        "data[query word].text": [[_bold(place.word)] for place in asking],
    }
    by_step: dict[str, Any] = {f"data[arc {number}].line.width": widths[:, :, number - 1] for number in each}
    by_step["data[key words].customdata"] = np.nan_to_num(weights)
    by_step["data[masked words].x"] = np.where(masks, np.nan, [each.x for each in answering])
    return {"changes": changes, "by_step": by_step}


def thickness(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pixels of each arc; none of a weight below `LEAST`, or of one that is no number."""
    known = np.nan_to_num(weights)
    return np.where(known < LEAST, 0.0, THICKEST * known)


def _both(queries: Sequence[str], keys: Sequence[str]) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """Set the words: one paragraph where a sequence attends to itself, else the queries over the keys."""
    asking = set_lines(tuple(queries))
    if tuple(queries) == tuple(keys):
        return asking, asking
    return asking, set_lines(tuple(keys), asking[-1].line + 1)


def _weighed() -> str:
    return _("key <b>{word}</b><br>weight <b>{weight}</b>", word="%{text}", weight="%{customdata:.6f}")


def _struck(x: Numbers, places: Sequence[Place]) -> marks.Mark:
    """A stroke through each word that is masked; x is NaN for the others."""
    drawn = marks.points(
        "masked words",
        x,
        [each.line * PITCH for each in places],
        LIGHT.muted,
        size=22,
        ring=LIGHT.muted,
        ring_width=2,
        symbol="line-ew",
        hover=may_not_attend(),
    )
    return drawn | {"cliponaxis": False}


def _written(
    name: str, places: Sequence[Place], colour: str, *, bold: bool = False, hover: str = ""
) -> marks.Mark:
    said = [_bold(each.word) if bold else escape(each.word) for each in places]
    x, y = [each.x for each in places], [each.line * PITCH for each in places]
    drawn = marks.words(name, x, y, said, hover=hover)
    drawn["textfont"] = drawn["textfont"] | {"color": colour}
    return drawn | {"cliponaxis": False}


def _bold(word: str) -> str:
    return f"<b>{escape(word)}</b>"
