"""Decoding token by token with a cache of keys and values."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.measures import attention_cost
from attn_core.multi_head import MultiHead, MultiHeadAttention


@dataclass(frozen=True, eq=False)
class KVCache:
    """Keys and values of the tokens so far, after their projections: (*batch, n_kv_head, n, d_head) each."""

    key: Float[Tensor, "*batch n_kv_head n d_head"]
    value: Float[Tensor, "*batch n_kv_head n d_head"]

    def __len__(self) -> int:
        """Return how many tokens are kept."""
        return self.key.shape[-2]

    @property
    def numbers(self) -> int:
        """How many numbers are kept, keys and values together."""
        return self.key.numel() + self.value.numel()


def decode_step(
    module: MultiHeadAttention,
    x: Float[Tensor, "*batch n d_model"],
    kv_cache: KVCache | None = None,
    *,
    bias: Float[Tensor, "..."] | None = None,
) -> tuple[MultiHead, KVCache]:
    r"""Attend from one new token to itself and the cached ones; return every stage and the longer cache.

    $$k_t = x_t W_k, \quad v_t = x_t W_v, \qquad
      o_t = \mathrm{attention}(x_t W_q,\ [k_1 \ldots k_t],\ [v_1 \ldots v_t])\,W_o$$

    ``x`` is the new token alone, (*batch, 1, d_model); ``kv_cache`` holds the tokens before it, none when
    None. Only the new token is projected, and rotated by its own position where the module has a rotation:
    cached keys are already rotated. ``bias`` (*batch, n_head, 1, t) is added to the scaled scores of the t
    tokens so far. ``kv_cache`` itself is not changed.

    Invariant: the output is the last row of causal self-attention over all tokens so far, because a causal
    row reads nothing that comes later: keys and values of earlier tokens never change.

    Raises ValueError for an x that is not one token, and for a cache that does not fit the module.

    Source: Shazeer (2019), Fast Transformer Decoding: One Write-Head is All You Need, section 2.3.

    >>> module = MultiHeadAttention(4, 2, seed=1, dtype=torch.float64)
    >>> x, kv_cache = torch.eye(4, dtype=torch.float64), None
    >>> for token in x:
    ...     stages, kv_cache = decode_step(module, token[None], kv_cache)
    >>> full = module(x, is_causal=True)
    >>> torch.allclose(stages.output[0], full.output[-1]), len(kv_cache), kv_cache.numbers
    (True, 4, 32)
    """
    if x.ndim < 2 or x.shape[-2] != 1:
        raise ValueError(f"x must be one token, (*batch, 1, {module.d_model}); got {tuple(x.shape)}")
    query, key, value = module.project(x, start=0 if kv_cache is None else len(kv_cache))
    if kv_cache is not None:
        shape = (*key.shape[:-2], len(kv_cache), key.shape[-1])
        for name, tensor in (("key", kv_cache.key), ("value", kv_cache.value)):
            if tuple(tensor.shape) != shape:
                raise ValueError(f"kv_cache.{name} must be {shape}; got {tuple(tensor.shape)}")
        key = torch.cat([kv_cache.key, key], dim=-2)
        value = torch.cat([kv_cache.value, value], dim=-2)
    return module.attend(query, key, value, bias), KVCache(key, value)


@dataclass(frozen=True)
class DecodingCost:
    """Operations for one token with and without the cache, and the numbers that the cache holds."""

    cached_flops: int
    uncached_flops: int
    cache_numbers: int


def decoding_cost(
    position: int,
    d_model: int,
    num_heads: int,
    d_head: int,
    *,
    num_kv_heads: int | None = None,
    bias: bool = False,
    output_projection: bool = True,
) -> DecodingCost:
    r"""Count the operations for the token at ``position`` (zero-based), with a cache and without.

    With t = position + 1 tokens so far, H heads of width d and G of keys and values:

    $$p = 2 d_{model} d (H + 2G) + 2 d H d_{model}, \qquad \text{with: } p + H t (4d + 5), \qquad
      \text{without: } t\,p + H \tfrac{t(t+1)}{2} (4d + 5)$$

    Without the cache all tokens so far are projected again and the whole causal triangle is computed, of
    which the last row alone is new. Biases add one operation per projected number. The cache keeps 2 G
    d t numbers. A multiply and an add are two operations; the rest is counted as by ``attention_cost``.

    Raises ValueError for a position below zero, sizes below one, or num_kv_heads that does not divide
    num_heads.

    Source: Shazeer (2019), section 2.4, for the counting; Ainslie et al. (2023), GQA, for G between 1 and H.

    >>> decoding_cost(0, 8, 4, 2) == DecodingCost(564, 564, 16)
    True
    >>> cost = decoding_cost(63, 8, 4, 2)
    >>> cost.cached_flops, cost.uncached_flops, cost.cache_numbers
    (3840, 140928, 1024)
    """
    t = _require.integer("position", position, least=0) + 1
    d_model = _require.integer("d_model", d_model, least=1)
    d_head = _require.integer("d_head", d_head, least=1)
    num_heads = _require.integer("num_heads", num_heads, least=1)
    groups = _require.kv_heads(num_heads, num_kv_heads)
    d_in, d_out = d_head * (num_heads + 2 * groups), d_head * num_heads
    a_token = 2 * d_model * d_in + bias * d_in
    if output_projection:
        a_token += 2 * d_out * d_model + bias * d_model
    pairs = t * (t + 1) // 2
    row = attention_cost(1, t, d_head, d_head, n_head=num_heads).flops
    triangle = attention_cost(t, t, d_head, d_head, n_head=num_heads, pairs=pairs).flops
    return DecodingCost(a_token + row, t * a_token + triangle, 2 * groups * d_head * t)
