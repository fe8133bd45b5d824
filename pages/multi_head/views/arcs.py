"""The view "arcs": the words as a text, and one query's weights in one head as arcs between them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attn_figures import arcs as pictures
from attn_figures.matrix import NUMBERS_UP_TO, Matrix, key_title, query_title
from attn_figures.multi_head import ROOT
from attn_figures.picture import Spec
from attn_live.packing import Cursor
from attn_ui.base.arcs import arcs_said
from attn_ui.base.markdown import coloured
from attn_words import _, paragraph
from pages.multi_head.compute import Now, array, mask_array


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw the chosen head, or the last there is, at each step."""
    return [
        pictures.arcs.spec(_weights(now), now.tokens.queries, now.tokens.keys, _map(now)) for now in steps
    ]


def follow(steps: Sequence[Now]) -> Cursor:
    """Return what follows the slider over the queries."""
    weights, masks = (
        np.stack(each) for each in zip(*((_weights(now), _may(now)) for now in steps), strict=True)
    )
    tokens = steps[0].tokens
    return Cursor(len(tokens.queries), **pictures.cursor(weights, masks, tokens.queries, tokens.keys))


def say(now: Now) -> str:
    """Say whose arcs these are, and what they hold."""
    row, tokens = now.cell[0], now.tokens
    keys = [f"“{coloured('key', key)}”" for key in tokens.keys]
    query = f"“{coloured('query', tokens.queries[row])}”"
    head = _("Head {number} of {count}.", number=_head(now) + 1, count=now.n_head)
    return paragraph(head, arcs_said(query, keys, _weights(now)[row], _may(now)[row], pictures.LEAST))


def _map(now: Now) -> Matrix:
    return Matrix(
        "weights",
        _weights(now),
        _("head {number}", number=_head(now) + 1),
        rows=now.tokens.queries,
        columns=now.tokens.keys,
        row_title=query_title(),
        column_title=key_title(),
        mask=_may(now),
        cells="query-key",
        chosen=(None, "key"),
        moves_cursor=True,
        marked=(0, None),
        ramp_power=1.0 if len(now.tokens.keys) <= NUMBERS_UP_TO else ROOT,
        names_rows=True,
    )


def _weights(now: Now) -> NDArray[np.float64]:
    return array(now.result.weights[_head(now)])


def _may(now: Now) -> NDArray[np.bool_]:
    mask, shape = mask_array(now.setting, now.n_head), (len(now.tokens.queries), len(now.tokens.keys))
    return np.broadcast_to(True if mask is None else mask[_head(now)] if mask.ndim > 2 else mask, shape)


def _head(now: Now) -> int:
    return min(now.look.head, now.n_head - 1)
