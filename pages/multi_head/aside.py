"""One head as the pictures of a single head take it, and what is set aside of its weights."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from attn_core import Check
from attn_core.ablation import KeyAblation, ablate_keys, audit_ablation
from attn_core.threshold import audit_threshold, threshold_weights
from attn_figures.single_head import Walk
from attn_ui.base.set_aside import NOTHING_ASIDE
from attn_words import cached
from pages.multi_head.compute import ANY_LOOK, Result, array, mask_array, stages
from pages.multi_head.state import HeadsSetting


def walk_of(result: Result) -> Walk:
    """Return the chosen head with what is set aside of it."""
    return walks_of([result])[0]


def walks_of(steps: Sequence[Result]) -> list[Walk]:
    """Return the chosen head with what is set aside of it at each step, where nothing else differs."""
    first, what = steps[0], steps[0].aside.what
    setting, n_head, head = first.setting, first.n_head, first.head
    walk, value = _walk(setting, n_head, head), stages(setting, n_head).value[head]
    if what == "without":
        ablation = _without_each(setting, n_head, head)
        return [walk.with_ablation(ablation, int(result.aside.value)) for result in steps]
    weights, values = torch.from_numpy(walk.weights), [result.aside.value for result in steps]
    if what == "above":
        parts = threshold_weights(weights, threshold=torch.tensor(values, dtype=weights.dtype)[:, None, None])
    else:
        parts = threshold_weights(weights, top=torch.tensor(values).long()[:, None, None])
    return walk.with_thresholds(parts, parts.weights @ value, again=first.aside.renormalised)


def audit_aside(result: Result) -> list[Check]:
    """Hold what is set aside against torch; nothing where nothing is."""
    if result.aside == NOTHING_ASIDE:
        return []
    walk = _walk(result.setting, result.n_head, result.head)
    if result.aside.what == "without":
        return [audit_ablation(*_by_scores(walk), scale=1.0)]
    return [audit_threshold(torch.from_numpy(walk.weights), **result.aside.rule)]


@cached(16)
def _walk(setting: HeadsSetting, n_head: int, head: int) -> Walk:
    result = Result(setting, ANY_LOOK, n_head)
    attention, tokens = result.attention, result.tokens
    mask = mask_array(setting, n_head)
    may = np.ones(tokens.shape, dtype=bool) if mask is None else mask[head] if mask.ndim > 2 else mask
    scale = 1 / (result.module.d_head**0.5 * setting.temperature)
    scores = array(attention.scores[head])
    # Biases of positions are added to scaled scores; a masked cell has none that could be told.
    scaled = np.where(may, array(attention.scaled_scores[head]), scores * scale)
    largest = np.max(scaled, axis=1, where=may, initial=np.finfo(np.float64).min, keepdims=True)
    exponentials = np.where(may, np.exp(np.minimum(scaled - largest, 0.0)), 0.0)
    return Walk(
        queries=tokens.queries,
        keys=tokens.keys,
        x=None,
        memory=None,
        projections=None,
        query=array(attention.query[head]),
        key=array(attention.key[head]),
        value=array(attention.value[head]),
        scores=scores,
        scaled_scores=scaled,
        mask=may,
        exponentials=exponentials,
        row_sums=exponentials.sum(axis=1, keepdims=True),
        weights=array(attention.weights[head]),
        output=array(attention.heads[head]),
        factor="",
        scale=scale,
        is_masked=mask is not None,
    )


@lru_cache(maxsize=4)
def _without_each(setting: HeadsSetting, n_head: int, head: int) -> KeyAblation:
    return ablate_keys(*_by_scores(_walk(setting, n_head, head)), scale=1.0)


def _by_scores(walk: Walk) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries and keys whose dot products are the scaled scores, biases included; the values and the mask."""
    scores = torch.from_numpy(walk.scaled_scores)
    eye = torch.eye(scores.shape[-1], dtype=scores.dtype)
    return scores, eye, torch.from_numpy(walk.value), torch.from_numpy(walk.mask)
