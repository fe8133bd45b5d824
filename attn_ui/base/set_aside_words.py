"""What is said of weights that are set aside: the small ones, or those of a whole key."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from attn_figures.ties import largest
from attn_ui.base.markdown import coloured, either, first_of
from attn_ui.base.set_aside import Aside
from attn_words import _, _n, paragraph

_ROUNDING = 1e-12  # two ways to the same output differ by less
Write = Callable[[float, int], str]
"""Writes a number with so many digits."""


class Weighed(Protocol):
    """What is known of one head: its words, weights and mask, and what is set aside, as figures take it."""

    @property
    def queries(self) -> Sequence[str]:
        """The queries' words."""

    @property
    def keys(self) -> Sequence[str]:
        """The keys' words."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """All weights, (n_query, n_key)."""

    @property
    def mask(self) -> NDArray[np.bool_]:
        """True where a query may attend."""

    @property
    def kept(self) -> Any:
        """Which weights are kept, if that is asked."""

    @property
    def without(self) -> Any:
        """The head without a key, if that is asked."""


def _query(walk: Weighed, *at: int) -> str:
    return first_of([f"“{coloured('query', walk.queries[each])}”" for each in at])


def _key(walk: Weighed, at: int) -> str:
    return f"“{coloured('key', walk.keys[at])}”"


def kept(walk: Weighed, aside: Aside, number: Write) -> str:
    """Say how many weights are kept, how much of the rows that is, and how far the output moves."""
    if (found := walk.kept) is None:
        return ""
    n_allowed = int(walk.mask.sum())
    fields = {"kept": f"{found.cells.sum():,}", "count": f"{n_allowed:,}"}
    if aside.what == "above" and not aside.value:
        said = _n(
            "Kept is what is above 0: {kept} of {count} weight that is not masked.",
            "Kept is what is above 0: {kept} of {count} weights that are not masked.",
            n_allowed,
            **fields,
        )
    elif aside.what == "above":
        said = _n(
            "Kept is what reaches {value}: {kept} of {count} weight that is not masked.",
            "Kept is what reaches {value}: {kept} of {count} weights that are not masked.",
            n_allowed,
            value=f"{aside.value:g}",
            **fields,
        )
    else:
        said = _n(
            "Kept is the largest weight of each row: {kept} of {allowed} that are not masked.",
            "Kept are the {count} largest weights of each row: {kept} of {allowed} that are not masked.",
            int(aside.value),
            kept=fields["kept"],
            allowed=fields["count"],
        )
    rows = np.flatnonzero(walk.mask.any(axis=1))
    if not len(rows):
        return said
    return paragraph(said, _mass(walk, rows, number), _ties(walk, aside, rows), _moved(walk, rows, number))


def _mass(walk: Weighed, rows: NDArray[np.intp], number: Write) -> str:
    mass = walk.kept.mass[rows, 0]
    least = int(mass.argmin())
    if mass.max() - mass[least] < _ROUNDING:
        said = _("That holds {mean} of each row.", mean=number(float(mass.mean()), 3))
        return said if mass.any() else _("No row keeps anything.")
    fields = {"mean": number(float(mass.mean()), 3), "least": number(float(mass[least]), 3)}
    ties = rows[largest(-mass)].tolist()
    if len(ties) == 1:
        said = _(
            "That holds {mean} of a row on average, and {least} in the row that keeps least, {query}.",
            **fields,
            query=_query(walk, *ties),
        )
    else:
        said = _(
            "That holds {mean} of a row on average, and {least} in the rows that keep least, {queries}.",
            **fields,
            queries=_query(walk, *ties),
        )
    if nothing := int((mass == 0).sum()):
        nothings = _n("{count} row keeps nothing.", "{count} rows keep nothing.", nothing)
        return paragraph(said, nothings)
    return said


def _ties(walk: Weighed, aside: Aside, rows: NDArray[np.intp]) -> str:
    if aside.what != "largest":
        return ""
    more = int((walk.kept.cells[rows].sum(axis=1) > aside.value).sum())
    if not more:
        return ""
    return _n(
        "{count} row keeps more, because weights tie: all that tie with the last are kept.",
        "{count} rows keep more, because weights tie: all that tie with the last are kept.",
        more,
    )


def _moved(walk: Weighed, rows: NDArray[np.intp], number: Write) -> str:
    if walk.kept.apart is None:
        return ""
    apart = walk.kept.apart[rows]
    if not walk.kept.mass[rows].any():
        return _("No row has weight to share out: every output is zero.")
    if apart.max() < _ROUNDING:
        moved = _("With rows that sum to one again no output moves.")
    else:
        moved = _(
            "With rows that sum to one again the output moves by {mean} on average, most at {query}: by "
            "{most}.",
            mean=number(float(apart.mean()), 3),
            most=number(float(apart.max()), 3),
            query=_query(walk, *rows[largest(apart)].tolist()),
        )
    if nothing := int((walk.kept.mass[rows] == 0).sum()):
        zero = _n(
            "The row that keeps nothing stays zero, and its output becomes zero.",
            "The {count} rows that keep nothing stay zero, and their outputs become zero.",
            nothing,
        )
        return paragraph(moved, zero)
    return moved


def without(walk: Weighed, number: Write) -> str:
    """Say who changes most without the word, in weights and in output, and which word matters most."""
    if (found := walk.without) is None:
        return ""
    lost = walk.weights[:, found.key]
    if not lost.any():
        return _("Nobody attends to {key}: without it nothing changes.", key=_key(walk, found.key))
    means = found.every.mean(axis=1)
    most = largest(means)
    if len(means) == 1:
        matters = ""  # there is no other word
    elif means.max() < _ROUNDING:
        matters = _("Without any other word no output moves either.")
    elif found.key in most:
        matters = _(
            "On average the outputs move by {mean}: no other word matters more.",
            mean=number(float(means[found.key]), 3),
        )
    else:
        matters = _(
            "On average the outputs move by {mean}; furthest without {most}: by {largest}.",
            mean=number(float(means[found.key]) if means[found.key] >= _ROUNDING else 0.0, 3),
            most=first_of([_key(walk, key) for key in most], join=either),
            largest=number(float(means.max()), 3),
        )
    nothing = _left_with_nothing(int(found.empty.sum()))
    return paragraph(_lost(walk, number), _output_moved(walk, number), matters, nothing)


def _lost(walk: Weighed, number: Write) -> str:
    """Say whose weights change most: of the queries that gave the word most."""
    lost = walk.weights[:, walk.without.key]
    most = largest(lost)
    fields = {"key": _key(walk, walk.without.key), "lost": number(float(lost.max()), 3)}
    if len(most) == 1:
        return _(
            "Without {key} the weights change most at {query}, which gave it {lost}.",
            **fields,
            query=_query(walk, *most),
        )
    return _(
        "Without {key} the weights change most at {queries}, which gave it {lost} each.",
        **fields,
        queries=_query(walk, *most),
    )


def _output_moved(walk: Weighed, number: Write) -> str:
    """Say whose output moves furthest."""
    apart = walk.without.apart
    if apart.max() < _ROUNDING:
        return _("No output moves.")
    most = largest(apart)
    far = number(float(apart.max()), 3)
    if len(most) == 1:
        return _("The output of {query} moves furthest: by {far}.", query=_query(walk, *most), far=far)
    return _("The outputs of {queries} move furthest: by {far} each.", queries=_query(walk, *most), far=far)


def _left_with_nothing(count: int) -> str:
    if not count:
        return ""
    return _n(
        "{count} query could attend to it alone: it is left with weights and output of zero.",
        "{count} queries could attend to it alone: they are left with weights and output of zero.",
        count,
    )


def kept_formula(aside: Aside) -> str:
    """What is kept, its mass, and the row that sums to one again."""
    value = f"{aside.value:g}" if aside.what == "above" else r"\tau"
    rule = rf"W_{{ij}} \ge {value}" if aside.value else "W_{ij} > 0"
    if aside.what == "largest":
        rule = rf"W_{{ij}} \ge W_{{i({aside.value:.0f})}}"
    return (
        rf"m_i = \sum_j [\,{rule}\,]\, W_{{ij}},\quad "
        rf"\hat W_{{ij}} = \begin{{cases}} [\,{rule}\,]\, W_{{ij}} / m_i & m_i > 0 \\ 0 & m_i = 0 "
        r"\end{cases},\quad \hat O = \hat W V"
    )


def without_formula() -> str:
    """The weights and the output without key l."""
    return (
        r"W^{(l)}_{ij} = \frac{[\,j \ne l\,]\,W_{ij}}{1 - W_{il}},\quad O^{(l)} = W^{(l)} V,\quad "
        r"\bigl\lVert O^{(l)}_i - O_i \bigr\rVert"
    )
