"""Pictures of attention flow: a layer's weights, what they write, rollout up to it, and the next token."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_figures.frame import Side
from attn_figures.matrix import PAIRS, ColourScale, Extra, Hover, Matrix, Numbers, Pick, may_not_attend
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, ROOT
from attn_figures.panels import Panel, compose
from attn_figures.picture import Picture, Spec
from attn_words import _


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a model on a text of n tokens, and the flow up to it.

    Attributes:
        number: from 1; n_head: heads that the means are of.
        tokens: n labels.
        weights, rollout: (n, n).
        shares, lengths: what each key writes, as shares of each row and as it is, (n, n); None if unknown.
        mask: False where a query may not attend, or a key is ablated, (n, n); aside: whether any key is.
        last: the last token's weights, (n_row, n), a row for each of `names`; None where no token is next.
    """

    number: int
    n_head: int
    tokens: Sequence[str]
    weights: Numbers
    rollout: Numbers
    shares: Numbers | None
    lengths: Numbers | None
    mask: NDArray[np.bool_]
    aside: bool
    last: Numbers | None
    names: Sequence[str]


@Picture
def text_flow(layer: Layer) -> Spec:
    """Draw the maps of one layer side by side, and the row of the last token by each head."""
    title = _("layer {layer}: weights, mean of {heads} heads", layer=layer.number, heads=layer.n_head)
    panels: list[Panel] = [_map(layer, "weights", layer.weights, title)]
    if layer.shares is not None and layer.lengths is not None:
        length = Extra([(_("length ‖α f(x)‖"), layer.lengths)])
        title = _("what it writes, ‖α f(x)‖ shared out")
        shares = _map(layer, "written", layer.shares, title)
        panels.append(shares.with_hover(quantity=_("share of the row's length"), extra=length))
    title = _("rollout, layers 1 to {layer}", layer=layer.number)
    panels.append(_through(layer, "rollout", layer.rollout, title, _("rollout")))
    if layer.last is not None:
        panels.append(
            Matrix(
                "last token",
                layer.last,
                _("where the next token looks"),
                Side(layer.names, _("Head"), "ink"),
                Side.keys(layer.tokens),
                ramp=ColourScale(bar=_("weight"), power=ROOT),
                pick=Pick(None, "key"),
                hover=Hover(words=(_("head"), _("key"))),
                shows_shape=False,
                names_rows=True,
            )
        )
    return compose.spec(panels, phone_height=PHONE_HEIGHT, roomy=ROOMY)


def _through(layer: Layer, name: str, values: Numbers, title: str, quantity: str) -> Matrix:
    return Matrix(
        name,
        values,
        title,
        Side(layer.tokens, _("Place after the layer"), "output"),
        Side(layer.tokens, _("Token it comes from"), "key"),
        hover=Hover(quantity, words=(_("place"), _("token"))),
        ramp=ColourScale(bar=_("weight"), power=ROOT),
        pick=PAIRS,
        shows_shape=False,
    )


def _map(layer: Layer, name: str, values: Numbers, title: str) -> Matrix:
    return Matrix(
        name,
        values,
        title,
        Side.queries(layer.tokens),
        Side.keys(layer.tokens),
        mask=layer.mask,
        ramp=ColourScale(bar=_("weight"), power=ROOT),
        pick=PAIRS,
        shows_shape=False,
        hover=Hover(
            blocked=_("<b>set aside</b>: an attention sink, or masked") if layer.aside else may_not_attend()
        ),
    )
