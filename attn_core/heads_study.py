"""One head or many at one width: parameters, operations and measures of the maps, for many seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attn_core import _require
from attn_core.attention import Attention, scaled_dot_product_attention
from attn_core.measures import effective_rank, entropy
from attn_core.multi_head import MultiHeadAttention, merge_heads, split_heads
from attn_core.sizes import MultiHeadSize, multi_head_size
from attn_core.transformer_block import token_distance
from attn_core.weight_init import GLOROT


@dataclass(frozen=True, eq=False)
class HeadsStudy:
    """Measures of attention with each number of heads, once for each seed of the projections.

    ``sizes`` holds parameters and operations, the same for every seed. ``entropy`` (nats, mean over queries
    and heads), ``effective_rank`` of the weights and ``score_rank``, the numerical rank of the scores (means
    over heads), are of the first layer. ``distances`` are those of ``token_distance`` after 0 to n_layers
    layers, without the residual connection (index 0) and with it (index 1); None where the output cannot be
    the next input, because the keys are another sequence.
    """

    num_heads: tuple[int, ...]
    sizes: tuple[MultiHeadSize, ...]
    entropy: Float[Tensor, "n_seed n_count"]
    effective_rank: Float[Tensor, "n_seed n_count"]
    score_rank: Float[Tensor, "n_seed n_count"]
    distances: Float[Tensor, "2 n_seed n_count n_state"] | None


def heads_study(
    query: Float[Tensor, "n_query d_model"],
    key: Float[Tensor, "n_key d_key"] | None = None,
    attn_mask: Bool[Tensor, "n_query n_key"] | Float[Tensor, "n_query n_key"] | None = None,
    *,
    num_heads: Sequence[int],
    seeds: Sequence[int],
    n_layers: int = 12,
    bias: bool = True,
    output_projection: bool = True,
    init: str = GLOROT,
) -> HeadsStudy:
    r"""Split the same projections into different numbers of heads, and measure the attention of each.

    Every head is d_model / num_heads wide, so for one seed all numbers of heads share W_q, W_k, W_v and W_o,
    those of ``MultiHeadAttention(d_model, num_heads, seed=seed, init=init)``: only the split differs. Layer l
    of a stack is drawn from seed + l; there is no feed-forward part and no norm.

    Invariant: the scores of a head have rank at most d_model / num_heads; the parameters are the same for
    all numbers of heads.

    Edge cases: one token alone has entropy 0, rank 1 and distance 0; queries that may attend to nothing have
    entropy 0, and a map of zeros has effective rank 0.

    Raises ValueError for no number of heads or one that does not divide d_model, no seed, or n_layers < 1.

    Source: Dong, Cordonnier and Loukas (2021), Attention Is Not All You Need: Pure Attention Loses Rank
    Doubly Exponentially with Depth, for the distances; Bhojanapalli et al. (2020), Low-Rank Bottleneck in
    Multi-head Attention Models, for the rank of the scores.

    >>> x = torch.randn(6, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    >>> study = heads_study(x, num_heads=[1, 2, 4, 8], seeds=[0, 100])
    >>> study.score_rank[0].tolist(), {size.parameters for size in study.sizes}
    ([6.0, 4.0, 2.0, 1.0], {288})
    >>> bool((study.distances[0, ..., -1] < 1e-6).all()), bool((study.distances[1, ..., -1] > 0.01).all())
    (True, True)
    """
    d_model = query.shape[-1]
    counts = tuple(_require.integer("each of num_heads", each, least=1) for each in num_heads)
    if not counts or any(d_model % each for each in counts):
        raise ValueError(f"num_heads must be divisors of d_model = {d_model}, at least one; got {counts}")
    if not seeds:
        raise ValueError("seeds must hold at least one seed; got none")
    n_layers = _require.integer("n_layers", n_layers, least=1)
    memory = query if key is None else key
    draw = partial(
        _draw_projections, d_model, bias=bias, output_projection=output_projection, memory=memory, init=init
    )
    with torch.no_grad():
        first = draw(seeds)
        alone = [_attend(first, query, memory, attn_mask, each) for each in counts]
        # n_count times (n_seed, 3) -> three of (n_seed, n_count)
        entropies, ranks, scores = torch.stack([_measure(each) for each in alone], dim=1).unbind(dim=-1)
        distances = None
        if key is None:
            # (n_seed, n_count, without and with the residual, n, d_model)
            states = query.expand(len(seeds), len(counts), 2, *query.shape)
            apart = [token_distance(states)]
            for layer in range(n_layers):
                projections = draw([seed + layer for seed in seeds]) if layer else first
                leaving = torch.stack(
                    [
                        projections(3, merge_heads(_attend(projections, x, x, attn_mask, each).output))
                        for each, x in zip(counts, states.unbind(dim=1), strict=True)
                    ],
                    dim=1,
                )
                leaving[:, :, 1] += states[:, :, 1]
                states = leaving
                apart.append(token_distance(states))
            # n_state times (n_seed, n_count, 2) -> (2, n_seed, n_count, n_state)
            distances = torch.stack(apart).permute(3, 1, 2, 0)
    return HeadsStudy(
        counts,
        tuple(
            multi_head_size(
                len(query),
                len(memory),
                d_model,
                count,
                d_model // count,
                bias=bias,
                output_projection=output_projection,
                d_key=memory.shape[-1],
            )
            for count in counts
        ),
        entropies,
        ranks,
        scores,
        distances,
    )


class _Projections(NamedTuple):
    """Full-width projections of all seeds: weights (n_seed, d_in, d_out), biases (n_seed, 1, d_out)."""

    maps: tuple[tuple[Tensor, Tensor] | None, ...]  # W_q, W_k, W_v, and W_o where there is one

    def __call__(self, index: int, x: Tensor) -> Tensor:
        """Apply projection ``index`` to x, (n, d_in) or (n_seed, batch, n, d_in)."""
        projection = self.maps[index]
        if projection is None:
            return x
        weight, bias = projection
        if x.ndim == 2:
            return x @ weight + bias
        # (n_seed, 2, n, d_in) -> (n_seed, 2 n, d_in) and back: each seed's map is read once.
        output: Tensor = (x.flatten(1, 2) @ weight + bias).unflatten(1, x.shape[1:3])
        return output


def _draw_projections(
    d_model: int, seeds: Sequence[int], *, bias: bool, output_projection: bool, memory: Tensor, init: str
) -> _Projections:
    modules = [
        MultiHeadAttention(
            d_model,
            1,
            bias=bias,
            output_projection=output_projection,
            d_key=memory.shape[-1],
            d_value=memory.shape[-1],
            seed=seed,
            dtype=memory.dtype,
            init=init,
        )
        for seed in seeds
    ]
    return _Projections(
        tuple(
            None if linears[0] is None else _stack(linears)
            for linears in (
                [getattr(each, name) for each in modules] for name in ("W_q", "W_k", "W_v", "W_o")
            )
        )
    )


def _stack(linears: Sequence[nn.Linear]) -> tuple[Tensor, Tensor]:
    weights = torch.stack([each.weight.mT for each in linears])
    zero = weights.new_zeros(weights.shape[-1])
    return weights, torch.stack([zero if each.bias is None else each.bias for each in linears])[:, None]


def _attend(
    projections: _Projections, x: Tensor, memory: Tensor, mask: Tensor | None, count: int
) -> Attention:
    """Attend with full-width projections split into ``count`` heads."""
    q, k, v = (split_heads(projections(at, each), count) for at, each in enumerate((x, memory, memory)))
    return scaled_dot_product_attention(q, k, v, mask)


def _measure(stages: Attention) -> Tensor:
    """Entropy, effective rank of the weights and rank of the scores, means for each seed: (n_seed, 3)."""
    rank = torch.linalg.matrix_rank(stages.scores).to(stages.weights.dtype)
    entropies = entropy(stages.weights).mean(dim=(-2, -1))
    return torch.stack([entropies, effective_rank(stages.weights).mean(dim=-1), rank.mean(dim=-1)], dim=-1)
