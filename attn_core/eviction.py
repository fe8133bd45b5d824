"""Eviction of keys and values from a cache, by three policies, and the error of the output."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attn_core import _require


@dataclass(frozen=True, eq=False)
class Eviction:
    """The attention of each head with each budget, from one key to all of them.

    Attributes:
        mask: True where a query still has a key, (n, n_head, n_query, n_key): entry b - 1 is the budget b.
        weights: the softmax over the keys that are kept; each row sums to one.
        heads: the outputs of the heads, (n, n_head, n, d_head).
        errors: how far each head's output is from that with all keys, relative to its norm, (n, n_head).
    """

    mask: Bool[Tensor, "n_budget n_head n_query n_key"]
    weights: Float[Tensor, "n_budget n_head n_query n_key"]
    heads: Float[Tensor, "n_budget n_head n_query d_head"]
    errors: Float[Tensor, "n_budget n_head"]


def evict(
    scaled_scores: Float[Tensor, "n_head n n"],
    value: Float[Tensor, "n_head n d_head"],
    policy: str = "window",
    *,
    sinks: int = 4,
) -> Eviction:
    r"""Attend token by token with each budget from 1 to n, and evict keys and values beyond it.

    $$\mathrm{error}_b = \lVert O_b - O_n \rVert_F \big/ \lVert O_n \rVert_F, \qquad
      O_b = \mathrm{softmax}(S \text{ over the kept}) V$$

    A budget counts the token's own key, which is never evicted. ``policy`` is one of ``POLICIES``:

    - "window" keeps the latest b keys.
    - "StreamingLLM" keeps the first ``sinks`` keys, at most b - 1, and the latest of the others.
    - "H2O" keeps the latest b / 2 keys, rounded up, and evicts the one of the others with the least weight,
      summed over all queries so far (the earliest among equals); an evicted key never comes back.

    Queries and keys are those of the full run: the error is that of this attention alone, and later layers
    would add theirs.

    Invariant: at most b keys are kept; the budget n keeps all, and its error is 0.

    Raises ValueError for scores that are not square, values that do not fit, another policy, and sinks below
    zero.

    Source: Beltagy et al. (2020), Longformer, for the window; Xiao et al. (2024), Efficient Streaming
    Language Models with Attention Sinks; Zhang et al. (2023), H2O: Heavy-Hitter Oracle, algorithm 1.

    >>> value = torch.eye(3)[None]
    >>> evict(torch.zeros(1, 3, 3), value).mask[1, 0].int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [0, 1, 1]], dtype=torch.int32)
    """
    n = scaled_scores.shape[-1]
    if scaled_scores.ndim != 3 or scaled_scores.shape[1] != n or n == 0:
        raise ValueError(f"scaled_scores must have shape (n_head, n, n); got {tuple(scaled_scores.shape)}")
    if value.shape[:2] != scaled_scores.shape[:2]:
        raise ValueError(
            f"value must be {(*scaled_scores.shape[:2], 'd_head')} to fit; got {tuple(value.shape)}"
        )
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}; got {policy!r}")
    mask = POLICIES[policy](scaled_scores, _require.integer("sinks", sinks, least=0))
    weights = scaled_scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    heads = weights @ value
    full = heads[-1].flatten(1).norm(dim=-1)
    errors = (heads - heads[-1]).flatten(2).norm(dim=-1) / full.masked_fill(full == 0, 1.0)
    return Eviction(mask, weights, heads, errors)


def _streaming(scaled_scores: Tensor, sinks: int) -> Tensor:
    """Keep the first keys and the latest of the others."""
    n_head, n, _ = scaled_scores.shape
    positions = torch.arange(n)
    budget, age, key = (positions + 1)[:, None, None], positions[:, None] - positions, positions
    first = (budget - 1).clamp(max=sinks)
    # While a text has no more keys than the budget, all are among the first and the latest.
    mask = (age >= 0) & ((key < first) | (age < budget - first))
    return mask[:, None].expand(n, n_head, n, n)


def _heavy_hitters(scaled_scores: Tensor, sinks: int) -> Tensor:
    """Keep the latest half and, of the others, those that had most weight so far: all budgets at once."""
    del sinks
    n_head, n, _ = scaled_scores.shape
    budget = torch.arange(1, n + 1)[:, None]  # (n, 1), to broadcast over heads
    latest = (budget + 1) // 2
    mask = torch.zeros(n, n_head, n, n, dtype=torch.bool)
    cached = torch.zeros(n, n_head, n, dtype=torch.bool)
    received = torch.zeros(n, n_head, n, dtype=scaled_scores.dtype)
    positions = torch.arange(n)
    for query in range(n):
        cached[..., query] = True
        evictable = cached & (query - positions >= latest[..., None])
        least = received.masked_fill(~evictable, torch.inf).argmin(dim=-1, keepdim=True)
        is_over_budget = cached.sum(dim=-1, keepdim=True) > budget[..., None]
        cached = cached & ~(is_over_budget & (positions == least))
        mask[..., query, :] = cached
        received += scaled_scores[:, query].masked_fill(~cached, -torch.inf).softmax(dim=-1)
    return mask


POLICIES: Mapping[str, Callable[[Tensor, int], Tensor]] = {
    "window": lambda scaled_scores, _sinks: _streaming(scaled_scores, 0),
    "StreamingLLM": _streaming,
    "H2O": _heavy_hitters,
}
"""Eviction by name: a function of scaled scores (n_head, n, n) and a number of sinks returns the ``mask``."""
