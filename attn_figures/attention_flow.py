"""Pictures of attention flow: a layer's weights, what each key writes, rollout, and the next token."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_figures.frame import Side
from attn_figures.matrix import Extra, Hover, Matrix, Numbers, Pick, may_not_attend
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, text_map
from attn_figures.panels import Panel, compose
from attn_figures.picture import Spec
from attn_words import _


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a model on a text of n tokens, and the flow up to it.

    Attributes:
        number: counted from 1; n_head: the number of heads that are averaged.
        weights, rollout: (n, n).
        lengths: ‖α f(x)‖, what each key writes, (n, n); shares: lengths / their row's sum. None if unknown.
        mask: False where a query may not attend, or a key is ablated, (n, n).
        drops_keys: whether a key is ablated.
        last: the last token's weights, (n_row, n), a row for each of `names`; None without a next token.
    """

    number: int
    n_head: int
    tokens: Sequence[str]
    weights: Numbers
    rollout: Numbers
    shares: Numbers | None
    lengths: Numbers | None
    mask: NDArray[np.bool_]
    drops_keys: bool
    last: Numbers | None
    names: Sequence[str]


def attention_flow(layer: Layer) -> Spec:
    """Draw the maps of one layer side by side, and the row of the last token by each head."""
    title = _("layer {layer}: weights, mean of {heads} heads", layer=layer.number, heads=layer.n_head)
    panels: list[Panel] = [_map(layer, "weights", layer.weights, title)]
    if layer.shares is not None and layer.lengths is not None:
        length = Extra([(_("length ‖α f(x)‖"), layer.lengths)])
        title = _("what it writes, ‖α f(x)‖ shared out")
        shares = _map(layer, "written", layer.shares, title)
        panels.append(shares.with_hover(quantity=_("share of the row's length"), extra=length))
    title = _("rollout, layers 1 to {layer}", layer=layer.number)
    panels.append(
        text_map(
            "rollout",
            layer.rollout,
            title,
            layer.tokens,
            rows=Side(layer.tokens, _("Place after the layer"), "output"),
            columns=Side(layer.tokens, _("Token it comes from"), "key"),
            hover=Hover(_("rollout"), words=(_("place"), _("token"))),
        )
    )
    if layer.last is not None:
        panels.append(
            text_map(
                "last token",
                layer.last,
                _("where the next token looks"),
                layer.tokens,
                rows=Side(layer.names, _("Head"), "ink"),
                pick=Pick(None, "key"),
                hover=Hover(words=(_("head"), _("key"))),
                names_rows=True,
            )
        )
    return compose(panels, phone_height=PHONE_HEIGHT, roomy=ROOMY)


def _map(layer: Layer, name: str, values: Numbers, title: str) -> Matrix:
    blocked = _("<b>set aside</b>: an attention sink, or masked") if layer.drops_keys else may_not_attend()
    return text_map(name, values, title, layer.tokens, mask=layer.mask, hover=Hover(blocked=blocked))
