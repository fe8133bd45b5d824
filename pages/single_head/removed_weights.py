"""Weights removed from one head, with their checks and table, for every page that shows a head."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attn_core import Check
from attn_core.ablation import KeyAblation, ablate_keys, audit_ablation
from attn_core.threshold import audit_threshold, threshold_weights
from attn_figures.single_head import HeadMatrices
from attn_ui.base.removed_weights import Removal
from attn_words import N_, cached


def with_removals(matrices: HeadMatrices, steps: Sequence[Removal]) -> list[HeadMatrices]:
    """Return the head with its weights removed at each step, all in one batched call."""
    if steps[0].kind == "without":
        return [matrices.with_ablation(_ablations(matrices), int(step.value)) for step in steps]
    weights = torch.from_numpy(matrices.weights)
    values = torch.tensor([step.value for step in steps], dtype=weights.dtype)[:, None, None]
    rule: dict[str, Any] = {"threshold": values} if steps[0].kind == "above" else {"top": values.long()}
    parts = threshold_weights(weights, **rule)
    return matrices.with_thresholds(
        parts, parts.weights @ torch.from_numpy(matrices.value), again=steps[0].renormalised
    )


@cached(4)
def _ablations(matrices: HeadMatrices) -> KeyAblation:
    return ablate_keys(*_by_scores(matrices), scale=1.0)


def _by_scores(matrices: HeadMatrices) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return queries and keys whose dot products are the scaled scores, the values, and the mask."""
    return as_keys(torch.from_numpy(matrices.scaled_scores), matrices, matrices.sink)


def as_keys(scores: Tensor, head: HeadMatrices, sink: float | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return queries and keys whose products are the scores, then values and mask; a sink is the last key.

    The sink's value is zero, and its score is the same for each query.
    """
    value, mask = torch.from_numpy(head.value), torch.from_numpy(head.mask)
    if sink is not None:
        scores, mask = F.pad(scores, (0, 1), value=sink), F.pad(mask, (0, 1), value=True)
        value = F.pad(value, (0, 0, 0, 1))
    return scores, torch.eye(scores.shape[-1], dtype=scores.dtype), value, mask


def audit_removal(matrices: HeadMatrices, removal: Removal) -> list[Check]:
    """Check the removal of weights against torch; [] if none are removed."""
    if not removal.kind:
        return []
    if removal.kind == "without":
        return [audit_ablation(*_by_scores(matrices), scale=1.0)]
    return [audit_threshold(torch.from_numpy(matrices.weights), **removal.rule)]


def removal_table(matrices: HeadMatrices) -> tuple[str, dict[str, list[float]]]:
    """Return the name and the columns of the table of removed weights, one row per query or per key."""
    if matrices.ablation is not None:
        changes = matrices.ablation.output_changes
        return "without", {
            N_("output moves by, on average"): changes.mean(axis=1).tolist(),
            N_("most"): changes.max(axis=1).tolist(),
        }
    if matrices.threshold is None:
        return "", {}
    columns = {N_("kept weight"): matrices.threshold.mass[:, 0].tolist()}
    if matrices.threshold.output_change is not None:
        columns[N_("output moves by")] = matrices.threshold.output_change.tolist()
    return "kept", columns
