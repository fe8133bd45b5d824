"""Attention by tiles and by a state, against torch, loops and the parallel form."""

import math

import pytest
import torch
import torch.nn.functional as F

from attn_core import causal_mask, linear_attention_steps, score_attention, tiled_attention


def random_inputs(n: int, width: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    query, key, value = 3 * torch.randn(3, n, width, generator=generator, dtype=torch.float64)
    return query, key, value


@pytest.mark.parametrize(("n", "size"), [(1, 1), (5, 2), (6, 2), (9, 4), (7, 20)])
def test_tile_output_equals_attention_to_keys_so_far(n: int, size: int) -> None:
    query, key, value = random_inputs(n, 4, n)
    tiles = tiled_attention(query, key, value, size)
    assert [tile.start for tile in tiles] == list(range(0, n, size))
    for tile in tiles:
        end = tile.start + size
        theirs = F.scaled_dot_product_attention(query, key[:end], value[:end])
        torch.testing.assert_close(tile.output, theirs, rtol=1e-12, atol=1e-12)
        scores = (query @ key[:end].mT / 2).tolist()
        for row, maximum, total in zip(scores, tile.maximum.tolist(), tile.total.tolist(), strict=True):
            assert maximum == pytest.approx(max(row), abs=1e-12)
            assert total == pytest.approx(math.fsum(math.exp(score - max(row)) for score in row), rel=1e-12)


def test_tiled_attention_of_huge_scores_is_finite() -> None:
    query, key, value = (1000 * each for each in random_inputs(6, 4, 0))
    output = tiled_attention(query, key, value, 2)[-1].output
    torch.testing.assert_close(
        output, F.scaled_dot_product_attention(query, key, value), rtol=1e-9, atol=1e-9
    )


def test_tiled_attention_refuses_size_zero() -> None:
    with pytest.raises(ValueError, match="size"):
        tiled_attention(*random_inputs(3, 2, 0), 0)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_linear_steps_equal_parallel_form(n: int) -> None:
    query, key, value = random_inputs(n, 3, n)
    steps = linear_attention_steps(query, key, value)
    written = torch.stack([step.output for step in steps])
    parallel = score_attention("linear", query, key, value, causal_mask(n)).output
    torch.testing.assert_close(written, parallel, rtol=1e-12, atol=1e-12)
    features = F.elu(key) + 1
    for at, step in enumerate(steps):
        seen = slice(0, at + 1)
        torch.testing.assert_close(step.state, torch.einsum("nk,nv->kv", features[seen], value[seen]))
        torch.testing.assert_close(step.normaliser, features[seen].sum(0))
