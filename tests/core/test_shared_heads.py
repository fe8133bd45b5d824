"""Heads that share keys and values, the cache, the latent form: each against torch or the whole."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import (
    KVCache,
    LatentAttention,
    MultiHeadAttention,
    causal_mask,
    decode_step,
    decoding_cost,
    multi_head_size,
    scaled_dot_product_attention,
)

Draw = Callable[..., Tensor]


@pytest.mark.parametrize("num_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("causal", [False, True])
def test_shared_heads_are_those_of_torch(num_kv_heads: int, causal: bool, draw: Draw) -> None:
    query, key, value = draw(2, 6, 5, 7), draw(2, num_kv_heads, 5, 7), draw(2, num_kv_heads, 5, 3)
    ours = scaled_dot_product_attention(query, key, value, is_causal=causal, enable_gqa=True)
    theirs = F.scaled_dot_product_attention(query, key, value, is_causal=causal, enable_gqa=True)
    torch.testing.assert_close(ours.output, theirs, atol=1e-13, rtol=0)


@pytest.mark.parametrize("num_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("bias", [False, True])
def test_shared_heads_equal_single_heads(num_kv_heads: int, bias: bool, draw: Draw) -> None:
    module = MultiHeadAttention(
        11, 6, d_head=5, num_kv_heads=num_kv_heads, bias=bias, d_key=13, d_value=13, seed=3,
        dtype=torch.float64,
    ).requires_grad_(False)  # fmt: skip
    x, memory = draw(4, 11), draw(7, 13)
    result = module(x, memory)
    for head in range(6):
        group = head * num_kv_heads // 6
        own, shared = slice(head * 5, head * 5 + 5), slice(group * 5, group * 5 + 5)
        q, k, v = (
            F.linear(y, linear.weight[rows], linear.bias[rows] if bias else None)
            for y, linear, rows in (
                (x, module.W_q, own), (memory, module.W_k, shared), (memory, module.W_v, shared)
            )
        )  # fmt: skip
        expected = (q @ k.T / 5**0.5).softmax(dim=-1) @ v
        torch.testing.assert_close(result.heads[head], expected, atol=1e-13, rtol=0)
    torch.testing.assert_close(module.fast(x, memory), result.output, atol=1e-13, rtol=0)
    counted = multi_head_size(4, 7, 11, 6, 5, bias=bias, d_key=13, num_kv_heads=num_kv_heads)
    assert counted.parameters == sum(each.numel() for each in module.parameters())


def test_pool_key_heads_takes_the_mean(draw: Draw) -> None:
    module = MultiHeadAttention(12, 6, seed=3, dtype=torch.float64).requires_grad_(False)
    x = draw(5, 12)
    _, key, value = module.project(x)
    _, pooled_key, pooled_value = module.pool_key_heads(2).project(x)
    torch.testing.assert_close(pooled_key[0], (key[0] + key[1] + key[2]) / 3)
    torch.testing.assert_close(pooled_value[1], (value[3] + value[4] + value[5]) / 3)
    torch.testing.assert_close(module.pool_key_heads(6)(x).output, module(x).output, atol=1e-14, rtol=0)
    assert (module.pool_key_heads(1)(x).output - module(x).output).abs().max() > 1e-3


def test_key_heads_must_divide_heads(draw: Draw) -> None:
    with pytest.raises(ValueError, match=r"num_heads = 6 and num_kv_heads = 4; these divide: 1, 2, 3, 6"):
        MultiHeadAttention(12, 6, num_kv_heads=4)
    with pytest.raises(ValueError, match="num_kv_heads must divide num_heads"):
        scaled_dot_product_attention(draw(4, 2, 3), draw(3, 2, 3), draw(3, 2, 3), enable_gqa=True)
    with pytest.raises(ValueError, match="an axis of heads"):
        scaled_dot_product_attention(draw(2, 3), draw(2, 3), draw(2, 3), enable_gqa=True)
    with pytest.raises(ValueError, match="num_kv_heads = num_heads; got 2 and 6"):
        MultiHeadAttention(12, 6, num_kv_heads=2).to_torch()


@pytest.mark.parametrize("num_kv_heads", [1, 2, 4])
@pytest.mark.parametrize("bias", [False, True])
def test_token_by_token_is_the_causal_whole(num_kv_heads: int, bias: bool, draw: Draw) -> None:
    module = MultiHeadAttention(12, 4, num_kv_heads=num_kv_heads, bias=bias, seed=5, dtype=torch.float64)
    x = draw(2, 7, 12)
    full = module(x, is_causal=True)
    kept: KVCache | None = None
    for t in range(7):
        stages, kept = decode_step(module, x[:, t : t + 1], kept)
        torch.testing.assert_close(stages.output[:, 0], full.output[:, t], atol=1e-13, rtol=0)
        torch.testing.assert_close(
            stages.weights[..., 0, :], full.weights[..., t, : t + 1], atol=1e-13, rtol=0
        )
        assert len(kept) == t + 1
        cost = decoding_cost(t, 12, 4, 3, num_kv_heads=num_kv_heads, bias=bias)
        assert kept.numbers == 2 * cost.cache_numbers  # a batch of two


def test_decode_step_refuses_misfits(draw: Draw) -> None:
    module = MultiHeadAttention(12, 4, dtype=torch.float64)
    with pytest.raises(ValueError, match=r"one token, \(\*batch, 1, 12\); got \(2, 12\)"):
        decode_step(module, draw(2, 12))
    with pytest.raises(ValueError, match=r"kv_cache.key must be \(4, 3, 3\); got \(2, 3, 3\)"):
        decode_step(module, draw(1, 12), KVCache(draw(2, 3, 3), draw(2, 3, 3)))


def test_costs_are_those_of_a_count_by_hand() -> None:
    n, d_model, heads, groups, d = 5, 6, 4, 2, 3

    def by_loops(rows: int, seen: list[int]) -> int:
        flops = 0
        for _ in range(rows):
            for width in (heads * d, groups * d, groups * d):
                flops += width * (2 * d_model + 1)
            flops += d_model * (2 * heads * d + 1)
        for n_key in seen:
            flops += heads * n_key * (2 * d + 5 + 2 * d)
        return flops

    cost = decoding_cost(n - 1, d_model, heads, d, num_kv_heads=groups, bias=True)
    assert cost.cached_flops == by_loops(1, [n])
    assert cost.uncached_flops == by_loops(n, [1, 2, 3, 4, 5])
    assert cost.cache_numbers == 2 * groups * d * n


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("given", ["no mask", "a mask", "biases"])
def test_absorbed_form_equals_expanded(bias: bool, given: str, draw: Draw) -> None:
    module = MultiHeadAttention(12, 4, bias=bias, seed=5, dtype=torch.float64).requires_grad_(False)
    x = draw(6, 12)
    masks = {"no mask": None, "a mask": causal_mask(6), "biases": draw(4, 6, 6)}
    mask = masks[given]
    if mask is not None:
        mask[..., 2, :] = False if mask.dtype == torch.bool else -torch.inf
    for d_latent in (1, 3, 12):
        latent = LatentAttention.from_multi_head(module, d_latent)
        expanded = latent.attend_expanded(x, attn_mask=mask)
        weights, output = latent.attend_absorbed(x, attn_mask=mask)
        torch.testing.assert_close(weights, expanded.weights, atol=1e-13, rtol=0)
        torch.testing.assert_close(output, expanded.output, atol=1e-13, rtol=0)
        assert tuple(latent.latent(x).shape) == (6, d_latent)
    torch.testing.assert_close(output, module(x, attn_mask=mask).output, atol=1e-13, rtol=0)


def test_latent_is_the_nearest_of_its_rank(draw: Draw) -> None:
    module = MultiHeadAttention(12, 4, bias=False, seed=5, dtype=torch.float64).requires_grad_(False)
    both = torch.cat([module.W_k.weight, module.W_v.weight])
    singular = torch.linalg.svdvals(both)
    for d_latent in (1, 5, 11):
        latent = LatentAttention.from_multi_head(module, d_latent)
        ups = torch.cat([latent.up_key.flatten(0, 1), latent.up_value.flatten(0, 1)])
        cut = LatentAttention.from_multi_head(module, 12).truncate(d_latent)
        assert torch.equal(cut.up_value, latent.up_value)
        missed = torch.linalg.matrix_norm(both - ups @ latent.down)
        torch.testing.assert_close(missed, singular[d_latent:].square().sum().sqrt())
    with pytest.raises(ValueError, match="d_latent must be a whole number from 1 to 12; got 13"):
        LatentAttention.from_multi_head(module, 13)
    with pytest.raises(ValueError, match="num_kv_heads=2"):
        LatentAttention.from_multi_head(MultiHeadAttention(12, 4, num_kv_heads=2), 2)
