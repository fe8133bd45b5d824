"""Weights removed from one head: computed, checked, and as a table, for every page with a head."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attn_core import Check
from attn_core.ablation import KeyAblation, ablate_keys, audit_ablation
from attn_core.threshold import audit_threshold, threshold_weights
from attn_figures.single_head import Walk
from attn_ui.base.removed_weights import Removal
from attn_words import N_, cached


def with_removals(walk: Walk, steps: Sequence[Removal]) -> list[Walk]:
    """Return the head with its weights removed at each step, all in one batched call."""
    if steps[0].what == "without":
        return [walk.with_ablation(_ablations(walk), int(step.value)) for step in steps]
    weights = torch.from_numpy(walk.weights)
    values = torch.tensor([step.value for step in steps], dtype=weights.dtype)[:, None, None]
    rule: dict[str, Any] = {"threshold": values} if steps[0].what == "above" else {"top": values.long()}
    parts = threshold_weights(weights, **rule)
    return walk.with_thresholds(
        parts, parts.weights @ torch.from_numpy(walk.value), again=steps[0].renormalised
    )


@cached(4)
def _ablations(walk: Walk) -> KeyAblation:
    return ablate_keys(*_by_scores(walk), scale=1.0)


def _by_scores(walk: Walk) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return queries and keys whose dot products are the scaled scores, the values, and the mask."""
    return as_keys(torch.from_numpy(walk.scaled_scores), walk, walk.sink)


def as_keys(scores: Tensor, walk: Walk, sink: float | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return queries and keys whose products are the scores, values and mask; a sink is the last key.

    It has no value, and each query scores it alike.
    """
    value, mask = torch.from_numpy(walk.value), torch.from_numpy(walk.mask)
    if sink is not None:
        scores, mask = F.pad(scores, (0, 1), value=sink), F.pad(mask, (0, 1), value=True)
        value = F.pad(value, (0, 0, 0, 1))
    return scores, torch.eye(scores.shape[-1], dtype=scores.dtype), value, mask


def audit_removal(walk: Walk, removal: Removal) -> list[Check]:
    """Check the removal of weights against torch; no check where none are removed."""
    if not removal.what:
        return []
    if removal.what == "without":
        return [audit_ablation(*_by_scores(walk), scale=1.0)]
    return [audit_threshold(torch.from_numpy(walk.weights), **removal.rule)]


def removal_table(walk: Walk) -> tuple[str, dict[str, list[float]]]:
    """Return the name and the columns of the table of removed weights: a row a query, or a key."""
    if walk.ablation is not None:
        changes = walk.ablation.output_changes
        return "without", {
            N_("output moves by, on average"): changes.mean(axis=1).tolist(),
            N_("most"): changes.max(axis=1).tolist(),
        }
    if walk.threshold is None:
        return "", {}
    columns = {N_("kept weight"): walk.threshold.mass[:, 0].tolist()}
    if walk.threshold.output_change is not None:
        columns[N_("output moves by")] = walk.threshold.output_change.tolist()
    return "kept", columns
