"""The view "two heads": one map, another, and the difference."""

from collections.abc import Sequence

from attn_figures import multi_head as pictures
from attn_figures.picture import Spec
from pages.multi_head import words
from pages.multi_head.compute import Now, heads


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw the two heads that are asked for, or the last there is."""
    return [pictures.two_heads.spec(heads(now), *_pair(now)) for now in steps]


def say(now: Now) -> str:
    """Say where the two differ most."""
    return words.of_pair(now, *_pair(now))


def _pair(now: Now) -> tuple[int, int]:
    return min(now.look.head, now.n_head - 1), min(now.look.against, now.n_head - 1)
