"""Common mistakes between heads; each is called with a ``MultiHeadAttention``, a sequence and a mask."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core.attention import Attention, scaled_dot_product_attention
from attn_core.checks import MASKED_IS_ZERO, SAME_AS_TORCH
from attn_core.masks import causal_mask
from attn_core.mistakes.one_head import SUMS, WORDS, Mask, largest
from attn_core.mistakes.record import Example, LabelledMap, Mistake, MustHold, mistakes_by_name
from attn_core.multi_head import MultiHead, MultiHeadAttention, merge_heads
from attn_core.samples import sentence_vectors
from attn_core.schemes import Rotary
from attn_words import N_

Inputs = tuple[MultiHeadAttention, Tensor, Mask]


def attend(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Return the right attention."""
    stages: MultiHead = module(x, attn_mask=attn_mask)
    return stages


def split_without_transpose(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> Attention:
    """View (n, n_head * d_head) as (n, n_head, d_head) and attend as if n were the head axis.

    The map is (*batch, n, n_head, n_head), so it is an ``Attention``; a mask over positions does not fit it
    and is ignored.
    """
    # (*batch, n_head, n, d_head) -> (*batch, n, n_head, d_head): the transpose of split_heads undone.
    q, k, v = (each.transpose(-3, -2) for each in module.project(x))
    return scaled_dot_product_attention(q, k, v, temperature=module.temperature)


def heads_by_view(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """View (n, n_head * d_head) as (n_head, n, d_head): the shape is right, the numbers are wrong."""
    q, k, v = (each.transpose(-3, -2).reshape(each.shape) for each in module.project(x))
    return module.attend(q, k, v, attn_mask)


def merge_without_transpose(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Reshape (n_head, n, d_head) to (n, n_head * d_head) without bringing n to the front."""
    right = attend(module, x, attn_mask)
    concatenated = right.heads.reshape(right.concatenated.shape)
    output = concatenated if module.W_o is None else module.W_o(concatenated)
    return replace(right, concatenated=concatenated, output=output)


def scale_by_d_model(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Divide every head's scores by sqrt(d_model)."""
    stages: MultiHead = module(x, attn_mask=attn_mask, scale=1 / math.sqrt(module.d_model))
    return stages


def shared_projections(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Give every head the projections of the first."""
    q, k, v = (each[..., :1, :, :].expand_as(each) for each in module.project(x))
    return module.attend(q, k, v, attn_mask)


def tiled_key_heads(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Repeat the list of key heads as a whole, instead of each key head side by side."""
    q, k, v = module.project(x)
    # 1 2 -> 1 2 1 2, where 1 1 2 2 is meant: heads of one group read different keys.
    times = [1] * (k.ndim - 3) + [module.num_heads // module.num_kv_heads, 1, 1]
    return module.attend(q, k.repeat(times), v.repeat(times), attn_mask)


def unpacked_in_another_order(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Unpack a fused projection, packed as (k h d), as if it were packed as (d k h).

    Raises ValueError for shared key heads: the three parts of a fused projection are of one size.
    """
    if module.num_kv_heads != module.num_heads:
        raise ValueError(
            f"this mistake needs num_kv_heads = num_heads; got {module.num_kv_heads} and {module.num_heads}"
        )
    projection = torch.cat([each(x) for each in (module.W_q, module.W_k, module.W_v)], dim=-1)
    # (*batch, n, d k h) -> k, *batch, h, n, d: the numbers are packed as k h d.
    parts = projection.reshape(*projection.shape[:-1], module.d_head, 3, module.num_heads)
    q, k, v = (part.movedim(-1, -3) for part in parts.unbind(dim=-2))
    return module.attend(module.rotate(q), module.rotate(k), v, attn_mask)


def cached_after_attending(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Generate token by token, and cache each token's key and value only after it has attended.

    The first token then has nothing to attend to. The mask is causal in any case.
    """
    return attend(module, x, ~torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu())


def place_forgotten(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Generate token by token, and rotate every token as if it were at position 0."""
    steps = [module.project(token) for token in x.split(1, dim=-2)]
    q, k, v = (torch.cat(parts, dim=-2) for parts in zip(*steps, strict=True))
    return module.attend(q, k, v, attn_mask)


def padding_turned_round(module: MultiHeadAttention, x: Tensor, attn_mask: Tensor) -> MultiHead:
    """Pass a mask that is True for words to a parameter that expects True for padding."""
    return attend(module, x, ~attn_mask)


def mean_for_one_head(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Replace the map of each head by the mean of all maps."""
    right = attend(module, x, attn_mask)
    return replace(right, weights=right.weights.mean(dim=-3, keepdim=True).expand_as(right.weights))


def _by_torch(module: MultiHeadAttention, x: Tensor, attn_mask: Mask) -> Tensor:
    """Return the output, computed by torch's own attention from the projections."""
    q, k, v = module.project(x)
    heads = merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask, enable_gqa=True))
    return heads if module.W_o is None else module.W_o(heads)


WIDTH, HEADS = 32, 4  # the examples' sentences below state both
PADDED = ("dogs", "bark", "now", "[pad]", "[pad]", "[pad]")
_CAUSAL = causal_mask(len(WORDS))


def _example(
    explanation: str,
    mask: Mask = None,
    *,
    head: int = 0,
    words: Sequence[str] = WORDS,
    num_kv_heads: int | None = None,
    rotation: Rotary | None = None,
) -> Example:
    """Return an example of six words in four heads, with the map of one head."""

    def inputs() -> Inputs:
        module = MultiHeadAttention(
            *(WIDTH, HEADS), num_kv_heads=num_kv_heads, rotation=rotation, dtype=torch.float64, seed=1
        ).requires_grad_(requires_grad=False)
        return module, sentence_vectors(words, WIDTH), mask

    def draw(result: MultiHead, *_inputs: object) -> LabelledMap:
        may = None if result.mask is None else result.mask.expand_as(result.weights)[head]
        return LabelledMap(result.weights[head], words, words, mask=may)

    return Example(explanation, inputs, draw)


def _side_by_side(result: MultiHead, *_inputs: object) -> LabelledMap:
    """Return the heads' outputs side by side, the first two of each head's eight dimensions."""
    d_head = WIDTH // HEADS
    columns = [d for d in range(WIDTH) if d % d_head < 2]
    labels = [f"{d // d_head + 1}.{d % d_head + 1}" for d in columns]
    return LabelledMap(
        result.concatenated[:, columns], WORDS, labels, (N_("Token"), N_("Head.dimension")), N_("value")
    )


def _positions_or_heads(result: MultiHead | Attention, *_inputs: object) -> LabelledMap:
    """Return the first map: that of head 1, or, if heads attend to heads, that of the first word."""
    if isinstance(result, MultiHead):
        return LabelledMap(result.weights[0], WORDS, WORDS)
    heads = [str(head + 1) for head in range(HEADS)]
    return LabelledMap(result.weights[0], heads, heads, (N_("Head"), N_("Head")))


FOUR_HEADS = _example(N_("Six words of 32 random numbers each, four heads; the map is that of head 1."))
CAUSAL = _example(
    N_("Six words of 32 random numbers each, four heads, written token by token; the map is that of head 1."),
    _CAUSAL,
)
AS_TORCH = MustHold(
    SAME_AS_TORCH,
    N_("largest distance from it"),
    lambda result, *inputs: largest(result.output - _by_torch(*inputs)),
    most=1e-9,
)

_mistake = partial(Mistake[Any], right=attend, check=AS_TORCH, example=FOUR_HEADS)

MULTI_HEAD_MISTAKES: Mapping[str, Mistake[Any]] = mistakes_by_name(
    _mistake(
        "split without transpose",
        N_("Heads are split with view and no transpose, so the product runs over the head axis."),
        N_("The map is n_head x n_head at every position: heads attend to heads, not to positions."),
        broken=split_without_transpose,
        check=MustHold(
            N_("the weights are a map of positions, (n_query, n_key)"),
            N_("columns of the map, which must be the 6 words"),
            lambda result, *_inputs: float(result.weights.shape[-1]),
            least=6.0,
            most=6.0,
        ),
        example=Example(
            N_("Six words in four heads: head 1, and what stands in its place for the first word."),
            FOUR_HEADS.inputs,
            _positions_or_heads,
        ),
        also=(SUMS,),
    ),
    _mistake(
        "heads cut by view",
        N_("Heads are cut with view(b * h, -1, d_head) from (b, n, h * d_head), without a transpose."),
        N_(
            "All shapes are right, but a head then holds all numbers of a few words, where it should hold "
            "its own numbers of all words."
        ),
        broken=heads_by_view,
    ),
    _mistake(
        "merge without transpose",
        N_("The heads' outputs are reshaped to (n, n_head * d_head) without the transpose."),
        N_("A row then holds several positions of one head in place of all heads of one position."),
        broken=merge_without_transpose,
        check=MustHold(
            N_("the contributions of the heads add up to the output"),
            N_("largest distance of their sum, with the bias, from it"),
            lambda result, *_inputs: largest(
                result.contributions.sum(dim=-3) + result.output_bias - result.output
            ),
            most=1e-9,
        ),
        example=Example(
            N_("Six words in four heads, side by side: of the eight dimensions of each head, two."),
            FOUR_HEADS.inputs,
            _side_by_side,
        ),
    ),
    _mistake(
        "√d_model for √d_head",
        N_("Every head's scores are divided by sqrt(d_model) in place of sqrt(d_head)."),
        N_(
            "A head's product has d_head terms: with fewer than d_model weights come out too flat, "
            "with more too sharp."
        ),
        broken=scale_by_d_model,
    ),
    _mistake(
        "one W for all heads",
        N_("All heads use one W_q, W_k and W_v."),
        N_("Every head then has one query, key and value a token: several views are one view repeated."),
        broken=shared_projections,
        check=MustHold(
            N_("heads differ"),
            N_("largest difference between the maps of heads 1 and 2, at least 0.01"),
            lambda result, *_inputs: largest(result.weights[0] - result.weights[1]),
            least=0.01,
        ),
        example=_example(N_("Six words in four heads; the map is that of head 2."), head=1),
    ),
    _mistake(
        "key heads tiled",
        N_("Shared key heads are repeated with repeat, 1 2 1 2, in place of repeat_interleave, 1 1 2 2."),
        N_("Neighbours that should share one head of keys then read different ones: wrong groups."),
        broken=tiled_key_heads,
        example=_example(
            N_("Six words in four heads that share two heads of keys; the map is that of head 2."),
            head=1,
            num_kv_heads=2,
        ),
    ),
    _mistake(
        "(d k h) for (k h d)",
        N_("One fused W_qkv, packed as (k h d), is taken apart with rearrange as (d k h)."),
        N_("Parts then hold numbers of one another: a query some that were made as keys or values."),
        broken=unpacked_in_another_order,
    ),
    _mistake(
        "own key not yet cached",
        N_("Token by token, a token attends before its own key and value are in the cache."),
        N_("It then sees only what came before it and never itself, and the first sees nothing."),
        broken=cached_after_attending,
        example=CAUSAL,
    ),
    _mistake(
        "place not counted on",
        N_("Token by token, each token is turned as if it stood first: a call sees one, at place 0."),
        N_("The cache says how many came before, and the turn must start there; else order is lost."),
        broken=place_forgotten,
        example=_example(
            N_("Six words in four heads with rotary positions, token by token; the map is that of head 1."),
            _CAUSAL,
            rotation=Rotary(),
        ),
    ),
    _mistake(
        "padding mask turned round",
        N_("key_padding_mask, True where a key is padding, is handed a mask that is True for words."),
        N_("Every word then looks at the padding alone, and at no word."),
        broken=padding_turned_round,
        check=MustHold(
            MASKED_IS_ZERO,
            N_("largest weight of a masked key"),
            lambda result, _module, _x, mask: largest(result.weights[..., ~mask]),
            most=0.0,
        ),
        example=_example(
            N_("Three words and three tokens of padding in four heads; the map is that of head 1."),
            torch.tensor([each != "[pad]" for each in PADDED]).expand(len(PADDED), -1),
            words=PADDED,
        ),
    ),
    _mistake(
        "mean map for one head",
        N_(
            "nn.MultiheadAttention returns the mean of all heads' maps unless average_attn_weights is False; "
            "it is read as the map of one head."
        ),
        N_("A mean is flatter than its maps are on average: no head need look where it does."),
        broken=mean_for_one_head,
        check=MustHold(
            N_("a head's map times its values is what the head gives"),
            N_("largest distance from it"),
            lambda result, *_inputs: largest(result.weights @ result.value - result.heads),
            most=1e-9,
        ),
    ),
)
"""Mistakes between heads by name, read-only."""
