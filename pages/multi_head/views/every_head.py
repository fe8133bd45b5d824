"""The view "every head": one map a head, and the output."""

from collections.abc import Sequence

from attn_figures import multi_head as pictures
from attn_figures.picture import Spec
from pages.multi_head.compute import Now, heads, order_of


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw each step with room for as many heads as the largest has."""
    drawn = [heads(now) for now in steps]
    limit = max(float(abs(each.output).max()) for each in drawn) or 1.0
    return [
        pictures.every_head.spec(
            each,
            slots=max(now.n_head for now in steps),
            order=order_of(now.look.order, now.result),
            projected=now.setting.projection,
            output_limit=limit,
        )
        for now, each in zip(steps, drawn, strict=True)
    ]
