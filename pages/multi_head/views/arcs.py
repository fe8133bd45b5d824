"""The view "arcs": the words as a text, with the weights of one or several queries as arcs between them."""

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
from attn_ui.base.markdown import coloured
from attn_words import _, paragraph
from pages.multi_head.compute import Result, array, mask_array
from pages.multi_head.words import describe_head
from pages.single_head.arcs import describe_arcs, describe_head_arcs


def draw(steps: Sequence[Result]) -> Sequence[Spec]:
    """Draw the chosen head at each step, or all heads that are not off."""
    if not steps[0].look.all_heads:
        return [
            pictures.arcs(
                _mean(result), result.tokens.queries, result.tokens.keys, _map(result), group=result.group
            )
            for result in steps
        ]
    panels = [_several(result) for result in steps]
    room = {
        "slots": max(each.slots for each in panels),
        "most_heads": max(len(each.heads) for each in panels),
    }
    return [
        head_arcs.arcs_of_heads(each, result.tokens.queries, result.tokens.keys, _map(result), **room)
        for each, result in zip(panels, steps, strict=True)
    ]


def follow(steps: Sequence[Result]) -> Cursor:
    """Return the parts of the picture that the slider over the queries moves."""
    tokens, group = steps[0].tokens, steps[0].group
    words = tokens.queries, tokens.keys
    masks = np.stack([_may_together(result) for result in steps])
    if steps[0].look.all_heads:
        followed = head_arcs.cursor([_several(result) for result in steps], masks, *words)
    else:
        followed = pictures.cursor(np.stack([_mean(result) for result in steps]), masks, *words, group=group)
    return Cursor(len(tokens.queries), **followed)


def describe(result: Result) -> str:
    """Say whose arcs are drawn, and which are thickest."""
    row, tokens = result.cell[0], result.tokens
    keys = [f"“{coloured('key', key)}”" for key in tokens.keys]
    queries = [tokens.queries[each] for each in result.group.rows(row)]
    if result.look.all_heads:
        arcs = _several(result)
        return describe_head_arcs(
            queries, keys, arcs.left_out(row), arcs.mean()[row], arcs.counts(row), summed=result.look.summed
        )
    may, summed = _may_together(result)[row], result.look.summed
    return paragraph(
        describe_head(result),
        describe_arcs(queries, keys, _mean(result)[row], may, summed=summed),
    )


def _map(result: Result) -> Matrix:
    weights, title = _weights(result), head_title(result.head, off=result.off)
    if result.look.all_heads:
        weights = np.mean([*array(result.attention.weights)[result.shown_heads]] or [weights * 0], axis=0)
        title = _("mean of the heads")
    return Matrix(
        "weights",
        weights,
        title,
        Side.queries(result.tokens.queries),
        Side.keys(result.tokens.keys),
        mask=_may(result),
        pick=BY_KEY,
        marked=(0, None),
        ramp=ColourScale(power=1.0 if len(result.tokens.keys) <= NUMBERS_UP_TO else ROOT),
        names_rows=True,
    )


def _several(result: Result) -> head_arcs.HeadArcs:
    """Return the heads that are drawn, with the combined rows of the queries."""
    return head_arcs.HeadArcs(
        result.group.mean(array(result.attention.weights)), result.shown_heads, result.group
    )


def _mean(result: Result) -> NDArray[np.float64]:
    return result.group.mean(_weights(result))


def _weights(result: Result) -> NDArray[np.float64]:
    return array(result.attention.weights[result.head])


def _may_together(result: Result) -> NDArray[np.bool_]:
    return result.group.mean(_may(result).astype(np.float64)) > 0


def _may(result: Result) -> NDArray[np.bool_]:
    """Return where the chosen head may attend or, if all heads are drawn, any of them."""
    mask, shape = (
        mask_array(result.setting, result.n_head),
        (len(result.tokens.queries), len(result.tokens.keys)),
    )
    if mask is not None and mask.ndim > 2:
        mask = np.any(mask[result.shown_heads if result.look.all_heads else [result.head]], axis=0)
    return np.broadcast_to(True if mask is None else mask, shape)
