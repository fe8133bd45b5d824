"""The views of whole maps: every head, heads compared, and one head with weights removed."""

from collections.abc import Sequence

from attn_figures import multi_head as pictures
from attn_figures import single_head
from attn_figures.picture import Spec
from attn_live.captions import LazyMap
from attn_words import paragraph
from pages.multi_head import words
from pages.multi_head.compute import Result, heads, order_of
from pages.multi_head.matrices import matrices_of, matrices_of_steps
from pages.single_head import removal_words


def draw_every_head(steps: Sequence[Result]) -> Sequence[Spec]:
    """Draw the map of each head, and the output; all steps have room for the most heads of any."""
    maps = [heads(result) for result in steps]
    limit = max(float(abs(each.output).max()) for each in maps) or 1.0
    slots = max(result.n_head for result in steps)

    def picture(step: int) -> Spec:
        result = steps[step]
        order = order_of(result.look.order, result.attention)
        return pictures.every_head(
            maps[step], slots=slots, order=order, projected=result.setting.projection, output_limit=limit
        )

    return LazyMap(picture, range(len(steps)))


def mean_and_max(result: Result) -> Spec:
    """Draw the mean, the maximum and the range of the weights over the heads that are on."""
    return pictures.combine_heads(heads(result), selection=heads_on(result))


def heads_on(result: Result) -> list[int]:
    """Return the zero-based heads that are on; all heads if none is on."""
    return result.shown_heads or [*range(result.n_head)]


def two_heads(result: Result) -> Spec:
    """Draw the chosen head, the head compared with it, and their difference."""
    return pictures.two_heads(heads(result), result.head, result.against)


def draw_removal(steps: Sequence[Result]) -> Sequence[Spec]:
    """Draw one head at each step with removed weights faded, or without one key."""
    picture = single_head.ablation if steps[0].removal.kind == "without" else single_head.threshold
    return LazyMap(picture, matrices_of_steps(steps))


def describe_removal(result: Result) -> str:
    """Say how many of the head's weights stay, or which query's output moves most without a key."""
    matrices = matrices_of(result)
    ablation = removal_words.describe_ablation(matrices)
    return paragraph(
        words.describe_head(result),
        ablation or removal_words.describe_threshold(matrices, result.removal),
    )


def formula(result: Result) -> str:
    """Return the formula of the removed weights; "" where none are."""
    if result.removal.kind == "without":
        return removal_words.ablation_formula()
    return removal_words.threshold_formula(result.removal) if result.removal.kind else ""
