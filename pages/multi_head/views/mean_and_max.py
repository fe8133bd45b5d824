"""The view "mean and max": the heads that are on, taken together."""

from collections.abc import Sequence

from attn_figures import multi_head as pictures
from attn_figures.picture import Spec
from pages.multi_head import words
from pages.multi_head.compute import Result, heads


def draw(steps: Sequence[Result]) -> list[Spec]:
    """Draw mean, largest and spread at each step."""
    return [pictures.combine_heads.spec(heads(result), selection=_heads_on(result)) for result in steps]


def describe(result: Result) -> str:
    """Say what rows of the mean and of the largest weight sum to."""
    return words.of_mean(result, _heads_on(result))


def _heads_on(result: Result) -> list[int]:
    """Return the heads, from 0, that are on; all of them when none is."""
    return [head for head in range(result.n_head) if head not in result.look.off] or list(
        range(result.n_head)
    )
