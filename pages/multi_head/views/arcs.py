"""The view "arcs": the words as a text, and the weights of a query, or several, as arcs between them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attn_figures import arcs as pictures
from attn_figures import head_arcs
from attn_figures.frame import Side
from attn_figures.matrix import BY_KEY, NUMBERS_UP_TO, ColourScale, Matrix
from attn_figures.multi_head import ROOT, head_title
from attn_figures.picture import Spec
from attn_live.packing import Cursor
from attn_ui.base.arcs import arcs_said, heads_said
from attn_ui.base.markdown import coloured
from attn_words import _, paragraph
from pages.multi_head.compute import Now, array, mask_array
from pages.multi_head.words import of_head


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw the chosen head, or the last there is, at each step; or all that are not off."""
    if not steps[0].look.all_heads:
        return [
            pictures.arcs.spec(_mean(now), now.tokens.queries, now.tokens.keys, _map(now), group=now.group)
            for now in steps
        ]
    drawn = [_several(now) for now in steps]
    room = {"slots": max(each.slots for each in drawn), "most_heads": max(len(each.heads) for each in drawn)}
    return [
        head_arcs.arcs_of_heads.spec(each, now.tokens.queries, now.tokens.keys, _map(now), **room)
        for each, now in zip(drawn, steps, strict=True)
    ]


def follow(steps: Sequence[Now]) -> Cursor:
    """Return what follows the slider over the queries."""
    tokens, group = steps[0].tokens, steps[0].group
    words = tokens.queries, tokens.keys
    masks = np.stack([_may_together(now) for now in steps])
    if steps[0].look.all_heads:
        followed = head_arcs.cursor([_several(now) for now in steps], masks, *words)
    else:
        followed = pictures.cursor(np.stack([_mean(now) for now in steps]), masks, *words, group=group)
    return Cursor(len(tokens.queries), **followed)


def say(now: Now) -> str:
    """Say whose arcs these are, and what they hold."""
    row, tokens = now.cell[0], now.tokens
    keys = [f"“{coloured('key', key)}”" for key in tokens.keys]
    queries = [tokens.queries[each] for each in now.group.rows(row)]
    if now.look.all_heads:
        found = _several(now)
        return heads_said(
            queries, keys, found.left(row), found.mean()[row], found.counts(row), summed=now.look.summed
        )
    may, summed = _may_together(now)[row], now.look.summed
    return paragraph(
        of_head(now),
        arcs_said(queries, keys, _mean(now)[row], may, pictures.LEAST, summed=summed),
    )


def _map(now: Now) -> Matrix:
    weights, title = _weights(now), head_title(now.head, off=now.off)
    if now.look.all_heads:
        weights = np.mean([*array(now.result.weights)[now.shown_heads]] or [weights * 0], axis=0)
        title = _("mean of the heads")
    return Matrix(
        "weights",
        weights,
        title,
        Side.queries(now.tokens.queries),
        Side.keys(now.tokens.keys),
        mask=_may(now),
        pick=BY_KEY,
        marked=(0, None),
        ramp=ColourScale(power=1.0 if len(now.tokens.keys) <= NUMBERS_UP_TO else ROOT),
        names_rows=True,
    )


def _several(now: Now) -> head_arcs.HeadArcs:
    """Return the heads that are drawn, with the rows of the queries that are taken together."""
    return head_arcs.HeadArcs(now.group.mean(array(now.result.weights)), now.shown_heads, now.group)


def _mean(now: Now) -> NDArray[np.float64]:
    return now.group.mean(_weights(now))


def _weights(now: Now) -> NDArray[np.float64]:
    return array(now.result.weights[now.head])


def _may_together(now: Now) -> NDArray[np.bool_]:
    return now.group.mean(_may(now).astype(np.float64)) > 0


def _may(now: Now) -> NDArray[np.bool_]:
    """Return where the chosen head may attend; where all are drawn, any of them."""
    mask, shape = mask_array(now.setting, now.n_head), (len(now.tokens.queries), len(now.tokens.keys))
    if mask is not None and mask.ndim > 2:
        mask = np.any(mask[now.shown_heads if now.look.all_heads else [now.head]], axis=0)
    return np.broadcast_to(True if mask is None else mask, shape)
