"""Mistakes that go around, each as it is made, so that the broken can be shown beside the right."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from types import MappingProxyType
from typing import Generic, TypeVar

import torch
from torch import Tensor

from attn_core._softmax import softmax_rows
from attn_core.attention import Attention, scaled_dot_product_attention
from attn_core.multi_head import MultiHead, MultiHeadAttention

Stages = TypeVar("Stages")


@dataclass(frozen=True, eq=False)
class Mistake(Generic[Stages]):
    """A mistake that goes around: ``what`` is done, ``why`` it is wrong, the invariant that it ``breaks``.

    ``attend`` makes it. Within a head it is called with query, key, value, attn_mask=None and
    is_causal=False; between heads with the ``MultiHeadAttention`` first. ``needs`` says what must be there
    for it to show: a "mask", a "masked row", several "heads", "shared heads", "one sequence", a "cache" (a
    sequence written token by token), a "rotation" with one, or nothing ("").
    """

    name: str
    what: str
    why: str
    breaks: str
    attend: Callable[..., Stages]
    needs: str = ""


def softmax_over_queries(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, *, is_causal: bool = False
) -> Attention:
    """Take the softmax down the columns."""
    right = scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal)
    # The softmax runs along the last axis: turned there, queries are what it normalises over.
    turned = right.scaled_scores.mT
    weights = softmax_rows(turned, empty=(turned == -torch.inf).all(dim=-1, keepdim=True)).mT
    return replace(right, weights=weights, output=weights @ value)


def no_scale(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, *, is_causal: bool = False
) -> Attention:
    """Leave the scores unscaled."""
    return scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal, scale=1.0)


def constant_scale(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, *, is_causal: bool = False
) -> Attention:
    """Divide by sqrt(2), whatever the width."""
    return scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal, scale=0.5**0.5)


def _of_a_mask(
    attend: Callable[[Attention, Tensor, Tensor, Tensor, Tensor], Attention],
) -> Callable[..., Attention]:
    """Give a mistake the right attention and its mask; without a mask there is nothing to mistake."""

    @wraps(attend)
    def mistaken(
        query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, *, is_causal: bool = False
    ) -> Attention:
        right = scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal)
        return right if right.mask is None else attend(right, right.mask, query, key, value)

    return mistaken


@_of_a_mask
def mask_after_softmax(
    right: Attention, mask: Tensor, query: Tensor, key: Tensor, value: Tensor
) -> Attention:
    """Set masked weights to zero when the rows are normalised already."""
    unmasked = right.scores / math.sqrt(query.shape[-1])
    weights = torch.softmax(unmasked, dim=-1) * mask
    scaled_scores = unmasked.expand(mask.shape)
    return replace(right, scaled_scores=scaled_scores, weights=weights, output=weights @ value)


@_of_a_mask
def zero_for_minus_infinity(
    right: Attention, mask: Tensor, query: Tensor, key: Tensor, value: Tensor
) -> Attention:
    """Set masked scores to 0 in place of -inf."""
    scaled_scores = right.scaled_scores.masked_fill(~mask, 0.0)
    weights = torch.softmax(scaled_scores, dim=-1)
    return replace(right, scaled_scores=scaled_scores, weights=weights, output=weights @ value)


@_of_a_mask
def mask_turned_round(right: Attention, mask: Tensor, query: Tensor, key: Tensor, value: Tensor) -> Attention:
    """Read True as "blocked"."""
    return scaled_dot_product_attention(query, key, value, ~mask)


def unguarded_softmax(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, *, is_causal: bool = False
) -> Attention:
    """Take the softmax of a row of nothing but -inf as it comes."""
    right = scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal)
    weights = torch.softmax(right.scaled_scores, dim=-1)
    return replace(right, weights=weights, output=weights @ value)


def split_without_transpose(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
) -> Attention:
    """View (n, n_head * d_head) as (n, n_head, d_head) and attend as if n were the head axis.

    The map is (*batch, n, n_head, n_head), so it is an ``Attention``; a mask over positions fits nothing in
    it and is left out. A single query is broadcast against all keys, and a single key against all queries,
    without a word: one query then comes back as n_key rows.

    Raises ValueError when query and key are not equally long and neither has length one, as torch does.
    """
    q, k, v = module.project(query, key, value)
    if q.shape[-2] != k.shape[-2] and 1 not in (q.shape[-2], k.shape[-2]):
        raise ValueError(
            f"this mistake needs n_query = n_key, or one of them 1; got {q.shape[-2]} and {k.shape[-2]}"
        )
    # (*batch, n_head, n, d_head) -> (*batch, n, n_head, d_head): the transpose of split_heads undone.
    q, k, v = (each.transpose(-3, -2) for each in (q, k, v))
    return scaled_dot_product_attention(q, k, v, temperature=module.temperature)


def merge_without_transpose(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
) -> MultiHead:
    """Reshape (n_head, n, d_head) to (n, n_head * d_head) without bringing n to the front."""
    right = module(query, key, value, attn_mask, is_causal=is_causal)
    assert isinstance(right, MultiHead)
    concatenated = right.heads.reshape(right.concatenated.shape)
    output = concatenated if module.W_o is None else module.W_o(concatenated)
    return replace(right, concatenated=concatenated, output=output)


def scale_by_d_model(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
) -> MultiHead:
    """Divide every head's scores by sqrt(d_model)."""
    right = module(query, key, value, attn_mask, is_causal=is_causal, scale=1 / math.sqrt(module.d_model))
    assert isinstance(right, MultiHead)
    return right


def shared_projections(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
) -> MultiHead:
    """Give every head the projections of the first."""
    q, k, v = (x[..., :1, :, :].expand_as(x) for x in module.project(query, key, value))
    return module.attend(q, k, v, attn_mask, is_causal=is_causal)


def tiled_key_heads(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
) -> MultiHead:
    """Repeat the list of key heads as a whole, in place of each head beside itself."""
    q, k, v = module.project(query, key, value)
    # 1 2 -> 1 2 1 2, where 1 1 2 2 is meant: heads of one group read different keys.
    times = [1] * (k.ndim - 3) + [module.num_heads // module.num_kv_heads, 1, 1]
    return module.attend(q, k.repeat(times), v.repeat(times), attn_mask, is_causal=is_causal)


def unpacked_in_another_order(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
) -> MultiHead:
    """Take a fused projection, packed as (k h d), apart as if it were packed as (d k h).

    Raises ValueError for a key or value that is another sequence than the query, and for shared key heads:
    one fused projection reads one sequence, in three parts of one size.
    """
    if (key is not None and key is not query) or (value is not None and value is not query):
        raise ValueError("a fused projection reads one sequence; got a key or value that is another")
    if module.num_kv_heads != module.num_heads:
        raise ValueError(
            f"this mistake needs num_kv_heads = num_heads; got {module.num_kv_heads} and {module.num_heads}"
        )
    fused = torch.cat([each(query) for each in (module.W_q, module.W_k, module.W_v)], dim=-1)
    # (*batch, n, d k h) -> k, *batch, h, n, d: the numbers were laid down as k h d.
    parts = fused.reshape(*fused.shape[:-1], module.d_head, 3, module.num_heads)
    q, k, v = (part.movedim(-1, -3) for part in parts.unbind(dim=-2))
    return module.attend(module.turned(q), module.turned(k), v, attn_mask, is_causal=is_causal)


def cached_after_attending(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
) -> MultiHead:
    """Write token by token, and put each token's key and value into the cache only after it has attended.

    The first token then has nothing to attend to. The mask is causal in any case; a float one adds its bias.

    Raises ValueError for a key or value that is another sequence than the query.
    """
    q, k, v = module.project(_one_sequence(query, key, value))
    earlier = ~torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).triu()
    return module.attend(q, k, v, _both(earlier, attn_mask))


def place_forgotten(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
) -> MultiHead:
    """Write token by token, and turn each token as the only one of its call: at place 0.

    The mask is causal in any case; a float one adds its bias.

    Raises ValueError for a key or value that is another sequence than the query.
    """
    x = _one_sequence(query, key, value)
    steps = [module.project(token) for token in x.split(1, dim=-2)]
    q, k, v = (torch.cat(parts, dim=-2) for parts in zip(*steps, strict=True))
    causal = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).tril()
    return module.attend(q, k, v, _both(causal, attn_mask))


def _one_sequence(query: Tensor, key: Tensor | None, value: Tensor | None) -> Tensor:
    if (key is not None and key is not query) or (value is not None and value is not query):
        raise ValueError("a cache is of one sequence; got a key or value that is another")
    return query


def _both(allowed: Tensor, attn_mask: Tensor | None) -> Tensor:
    """Allow what both masks do."""
    if attn_mask is None:
        return allowed
    if attn_mask.dtype == torch.bool:
        return allowed & attn_mask
    return attn_mask.masked_fill(~allowed, -torch.inf)


def origins(num_heads: int, d_head: int) -> Tensor:
    """Return where the numbers of each part come from when (k h d) is read as (d k h).

    (3, num_heads, d_head): 0, 1 or 2 where the number at that place of query, key or value was made as part
    of the query, the key or the value.

    >>> origins(2, 2).tolist()
    [[[0, 1], [0, 1]], [[0, 2], [0, 2]], [[1, 2], [1, 2]]]
    """
    made = torch.arange(3).repeat_interleave(num_heads * d_head)
    return made.reshape(d_head, 3, num_heads).permute(1, 2, 0)


ROWS_SUM_TO_ONE = "each row of weights sums to one"
MASKED_IS_ZERO = "a masked key has weight zero"
ALL_FINITE = "every number is finite"
SAME_AS_TORCH = "the output is that of torch"
MAP_OF_POSITIONS = "the weights are a map of positions, (n_query, n_key)"
HEADS_ADD_UP = "the contributions of the heads add up to the output"
HEADS_DIFFER = "heads differ"

ATTENTION_MISTAKES: Mapping[str, Mistake[Attention]] = MappingProxyType(
    {
        mistake.name: mistake
        for mistake in (
            Mistake(
                "softmax-over-queries",
                "The softmax runs down the columns, over queries, and not along the rows, over keys.",
                "Queries then compete for keys: one may get almost nothing, another several times a whole.",
                ROWS_SUM_TO_ONE,
                softmax_over_queries,
            ),
            Mistake(
                "no-scale",
                "The scores go into the softmax without the division by sqrt(d_k).",
                "Their variance grows with d_k, the softmax saturates, and its gradient dies.",
                SAME_AS_TORCH,
                no_scale,
            ),
            Mistake(
                "constant-scale",
                "The scores are divided by sqrt(2), whatever the width d_k.",
                "This keeps their variance at one for d_k = 2 only; at any other width it is off.",
                SAME_AS_TORCH,
                constant_scale,
            ),
            Mistake(
                "mask-after-softmax",
                "Masked weights are set to zero after the softmax.",
                "The masked keys have taken their share already: what is left sums to less than one.",
                ROWS_SUM_TO_ONE,
                mask_after_softmax,
                "mask",
            ),
            Mistake(
                "zero-for-minus-infinity",
                "Masked scores are set to 0 in place of -inf.",
                "exp(0) = 1: a masked key keeps weight, more than a visible one with a negative score.",
                MASKED_IS_ZERO,
                zero_for_minus_infinity,
                "mask",
            ),
            Mistake(
                "mask-turned-round",
                "A mask whose True means keep is read by code in which True means block.",
                "Each query sees just what it should not: under a causal mask, the future.",
                MASKED_IS_ZERO,
                mask_turned_round,
                "mask",
            ),
            Mistake(
                "unguarded-softmax",
                "A row in which every key is masked goes through the softmax as it is.",
                "Its exponentials sum to 0, and 0/0 is NaN, which spreads to all that is computed from it.",
                ALL_FINITE,
                unguarded_softmax,
                "masked row",
            ),
        )
    }
)
"""Mistakes within one head by name, read-only.

>>> query = torch.eye(3, dtype=torch.float64)
>>> ATTENTION_MISTAKES["mask-after-softmax"].attend(query, query, query, is_causal=True).weights.sum(dim=-1)
tensor([0.4711, 0.7355, 1.0000], dtype=torch.float64)
"""

MULTI_HEAD_MISTAKES: Mapping[str, Mistake[MultiHead | Attention]] = MappingProxyType(
    {
        mistake.name: mistake
        for mistake in (
            Mistake[MultiHead | Attention](
                "split-without-transpose",
                "Heads are split with view and no transpose, so the product runs over the head axis.",
                "The map is n_head x n_head at every position: heads attend to heads, not to positions.",
                MAP_OF_POSITIONS,
                split_without_transpose,
            ),
            Mistake[MultiHead | Attention](
                "merge-without-transpose",
                "The heads' outputs are reshaped to (n, n_head * d_head) without the transpose.",
                "A row then holds several positions of one head in place of all heads of one position.",
                HEADS_ADD_UP,
                merge_without_transpose,
                "heads",
            ),
            Mistake[MultiHead | Attention](
                "scale-by-d-model",
                "Every head's scores are divided by sqrt(d_model) in place of sqrt(d_head).",
                "A head's product has d_head terms only: its weights come out too flat.",
                SAME_AS_TORCH,
                scale_by_d_model,
                "heads",
            ),
            Mistake[MultiHead | Attention](
                "shared-projections",
                "All heads use one W_q, W_k and W_v.",
                "Every head then computes the same map, and several views are one view repeated.",
                HEADS_DIFFER,
                shared_projections,
                "heads",
            ),
            Mistake[MultiHead | Attention](
                "tiled-key-heads",
                "Shared key heads are repeated with repeat, 1 2 1 2, in place of repeat_interleave, 1 1 2 2.",
                "Neighbours that should share one head of keys then read different ones: wrong groups.",
                SAME_AS_TORCH,
                tiled_key_heads,
                "shared heads",
            ),
            Mistake[MultiHead | Attention](
                "unpacked-in-another-order",
                "One fused W_qkv, packed as (k h d), is taken apart with rearrange as (d k h).",
                "Every part then holds numbers of query, key and value, and of several heads.",
                SAME_AS_TORCH,
                unpacked_in_another_order,
                "one sequence",
            ),
            Mistake[MultiHead | Attention](
                "cached-after-attending",
                "Token by token, a token attends before its own key and value are in the cache.",
                "It then sees only what came before it and never itself, and the first sees nothing.",
                SAME_AS_TORCH,
                cached_after_attending,
                "cache",
            ),
            Mistake[MultiHead | Attention](
                "place-forgotten",
                "Token by token, each token is turned as if it stood first: a call sees one, at place 0.",
                "The cache says how many came before, and the turn must start there; else order is lost.",
                SAME_AS_TORCH,
                place_forgotten,
                "rotation",
            ),
        )
    }
)
"""Mistakes between heads by name, read-only."""
