"""Arcs of several heads between the same words, a colour a head: the thickest of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.arcs import ALONE, LEAST, Group, Words, arc, thickness
from attn_figures.matrix import Matrix, Numbers
from attn_figures.picture import Picture, Spec
from attn_figures.ties import largest_first
from attn_live.arrays import IndexedItems
from attn_words import _

LIGHT = theme.LIGHT
COLOURS = LIGHT.series[:5]  # that every reader tells apart; the next five heads are dashed, and so on
DASHES = (("solid", "—"), ("dash", "- -"), ("dot", "···"), ("dashdot", "-·-"))  # and how a legend has them
MOST = 48  # arcs that are drawn, shared out evenly among heads and queries
MOST_OF_ALL = 1_800  # of all queries that may be asked for, so that one message holds them
BENDS = 8  # parts of an arc, which are joined smoothly
ASIDE = 0.7  # units within which the arcs of all heads lie beside one another
NUMBERS = "head numbers"
NUMBERED = (0.5, 0.62), (0.38, 0.55)  # units across and down that a number has for itself, and at least
LINE = 0.62  # units down that a line of words takes
ON_ARC = np.arange(1.5, 7.6, 0.25)  # of its parts, where an arc may have its number: past the query's bundle
LOWEST = 0.55  # of its rise that the flattest head's arc has
A_LINE = 8  # heads that a line of the legend has room for


@dataclass(frozen=True, eq=False)
class HeadArcs:
    """What is drawn at one step: weights (n_head, n_query, n_key), and which of the heads, from 0.

    Each row is the mean of its query's group.
    """

    weights: Numbers
    heads: Sequence[int]
    group: Group = ALONE

    @property
    def each(self) -> int:
        """How many keys each head has an arc to."""
        drawn = max(1, len(self.heads)) * len(self.group.rows(-1))
        most = min(MOST, MOST_OF_ALL // self.weights.shape[-2])
        keys: int = self.weights.shape[-1]
        return min(keys, max(1, int(most) // drawn))

    @property
    def slots(self) -> int:
        """How many keys all heads together have an arc to."""
        return self.each * len(self.heads)

    def thickest(self, rows: slice = slice(None)) -> tuple[NDArray[np.intp], Numbers]:
        """Return each head's keys of most weight, and these weights: (n_query, slots), of these queries.

        The largest is first, but a word's own key is last: the first arc carries the head's number.
        """
        weights = np.nan_to_num(self.weights[list(self.heads), rows])
        keys = largest_first(weights)[..., : self.each]
        own = keys == np.arange(self.weights.shape[1])[rows, None]
        keys = np.take_along_axis(keys, np.argsort(own, axis=-1, kind="stable"), axis=-1)
        found = np.take_along_axis(weights, keys, axis=-1)
        shape = weights.shape[1], self.slots
        return keys.swapaxes(0, 1).reshape(shape), found.swapaxes(0, 1).reshape(shape)

    def left(self, row: int) -> dict[int, float]:
        """Return by head how much of a row's weight its arcs leave out."""
        weights = self._of_row(row)
        held = np.where(weights < LEAST, 0.0, weights).sum(axis=-1)
        every = np.nan_to_num(self.weights)[list(self.heads), row].sum(axis=-1)
        return dict(zip(self.heads, np.maximum(every - held, 0.0).tolist(), strict=True))

    def counts(self, row: int) -> list[int]:
        """Return how many arcs of a row each head has."""
        return [*map(int, np.count_nonzero(self._of_row(row) >= LEAST, axis=-1))]

    def _of_row(self, row: int) -> Numbers:
        return self.thickest(slice(row, row + 1))[1].reshape(len(self.heads), self.each)

    def mean(self) -> Numbers:
        """Return the mean of the heads, (n_query, n_key); zero where there are none."""
        chosen = np.nan_to_num(self.weights)[list(self.heads)]
        mean: Numbers = chosen.sum(axis=0) / max(1, len(chosen))
        return mean


def dress(head: int) -> tuple[str, str, str]:
    """Return a head's colour, how its arcs are dashed, and how a legend has that.

    >>> dress(0)[0] == dress(5)[0], dress(0)[1:], dress(5)[1:]
    (True, ('solid', '—'), ('dash', '- -'))
    """
    return COLOURS[head % len(COLOURS)], *DASHES[head // len(COLOURS) % len(DASHES)]


@Picture
def arcs_of_heads(
    step: HeadArcs,
    queries: Sequence[str],
    keys: Sequence[str],
    drawn: Matrix,
    *,
    slots: int,
    most_heads: int,
    row: int = 0,
) -> Spec:
    """Draw the words with the thickest arcs of each head, beside the map of the heads' mean.

    Args:
        step: the heads and their weights; queries, keys: the words.
        drawn: the map, whose rows a click chooses.
        slots, most_heads: how many arcs, and heads, the step with the most of them has.
        row: the query, from 0.
    """
    page = Words(queries, keys, step.group)
    found = _ArcCourses(page, [step], slots)
    strokes = []
    for slot in range(slots):
        head = step.heads[slot // step.each] if slot < step.slots else 0
        colour, dash, _sign = dress(head)
        (x, y), key = found.courses[found.at[0, row, slot]].T, int(found.keys[0, row, slot])
        width = float(found.widths[0, row, slot])
        hover = page.weighed("weight", _("head <b>{number}</b><br>", number=head + 1))
        stroke = marks.line(
            f"arc {slot + 1}",
            x,
            y,
            theme.rgba(colour, 0.72),
            width=width,
            dash=dash,
            shape="spline",
            hover=hover,
        ) | page.meaning(key)
        stroke["meta"]["weight"] = float(found.told[0, row, slot])
        strokes.append(stroke)
    x, y = found.numbers(step, 0, most_heads)[:, row]
    named = [f"<b>{head + 1}</b>" for head in step.heads]
    # Each on a spot of paper, over all arcs.
    numbers = marks.words(NUMBERS, x, y, named + [""] * (most_heads - len(named)), spot=15)
    colours = [dress(head)[0] for head in step.heads] + [LIGHT.ink] * (most_heads - len(named))
    numbers |= {"textfont": numbers["textfont"] | {"color": colours}, "meta": {"placed": True}}
    strokes.append(numbers)
    thick = _("{arcs}, numbered where there is room", arcs=page.thick())
    return page.beside(
        strokes,
        step.mean(),
        drawn,
        row=row,
        legend=[(thick, LIGHT.muted), *((line, LIGHT.muted) for line in _signs(step.heads))],
        legend_lines=1 + -(-most_heads // A_LINE),
        hover=_mean_of_heads(step.group),
    )


def _mean_of_heads(group: Group) -> str:
    fields = {"word": "%{text}", "weight": "%{customdata:.6f}"}
    if not group.also:
        return _("key <b>{word}</b><br>mean of the heads <b>{weight}</b>", **fields)
    if group.summed:
        return _("key <b>{word}</b><br>sum of the rows, mean of the heads <b>{weight}</b>", **fields)
    return _("key <b>{word}</b><br>mean of the rows and of the heads <b>{weight}</b>", **fields)


def _signs(heads: Sequence[int]) -> list[str]:
    """Write the lines of a legend that says which colour and dash is which head's."""
    said = []
    for head in heads:
        colour, _dash, sign = dress(head)
        said.append(f"<span style='color:{colour}'>{sign} <b>{head + 1}</b></span>")
    lines = ["   ".join(said[at : at + A_LINE]) for at in range(0, len(said), A_LINE)]
    return [_("head {signs}", signs=line) if not at else line for at, line in enumerate(lines)]


def cursor(
    steps: Sequence[HeadArcs], masks: NDArray[np.bool_], queries: Sequence[str], keys: Sequence[str]
) -> dict[str, Any]:
    """What follows the query in `arcs_of_heads`, at every step.

    Args:
        steps: what is drawn at each.
        masks: (n_steps, n_query, n_key), True where any of the heads and of the group may attend.
        queries, keys: as in `arcs_of_heads`.
    """
    page, slots = Words(queries, keys, steps[0].group), max(step.slots for step in steps)
    found = _ArcCourses(page, steps, slots)
    followed = page.cursor(np.stack([step.mean() for step in steps]), masks)
    x, y = (np.ascontiguousarray(found.courses[..., side]) for side in (0, 1))
    names = [place.word for place in page.answering]
    most = max(len(step.heads) for step in steps)
    numbers = np.stack([found.numbers(step, at, most) for at, step in enumerate(steps)])
    followed["by_step"] |= {f"data[{NUMBERS}].{side}": numbers[:, axis] for axis, side in enumerate("xy")}
    for slot in range(slots):
        arc_of, at, key = f"data[arc {slot + 1}]", found.at[..., slot], found.keys[..., slot]
        followed["by_step"] |= {
            f"{arc_of}.x": IndexedItems(x, at),
            f"{arc_of}.y": IndexedItems(y, at),
            f"{arc_of}.line.width": found.widths[..., slot],
            f"{arc_of}.meta.column": key,
            f"{arc_of}.meta.key": IndexedItems(names, key),
            f"{arc_of}.meta.weight": found.told[..., slot],
        }
    return followed


class _ArcCourses:
    """What each slot shows at each step and query; the courses of all arcs, each once.

    ``keys``, ``widths``, ``told`` and ``at`` are (n_steps, n_query, slots), ``courses`` (n_courses, n, 2).
    """

    def __init__(self, page: Words, steps: Sequence[HeadArcs], slots: int) -> None:
        n_query, n_key = len(page.asking), len(page.answering)
        shape = len(steps), n_query, slots
        self.keys, self.told = np.zeros(shape, dtype=int), np.zeros(shape)
        lanes = np.zeros((len(steps), 1, slots), dtype=int)  # among all that there are, see `beside`
        self.widths = np.zeros(shape)
        beside = [(0.0, 1.0)]  # how far aside an arc lies, and how high it rises
        first: dict[int, int] = {}  # of the lanes of so many heads
        for at, step in enumerate(steps):
            there, count = slice(step.slots), len(step.heads)
            self.keys[at, :, there], mean = step.thickest()
            self.widths[at, :, there] = thickness(mean)
            sizes = np.array([len(page.group.rows(row)) for row in range(n_query)])
            self.told[at, :, there] = mean * sizes[:, None] if page.group.summed else mean
            lanes[at, 0, there] = first.setdefault(count, len(beside)) + np.repeat(
                np.arange(count), step.each
            )
            if first[count] == len(beside):
                parts = np.linspace(0, 1, count).tolist() if count > 1 else [0.5]
                beside += [(ASIDE * (part - 0.5), LOWEST + (1 - LOWEST) * part) for part in parts]
        rows = np.arange(n_query)[:, None]
        codes = (lanes * n_query + rows) * n_key + self.keys
        every, where = np.unique(codes, return_inverse=True)
        self.at = where.reshape(shape)
        longest = len(page.group.rows(-1)) * (BENDS + 2)
        self.courses = np.full((len(every), longest, 2), np.nan)
        self._numbered: dict[tuple[bytes, bytes], Numbers] = {}  # numbers on arcs, see `_stand`
        self._loops = not page.apart
        words = dict.fromkeys((*page.asking, *page.answering))
        self._words = np.array([(each.x, each.line * page.pitch, each.width / 2, LINE / 2) for each in words])
        for course, code in zip(self.courses, every.tolist(), strict=True):
            (lane, row), key = divmod(code // n_key, n_query), code % n_key
            aside, height = beside[lane]
            for place, member in enumerate(page.group.rows(row)):
                start = place * (BENDS + 2)
                course[start : start + BENDS + 1] = arc(
                    page.asking[member],
                    page.answering[key],
                    page.pitch,
                    bends=BENDS,
                    lane=aside,
                    height=height,
                )

    @cached_property
    def _on_arcs(self) -> Numbers:
        """Where numbers may stand on each course, that of the first of its queries: (n_courses, n, 2)."""
        before = ON_ARC.astype(int)
        after, part = before + 1, (ON_ARC - before)[:, None]
        found: Numbers = (1 - part) * self.courses[:, before] + part * self.courses[:, after]
        return found

    def numbers(self, step: HeadArcs, at: int, most: int) -> Numbers:
        """Return where each head's number stands on one of its arcs, for each query: (2, n_query, most).

        NaN where the head has no arc to another word, or none with room for it.
        """
        places = np.full((2, self.at.shape[1], most), np.nan)
        shape = len(step.heads), step.each
        for row, drawn in enumerate(self._others(step, at)):
            arcs = self.at[at, row, : step.slots].reshape(shape)
            known = arcs.tobytes(), drawn.tobytes()
            if known not in self._numbered:
                self._numbered[known] = self._stand(arcs, drawn)
            places[:, row, : len(arcs)] = self._numbered[known]
        return places

    def _stand(self, arcs: NDArray[np.intp], drawn: NDArray[np.bool_]) -> Numbers:
        """Place numbers on arcs, (n_head, each), one after the other: (2, n_head).

        Each stands on the thickest of its head's arcs with room, a little farther along than the last one.
        """
        places = np.full((2, len(arcs)), np.nan)
        taken = self._words
        for head, (mine, there) in enumerate(zip(arcs, drawn, strict=True)):
            wanted = BENDS * (0.25 + 0.6 * (head + 0.5) / len(arcs))
            nearest = np.argsort(np.abs(ON_ARC - wanted), kind="stable")
            on = self._on_arcs[mine[there]][:, nearest].reshape(-1, 2)
            for room in np.array(NUMBERED) / 2:
                across, down = (np.abs(on[:, [i]] - taken[:, i]) < taken[:, 2 + i] + room[i] for i in (0, 1))
                free = on[~(across & down).any(axis=-1)]
                if len(free):
                    places[:, head] = free[0]
                    taken = np.vstack([taken, [*free[0], *room]])
                    break
        return places

    def _others(self, step: HeadArcs, at: int) -> NDArray[np.bool_]:
        """Where arcs go to another word, (n_query, n_head, each): a loop has no room for a number."""
        own = self.keys[at] == np.arange(self.keys.shape[1])[:, None]
        drawn = (self.widths[at] > 0) & ~(own & self._loops)
        return np.reshape(drawn[:, : step.slots], (len(drawn), len(step.heads), step.each))
