"""What is set aside of a head's weights: the small ones, or those of a whole key."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attn_core import Check
from attn_core.ablation import ablate_keys, audit_ablation
from attn_core.threshold import audit_threshold, threshold_weights
from attn_figures.single_head import Walk
from attn_ui.base.set_aside import Aside
from pages.single_head.head import SingleHead


def set_aside(walk: Walk, head: SingleHead, mask: Tensor, scale: float, steps: Sequence[Aside]) -> list[Walk]:
    """Return the walk with what is set aside at each step, all in one batched call."""
    if steps[0].what == "without":
        return _ablate(walk, head, mask, scale, [int(step.value) for step in steps])
    return _threshold(walk, head, steps)


def _threshold(walk: Walk, head: SingleHead, steps: Sequence[Aside]) -> list[Walk]:
    weights, values = torch.from_numpy(walk.weights), [step.value for step in steps]
    if steps[0].what == "above":
        parts = threshold_weights(weights, threshold=torch.tensor(values, dtype=weights.dtype)[:, None, None])
    else:
        parts = threshold_weights(weights, top=torch.tensor(values).long()[:, None, None])
    return walk.with_thresholds(parts, parts.weights @ head.value, again=steps[0].renormalised)


def _ablate(walk: Walk, head: SingleHead, mask: Tensor, scale: float, keys: Sequence[int]) -> list[Walk]:
    ablation = ablate_keys(*_by_scores(walk), head.value, mask, scale=scale)
    return [walk.with_ablation(ablation, key) for key in keys]


def _by_scores(walk: Walk) -> tuple[Tensor, Tensor]:
    """Queries and keys whose dot products are the head's scores, whatever it scores by: these times one."""
    scores = torch.from_numpy(walk.scores)
    return scores, torch.eye(scores.shape[-1], dtype=scores.dtype)


def audit_aside(walk: Walk, aside: Aside, scale: float) -> list[Check]:
    """Hold what is set aside against torch; nothing where nothing is."""
    if not aside.what:
        return []
    if aside.what == "without":
        value, mask = torch.from_numpy(walk.value), torch.from_numpy(walk.mask)
        return [audit_ablation(*_by_scores(walk), value, mask, scale=scale)]
    return [audit_threshold(torch.from_numpy(walk.weights), **aside.rule)]
