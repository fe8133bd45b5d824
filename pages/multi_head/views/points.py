"""The view "points": queries and keys of every head in a plane of its own."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_core.plane import main_directions
from attn_figures.numbers import as_share, number
from attn_figures.picture import Spec
from attn_figures.points import (
    SMALL,
    Attended,
    InPlane,
    before_head,
    by_row_and_step,
    small_multiples,
)
from attn_figures.ties import TIE, largest
from attn_live.packing import Cursor
from attn_ui.base.markdown import coloured, first_of, listed
from attn_ui.base.planes import names_told, plane_part
from attn_words import _, _n, paragraph
from pages.multi_head.compute import Now, array, mask_array, order_of, sequences, stages
from pages.multi_head.state import NO_DETAILS, Setting

ALIKE = 5e-4  # shares that differ by less are told as one


@lru_cache(maxsize=64)
def _planes(setting: Setting, n_head: int) -> list[InPlane]:
    result, tokens = stages(setting, n_head), sequences(setting)
    found = main_directions(result.query, result.key)
    return [
        InPlane(array(queries), array(keys), (tokens.queries, tokens.keys), array(explained), array(products))
        for queries, keys, explained, products in zip(
            found.queries, found.keys, found.explained, result.scores, strict=True
        )
    ]


def planes(now: Now) -> list[InPlane]:
    """Return the plane of each head, which no mask and no temperature moves."""
    still = replace(now.setting, temperature=1.0, mask="none", reach=1, masking=NO_DETAILS, patterns=())
    return _planes(still, now.n_head)


def attended(steps: Sequence[Now], head: int) -> Attended:
    """Return one head in its plane at some steps, of which it is there at one or more."""
    shape = len(steps[0].tokens.queries), len(steps[0].tokens.keys)
    weights, masks = np.zeros((len(steps), *shape)), np.zeros((len(steps), *shape), dtype=bool)
    for step, now in enumerate(steps):
        if head < now.n_head:
            may = mask_array(now.setting, now.n_head)
            weights[step] = array(now.result.weights[head])
            masks[step] = True if may is None else np.broadcast_to(may, (now.n_head, *shape))[head]
    seen = [planes(now)[head] if head < now.n_head else None for now in steps]
    return Attended(seen, weights, masks, SMALL, before_head(head))


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw each step with room for as many planes as the one with most heads has."""
    slots = max(now.n_head for now in steps)
    return [
        small_multiples.spec(
            [attended([now], head) for head in range(now.n_head)],
            [_title(now, head, plane) for head, plane in enumerate(planes(now))],
            slots=slots,
            order=order_of(now.look.order, now.result),
        )
        for now in steps
    ]


def follow(steps: Sequence[Now]) -> Cursor:
    """Return what follows the slider over the queries."""
    found: dict[str, list[Any]] = {}
    for head in range(max(now.n_head for now in steps)):
        found |= attended(steps, head).follow()
    return Cursor(len(steps[0].tokens.queries), **by_row_and_step(found))


def say(now: Now) -> str:
    """Say what the planes keep, and what the plane shows where the query's largest weight is."""
    row, tokens, seen = now.cell[0], now.tokens, planes(now)
    query = f"“{coloured('query', tokens.queries[row])}”"
    kept = _kept(np.array([plane.explained.sum() for plane in seen]))
    named = names_told(SMALL, tokens.keys)
    if len(now.off) == now.n_head:
        return paragraph(kept, _("All heads are off."), named)
    weights = array(now.result.weights)[:, row].copy()
    weights[list(now.off)] = 0.0
    if not weights.any():
        nothing = (
            _("{query} may attend to nothing in any head that is on.", query=query)
            if now.off
            else _("{query} may attend to nothing in any head.", query=query)
        )
        return paragraph(kept, nothing, named)
    head, best = divmod(largest(weights)[0], len(tokens.keys))
    # The same word again has the same key.
    ties = largest(weights[head])
    said = _n(
        "{query} gives its largest weight of all heads, {weight}, to {key} in head {number}.",
        "{query} gives its largest weight of all heads, {weight}, to each of {key} in head {number}.",
        len(ties),
        query=query,
        weight=f"{weights[head, best]:.3f}",
        key=first_of([_key(now, key) for key in ties]),
        number=head + 1,
    )
    others = np.delete(weights.max(axis=1), head)
    n_other = int((others >= weights[head, best] - TIE).sum())
    if n_other:
        also = _n("One other head gives as much.", "{count} other heads give as much.", n_other)
        said = paragraph(said, also)
    plane = seen[head]
    part = plane_part(
        plane.products[row],
        plane.shown[row],
        best,
        query=query,
        key=lambda key: _key(now, key),
        digits=lambda value: number(value, 6),
    )
    return paragraph(kept, said, part, named)


def _kept(shares: NDArray[np.float64]) -> str:
    """Say what the planes of all heads keep; a share is NaN where queries and keys are zero."""
    zero = np.isnan(shares)
    if zero.all():
        return _n(
            "Queries and keys of the one head are all zero.",
            "Queries and keys of all {count} heads are zero.",
            len(shares),
        )
    most, least = int(np.nanargmax(shares)), int(np.nanargmin(shares))
    if shares[most] - shares[least] < ALIKE:
        kept = _n(
            "The plane of the one head keeps {share} of the squared length of its queries and keys.",
            "Each of {count} heads has a plane of its own, which keeps {share} of the squared length of its "
            "queries and keys.",
            len(shares),
            share=as_share(float(shares[most]), 1),
        )
    else:
        kept = _(
            "Each of {count} heads has a plane of its own. Head {most} keeps most of the squared length of "
            "its queries and keys, {share}, and head {least} least, {other}.",
            count=len(shares),
            most=most + 1,
            least=least + 1,
            share=as_share(float(shares[most]), 1),
            other=as_share(float(shares[least]), 1),
        )
    heads = listed([str(head + 1) for head in np.flatnonzero(zero)])
    none = _n(
        "Queries and keys of head {heads} are all zero.",
        "Queries and keys of heads {heads} are all zero.",
        int(zero.sum()),
        heads=heads,
    )
    return paragraph(kept, none if zero.any() else "")


def _key(now: Now, key: int) -> str:
    return f"“{coloured('key', now.tokens.keys[key])}”"


def _title(now: Now, head: int, plane: InPlane) -> str:
    share = float(plane.explained.sum())
    fields = {"number": head + 1, "share": as_share(share)}
    if np.isnan(share):
        if head in now.off:
            return _("head {number} (off) is zero", **fields)
        return _("head {number} is zero", **fields)
    if head in now.off:
        return _("head {number} (off) keeps {share}", **fields)
    return _("head {number} keeps {share}", **fields)
