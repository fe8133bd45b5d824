"""Measures of what a head has learned, from 0 to 1; a large one gives the head its name."""

from collections.abc import Mapping

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attn_core.measures import diagonal_score, previous_token_score
from attn_core.toys.tasks import TASKS, Task
from attn_words import N_

MEASURES = (N_("previous token"), N_("induction"), N_("diagonal"), N_("right place"))
"""The measures of a head; a large one gives the head its name."""

CHANCE = "any other token"
"""What the previous token has by chance: the mean weight of a token that is not the query's own."""


def share_on(
    weights: Float[Tensor, "*batch n_head n n"], right: Bool[Tensor, "*batch n n"]
) -> Float[Tensor, "*batch n_head"]:
    r"""Return the mean weight that each head has on all right keys together.

    $$\frac{1}{m} \sum_{i:\,R_i \neq \emptyset} \sum_{j \in R_i} w_{ij}$$

    R_i are the keys where ``right`` is True; the mean is over the m queries with any. Invariant: from 0 to 1.

    Edge cases: 0 where no query has a right key.

    >>> weights = torch.tensor([[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]])
    >>> right = torch.tensor([[False, False, False], [True, False, False], [True, True, False]])
    >>> share_on(weights, right)
    tensor([0.5000])
    """
    has_right = right.any(dim=-1)
    weight_right = (weights * right[..., None, :, :]).sum(dim=(-2, -1))
    share: Tensor = weight_right / has_right.sum(dim=-1).clamp(min=1)[..., None]
    return share


def measure_heads(
    task: Task, tokens: Int[Tensor, "n_sequence n"], weights: Float[Tensor, "n_sequence n_head n n"]
) -> Mapping[str, Float[Tensor, " n_head"]]:
    """Return every measure of each head, the mean over sequences that have something to measure."""
    induction = TASKS["induction"].right(tokens)
    return {
        "previous token": previous_token_score(weights).mean(dim=0),
        "induction": _mean(share_on(weights, induction), induction),
        "diagonal": diagonal_score(weights).mean(dim=0),
        "right place": _mean(share_on(weights, right := task.right(tokens)), right),
        CHANCE: any_other_token(weights, causal=task.causal).mean(dim=0),
    }


def any_other_token(weights: Float[Tensor, "*batch n n"], *, causal: bool) -> Float[Tensor, "*batch"]:
    r"""Return the mean weight of one token that is not the query's own, over queries that have one before.

    $$\frac{1}{n - 1} \sum_{i \ge 1} \frac{\sum_j w_{ij} - w_{ii}}{m_i}$$

    m_i other tokens may be attended to: i with a causal mask, else n - 1. A head whose scores depend on words
    alone, with words drawn alike at each position, has this weight on the previous token too, on average.

    Edge cases: 0 for a single token.

    >>> any_other_token(torch.tensor([[1.0, 0.0, 0.0], [0.4, 0.6, 0.0], [0.3, 0.1, 0.6]]), causal=True)
    tensor(0.3000)
    """
    n = weights.shape[-1]
    if n < 2:
        return torch.zeros(weights.shape[:-2], dtype=weights.dtype)
    others = torch.arange(1, n, dtype=weights.dtype) if causal else torch.full((n - 1,), n - 1.0)
    elsewhere = weights.sum(dim=-1) - weights.diagonal(dim1=-2, dim2=-1)
    mean: Tensor = (elsewhere[..., 1:] / others).mean(dim=-1)
    return mean


def _mean(shares: Tensor, right: Tensor) -> Tensor:
    counts = right.flatten(1).any(dim=1)
    mean: Tensor = shares[counts].sum(dim=0) / counts.sum().clamp(min=1)
    return mean
