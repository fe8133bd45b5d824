"""One of several heads as `HeadMatrices`, which the figures of a single head draw, with weights removed."""

from collections.abc import Sequence

import numpy as np

from attn_figures.single_head import HeadMatrices
from attn_words import cached
from pages.multi_head.compute import ANY_LOOK, Result, array, mask_array
from pages.multi_head.state import HeadsSetting
from pages.single_head.removed_weights import with_removals


def matrices_of(result: Result) -> HeadMatrices:
    """Return the chosen head, with the weights of `result.removal` removed."""
    return matrices_of_steps([result])[0]


def matrices_of_steps(steps: Sequence[Result]) -> list[HeadMatrices]:
    """Return the chosen head at each step of a slider that removes weights."""
    first, removals = steps[0], [result.removal for result in steps]
    matrices = head_matrices(first.setting, first.n_head, first.head)
    return with_removals(matrices, removals) if first.removal.kind else [matrices]


@cached(16)
def head_matrices(setting: HeadsSetting, n_head: int, head: int) -> HeadMatrices:
    """Return one head with no weight removed; its scaled scores include position biases."""
    result = Result(setting, ANY_LOOK, n_head)
    attention, tokens = result.attention, result.tokens
    mask = mask_array(setting, n_head)
    may = np.ones(tokens.shape, dtype=bool) if mask is None else mask[head] if mask.ndim > 2 else mask
    scale = 1 / (result.module.d_head**0.5 * setting.temperature)
    scores = array(attention.scores[head])
    return HeadMatrices(
        queries=tokens.queries,
        keys=tokens.keys,
        query=array(attention.query[head]),
        key=array(attention.key[head]),
        value=array(attention.value[head]),
        scores=scores,
        # At masked cells any bias is lost in -inf, so the plain score is shown.
        scaled_scores=np.where(may, array(attention.scaled_scores[head]), scores * scale),
        mask=may,
        weights=array(attention.weights[head]),
        output=array(attention.heads[head]),
        scale=scale,
        is_masked=mask is not None,
        sink=setting.sink,
    )
