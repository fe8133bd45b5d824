"""One head on two texts: its map on each, and their difference where both have the tokens."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_figures.matrix import Hover, Numbers, Pick
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, text_map
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

MAPS = ("A", "B", "difference")


def two_texts(
    weights: Numbers,
    visible: NDArray[np.bool_],
    tokens: Sequence[str],
    titles: Sequence[str],
    *,
    limit: float,
    row: int = 0,
) -> Spec:
    """Draw A, B and B − A, with one query's row framed.

    Args:
        weights: of each text, over the tokens of both, (2, n, n).
        visible: True where a text has both tokens, and the query may attend to the key, (2, n, n).
        tokens: n labels; titles: of A and of B, escaped.
        limit: the difference at the ends of the ramp.
    """
    first, second = (
        text_map(
            name,
            values,
            title,
            tokens,
            mask=mask,
            hover=Hover(blocked=_("<b>none</b>: a text lacks the word, or it may not attend")),
            pick=Pick(together="query-key", moves_cursor=True),
            marked=(row, None),
        )
        for name, values, title, mask in zip(MAPS, weights, titles, visible, strict=False)
    )
    difference = replace(second.minus(first, "B − A", limit=limit), mask=visible[0] & visible[1])
    return compose([first, second, difference], phone_height=PHONE_HEIGHT, roomy=ROOMY)
