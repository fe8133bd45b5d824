"""Mistakes within one head that go around, each as it is made, so that broken can be shown beside right."""

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
from attn_words import N_

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
        mask = right.mask
        if mask is None and (is_causal or (attn_mask is not None and attn_mask.dtype == torch.bool)):
            # It masks nothing, and is one all the same.
            mask = torch.ones_like(right.scores, dtype=torch.bool)
        return right if mask is None else attend(right, mask, query, key, value)

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


ROWS_SUM_TO_ONE = N_("each row of weights sums to one, or to zero where its query may see no key")
MASKED_IS_ZERO = N_("a masked key has weight zero")
ALL_FINITE = N_("every number is finite")
SAME_AS_TORCH = N_("the output is that of torch")

ATTENTION_MISTAKES: Mapping[str, Mistake[Attention]] = MappingProxyType(
    {
        mistake.name: mistake
        for mistake in (
            Mistake(
                "softmax-over-queries",
                N_("The softmax runs down the columns, over queries, and not along the rows, over keys."),
                N_(
                    "Queries then compete for keys: one may get almost nothing, another several times a "
                    "whole."
                ),
                ROWS_SUM_TO_ONE,
                softmax_over_queries,
            ),
            Mistake(
                "no-scale",
                N_("The scores go into the softmax without the division by sqrt(d_k)."),
                N_("Their variance grows with d_k, the softmax saturates, and its gradient dies."),
                SAME_AS_TORCH,
                no_scale,
            ),
            Mistake(
                "constant-scale",
                N_("The scores are divided by sqrt(2), whatever the width d_k."),
                N_("This keeps their variance at one for d_k = 2 only; at any other width it is off."),
                SAME_AS_TORCH,
                constant_scale,
            ),
            Mistake(
                "mask-after-softmax",
                N_("Masked weights are set to zero after the softmax."),
                N_("The masked keys have taken their share already: what is left sums to less than one."),
                ROWS_SUM_TO_ONE,
                mask_after_softmax,
                "mask",
            ),
            Mistake(
                "zero-for-minus-infinity",
                N_("Masked scores are set to 0 in place of -inf."),
                N_("exp(0) = 1: a masked key keeps weight, more than a visible one with a negative score."),
                MASKED_IS_ZERO,
                zero_for_minus_infinity,
                "mask",
            ),
            Mistake(
                "mask-turned-round",
                N_("A mask whose True means keep is read by code in which True means block."),
                N_("Each query sees just what it should not: under a causal mask, the future."),
                MASKED_IS_ZERO,
                mask_turned_round,
                "mask",
            ),
            Mistake(
                "unguarded-softmax",
                N_("A row in which every key is masked goes through the softmax as it is."),
                N_(
                    "Its exponentials sum to 0, and 0/0 is NaN, which spreads to all that is computed from "
                    "it."
                ),
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
