"""The view "mean and max": the heads that are on, taken together."""

from collections.abc import Sequence

from attn_figures import multi_head as pictures
from attn_figures.picture import Spec
from pages.multi_head import words
from pages.multi_head.compute import Now, heads


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw mean, largest and spread at each step."""
    return [pictures.combined.spec(heads(now), chosen=_chosen(now)) for now in steps]


def say(now: Now) -> str:
    """Say what rows of the mean and of the largest weight sum to."""
    chosen = _chosen(now)
    maps = now.result.weights[chosen]
    largest, smallest = maps.amax(dim=0), maps.amin(dim=0)
    return words.combined(
        chosen,
        float(largest.sum(dim=-1).max()),
        float((largest - smallest).max()),
        all_attend=bool((maps.sum(dim=-1) > 0).all()),
    )


def _chosen(now: Now) -> list[int]:
    """Return the heads, from 0, that are on; all of them when none is."""
    return [head for head in range(now.n_head) if head not in now.look.off] or list(range(now.n_head))
