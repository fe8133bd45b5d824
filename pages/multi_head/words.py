"""Captions of several heads."""

from collections.abc import Sequence

import numpy as np

from attn_figures.numbers import number
from attn_figures.planes import QueryKeyPlane
from attn_figures.ties import largest_indices
from attn_ui.base.markdown import all_of, coloured, first_of
from attn_ui.base.parameters import label_of
from attn_ui.base.ties import tie_sentence
from attn_words import _, _n, paragraph
from pages.multi_head.compute import MEASURES, Result, array
from pages.multi_head.settings import POSITIONS


def heads(count: int) -> str:
    """Return the number of heads in words.

    >>> heads(1), heads(4)
    ('1 head', '4 heads')
    """
    return _n("{count} head", "{count} heads", count)


def _numbers(places: Sequence[int]) -> str:
    return all_of([str(place + 1) for place in places])


def _query(result: Result, *at: int) -> str:
    return first_of([f"“{coloured('query', result.tokens.queries[each])}”" for each in at])


def _keys(result: Result, *at: int) -> str:
    return first_of([f"“{coloured('key', result.tokens.keys[each])}”" for each in at])


# ---- read-outs ----


def describe_heads(result: Result) -> str:
    """Say how many heads there are, and the effective number of keys of each."""
    spread = MEASURES["effective keys"](result.attention).tolist()
    return _n(
        "{count} head of width {width}. Effective number of keys, of {keys}, on average over the queries: "
        "{spread}.",
        "{count} heads of width {width}. Effective number of keys, of {keys}, on average over the queries, "
        "head by head: {spread}.",
        result.n_head,
        width=result.module.d_head,
        keys=len(result.tokens.keys),
        spread=all_of([f"{each:.1f}" for each in spread]),
    )


def describe_sink(result: Result) -> str:
    """Say the mean weight that each head's rows give to the sink; "" if there is none."""
    rest = 1 - array(result.attention.weights).sum(axis=-1).mean(axis=-1)
    shares = all_of([f"{share:.3f}" for share in rest])
    text = _("To the sink, one logit for all heads, on average, head by head: {shares}.", shares=shares)
    return "" if result.setting.sink is None else text


def describe_mean(result: Result, heads: Sequence[int]) -> str:
    """Say the largest row sums of the mean and of the maximum over heads (zero-based indices)."""
    maps = array(result.attention.weights[list(heads)])
    return _(
        "Heads compared: {heads}. Rows of the mean sum to at most {mean}, rows of the largest weight to at "
        "most {largest}; in one cell two heads differ by up to {spread}.",
        heads=_numbers(heads),
        mean=f"{maps.mean(axis=0).sum(axis=-1).max():.2f}",
        largest=f"{maps.max(axis=0).sum(axis=-1).max():.2f}",
        spread=f"{np.ptp(maps, axis=0).max():.3f}",
    )


def describe_pair(result: Result, one: int, other: int) -> str:
    """Say at which query and key two heads (zero-based indices) differ most."""
    first, second = array(result.attention.weights[[one, other]])
    most, *others = largest_indices(np.abs(first - second))
    query, key = divmod(most, first.shape[-1])
    sentence = _(
        "Heads {one} and {other}: largest difference at {query} on {key}, {first} and {second}.",
        one=one + 1,
        other=other + 1,
        query=_query(result, query),
        key=_keys(result, key),
        first=f"{first[query, key]:.3f}",
        second=f"{second[query, key]:.3f}",
    )
    return paragraph(sentence, _tie_sentence(result, others))


def describe_head(result: Result) -> str:
    """Say which head is shown."""
    return _("Head {number} of {count}.", number=result.head + 1, count=result.n_head)


def describe_points(result: Result, planes: Sequence[QueryKeyPlane]) -> str:
    """Say the query's largest weight over heads that are on, and how much of its score the plane shows."""
    row, n_key = result.cell[0], len(result.tokens.keys)
    weights = array(result.attention.weights)[:, row].copy()
    weights[result.off] = 0.0
    most, *others = largest_indices(weights)
    head, key = divmod(most, n_key)
    sentence = _(
        "Query {query}: largest weight of all heads {weight}, in head {head} on {key}, where q · k = "
        "{whole}, of which the plane shows {shown}.",
        query=_query(result, row),
        weight=f"{weights[head, key]:.3f}",
        head=head + 1,
        key=_keys(result, key),
        whole=number(float(result.attention.scores[head, row, key]), 6),
        shown=number(float(planes[head].plane_products[row, key]), 6),
    )
    return paragraph(sentence, _tie_sentence(result, others)) if weights.any() else ""


def describe_positions(result: Result) -> str:
    """Say at which head, query and key positions change a weight most; "" without positions."""
    if result.scheme.adds == "nothing":
        return ""
    before, after = array(result.unplaced.attention.weights), array(result.attention.weights)
    scheme = label_of(POSITIONS, result.setting.positions.name)
    if np.allclose(before, after, rtol=0, atol=0.0005):
        return _("Positions ({scheme}) leave all weights the same to three decimals.", scheme=scheme)
    most = largest_indices(np.abs(after - before))[0]
    head, query, key = (int(place) for place in np.unravel_index(most, after.shape))
    return _(
        "Positions ({scheme}) move a weight by up to {change}: in head {head} that of {query} on "
        "{key}, from {before} to {after}.",
        scheme=scheme,
        change=f"{abs(after - before).max():.3f}",
        head=head + 1,
        query=_query(result, query),
        key=_keys(result, key),
        before=f"{before[head, query, key]:.3f}",
        after=f"{after[head, query, key]:.3f}",
    )


def _empty(result: Result) -> list[int]:
    """Return the zero-based queries that may attend to nothing in some head."""
    if result.attention.mask is None:
        return []
    blind = ~array(result.attention.mask).any(axis=-1)
    queries: list[int] = np.flatnonzero(blind.reshape(-1, blind.shape[-1]).any(axis=0)).tolist()
    return queries


def _tie_sentence(result: Result, others: Sequence[int]) -> str:
    """Say how many cells tie with the named one; "" if there are empty rows, which `warning` names."""
    return "" if _empty(result) else tie_sentence(len(others))


def warning(result: Result) -> str:
    """Say which queries may attend to nothing in some head; "" if there are none."""
    empty = _empty(result)
    sentence = _(
        "{queries} may attend to nothing: weights and output of a head are zero there.",
        queries=_query(result, *empty),
    )
    return sentence if empty else ""
