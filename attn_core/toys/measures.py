"""What a head has learned, in numbers from 0 to 1 that give it its name."""

from collections.abc import Mapping

from jaxtyping import Bool, Float, Int
from torch import Tensor

from attn_core.measures import diagonal_score, previous_token_score
from attn_core.toys.tasks import TASKS, Task

MEASURES = ("right place", "previous token", "induction", "diagonal")


def share_on(
    weights: Float[Tensor, "*batch n_head n n"], right: Bool[Tensor, "*batch n n"]
) -> Float[Tensor, "*batch n_head"]:
    r"""Return the mean weight of each head that lies on right places, all of which count.

    $$\frac{1}{m} \sum_{i:\,R_i \neq \emptyset} \sum_{j \in R_i} w_{ij}$$

    The mean is over the m queries that have a right place. Invariant: from 0 to 1.

    Edge cases: 0 where no query has one.

    >>> import torch
    >>> weights = torch.tensor([[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]])
    >>> right = torch.tensor([[False, False, False], [True, False, False], [True, True, False]])
    >>> share_on(weights, right)
    tensor([0.5000])
    """
    asks = right.any(dim=-1)
    found = (weights * right[..., None, :, :]).sum(dim=(-2, -1))
    share: Tensor = found / asks.sum(dim=-1).clamp(min=1)[..., None]
    return share


def measure_heads(
    task: Task, tokens: Int[Tensor, "n_sequence n"], weights: Float[Tensor, "n_sequence n_head n n"]
) -> Mapping[str, Float[Tensor, " n_head"]]:
    """Return every measure of each head, the mean over sequences that have something to measure."""
    induction = TASKS["induction"].right(tokens)
    return {
        "right place": _mean(share_on(weights, right := task.right(tokens)), right),
        "previous token": previous_token_score(weights).mean(dim=0),
        "induction": _mean(share_on(weights, induction), induction),
        "diagonal": diagonal_score(weights).mean(dim=0),
    }


def _mean(shares: Tensor, right: Tensor) -> Tensor:
    counts = right.flatten(1).any(dim=1)
    mean: Tensor = shares[counts].sum(dim=0) / counts.sum().clamp(min=1)
    return mean
