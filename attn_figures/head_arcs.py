"""Arcs of several heads between the same words, in each head's colour: only the thickest of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.arcs import LEAST, NO_GROUP, Group, Words, arc, key_hover, thickness
from attn_figures.matrix import Matrix, Numbers
from attn_figures.picture import Spec
from attn_figures.ties import largest_first
from attn_live.arrays import IndexedItems
from attn_words import _

LIGHT = theme.LIGHT
COLOURS = LIGHT.series[:5]  # which every reader tells apart; the next five heads are dashed, and so on
DASHES = (("solid", "—"), ("dash", "- -"), ("dot", "···"), ("dashdot", "-·-"))  # and their signs in a legend
MOST = 48  # arcs that are drawn, shared out evenly among heads and queries
MOST_OF_ALL = 1_800  # arcs of all queries together, so that one message holds them
BENDS = 8  # segments of an arc, which are joined smoothly
LANES = 0.7  # units within which the arcs of all heads lie beside one another
NUMBERS = "head numbers"
NUMBERED = (0.5, 0.62), (0.38, 0.55)  # units across and down that a number keeps free, and at least
LINE = 0.62  # units down that a line of words takes
ON_ARC = np.arange(1.5, 7.6, 0.25)  # places of a number on an arc, in segments: past the query's bundle
LOWEST = 0.55  # rise of the flattest head's arcs, as a share of the highest's
A_LINE = 8  # heads that a line of the legend has room for


@dataclass(frozen=True, eq=False)
class HeadArcs:
    """The arcs of one step: weights (n_head, n_query, n_key), and the indices of the heads that are drawn.

    Each row is the mean of its query's group.
    """

    weights: Numbers
    heads: Sequence[int]
    group: Group = NO_GROUP

    @property
    def per_head(self) -> int:
        """The number of arcs that each head has from a query."""
        n_rows = max(1, len(self.heads)) * len(self.group.rows(-1))
        most = min(MOST, MOST_OF_ALL // self.weights.shape[-2])
        keys: int = self.weights.shape[-1]
        return min(keys, max(1, int(most) // n_rows))

    @property
    def slots(self) -> int:
        """The number of arcs that all heads together have from a query."""
        return self.per_head * len(self.heads)

    def thickest(self, rows: slice = slice(None)) -> tuple[NDArray[np.intp], Numbers]:
        """Return each head's keys with the largest weights, and these weights: (n_query, slots).

        The largest is first, but a word's own key is last: its loop has no room for the head's number.
        """
        weights = np.nan_to_num(self.weights[list(self.heads), rows])
        keys = largest_first(weights)[..., : self.per_head]
        own = keys == np.arange(self.weights.shape[1])[rows, None]
        keys = np.take_along_axis(keys, np.argsort(own, axis=-1, kind="stable"), axis=-1)
        largest = np.take_along_axis(weights, keys, axis=-1)
        shape = weights.shape[1], self.slots
        return keys.swapaxes(0, 1).reshape(shape), largest.swapaxes(0, 1).reshape(shape)

    def left_out(self, row: int) -> dict[int, float]:
        """Return for each head the part of a row's weight that its arcs leave out."""
        weights = self._of_row(row)
        arcs = np.where(weights < LEAST, 0.0, weights).sum(axis=-1)
        every = np.nan_to_num(self.weights)[list(self.heads), row].sum(axis=-1)
        return dict(zip(self.heads, np.maximum(every - arcs, 0.0).tolist(), strict=True))

    def counts(self, row: int) -> list[int]:
        """Return the number of arcs that each head has from a row's query."""
        return [*map(int, np.count_nonzero(self._of_row(row) >= LEAST, axis=-1))]

    def _of_row(self, row: int) -> Numbers:
        return self.thickest(slice(row, row + 1))[1].reshape(len(self.heads), self.per_head)

    def mean(self) -> Numbers:
        """Return the mean of the drawn heads, (n_query, n_key); zero if no head is drawn."""
        weights = np.nan_to_num(self.weights)[list(self.heads)]
        mean: Numbers = weights.sum(axis=0) / max(1, len(weights))
        return mean


def style_of(head: int) -> tuple[str, str, str]:
    """Return a head's colour, the dash of its arcs, and the legend's sign for that dash.

    >>> style_of(0)[0] == style_of(5)[0], style_of(0)[1:], style_of(5)[1:]
    (True, ('solid', '—'), ('dash', '- -'))
    """
    return COLOURS[head % len(COLOURS)], *DASHES[head // len(COLOURS) % len(DASHES)]


def arcs_of_heads(
    step: HeadArcs,
    queries: Sequence[str],
    keys: Sequence[str],
    matrix: Matrix,
    *,
    slots: int,
    most_heads: int,
    row: int = 0,
) -> Spec:
    """Draw the words with the thickest arcs of each head, beside the map of the heads' mean.

    Args:
        matrix: the map, whose rows a click chooses.
        slots, most_heads: the largest numbers of arcs and of heads of any step.
    """
    page = Words(queries, keys, step.group)
    courses = _ArcCourses(page, [step], slots)
    strokes = []
    for slot in range(slots):
        head = step.heads[slot // step.per_head] if slot < step.slots else 0
        colour, dash, _sign = style_of(head)
        (x, y), key = courses.courses[courses.at[0, row, slot]].T, int(courses.keys[0, row, slot])
        width = float(courses.widths[0, row, slot])
        hover = page.hover("weight", _("head <b>{number}</b><br>", number=head + 1))
        stroke = marks.line(
            f"arc {slot + 1}",
            x,
            y,
            theme.rgba(colour, 0.72),
            width=width,
            dash=dash,
            shape="spline",
            hover=hover,
        ) | page.target(key)
        stroke["meta"]["weight"] = float(courses.values[0, row, slot])
        strokes.append(stroke)
    x, y = courses.numbers(step, 0, most_heads)[:, row]
    names = [f"<b>{head + 1}</b>" for head in step.heads]
    # Each on a spot of paper, over all arcs.
    numbers = marks.words(NUMBERS, x, y, names + [""] * (most_heads - len(names)), spot=15)
    colours = [style_of(head)[0] for head in step.heads] + [LIGHT.ink] * (most_heads - len(names))
    numbers |= {"textfont": numbers["textfont"] | {"color": colours}, "meta": {"placed": True}}
    strokes.append(numbers)
    thick = _("{arcs}, numbered where there is room", arcs=page.legend())
    return page.beside(
        strokes,
        step.mean(),
        matrix,
        row=row,
        legend=[(thick, LIGHT.muted), *((line, LIGHT.muted) for line in _signs(step.heads))],
        legend_lines=1 + -(-most_heads // A_LINE),
        hover=key_hover(step.group, "%{text}", "%{customdata:.6f}", of_heads=True),
    )


def _signs(heads: Sequence[int]) -> list[str]:
    """Return the lines of a legend with each head's colour and dash."""
    entries = []
    for head in heads:
        colour, _dash, sign = style_of(head)
        entries.append(f"<span style='color:{colour}'>{sign} <b>{head + 1}</b></span>")
    lines = ["   ".join(entries[at : at + A_LINE]) for at in range(0, len(entries), A_LINE)]
    return [_("head {signs}", signs=line) if not at else line for at, line in enumerate(lines)]


def cursor(
    steps: Sequence[HeadArcs], masks: NDArray[np.bool_], queries: Sequence[str], keys: Sequence[str]
) -> dict[str, Any]:
    """Return the settings of `arcs_of_heads` that change with the query, at every step.

    Args:
        masks: (n_steps, n_query, n_key), True where any of the heads and of the group may attend.
    """
    page, slots = Words(queries, keys, steps[0].group), max(step.slots for step in steps)
    courses = _ArcCourses(page, steps, slots)
    moves = page.cursor(np.stack([step.mean() for step in steps]), masks)
    x, y = (np.ascontiguousarray(courses.courses[..., side]) for side in (0, 1))
    names = [place.word for place in page.keys]
    most = max(len(step.heads) for step in steps)
    numbers = np.stack([courses.numbers(step, at, most) for at, step in enumerate(steps)])
    moves["by_step"] |= {f"data[{NUMBERS}].{side}": numbers[:, axis] for axis, side in enumerate("xy")}
    for slot in range(slots):
        arc_of, at, key = f"data[arc {slot + 1}]", courses.at[..., slot], courses.keys[..., slot]
        moves["by_step"] |= {
            f"{arc_of}.x": IndexedItems(x, at),
            f"{arc_of}.y": IndexedItems(y, at),
            f"{arc_of}.line.width": courses.widths[..., slot],
            f"{arc_of}.meta.column": key,
            f"{arc_of}.meta.key": IndexedItems(names, key),
            f"{arc_of}.meta.weight": courses.values[..., slot],
        }
    return moves


class _ArcCourses:
    """The arc in each slot at each step and query, and the points of every distinct course.

    ``keys``, ``widths``, ``values`` are (n_steps, n_query, slots); so is ``at``, which indexes ``courses``.
    """

    def __init__(self, layout: Words, steps: Sequence[HeadArcs], slots: int) -> None:
        n_query, n_key, pitch = len(layout.queries), len(layout.keys), layout.pitch
        shape = len(steps), n_query, slots
        self.keys, self.values = np.zeros(shape, dtype=int), np.zeros(shape)
        lanes = np.zeros((len(steps), 1, slots), dtype=int)  # indices into `beside`
        self.widths = np.zeros(shape)
        beside = [(0.0, 1.0)]  # how far aside an arc lies, and how high it rises
        first: dict[int, int] = {}  # by the number of heads, their first lane
        for at, step in enumerate(steps):
            there, count = slice(step.slots), len(step.heads)
            self.keys[at, :, there], mean = step.thickest()
            self.widths[at, :, there] = thickness(mean)
            sizes = np.array([len(layout.group.rows(row)) for row in range(n_query)])
            self.values[at, :, there] = mean * sizes[:, None] if layout.group.summed else mean
            lanes[at, 0, there] = first.setdefault(count, len(beside)) + np.repeat(
                np.arange(count), step.per_head
            )
            if first[count] == len(beside):
                parts = np.linspace(0, 1, count).tolist() if count > 1 else [0.5]
                beside += [(LANES * (part - 0.5), LOWEST + (1 - LOWEST) * part) for part in parts]
        rows = np.arange(n_query)[:, None]
        codes = (lanes * n_query + rows) * n_key + self.keys
        every, where = np.unique(codes, return_inverse=True)
        self.at = where.reshape(shape)
        longest = len(layout.group.rows(-1)) * (BENDS + 2)
        self.courses = np.full((len(every), longest, 2), np.nan)
        self._numbers: dict[tuple[bytes, bytes], Numbers] = {}  # places on arcs, see `_place_numbers`
        self._loops = not layout.apart
        words = dict.fromkeys((*layout.queries, *layout.keys))
        self._words = np.array([(w.x, w.line * pitch, w.width / 2, LINE / 2) for w in words])
        for course, code in zip(self.courses, every.tolist(), strict=True):
            (lane, row), key = divmod(code // n_key, n_query), code % n_key
            aside, height = beside[lane]
            for place, member in enumerate(layout.group.rows(row)):
                start = place * (BENDS + 2)
                course[start : start + BENDS + 1] = arc(
                    layout.queries[member], layout.keys[key], pitch, bends=BENDS, lane=aside, height=height
                )

    @cached_property
    def _on_arcs(self) -> Numbers:
        """The places that a number may take on each course, on its first query's arc: (n_courses, n, 2)."""
        before = ON_ARC.astype(int)
        after, part = before + 1, (ON_ARC - before)[:, None]
        places: Numbers = (1 - part) * self.courses[:, before] + part * self.courses[:, after]
        return places

    def numbers(self, step: HeadArcs, at: int, most: int) -> Numbers:
        """Return the place of each head's number on one of its arcs, for each query: (2, n_query, most).

        NaN where the head has no arc to another word, or none with room for it.
        """
        places = np.full((2, self.at.shape[1], most), np.nan)
        shape = len(step.heads), step.per_head
        for row, visible in enumerate(self._others(step, at)):
            arcs = self.at[at, row, : step.slots].reshape(shape)
            arcs_key = arcs.tobytes(), visible.tobytes()
            if arcs_key not in self._numbers:
                self._numbers[arcs_key] = self._place_numbers(arcs, visible)
            places[:, row, : len(arcs)] = self._numbers[arcs_key]
        return places

    def _place_numbers(self, arcs: NDArray[np.intp], visible: NDArray[np.bool_]) -> Numbers:
        """Return places (2, n_head) for numbers on arcs (n_head, per_head), one head after the other.

        Each lies on the thickest of its head's arcs with room, a little farther along than the last one.
        """
        places = np.full((2, len(arcs)), np.nan)
        occupied = self._words
        for head, (mine, there) in enumerate(zip(arcs, visible, strict=True)):
            middle = BENDS * (0.25 + 0.6 * (head + 0.5) / len(arcs))
            nearest = np.argsort(np.abs(ON_ARC - middle), kind="stable")
            on = self._on_arcs[mine[there]][:, nearest].reshape(-1, 2)
            for room in np.array(NUMBERED) / 2:
                across, down = (
                    np.abs(on[:, [i]] - occupied[:, i]) < occupied[:, 2 + i] + room[i] for i in (0, 1)
                )
                free = on[~(across & down).any(axis=-1)]
                if len(free):
                    places[:, head] = free[0]
                    occupied = np.vstack([occupied, [*free[0], *room]])
                    break
        return places

    def _others(self, step: HeadArcs, at: int) -> NDArray[np.bool_]:
        """Return which arcs lead to another word, (n_query, n_head, per_head): loops have no room for one."""
        own = self.keys[at] == np.arange(self.keys.shape[1])[:, None]
        visible = (self.widths[at] > 0) & ~(own & self._loops)
        return np.reshape(visible[:, : step.slots], (len(visible), len(step.heads), step.per_head))
