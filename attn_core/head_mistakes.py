"""Mistakes between heads that go around, each as it is made, so that broken can be shown beside right."""

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import torch
from torch import Tensor

from attn_core.attention import Attention, scaled_dot_product_attention
from attn_core.mistakes import SAME_AS_TORCH, Mistake
from attn_core.multi_head import MultiHead, MultiHeadAttention
from attn_words import N_

MAP_OF_POSITIONS = N_("the weights are a map of positions, (n_query, n_key)")
HEADS_ADD_UP = N_("the contributions of the heads add up to the output")
HEADS_DIFFER = N_("heads differ")


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


MULTI_HEAD_MISTAKES: Mapping[str, Mistake[MultiHead | Attention]] = MappingProxyType(
    {
        mistake.name: mistake
        for mistake in (
            Mistake[MultiHead | Attention](
                "split-without-transpose",
                N_("Heads are split with view and no transpose, so the product runs over the head axis."),
                N_("The map is n_head x n_head at every position: heads attend to heads, not to positions."),
                MAP_OF_POSITIONS,
                split_without_transpose,
            ),
            Mistake[MultiHead | Attention](
                "merge-without-transpose",
                N_("The heads' outputs are reshaped to (n, n_head * d_head) without the transpose."),
                N_("A row then holds several positions of one head in place of all heads of one position."),
                HEADS_ADD_UP,
                merge_without_transpose,
                "heads",
            ),
            Mistake[MultiHead | Attention](
                "scale-by-d-model",
                N_("Every head's scores are divided by sqrt(d_model) in place of sqrt(d_head)."),
                N_(
                    "A head's product has d_head terms: with fewer than d_model weights come out too flat, "
                    "with more too sharp."
                ),
                SAME_AS_TORCH,
                scale_by_d_model,
                "heads",
            ),
            Mistake[MultiHead | Attention](
                "shared-projections",
                N_("All heads use one W_q, W_k and W_v."),
                N_(
                    "Every head then has one query, key and value a token: several views are one view "
                    "repeated."
                ),
                HEADS_DIFFER,
                shared_projections,
                "heads",
            ),
            Mistake[MultiHead | Attention](
                "tiled-key-heads",
                N_(
                    "Shared key heads are repeated with repeat, 1 2 1 2, in place of repeat_interleave, 1 1 "
                    "2 2."
                ),
                N_("Neighbours that should share one head of keys then read different ones: wrong groups."),
                SAME_AS_TORCH,
                tiled_key_heads,
                "shared heads",
            ),
            Mistake[MultiHead | Attention](
                "unpacked-in-another-order",
                N_("One fused W_qkv, packed as (k h d), is taken apart with rearrange as (d k h)."),
                N_("Parts then hold numbers of one another: a query some that were made as keys or values."),
                SAME_AS_TORCH,
                unpacked_in_another_order,
                "one sequence",
            ),
            Mistake[MultiHead | Attention](
                "cached-after-attending",
                N_("Token by token, a token attends before its own key and value are in the cache."),
                N_("It then sees only what came before it and never itself, and the first sees nothing."),
                SAME_AS_TORCH,
                cached_after_attending,
                "cache",
            ),
            Mistake[MultiHead | Attention](
                "place-forgotten",
                N_("Token by token, each token is turned as if it stood first: a call sees one, at place 0."),
                N_("The cache says how many came before, and the turn must start there; else order is lost."),
                SAME_AS_TORCH,
                place_forgotten,
                "rotation",
            ),
        )
    }
)
"""Mistakes between heads by name, read-only."""
