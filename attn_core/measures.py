"""Measures of a map of attention weights in single numbers, and the cost of computing it."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require


def row_shares(weights: Float[Tensor, "*batch n_query n_key"]) -> Float[Tensor, "*batch n_query n_key"]:
    """Return each row divided by its sum, for weights beside a sink; a row of zeros stays.

    >>> row_shares(torch.tensor([[0.25, 0.5, 0.25], [0.25, 0.25, 0.0], [0.0, 0.0, 0.0]])).tolist()
    [[0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]
    """
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(weights.dtype).tiny)


def entropy(weights: Float[Tensor, "*batch n_query n_key"]) -> Float[Tensor, "*batch n_query"]:
    r"""Return how spread out each row is, in nats.

    $$H_i = -\sum_j w_{ij} \ln w_{ij}$$

    Invariant: from 0 (one key has all the weight) to ln n_key (all keys weigh the same).

    Edge cases: 0 ln 0 counts as 0; a row of zeros has entropy 0.

    Raises ValueError for fewer than two axes.

    Source: Shannon (1948).

    >>> entropy(torch.tensor([[1.0, 0.0], [0.5, 0.5]]))
    tensor([0.0000, 0.6931])
    """
    _check_map(weights)
    summands: Tensor = torch.special.entr(weights)
    return summands.sum(dim=-1)


def effective_keys(weights: Float[Tensor, "*batch n_query n_key"]) -> Float[Tensor, "*batch n_query"]:
    r"""Return how many equally weighted keys would be as spread out as each row.

    $$e^{H_i}$$

    Invariant: from 1 to n_key; a row that shares its weight equally among m keys has m.

    Edge cases: a row of zeros attends to nothing and has 0.

    Raises ValueError for fewer than two axes.

    Source: Hill (1973), Diversity and evenness, number of order 1.

    >>> effective_keys(torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))
    tensor([2., 0.])
    """
    return entropy(weights).exp().masked_fill(~(weights > 0).any(dim=-1), 0.0)


def attention_distance(weights: Float[Tensor, "*batch n_query n_key"]) -> Float[Tensor, "*batch"]:
    r"""Return the mean distance from a query to its keys, by their weights, in positions.

    $$\frac{1}{n_{query}} \sum_i \sum_j w_{ij}\,|i - j|$$

    Edge cases: rows of zeros are left out of the mean; a map of zeros has distance 0.

    Raises ValueError for fewer than two axes.

    Source: Dosovitskiy et al. (2021), An Image Is Worth 16x16 Words, appendix D.7.

    >>> attention_distance(torch.tensor([[0.0, 1.0], [0.5, 0.5]])).item()
    0.75
    """
    _check_map(weights)
    n_query, n_key = weights.shape[-2:]
    positions = torch.arange(max(n_query, n_key), dtype=weights.dtype, device=weights.device)
    offsets = (positions[:n_query, None] - positions[None, :n_key]).abs()
    attending = (weights > 0).any(dim=-1).sum(dim=-1)
    return (weights * offsets).sum(dim=(-2, -1)) / attending.clamp(min=1)


def previous_token_score(weights: Float[Tensor, "*batch n_query n_key"]) -> Float[Tensor, "*batch"]:
    r"""Return the mean weight that a query gives to the token just before it.

    $$\frac{1}{m} \sum_{i \ge 1} w_{i,i-1}$$

    The mean is over the m queries that have a token before them. Invariant: from 0 to 1.

    Edge cases: with one query m is 0, and so is the score.

    Raises ValueError for fewer than two axes.

    Source: Clark et al. (2019), What Does BERT Look At?, section 3.1.

    >>> previous_token_score(torch.tensor([[1.0, 0.0], [0.75, 0.25]])).item()
    0.75
    """
    return _mean_of_diagonal(weights, offset=-1)


def diagonal_score(weights: Float[Tensor, "*batch n_query n_key"]) -> Float[Tensor, "*batch"]:
    r"""Return the mean weight that a query gives to the key at its own position.

    $$\frac{1}{m} \sum_i w_{ii}$$

    The mean is over the m positions that have both a query and a key. Invariant: from 0 to 1.

    Raises ValueError for fewer than two axes.

    Source: Clark et al. (2019), What Does BERT Look At?, section 3.1.

    >>> diagonal_score(torch.tensor([[1.0, 0.0], [0.75, 0.25]])).item()
    0.625
    """
    return _mean_of_diagonal(weights, offset=0)


def next_token_score(weights: Float[Tensor, "*batch n_query n_key"]) -> Float[Tensor, "*batch"]:
    r"""Return the mean weight that a query gives to the token just after it.

    $$\frac{1}{m} \sum_{i} w_{i,i+1}$$

    The mean is over the m queries that have a token after them. Invariant: from 0 to 1.

    Edge cases: with one key only there is none, and the score is 0.

    Raises ValueError for fewer than two axes.

    Source: Clark et al. (2019), What Does BERT Look At?, section 3.1.

    >>> next_token_score(torch.tensor([[0.25, 0.75], [0.5, 0.5]])).item()
    0.75
    """
    return _mean_of_diagonal(weights, offset=1)


def first_token_score(weights: Float[Tensor, "*batch n_query n_key"]) -> Float[Tensor, "*batch"]:
    r"""Return the mean weight that a query gives to the very first token.

    $$\frac{1}{m} \sum_{i \ge 1} w_{i,0}$$

    The mean is over the m queries after the first. Invariant: from 0 to 1.

    Edge cases: with one query m is 0, and so is the score.

    Raises ValueError for fewer than two axes.

    Source: Xiao et al. (2024), Efficient Streaming Language Models with Attention Sinks.

    >>> first_token_score(torch.tensor([[1.0, 0.0], [0.75, 0.25]])).item()
    0.75
    """
    _check_map(weights)
    later: Tensor = weights[..., 1:, 0]
    return later.sum(dim=-1) / max(1, later.shape[-1])


def head_similarity(weights: Float[Tensor, "*batch n_head n_query n_key"]) -> Float[Tensor, "n_head n_head"]:
    r"""Compare every head with every other: 1 for equal maps, 0 for maps that never attend to the same key.

    $$s_{gh} = 1 - \frac{1}{n} \sum_i \mathrm{JS}(w^{g}_i, w^{h}_i), \qquad
      \mathrm{JS}(p, r) = H\bigl(\tfrac{p + r}{2}\bigr) - \tfrac{1}{2} H(p) - \tfrac{1}{2} H(r)$$

    The Jensen-Shannon divergence, in bits, averaged over queries and batch. Invariant: symmetric, from 0 to
    1, ones on the diagonal.

    Edge cases: rows that either head leaves at zero are left out of the mean; where no row is left the
    similarity is 1 (nothing tells the heads apart).

    Raises ValueError for fewer than three axes.

    Source: Clark et al. (2019), What Does BERT Look At?, section 6, which clusters heads by this divergence.

    >>> head_similarity(torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]]], dtype=torch.float64))
    tensor([[1., 0.],
            [0., 1.]], dtype=torch.float64)
    """
    if weights.ndim < 3:
        raise ValueError(
            f"weights must have shape (*batch, n_head, n_query, n_key); got {tuple(weights.shape)}"
        )
    own = entropy(weights)
    attending = (weights > 0).any(dim=-1)
    rows = []
    for head in range(weights.shape[-3]):  # one head against all: memory of one set of maps at a time
        between = entropy((weights + weights[..., head : head + 1, :, :]) / 2)
        divergence = (between - (own + own[..., head : head + 1, :]) / 2) / math.log(2)
        both = attending & attending[..., head : head + 1, :]
        total = divergence.masked_fill(~both, 0.0).sum(dim=-1)
        count = both.sum(dim=-1)
        batch = tuple(range(total.ndim - 1))
        if batch:
            total, count = total.sum(dim=batch), count.sum(dim=batch)
        rows.append(1 - total / count.clamp(min=1))
    return torch.stack(rows).clamp(0, 1)


def effective_rank(matrix: Float[Tensor, "*batch n_row n_column"]) -> Float[Tensor, "*batch"]:
    r"""Return over how many directions a matrix spreads: e to the entropy of its normalised singular values.

    $$\exp\Bigl(-\sum_i p_i \ln p_i\Bigr), \qquad p_i = \sigma_i \big/ \sum_j \sigma_j$$

    Invariant: from 1 to the rank; it is the rank if all singular values but zeros are equal.

    Edge cases: a matrix of zeros has effective rank 0.

    Raises ValueError for fewer than two axes.

    Source: Roy and Vetterli (2007), The effective rank: a measure of effective dimensionality.

    >>> effective_rank(torch.stack([torch.eye(3), torch.ones(3, 3)])).round()
    tensor([3., 1.])
    """
    if matrix.ndim < 2:
        raise ValueError(f"matrix must have shape (*batch, n_row, n_column); got {tuple(matrix.shape)}")
    singular = torch.linalg.svdvals(matrix)
    total = singular.sum(dim=-1, keepdim=True)
    shares: Tensor = torch.special.entr(singular / total.masked_fill(total == 0, 1.0))
    return shares.sum(dim=-1).exp().masked_fill(total[..., 0] == 0, 0.0)


@dataclass(frozen=True)
class AttentionCost:
    """What attention costs over all heads: pairs of query and key, floating-point operations, bytes held."""

    pairs: int
    flops: int
    bytes: int


def attention_cost(
    n_query: int,
    n_key: int,
    d_k: int,
    d_v: int,
    *,
    n_head: int = 1,
    pairs: int | None = None,
    bytes_per_number: int = 8,
) -> AttentionCost:
    r"""Count what the attention itself costs, without projections.

    $$\mathrm{FLOPs} = n_{head}\,P\,(2 d_k + 5 + 2 d_v), \qquad
      \mathrm{bytes} = b\,n_{head}\,(n_{query} d_k + n_{key} d_k + n_{key} d_v + P + n_{query} d_v)$$

    P is the number of (query, key) pairs computed in one head: n_query * n_key, or ``pairs`` when a mask
    lets the others be skipped (``int(mask.sum())``). A multiply and an add are two operations; the five
    others scale the score and compute its softmax (subtract the maximum, exponentiate, add up, divide).
    Bytes are those of query, key, value, weights and output, each number ``bytes_per_number`` long.

    Raises ValueError for sizes below one, or pairs outside 0 to n_query * n_key.

    Source: Kaplan et al. (2020), Scaling Laws for Neural Language Models, section 2.1, for the counting.

    >>> attention_cost(4, 4, 8, 8)
    AttentionCost(pairs=16, flops=592, bytes=1152)
    """
    n_query = _require.integer("n_query", n_query, least=1)
    n_key = _require.integer("n_key", n_key, least=1)
    d_k = _require.integer("d_k", d_k, least=1)
    d_v = _require.integer("d_v", d_v, least=1)
    n_head = _require.integer("n_head", n_head, least=1)
    width = _require.integer("bytes_per_number", bytes_per_number, least=1)
    full = n_query * n_key
    n_pair = full if pairs is None else _require.integer("pairs", pairs, least=0, most=full)
    numbers = n_query * (d_k + d_v) + n_key * (d_k + d_v) + n_pair
    return AttentionCost(
        pairs=n_head * n_pair, flops=n_head * n_pair * (2 * d_k + 5 + 2 * d_v), bytes=n_head * numbers * width
    )


def linear_attention_cost(n: int, d_k: int, d_v: int) -> AttentionCost:
    r"""Count what causal linear attention of ``n`` tokens costs, without projections and feature maps.

    $$\mathrm{FLOPs} = n\,(4 d_k d_v + 3 d_k + d_v), \qquad
      \mathrm{bytes} = 8\,(2 n (d_k + d_v) + d_k d_v + d_k)$$

    For each token, adding it to the state and reading the state each take a multiply and an add per number;
    the normaliser is added to, read and divided by. No pair is computed. Bytes are those of query, key,
    value, output, the state (d_k, d_v) and the normaliser (d_k,).

    Raises ValueError for sizes below one. Source: Katharopoulos et al. (2020), section 3.2.1.

    >>> linear_attention_cost(4, 8, 8)
    AttentionCost(pairs=0, flops=1152, bytes=1600)
    """
    n = _require.integer("n", n, least=1)
    d_k = _require.integer("d_k", d_k, least=1)
    d_v = _require.integer("d_v", d_v, least=1)
    numbers = 2 * n * (d_k + d_v) + d_k * d_v + d_k
    return AttentionCost(pairs=0, flops=n * (4 * d_k * d_v + 3 * d_k + d_v), bytes=8 * numbers)


def _mean_of_diagonal(weights: Tensor, *, offset: int) -> Tensor:
    _check_map(weights)
    diagonal = weights.diagonal(offset=offset, dim1=-2, dim2=-1)
    return diagonal.sum(dim=-1) / max(1, diagonal.shape[-1])


def _check_map(weights: Tensor) -> None:
    if weights.ndim < 2:
        raise ValueError(f"weights must have shape (*batch, n_query, n_key); got {tuple(weights.shape)}")
