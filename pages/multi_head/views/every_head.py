"""The view "every head": one map a head, and the output."""

from collections.abc import Sequence

from attn_figures import multi_head as pictures
from attn_figures.picture import Spec
from pages.multi_head.compute import Result, heads, order_of


def draw(steps: Sequence[Result]) -> list[Spec]:
    """Draw each step with room for as many heads as the largest has."""
    maps = [heads(result) for result in steps]
    limit = max(float(abs(each.output).max()) for each in maps) or 1.0
    return [
        pictures.every_head.spec(
            each,
            slots=max(result.n_head for result in steps),
            order=order_of(result.look.order, result.attention),
            projected=result.setting.projection,
            output_limit=limit,
        )
        for result, each in zip(steps, maps, strict=True)
    ]
