"""The view "mean and max": the heads that are on, taken together."""

from collections.abc import Sequence

from attn_figures import multi_head as pictures
from attn_figures.picture import Spec
from pages.multi_head import words
from pages.multi_head.compute import Now, heads


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw mean, largest and spread at each step."""
    return [pictures.combine_heads.spec(heads(now), chosen=_chosen(now)) for now in steps]


def say(now: Now) -> str:
    """Say what rows of the mean and of the largest weight sum to."""
    return words.of_mean(now, _chosen(now))


def _chosen(now: Now) -> list[int]:
    """Return the heads, from 0, that are on; all of them when none is."""
    return [head for head in range(now.n_head) if head not in now.look.off] or list(range(now.n_head))
