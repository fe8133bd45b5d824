"""The view "two heads": one map, another, and the difference."""

from collections.abc import Sequence

import numpy as np

from attn_figures import multi_head as pictures
from attn_figures.picture import Spec
from attn_figures.ties import largest
from attn_ui.base.markdown import coloured
from attn_words import paragraph
from pages.multi_head import words
from pages.multi_head.compute import Now, array, heads


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw the two heads that are asked for, or the last there is."""
    return [pictures.two_heads.spec(heads(now), *_pair(now)) for now in steps]


def say(now: Now) -> str:
    """Say where the two differ most."""
    one, other = _pair(now)
    difference = now.result.weights[one] - now.result.weights[other]
    most, *ties = largest(np.abs(array(difference)))
    query, key = divmod(most, difference.shape[-1])
    said = words.against(
        one,
        other,
        float(difference[query, key]),
        coloured("query", now.tokens.queries[query]),
        coloured("key", now.tokens.keys[key]),
        n_head=now.n_head,
        n_tied=len(ties),
    )
    return paragraph(said, words.switched_off(sorted({one, other} & {*now.look.off})))


def _pair(now: Now) -> tuple[int, int]:
    return min(now.look.head, now.n_head - 1), min(now.look.against, now.n_head - 1)
