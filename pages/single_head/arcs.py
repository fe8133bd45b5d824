"""Controls and captions of arcs from queries to keys, for every page that draws arcs."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_figures.arcs import LEAST
from attn_figures.ties import largest_first, largest_indices
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import coloured, first_of
from attn_ui.base.programs import More
from attn_ui.base.shared_settings import ALSO, TOGETHER
from attn_words import _, paragraph

Numbers = NDArray[np.float64]
MOST_NAMED = 5  # queries, at most, in a sentence


def read_together(controls: Controls, queries: Sequence[str]) -> tuple[tuple[int, ...], bool]:
    """Read which queries are combined with the slider's, and whether their rows are summed or averaged.

    Returns their indices, ascending (none by default), and whether they are summed.
    """
    places = [str(place) for place in range(len(queries))]
    also = controls.several(ALSO, _("Queries together with the slider's"), places, queries)
    if not also:
        return (), False
    summed = controls.segment(TOGETHER, _("Their rows are taken as"), label_visibility="collapsed") == "sum"
    return tuple(sorted(map(int, also))), summed


def together_lines(rows: Sequence[int], weights: str, *, summed: bool, axis: int = 0) -> More:
    """Return the lines of a program that sum or average several rows.

    Args:
        rows: the queries' indices; weights: the program's expression for their weights, queries on ``axis``.
        summed: whether to sum the rows; False averages them.
    """
    lines = [
        f"rows = {[*rows]}  # queries whose rows are combined",
        f"together = {weights}.{'sum' if summed else 'mean'}({axis})",
    ]
    return lines, ["together"]


def describe_arcs(
    queries: Sequence[str],
    keys: Sequence[str],
    mean: Numbers,
    can_attend: NDArray[np.bool_],
    *,
    summed: bool = False,
) -> str:
    """Describe the thickest arcs of one query, or of several combined, and the keys without an arc.

    Args:
        queries: the combined queries' words; keys: the keys' words, marked up.
        mean: of the queries' rows, (n_key,); can_attend: True where any of the queries may attend.
        summed: whether to state sums of the rows, not means.
    """
    if not can_attend.any():
        return ""
    weights = mean * len(queries) if summed else mean
    arc_keys = [key for key in largest_first(mean).tolist() if mean[key] >= LEAST]
    labels = [f"{keys[key]} {weights[key]:.3f}" for key in arc_keys]
    return _(
        "Arcs from {queries} to {keys}: together {sum} of {all}, below {least} there is none.",
        queries=_name_queries(queries),
        keys=first_of(labels),
        sum=f"{weights[arc_keys].sum():.3f}",
        all=f"{weights.sum():.3f}",
        least=f"{LEAST * len(queries) if summed else LEAST:g}",
    )


def _name_queries(queries: Sequence[str]) -> str:
    """Name the first MOST_NAMED queries, and count the rest."""
    return first_of([f"“{coloured('query', query)}”" for query in queries], MOST_NAMED)


def describe_head_arcs(
    queries: Sequence[str],
    keys: Sequence[str],
    left_out: Mapping[int, float],
    mean: Numbers,
    counts: Sequence[int],
    *,
    summed: bool = False,
) -> str:
    """Describe how much weight the arcs of several heads leave out, and the key with most weight on average.

    Args:
        queries, keys: as in `describe_arcs`.
        left_out: by zero-based head, how much of the queries' mean row its arcs leave out.
        mean: the mean row over heads and queries, (n_key,); counts: to how many keys each head has arcs.
        summed: whether to state sums of the queries' rows, not means.
    """
    if not left_out or not mean.any():
        return _("There is no arc.")
    most = max(left_out, key=left_out.__getitem__)
    arcs_sentence = _(
        "Arcs of each head that is on, from {query} to its keys of largest weight, at most {most}.",
        query=_name_queries(queries),
        most=max(counts),
    )
    mean_sentence = _(
        "Left out is {mean} of a head's row on average, at most {most}, in head {head}; on average the heads "
        "give most to {key}: {weight}.",
        mean=f"{np.mean([*left_out.values()]):.3f}",
        most=f"{left_out[most]:.3f}",
        head=most + 1,
        key=first_of([keys[each] for each in largest_indices(mean)]),
        weight=f"{mean.max() * (len(queries) if summed else 1):.3f}",
    )
    return paragraph(arcs_sentence, mean_sentence)
