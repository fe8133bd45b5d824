"""What the pictures of several heads show: a read-out, and a warning."""

from collections.abc import Sequence

import numpy as np

from attn_figures.numbers import number
from attn_figures.points import QueryKeyPlane
from attn_figures.ties import largest
from attn_ui.base.markdown import coloured, first_of, listed
from attn_ui.base.parameters import shown
from attn_ui.base.ties import tied
from attn_words import _, _n, paragraph
from pages.multi_head.compute import MEASURES, Now, allowed, array
from pages.multi_head.settings import POSITIONS


def heads(count: int) -> str:
    """Say how many heads.

    >>> heads(1), heads(4)
    ('1 head', '4 heads')
    """
    return _n("{count} head", "{count} heads", count)


def _numbers(places: Sequence[int]) -> str:
    return listed([str(place + 1) for place in places])


def _query(now: Now, *at: int) -> str:
    return first_of([f"“{coloured('query', now.tokens.queries[each])}”" for each in at])


def _keys(now: Now, *at: int) -> str:
    return first_of([f"“{coloured('key', now.tokens.keys[each])}”" for each in at])


# ---- read-outs ----


def of_heads(now: Now) -> str:
    """Say how many heads there are, and how widely each looks."""
    spread = MEASURES["effective keys"](now.result).tolist()
    return _n(
        "{count} head of width {width}. Effective number of keys, of {keys}, on average over the queries: "
        "{spread}.",
        "{count} heads of width {width}. Effective number of keys, of {keys}, on average over the queries, "
        "head by head: {spread}.",
        now.n_head,
        width=now.module.d_head,
        keys=len(now.tokens.keys),
        spread=listed([f"{each:.1f}" for each in spread]),
    )


def of_mean(now: Now, chosen: Sequence[int]) -> str:
    """Say what rows of the mean and of the largest weight of some heads, from 0, sum to."""
    maps = array(now.result.weights[list(chosen)])
    return _n(
        "Head {heads}: rows of the mean sum to at most {mean}, rows of the largest weight to at most "
        "{largest}; in one cell two heads differ by up to {spread}.",
        "Heads {heads}: rows of the mean sum to at most {mean}, rows of the largest weight to at most "
        "{largest}; in one cell two heads differ by up to {spread}.",
        len(chosen),
        heads=_numbers(chosen),
        mean=f"{maps.mean(axis=0).sum(axis=-1).max():.2f}",
        largest=f"{maps.max(axis=0).sum(axis=-1).max():.2f}",
        spread=f"{np.ptp(maps, axis=0).max():.3f}",
    )


def of_pair(now: Now, one: int, other: int) -> str:
    """Say where two heads, from 0, differ most."""
    first, second = array(now.result.weights[[one, other]])
    most, *others = largest(np.abs(first - second))
    query, key = divmod(most, first.shape[-1])
    said = _(
        "Heads {one} and {other} differ most where {query} attends to {key}: {first} and {second}.",
        one=one + 1,
        other=other + 1,
        query=_query(now, query),
        key=_keys(now, key),
        first=f"{first[query, key]:.3f}",
        second=f"{second[query, key]:.3f}",
    )
    return paragraph(said, _tied(now, others))


def of_head(now: Now) -> str:
    """Say which head is shown."""
    return _("Head {number} of {count}.", number=now.head + 1, count=now.n_head)


def of_points(now: Now, planes: Sequence[QueryKeyPlane]) -> str:
    """Say where the query's largest weight is of all heads that are on, and what the plane there shows."""
    row, n_key = now.cell[0], len(now.tokens.keys)
    weights = array(now.result.weights)[:, row].copy()
    weights[now.off] = 0.0
    most, *others = largest(weights)
    head, key = divmod(most, n_key)
    said = _(
        "Query {query}: largest weight of all heads {weight}, in head {head} on {key}, where q · k = "
        "{whole}, of which the plane shows {shown}.",
        query=_query(now, row),
        weight=f"{weights[head, key]:.3f}",
        head=head + 1,
        key=_keys(now, key),
        whole=number(float(now.result.scores[head, row, key]), 6),
        shown=number(float(planes[head].shown[row, key]), 6),
    )
    return paragraph(said, _tied(now, others)) if weights.any() else ""


def conditions(now: Now) -> list[str]:
    """Say how many pairs a mask leaves, and where positions move weights most."""
    said, may = [], allowed(now.setting, now.n_head)
    if may is not None:
        each = may.expand(now.n_head, *now.tokens.shape)
        share = f"{each.double().mean():.1%}"
        left, pairs = f"{each.sum():,}", f"{each.numel():,}"
        said.append(
            _("The mask leaves {left} of {pairs} pairs ({share}).", left=left, pairs=pairs, share=share)
        )
    if now.scheme.adds != "nothing":
        before, after = array(now.unplaced.result.weights), array(now.result.weights)
        most = largest(np.abs(after - before))[0]
        head, query, key = (int(place) for place in np.unravel_index(most, after.shape))
        moved = _(
            "Positions ({scheme}) move a weight by up to {change}: in head {head} that of {query} on "
            "{key}, from {before} to {after}.",
            scheme=shown(POSITIONS, now.setting.positions.name),
            change=f"{abs(after - before).max():.3f}",
            head=head + 1,
            query=_query(now, query),
            key=_keys(now, key),
            before=f"{before[head, query, key]:.3f}",
            after=f"{after[head, query, key]:.3f}",
        )
        said.append(moved)
    return said


def _empty(now: Now) -> list[int]:
    """Return the queries, from 0, that may attend to nothing in some head."""
    found: list[int] = np.flatnonzero((~array(now.result.weights).any(axis=-1)).any(axis=0)).tolist()
    return found


def _tied(now: Now, others: Sequence[int]) -> str:
    """Say with how many others the one that is named ties, unless there is more to be warned of."""
    return "" if _empty(now) else tied(len(others))


def warning(now: Now) -> str:
    """Say which queries may attend to nothing, in some head or in all."""
    empty = _empty(now)
    said = _(
        "{queries} may attend to nothing: weights and output of a head are zero there, where torch gives "
        "NaN.",
        queries=_query(now, *empty),
    )
    return said if empty else ""
