"""The views "kept" and "without": one head with weights set aside, the small ones or those of a word."""

from collections.abc import Sequence

from attn_figures import single_head as pictures
from attn_figures.numbers import number
from attn_figures.picture import Spec
from attn_ui.base import set_aside_words as words
from attn_words import paragraph
from pages.multi_head.aside import walk_of, walks_of
from pages.multi_head.compute import Result
from pages.multi_head.words import of_head


def draw_kept(steps: Sequence[Result]) -> list[Spec]:
    """Draw the weights with those that are set aside faded, at each step."""
    return [pictures.threshold.spec(walk) for walk in walks_of(steps)]


def draw_without(steps: Sequence[Result]) -> list[Spec]:
    """Draw the head with each of the words left out in turn."""
    return [pictures.ablation.spec(walk) for walk in walks_of(steps)]


def describe_kept(result: Result) -> str:
    """Say what is kept of the head's weights."""
    return paragraph(of_head(result), words.kept(walk_of(result), result.aside, number))


def describe_without(result: Result) -> str:
    """Say who changes most without the word."""
    return paragraph(of_head(result), words.without(walk_of(result), number))


def formula(result: Result) -> str:
    """What is computed where weights are set aside; nothing where none are."""
    if result.aside.what == "without":
        return words.without_formula()
    return words.kept_formula(result.aside) if result.aside.what else ""
