"""Attention without its map: by tiles of keys with a running softmax, and token by token with a state."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.scores import feature_map


@dataclass(frozen=True)
class Tile:
    """The running softmax after a tile of keys.

    Attributes:
        start: the zero-based index of its first key.
        scores: (n_query, n_tile), of this tile alone.
        maximum, total: (n_query,), the largest score so far, and the sum of exp(score - maximum) so far.
        output: (n_query, d_v), the attention over all keys so far.
    """

    start: int
    scores: Float[Tensor, "n_query n_tile"]
    maximum: Float[Tensor, " n_query"]
    total: Float[Tensor, " n_query"]
    output: Float[Tensor, "n_query d_v"]

    @property
    def numbers(self) -> int:
        """How many numbers are in memory beside the output: the tile's scores, maxima and totals."""
        return self.scores.numel() + self.maximum.numel() + self.total.numel()


def tiled_attention(
    query: Float[Tensor, "n_query d_k"],
    key: Float[Tensor, "n_key d_k"],
    value: Float[Tensor, "n_key d_v"],
    size: int,
) -> list[Tile]:
    r"""Compute scaled dot-product attention a tile of keys at a time, as FlashAttention does.

    With the scores $s$ of a tile, the new maximum $m' = \max(m, \max s)$:

    $$\ell' = e^{m - m'} \ell + \sum_j e^{s_j - m'}, \qquad
      o' = \frac{e^{m - m'} \ell\, o + \sum_j e^{s_j - m'} v_j}{\ell'}$$

    ``query`` (n_query, d_k), ``key`` (n_key, d_k), ``value`` (n_key, d_v); ``size`` keys per tile, fewer in
    the last. Invariant: after each tile the output is the attention over all keys so far; after the last it
    is that of `scaled_dot_product_attention`, and no map (n_query, n_key) is ever held.

    Source: Milakov and Gimelshein (2018), Online normalizer calculation for softmax; Dao et al. (2022),
    FlashAttention, algorithm 1.

    Raises:
        ValueError: the size is not a whole number of 1 or more.

    >>> [tile.start for tile in tiled_attention(*torch.ones(3, 5, 2), 2)]
    [0, 2, 4]
    """
    size = _require.integer("size", size, least=1)
    maximum = query.new_full(query.shape[:1], -torch.inf)
    total, output = torch.zeros_like(maximum), query.new_zeros(len(query), value.shape[-1])
    tiles = []
    for start in range(0, len(key), size):
        scores = query @ key[start : start + size].mT / key.shape[-1] ** 0.5
        highest = torch.maximum(maximum, scores.amax(-1))
        powers = (scores - highest[:, None]).exp()
        before = (maximum - highest).exp() * total
        maximum, total = highest, before + powers.sum(-1)
        output = (before[:, None] * output + powers @ value[start : start + size]) / total[:, None]
        tiles.append(Tile(start, scores, maximum, total, output))
    return tiles


@dataclass(frozen=True)
class LinearAttentionStep:
    """The state of linear attention after a token, which sums up all earlier keys and values.

    Attributes:
        state: (d_k, d_v), the sum of phi(k) v^T; normaliser: (d_k,), the sum of phi(k).
        output: (d_v,), of the token's own query.
    """

    state: Float[Tensor, "d_k d_v"]
    normaliser: Float[Tensor, " d_k"]
    output: Float[Tensor, " d_v"]


def linear_attention_steps(
    query: Float[Tensor, "n d_k"], key: Float[Tensor, "n d_k"], value: Float[Tensor, "n d_v"]
) -> list[LinearAttentionStep]:
    r"""Compute causal linear attention token by token, with a state that does not grow.

    $$S_t = S_{t-1} + \phi(k_t)\, v_t^\top, \quad z_t = z_{t-1} + \phi(k_t), \quad
      o_t = \frac{S_t^\top \phi(q_t)}{\phi(q_t)^\top z_t}$$

    ``query``, ``key`` (n, d_k), ``value`` (n, d_v). Invariant: each output is that of the score "linear"
    under a causal mask (`score_attention`); d_k (d_v + 1) numbers are kept, however long the text is.

    Source: Katharopoulos et al. (2020), Transformers are RNNs, equations 18 to 20.

    >>> len(linear_attention_steps(*torch.ones(3, 5, 2)))
    5
    """
    queries, keys = feature_map(query), feature_map(key)
    state, normaliser = query.new_zeros(key.shape[-1], value.shape[-1]), query.new_zeros(key.shape[-1])
    steps = []
    for q, k, v in zip(queries, keys, value, strict=True):
        state, normaliser = state + k[:, None] * v, normaliser + k
        steps.append(LinearAttentionStep(state, normaliser, q @ state / (q @ normaliser)))
    return steps
