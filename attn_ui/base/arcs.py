"""What is asked and said of arcs from queries to their keys, on each page that draws them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_figures.ties import TIE, largest, largest_first
from attn_ui.base.ask import Ask
from attn_ui.base.markdown import coloured, first_of, listed
from attn_ui.base.set_aside import Lines
from attn_ui.base.shared_settings import ALSO, TOGETHER
from attn_words import _, _n, paragraph

Numbers = NDArray[np.float64]
MOST_NAMED = 5  # queries of a group
MOST_TOLD = 3  # keys, where they do not tie
TOLD = 5e-4  # weight that is told with three decimals


def ask_together(ask: Ask, queries: Sequence[str]) -> tuple[tuple[int, ...], bool]:
    """Ask which queries' rows are taken together with the slider's, and whether as a sum.

    Returns their places, in order: none by default.
    """
    offered = [str(place) for place in range(len(queries))]
    also = ask.several(ALSO, _("Queries together with the slider's"), offered, queries)
    if not also:
        return (), False
    summed = ask.segment(TOGETHER, _("Their rows are taken as"), label_visibility="collapsed") == "sum"
    return tuple(sorted(map(int, also))), summed


def together_lines(rows: Sequence[int], weights: str, *, summed: bool, axis: int = 0) -> Lines:
    """Return the lines of a program that take rows together.

    Args:
        rows: the queries' places; weights: the program's own of ``rows``, whose ``axis`` they are.
        summed: whether as a sum.
    """
    lines = [
        f"rows = {[*rows]}  # queries whose rows are taken together",
        f"together = {weights}.{'sum' if summed else 'mean'}({axis})",
    ]
    return Lines(lines, ["together"])


def arcs_said(
    queries: Sequence[str],
    keys: Sequence[str],
    mean: Numbers,
    may: NDArray[np.bool_],
    least: float,
    *,
    summed: bool = False,
) -> str:
    """Say what the thickest arcs of a query, or of several together, hold, and what has none.

    Args:
        queries: the words of those that are taken together; keys: as sentences have them.
        mean: of their rows, (n_key,); may: True where any of them may attend.
        least: the weight below which no arc is drawn; summed: whether the sum of the rows is told.
    """
    said = _named(queries)
    if not may.any():
        return _("{query} may attend to nothing: there is no arc.", query=said)
    weights = mean * len(queries) if summed else mean
    drawn = [key for key in largest_first(mean).tolist() if mean[key] >= least]
    first = drawn[:MOST_TOLD]
    ties = [key for key in drawn[MOST_TOLD:] if weights[key] >= weights[first[-1]] - TIE]
    told = [f"{keys[key]} {weights[key]:.3f}" for key in first]
    if ties:
        told.append(_("{count} more of {weight}", count=len(ties), weight=f"{weights[ties[0]]:.3f}"))
    fields = {"keys": listed(told), "sum": f"{weights[[*first, *ties]].sum():.3f}"}
    if len(queries) == 1:
        thickest = _(
            "The thickest arcs of {query}: {keys}, together {sum} of its weight.", query=said, **fields
        )
        if len(drawn) == 1:
            thickest = _("{query} has one arc: {keys}.", query=said, keys=fields["keys"])
    elif summed:
        thickest = _(
            "The rows of {queries}, added up: most goes to {keys}, together {sum} of {all}.",
            queries=said,
            all=f"{weights.sum():.3f}",
            **fields,
        )
    else:
        thickest = _(
            "The mean of the rows of {queries}: most goes to {keys}, together {sum} of {all}.",
            queries=said,
            all=f"{weights.sum():.3f}",
            **fields,
        )
    thin = may & (mean < least)
    left_out = _n(
        "{count} key with less than {least} has none ({sum}).",
        "{count} keys with less than {least} each have none ({sum} together).",
        int(thin.sum()),
        least=f"{least * len(queries) if summed else least:g}",
        sum=f"{weights[thin].sum():.4f}",
    )
    masked = int((~may).sum())
    hidden = _n("{count} key is masked.", "{count} keys are masked.", masked)
    return paragraph(thickest, left_out if thin.any() else "", hidden if masked else "")


def _named(queries: Sequence[str]) -> str:
    """Name queries, and count those that are too many."""
    return first_of([f"“{coloured('query', query)}”" for query in queries], MOST_NAMED)


def heads_said(
    queries: Sequence[str],
    keys: Sequence[str],
    left: Mapping[int, float],
    mean: Numbers,
    counts: Sequence[int],
    *,
    summed: bool = False,
) -> str:
    """Say of the arcs of several heads what they leave out, and where the heads look on average.

    Args:
        queries, keys: as in `arcs_said`.
        left: by head, from 0, how much of the mean row of the queries its arcs leave out.
        mean: row of all of them, (n_key,); counts: to how many keys each head has arcs.
        summed: whether the sum of the queries' rows is told.
    """
    if not left:
        return _("All heads are off: there is no arc.")
    said = _named(queries)
    if not mean.any():
        return _("{query} may attend to nothing: there is no arc.", query=said)
    count = max(counts)
    most, key = max(left, key=left.__getitem__), largest(mean)
    together = len(queries) if summed else 1
    given = {"key": first_of([keys[each] for each in key]), "weight": f"{mean.max() * together:.3f}"}
    if len(left) == 1:
        drawn = _n(
            "The one head that is on has an arc from {query} to the key with its largest weight.",
            "The one head that is on has arcs from {query} to the {count} keys with its largest weights.",
            count,
            query=said,
        )
        missing = _("Not drawn is {most} of its row.", most=f"{left[most]:.3f}")
        looks = (
            _("It gives most to {key}: {weight}.", **given)
            if together == 1
            else _("Added up, its rows give most to {key}: {weight}.", **given)
        )
        return paragraph(drawn, missing if left[most] >= TOLD else "", looks)
    as_many = _n(
        "Each of {heads} heads has a colour and a dash, and an arc from {query} to the key with its largest "
        "weight.",
        "Each of {heads} heads has a colour and a dash, and arcs from {query} to the {count} keys with its "
        "largest weights.",
        count,
        heads=len(left),
        query=said,
    )
    up_to = _n(
        "Each of {heads} heads has a colour and a dash, and at most one arc from {query}, to the key with "
        "its largest weight.",
        "Each of {heads} heads has a colour and a dash, and arcs from {query} to up to {count} keys, those "
        "with its largest weights.",
        count,
        heads=len(left),
        query=said,
    )
    drawn = as_many if min(counts) == count else up_to
    missing = _(
        "Not drawn is {mean} of a head's row on average, and {most} of head {head}'s, the most.",
        mean=f"{np.mean([*left.values()]):.3f}",
        most=f"{left[most]:.3f}",
        head=most + 1,
    )
    looks = (
        _("On average the heads give most to {key}: {weight}.", **given)
        if together == 1
        else _("On average over the heads, the rows added up give most to {key}: {weight}.", **given)
    )
    return paragraph(drawn, missing if left[most] >= TOLD else "", looks)
