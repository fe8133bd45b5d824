"""Pictures of several heads: the maps and the output of all, the mean and maximum of some, two compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures.frame import Side
from attn_figures.matrix import NUMBERS_UP_TO, PAIRS, ColourScale, Hover, Matrix, Numbers
from attn_figures.panels import Absent, Panel, compose
from attn_figures.picture import Spec
from attn_words import _

ROOT = 2.0  # the power of the ramp over [0, 1]: with many keys most weights are small, and need its colours
PHONE_HEIGHT = 640  # pixels, so that the slider stays in sight
# Pixels for which windows 800 and 1080 high have room: maps in two lines then have readable cells.
ROOMY = (494, 664)
OUTPUT_UP_TO = 24  # dimensions of an output that is drawn beside the maps


def text_map(
    name: str, values: Numbers, title: str, queries: Sequence[str], keys: Sequence[str] = (), **more: Any
) -> Matrix:
    """Return a map of weights over a text, with a ramp for small weights and without its shape in the title.

    Without ``keys`` the queries are the keys; ``more`` are fields of `Matrix`.
    """
    settings: dict[str, Any] = {
        "rows": Side.queries(queries),
        "columns": Side.keys(keys or queries),
        "ramp": ColourScale(bar=_("weight"), power=ROOT),
        "pick": PAIRS,
        "shows_shape": False,
    }
    return Matrix(name, values, title, **settings | more)


@dataclass(frozen=True)
class HeadMaps:
    """The maps of all heads.

    weights (n_head, n_query, n_key); output (n_query, d_out); mask (n_query, n_key) or, with a mask for each
    head, (n_head, n_query, n_key), True = may attend.
    """

    weights: Numbers
    output: Numbers
    queries: Sequence[str]
    keys: Sequence[str]
    mask: NDArray[np.bool_] | None = None
    off: Sequence[int] = ()  # indices of heads that the output leaves out

    @cached_property
    def _sides(self) -> tuple[Side, Side]:
        """The rows and the columns of all maps."""
        return Side.queries(tuple(self.queries)), Side.keys(tuple(self.keys))

    def matrix(self, name: str, values: Numbers, title: str, *, of: Sequence[int] = ()) -> Matrix:
        """Return a map of queries and keys; all light up together under the pointer.

        Args:
            name: of the trace; title: of the map, under it.
            values: (n_query, n_key).
            of: the indices of the heads it is made from; a cell is hatched where all of them mask it.
        """
        mask = self.mask
        if mask is not None and mask.ndim > 2:
            mask = np.any(mask[list(of)], axis=0)
        return Matrix(
            name,
            values,
            title,
            *self._sides,
            mask=mask,
            pick=PAIRS,
            ramp=ColourScale(power=1.0 if len(self.keys) <= NUMBERS_UP_TO else ROOT),
        )


def every_head(
    heads: HeadMaps,
    *,
    slots: int,
    order: Sequence[int] | None = None,
    projected: bool = True,
    output_limit: float | None = None,
) -> Spec:
    """Draw one map a head in the given order, with room for `slots` heads, and the output where it fits.

    Args:
        slots: the largest number of heads of any step.
        order: the indices of the heads, in the order in which they are drawn; all in their own when None.
        output_limit: the value at the ends of the output's ramp; the largest absolute value when None.

    Raises:
        ValueError: if there are more heads than slots.
    """
    n_head = len(heads.weights)
    if n_head > slots:
        raise ValueError(f"{n_head} heads need as many slots, got {slots}")
    panels: list[Panel | Absent] = []
    for index in range(slots) if order is None else [*order, *range(n_head, slots)]:
        name = f"head {index + 1}"
        if index >= n_head:
            panels.append(Absent(heads.matrix(name, np.zeros(heads.weights.shape[1:]), name, of=[0])))
            continue
        matrix = heads.matrix(name, heads.weights[index], head_title(index, off=heads.off), of=[index])
        panels.append(replace(matrix, pick=replace(PAIRS, part=("head", index)), shows_shape=False))
    operator = _("· V, concat<br>· W<sub>o</sub>") if projected else _("· V,<br>concat")
    output = replace(_output(heads), operator=operator, ramp=ColourScale("scores", output_limit))
    width = int(heads.output.shape[1])
    fits = width <= max(8, 2 * len(heads.keys)) and width <= OUTPUT_UP_TO
    panels.append(output if fits else Absent(output))
    return compose(panels, phone_height=PHONE_HEIGHT, roomy=ROOMY)


def head_title(head: int, *, off: Sequence[int]) -> str:
    """Return the title of a head's map; ``head`` and ``off``, the heads switched off, count from 0."""
    if head in off:
        return _("{head} (off)", head=_("head {number}", number=head + 1))
    return _("head {number}", number=head + 1)


def combine_heads(heads: HeadMaps, *, selection: Sequence[int]) -> Spec:
    """Draw the mean of some heads, their maximum, and their range.

    Rows of the mean sum to one, rows of the maximum need not.
    """
    maps = heads.weights[list(selection)]
    spread = heads.matrix(
        "spread", maps.max(axis=0) - maps.min(axis=0), _("largest − smallest"), of=selection
    )
    panels = [
        heads.matrix("mean", maps.mean(axis=0), _("mean"), of=selection),
        heads.matrix("max", maps.max(axis=0), _("largest"), of=selection),
        spread.with_hover(quantity=_("difference")),
    ]
    return compose(panels)


def two_heads(heads: HeadMaps, one: int, other: int) -> Spec:
    """Draw two heads, given by their zero-based indices, and the first minus the second."""
    titles = (head_title(head, off=heads.off) for head in (one, other))
    first = heads.matrix("one", heads.weights[one], next(titles), of=[one])
    second = replace(heads.matrix("other", heads.weights[other], next(titles), of=[other]), operator="−")
    difference = first.minus(second, limit=1.0, operator="=")
    return compose([first, second, difference])


def _output(heads: HeadMaps) -> Matrix:
    return Matrix(
        "output",
        heads.output,
        _("output"),
        Side(heads.queries),
        Side.numbers(heads.output.shape[1], _("Dimension"), "output"),
        ramp=ColourScale("scores"),
        hover=Hover(_("output")),
    )
