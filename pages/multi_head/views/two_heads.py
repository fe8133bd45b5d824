"""The view "two heads": one map, another, and the difference."""

from collections.abc import Sequence

from attn_figures import multi_head as pictures
from attn_figures.picture import Spec
from pages.multi_head import words
from pages.multi_head.compute import Result, heads


def draw(steps: Sequence[Result]) -> list[Spec]:
    """Draw the two heads that are asked for, or the last there is."""
    return [pictures.two_heads.spec(heads(result), *_pair(result)) for result in steps]


def describe(result: Result) -> str:
    """Say where the two differ most."""
    return words.of_pair(result, *_pair(result))


def _pair(result: Result) -> tuple[int, int]:
    return min(result.look.head, result.n_head - 1), min(result.look.against, result.n_head - 1)
