"""Common mistakes within one head; each is called with query, key, value and a boolean mask, or None."""

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core.attention import Attention, scaled_dot_product_attention
from attn_core.checks import ALL_FINITE, MASKED_IS_ZERO, ROWS_SUM_TO_ONE, SAME_AS_TORCH
from attn_core.masks import causal_mask
from attn_core.mistakes.record import Example, LabelledMap, Mistake, MustHold, mistakes_by_name
from attn_words import N_

WORDS = ("the", "cat", "sat", "on", "the", "mat")
WIDTH = 64  # the examples' sentences below state it

Mask = Tensor | None
Inputs = tuple[Tensor, Tensor, Tensor, Mask]


def softmax_over_queries(query: Tensor, key: Tensor, value: Tensor, attn_mask: Mask = None) -> Attention:
    """Take the softmax down the columns."""
    right = scaled_dot_product_attention(query, key, value, attn_mask)
    weights = torch.softmax(right.scaled_scores, dim=-2)
    return replace(right, weights=weights, output=weights @ value)


def softmax_over_the_map(query: Tensor, key: Tensor, value: Tensor, attn_mask: Mask = None) -> Attention:
    """Take one softmax over all pairs of query and key."""
    right = scaled_dot_product_attention(query, key, value, attn_mask)
    weights = torch.softmax(right.scaled_scores.flatten(-2), dim=-1).view_as(right.weights)
    return replace(right, weights=weights, output=weights @ value)


def no_scale(query: Tensor, key: Tensor, value: Tensor, attn_mask: Mask = None) -> Attention:
    """Leave the scores unscaled."""
    return scaled_dot_product_attention(query, key, value, attn_mask, scale=1.0)


def constant_scale(query: Tensor, key: Tensor, value: Tensor, attn_mask: Mask = None) -> Attention:
    """Divide by sqrt(2), whatever the width."""
    return scaled_dot_product_attention(query, key, value, attn_mask, scale=0.5**0.5)


def mask_after_softmax(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor) -> Attention:
    """Set masked weights to zero after the rows are normalised."""
    right = scaled_dot_product_attention(query, key, value)
    weights = right.weights * attn_mask
    return replace(right, mask=attn_mask, weights=weights, output=weights @ value)


def zero_for_minus_infinity(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor) -> Attention:
    """Set masked scores to 0 in place of -inf."""
    right = scaled_dot_product_attention(query, key, value, attn_mask)
    scaled_scores = right.scaled_scores.masked_fill(~attn_mask, 0.0)
    weights = torch.softmax(scaled_scores, dim=-1)
    return replace(right, scaled_scores=scaled_scores, weights=weights, output=weights @ value)


def mask_added(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor) -> Attention:
    """Add the mask's ones and zeros to the scores."""
    return scaled_dot_product_attention(query, key, value, attn_mask.to(query.dtype))


def mask_turned_round(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor) -> Attention:
    """Read True as "blocked"."""
    return scaled_dot_product_attention(query, key, value, ~attn_mask)


def unguarded_softmax(query: Tensor, key: Tensor, value: Tensor, attn_mask: Mask = None) -> Attention:
    """Take the softmax without a guard for rows that are all -inf."""
    right = scaled_dot_product_attention(query, key, value, attn_mask)
    weights = torch.softmax(right.scaled_scores, dim=-1)
    return replace(right, weights=weights, output=weights @ value)


def _inputs(mask: Mask = None) -> Inputs:
    vectors = torch.randn(
        3, len(WORDS), WIDTH, generator=torch.Generator().manual_seed(108), dtype=torch.float64
    )
    return (*vectors, mask)


def _padded_inputs() -> Inputs:
    mask = causal_mask(len(WORDS))
    mask[:, 0] = False
    return _inputs(mask)


def _weights(result: Attention, *_inputs: Tensor | None) -> LabelledMap:
    return LabelledMap(result.weights, WORDS, WORDS, mask=result.mask)


SENTENCE = Example(
    N_("Six words with random queries, keys and values of 64 numbers each, no mask."), _inputs, _weights
)
CAUSAL = Example(
    N_("Six words with random queries, keys and values of 64 numbers each, under the causal mask."),
    lambda: _inputs(causal_mask(len(WORDS))),
    _weights,
)
PADDED = Example(
    N_("Six words, causal mask; the first is padding and sees nothing. An empty cell is not a number."),
    _padded_inputs,
    _weights,
)


def largest(numbers: Tensor) -> float:
    """Return the largest absolute value; NaN if any number is NaN."""
    return float(numbers.abs().max())


SUMS = MustHold(
    ROWS_SUM_TO_ONE,
    N_("largest distance of a row's sum from 1"),
    lambda result, *_inputs: largest(result.weights.sum(dim=-1) - 1),
    most=1e-9,
)
MASKED = MustHold(
    MASKED_IS_ZERO,
    N_("largest weight of a masked key"),
    lambda result, _query, _key, _value, mask: largest(result.weights[~mask]),
    most=0.0,
)
AS_TORCH = MustHold(
    SAME_AS_TORCH,
    N_("largest distance from it"),
    lambda result, *inputs: largest(result.output - F.scaled_dot_product_attention(*inputs)),
    most=1e-9,
)
FINITE = MustHold(
    ALL_FINITE,
    N_("weights and outputs that are not"),
    lambda result, *_inputs: float((~result.weights.isfinite()).sum() + (~result.output.isfinite()).sum()),
    most=0.0,
)


_mistake = partial(Mistake, right=scaled_dot_product_attention, check=SUMS, example=SENTENCE)

ATTENTION_MISTAKES = mistakes_by_name(
    _mistake(
        "softmax-over-queries",
        N_("The softmax runs down the columns, over queries, and not along the rows, over keys."),
        N_("Queries then compete for keys: one may get almost nothing, another several times a whole."),
        broken=softmax_over_queries,
    ),
    _mistake(
        "softmax-over-the-map",
        N_("One softmax runs over the whole map, over all pairs of query and key at once."),
        N_("All weights together then sum to one: a query gets what the others leave it."),
        broken=softmax_over_the_map,
    ),
    _mistake(
        "no-scale",
        N_("The scores go into the softmax without the division by sqrt(d_k)."),
        N_("Their variance grows with d_k, the softmax saturates, and its gradient dies."),
        broken=no_scale,
        check=AS_TORCH,
    ),
    _mistake(
        "constant-scale",
        N_("The scores are divided by sqrt(2), whatever the width d_k."),
        N_("This keeps their variance at one for d_k = 2 only; at any other width it is off."),
        broken=constant_scale,
        check=AS_TORCH,
    ),
    _mistake(
        "mask-after-softmax",
        N_("Masked weights are set to zero after the softmax."),
        N_("The masked keys have taken their share already: what is left sums to less than one."),
        broken=mask_after_softmax,
        example=CAUSAL,
    ),
    _mistake(
        "zero-for-minus-infinity",
        N_("Masked scores are set to 0 in place of -inf."),
        N_("exp(0) = 1: a masked key keeps weight, more than a visible one with a negative score."),
        broken=zero_for_minus_infinity,
        check=MASKED,
        example=CAUSAL,
    ),
    _mistake(
        "mask-added",
        N_("A mask of ones and zeros is added to the scores, as if it held 0 and -inf."),
        N_("A visible key is then favoured by a factor of e = 2.72 over a masked one, and no more."),
        broken=mask_added,
        check=MASKED,
        example=CAUSAL,
    ),
    _mistake(
        "mask-turned-round",
        N_("A mask whose True means keep is read by code in which True means block."),
        N_("Each query sees just what it should not: under a causal mask, the future."),
        broken=mask_turned_round,
        check=MASKED,
        example=CAUSAL,
    ),
    _mistake(
        "unguarded-softmax",
        N_("A row in which every key is masked goes through the softmax as it is."),
        N_("Its exponentials sum to 0, and 0/0 is NaN, which spreads to all that is computed from it."),
        broken=unguarded_softmax,
        check=FINITE,
        example=PADDED,
    ),
)
"""Mistakes within one head by name, read-only.

>>> query = torch.eye(3, dtype=torch.float64)
>>> ATTENTION_MISTAKES["mask-after-softmax"].broken(query, query, query, causal_mask(3)).weights.sum(dim=-1)
tensor([0.4711, 0.7355, 1.0000], dtype=torch.float64)
"""
