from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from attn_core import (
    block_sparse_mask,
    causal_mask,
    dilated_mask,
    global_local_mask,
    packed_mask,
    padding_mask,
    prefix_mask,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from tests.core.kinds import Draw, Refuses


def by_rule(n_query: int, n_key: int, rule: Callable[[int, int], bool]) -> Tensor:
    return torch.tensor([[rule(i, j) for j in range(n_key)] for i in range(n_query)])


@pytest.mark.parametrize(("n_query", "n_key"), [(5, 5), (5, 7), (7, 5), (1, 3)])
def test_causal(n_query: int, n_key: int) -> None:
    assert torch.equal(causal_mask(n_query, n_key), by_rule(n_query, n_key, lambda i, j: j <= i))


@pytest.mark.parametrize(("n_query", "n_key"), [(5, 7), (7, 5)])
def test_causal_mask_equals_torch(n_query: int, n_key: int, draw: Draw) -> None:
    query, key, value = draw(n_query, 3), draw(n_key, 3), draw(n_key, 2)
    torchs = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    ours = scaled_dot_product_attention(query, key, value, causal_mask(n_query, n_key)).output
    torch.testing.assert_close(ours, torchs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("lengths", [[2, 0, 5], (2, 0, 5), torch.tensor([2, 0, 5])])
def test_padding(lengths: Any) -> None:
    mask = padding_mask(lengths, 5)
    assert mask.shape == (3, 1, 5)
    assert mask.int().tolist() == [[[1, 1, 0, 0, 0]], [[0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1]]]


def test_padding_mask_hides_the_end(draw: Draw) -> None:
    x = draw(3, 5, 7)
    whole = scaled_dot_product_attention(x, x, x, padding_mask([2, 0, 5], 5))
    torch.testing.assert_close(
        whole.output[0], scaled_dot_product_attention(x[0], x[0, :2], x[0, :2]).output, rtol=0, atol=1e-10
    )
    assert (whole.output[1] == 0).all()


@given(st.integers(1, 9), st.integers(0, 10), st.booleans())
def test_sliding_window(n: int, window: int, is_causal: bool) -> None:
    expected = by_rule(n, n, lambda i, j: abs(i - j) <= window and (j <= i or not is_causal))
    assert torch.equal(sliding_window_mask(n, window, is_causal=is_causal), expected)


@given(st.integers(1, 12), st.integers(0, 5), st.integers(1, 4))
def test_dilated(n: int, window: int, dilation: int) -> None:
    neighbours = {dilation * step for step in range(-window, window + 1)}
    assert torch.equal(dilated_mask(n, window, dilation), by_rule(n, n, lambda i, j: i - j in neighbours))


def test_dilated_mask_of_one_is_sliding_window() -> None:
    assert torch.equal(dilated_mask(11, 3, 1), sliding_window_mask(11, 3))


@pytest.mark.parametrize("places", [[1, 6], torch.tensor([1, 6])])
def test_global_local(places: Any) -> None:
    expected = by_rule(7, 7, lambda i, j: abs(i - j) <= 2 or i in (1, 6) or j in (1, 6))
    assert torch.equal(global_local_mask(7, 2, places), expected)


@given(st.integers(1, 20), st.integers(1, 7), st.integers(0, 3), st.integers(0, 99))
def test_block_sparse(n: int, block_size: int, random_blocks: int, seed: int) -> None:
    n_block = -(-n // block_size)
    random_blocks = min(random_blocks, n_block - 1)
    mask = block_sparse_mask(n, block_size, random_blocks, seed=seed)
    assert mask.shape == (n, n)
    for row in range(n_block):
        rows = mask[row * block_size : (row + 1) * block_size]
        seen = [rows[:, col * block_size : (col + 1) * block_size] for col in range(n_block)]
        assert all(block.all() or not block.any() for block in seen)
        assert seen[row].all()
        assert sum(bool(block.any()) for block in seen) == 1 + random_blocks


def test_block_sparse_mask_depends_on_seed_alone() -> None:
    state = torch.get_rng_state()
    first = block_sparse_mask(40, 4, 2, seed=1)
    assert torch.equal(first, block_sparse_mask(40, 4, 2, seed=1))
    assert not torch.equal(first, block_sparse_mask(40, 4, 2, seed=2))
    assert torch.equal(state, torch.get_rng_state())


@given(st.integers(1, 9), st.data())
def test_prefix(n: int, data: st.DataObject) -> None:
    prefix = data.draw(st.integers(0, n))
    assert torch.equal(prefix_mask(n, prefix), by_rule(n, n, lambda i, j: j <= i or j < prefix))


def test_ends_of_the_prefix() -> None:
    assert torch.equal(prefix_mask(5, 0), causal_mask(5, 5))
    assert prefix_mask(5, 5).all()


@pytest.mark.parametrize("lengths", [[2, 3], [1, 0, 4], [5], [0, 5]])
def test_packed_mask_leaves_each_text_as_if_alone(lengths: list[int], draw: Draw) -> None:
    text = [number for number, length in enumerate(lengths) for _ in range(length)]
    mask = packed_mask(lengths)
    assert torch.equal(mask, by_rule(5, 5, lambda i, j: j <= i and text[i] == text[j]))
    query, key, value = draw(5, 3), draw(5, 3), draw(5, 2)
    output = scaled_dot_product_attention(query, key, value, mask).output
    torchs = F.scaled_dot_product_attention(query, key, value, mask)
    torch.testing.assert_close(output, torchs, rtol=0, atol=1e-10)
    alone = [
        F.scaled_dot_product_attention(*each, is_causal=True)
        for each in zip(*(part.split(lengths) for part in (query, key, value)), strict=True)
    ]
    torch.testing.assert_close(output, torch.cat(alone), rtol=0, atol=1e-10)


def test_masks_refusals_say_what_came(refuses: Refuses) -> None:
    with refuses("n_query must be a whole number >= 1; got 0"):
        causal_mask(0)
    with refuses("n_key must be a whole number >= 1; got 2.0"):
        causal_mask(3, 2.0)  # type: ignore[arg-type]  # wrong on purpose
    with refuses(r"lengths must be whole numbers from 0 to n_key = 5; got \[2, 6\]"):
        padding_mask([2, 6], 5)
    with refuses("lengths must be whole numbers"):
        padding_mask([2.5], 5)  # type: ignore[list-item]  # wrong on purpose
    with refuses("window must be a whole number >= 0; got -1"):
        sliding_window_mask(5, -1)
    with refuses("dilation must be a whole number >= 1; got 0"):
        dilated_mask(5, 1, 0)
    with refuses("each of global_positions must be a whole number from 0 to 4; got 5"):
        global_local_mask(5, 1, [5])
    with refuses(r"random_blocks \(n = 6 has 3 blocks of 2\) must be a whole number from 0 to 2; got 3"):
        block_sparse_mask(6, 2, 3, seed=0)
    with refuses("seed must be a whole number >= 0; got -1"):
        block_sparse_mask(6, 2, 1, seed=-1)
    with refuses("prefix must be a whole number from 0 to 5; got 6"):
        prefix_mask(5, 6)
    with refuses("each of lengths must be a whole number >= 0; got -1"):
        packed_mask([3, -1])
