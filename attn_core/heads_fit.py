"""One head and several, fitted by gradient to a task whose attention needs two patterns at once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core._adam import Adam
from attn_core.attention import scaled_dot_product_attention
from attn_core.multi_head import MultiHeadAttention, merge_heads, split_heads


class TwoPatternTask(NamedTuple):
    """The task of returning the contents of the previous and of the first token, concatenated.

    ``place`` (n_token, n_token): one-hot positions. All are keys; from the third row on, queries.
    ``content`` (n_batch, n_token, d): the values; ``target`` (n_batch, n_query, 2 d).
    """

    place: Float[Tensor, "n_token n_token"]
    content: Float[Tensor, "n_batch n_token d"]
    target: Float[Tensor, "n_batch n_query two_d"]

    @property
    def queries(self) -> Float[Tensor, "n_query n_token"]:
        """The positions that are queries: those whose previous token is not the first."""
        return self.place[2:]


def two_pattern_task(n_token: int = 8, dtype: torch.dtype = torch.float64) -> TwoPatternTask:
    r"""Return a task that one attention map cannot solve and two can.

    $$y_t = [\,c_{t-1},\ c_0\,], \qquad t = 2, \ldots, n - 1$$

    n_token is also d_model, and contents are half as wide. The batch holds each unit vector of the contents
    once, scaled so that its mean squared error is the expected one for contents of independent numbers with
    mean 0 and variance 1: nothing is sampled. An output of zero has error 1.

    Invariant: one head reads all its d contents through one map, $M \sum_j w_{tj} c_j$ with M of rank d at
    most, and the target has 2d equal singular values; so its error is at least 1/2 (Eckart and Young, 1936).

    Raises ValueError for an odd n_token, or fewer than four.

    >>> task = two_pattern_task(8)
    >>> tuple(task.content.shape), tuple(task.target.shape), round(task.target.square().mean().item(), 9)
    ((32, 8, 4), (32, 6, 8), 1.0)
    """
    n = _require.integer("n_token", n_token, least=4)
    if n % 2:
        raise ValueError(f"n_token must be even, for contents are half as wide; got {n}")
    d = n // 2
    content = torch.eye(n * d, dtype=dtype).reshape(n * d, n, d) * math.sqrt(n * d)
    # (n_batch, n - 2, d) twice -> (n_batch, n - 2, 2 d)
    target = torch.cat([content[:, 1:-1], content[:, :1].expand(-1, n - 2, -1)], dim=-1)
    return TwoPatternTask(torch.eye(n, dtype=dtype), content, target)


@dataclass(frozen=True, eq=False)
class HeadsFit:
    """The errors and weights at each recorded step of a fit with one number of heads.

    ``weights`` are those of the first seed; ``parameters`` are W_q, W_k, W_v and W_o of all seeds at the end,
    each (n_seed, d_out, d_in).
    """

    num_heads: int
    steps: tuple[int, ...]
    losses: Float[Tensor, "n_step n_seed"]
    weights: Float[Tensor, "n_step n_head n_query n_key"]
    parameters: tuple[Tensor, ...]


def fit_heads(
    num_heads: int,
    *,
    seeds: Sequence[int],
    steps: int = 200,
    keep_every: int = 10,
    learning_rate: float = 0.05,
    task: TwoPatternTask | None = None,
) -> HeadsFit:
    r"""Fit attention with ``num_heads`` heads to a task, from several seeds at once, by full-batch Adam.

    The width is that of the task, d_head = d_model / num_heads, without biases; the projections start as
    those of ``MultiHeadAttention(..., seed=seed)``. The loss is the mean squared error; the seeds do
    not affect one another, since Adam updates each number by itself.

    Invariant: the same seeds give the same numbers; the loss of one head never falls below 1/2 (see
    ``two_pattern_task``).

    Raises ValueError for heads that do not divide the width, no seed, or steps, keep_every < 1.

    Source: Kingma and Ba (2015), Adam.

    >>> one, two = (fit_heads(heads, seeds=[0]).losses[-1].item() for heads in (1, 2))
    >>> one >= 0.5, two < 0.1
    (True, True)
    """
    task = two_pattern_task() if task is None else task
    steps, interval = (
        _require.integer("steps", steps, least=1),
        _require.integer("keep_every", keep_every, least=1),
    )
    if not seeds:
        raise ValueError("seeds must hold at least one seed; got none")
    parameters = _draw_parameters(num_heads, seeds, task)
    adam = Adam((parameters, _require.positive("learning_rate", learning_rate)))
    steps_kept, losses, maps = [], [], []
    for step in count():
        error, weights = _error(parameters, num_heads, task)
        if step % interval == 0 or step == steps:
            steps_kept.append(step)
            losses.append(error.detach())
            maps.append(weights[0].detach())
        if step == steps:
            break
        adam.step(error.sum())
    final = tuple(each.detach() for each in parameters)
    return HeadsFit(num_heads, tuple(steps_kept), torch.stack(losses), torch.stack(maps), final)


def _draw_parameters(num_heads: int, seeds: Sequence[int], task: TwoPatternTask) -> list[Tensor]:
    """Return W_q, W_k, W_v and W_o as the module draws them, each (n_seed, d_out, d_in)."""
    modules = [
        MultiHeadAttention(
            task.place.shape[-1],
            num_heads,
            bias=False,
            d_value=task.content.shape[-1],
            seed=seed,
            dtype=task.place.dtype,
        )
        for seed in seeds
    ]
    return [
        torch.stack([getattr(module, name).weight.detach() for module in modules]).requires_grad_()
        for name in ("W_q", "W_k", "W_v", "W_o")
    ]


def _error(parameters: Sequence[Tensor], num_heads: int, task: TwoPatternTask) -> tuple[Tensor, Tensor]:
    """Return the mean squared error (n_seed,) and the weights (n_seed, n_head, n_query, n_key)."""
    w_q, w_k, w_v, w_o = parameters
    q, k = (split_heads(x @ w.mT, num_heads) for x, w in ((task.queries, w_q), (task.place, w_k)))
    # A batch of contents for each seed: (n_seed, n_batch, n_head, n_token, d_head).
    v = split_heads(task.content @ w_v[:, None].mT, num_heads)
    stages = scaled_dot_product_attention(q[:, None], k[:, None], v)
    output = merge_heads(stages.output) @ w_o[:, None].mT
    return (output - task.target).square().mean(dim=(-3, -2, -1)), stages.weights[:, 0]
