"""The block around attention: against layers written out, its invariants, what it refuses."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest
import torch
from torch import nn

from attn_core import MultiHeadAttention, causal_mask, repeat_block, token_similarity

DTYPE = torch.float64
Refusal = Callable[[str], AbstractContextManager[None]]


def layers(count: int, d_model: int = 6, heads: int = 3) -> list[MultiHeadAttention]:
    return [MultiHeadAttention(d_model, heads, seed=seed, dtype=DTYPE) for seed in range(count)]


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(5, 6, generator=torch.Generator().manual_seed(2), dtype=DTYPE)


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("norm", ["none", "before", "after"])
def test_repeat_block_equals_torch_modules(x: torch.Tensor, residual: bool, norm: str) -> None:
    stack = layers(4)
    mask = causal_mask(5)
    states = repeat_block(stack, x, mask, residual=residual, norm=norm)
    normalise = nn.LayerNorm(6, elementwise_affine=False, dtype=DTYPE)
    state = x
    for layer, got in zip(stack, states[1:], strict=True):
        entering = normalise(state) if norm == "before" else state
        attended, _ = layer.to_torch()(entering, entering, entering, attn_mask=~mask)
        state = state * residual + attended
        state = normalise(state) if norm == "after" else state
        torch.testing.assert_close(got, state, atol=1e-10, rtol=0)


def test_norm_after_fixes_row_lengths(x: torch.Tensor) -> None:
    states = repeat_block(layers(7), x, norm="after")
    lengths = states[1:].norm(dim=-1)
    torch.testing.assert_close(lengths, torch.full_like(lengths, math.sqrt(6)), atol=1e-3, rtol=0)


def test_without_residual_tokens_become_alike(x: torch.Tensor) -> None:
    similarity = token_similarity(repeat_block(layers(12), x, residual=False, norm="none"))
    assert similarity[0] < 0.5
    assert similarity[-1] > 0.999


def test_similarity_is_the_mean_cosine_of_pairs(x: torch.Tensor) -> None:
    cosines = [
        float(nn.functional.cosine_similarity(x[i], x[j], dim=0))
        for i in range(5)
        for j in range(5)
        if i != j
    ]
    assert float(token_similarity(x)) == pytest.approx(sum(cosines) / len(cosines), abs=1e-12)
    assert float(token_similarity(x[:1])) == 1.0


def test_repeat_block_refuses_misfits(x: torch.Tensor, refuses: Refusal) -> None:
    with refuses("norm must be one of 'none', 'before', 'after'; got 'both'"):
        repeat_block(layers(1), x, norm="both")
    wide = MultiHeadAttention(6, 3, d_head=4, output_projection=False, dtype=DTYPE)
    with refuses("give back width d_model = 6; got 12"):
        repeat_block([wide], x)
    with refuses(r"\(\*batch, n, d_model\); got \(6,\)"):
        token_similarity(x[0])


def test_similarity_leaves_out_rows_of_zeros(x: torch.Tensor) -> None:
    holed = x.clone()
    holed[[1, 3]] = 0
    rows = holed[[0, 2, 4]].numpy()
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert float(token_similarity(holed)) == pytest.approx((np.sum(rows @ rows.T) - 3) / 6, abs=1e-12)
    assert token_similarity(torch.stack([x[:2] * torch.tensor([[0.0], [1.0]]), 0 * x[:2]])).isnan().all()
