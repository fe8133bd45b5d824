"""Positions, biases and temperature in many heads, against loops over single numbers and torch."""

import cmath
import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import (
    Alibi,
    BiasScheme,
    KVCache,
    LatentAttention,
    MultiHeadAttention,
    RelativeBuckets,
    Rotary,
    compare,
    decode_step,
    make_scheme,
)

N, D_MODEL, HEADS, D_HEAD = 5, 12, 3, 4
ROTARY = Rotary(strength=0.7, base=50.0)


def words(n: int = N) -> Tensor:
    return torch.randn(n, D_MODEL, generator=torch.Generator().manual_seed(11), dtype=torch.float64)


def module(**more: Any) -> MultiHeadAttention:
    made = MultiHeadAttention(D_MODEL, HEADS, seed=3, dtype=torch.float64, **more)
    return made.requires_grad_(False)


def turned(x: list[float], place: float, base: float) -> list[float]:
    """Turn neighbouring numbers as one complex number each."""
    out = []
    for pair in range(len(x) // 2):
        angle = place * base ** (-2 * pair / len(x))
        number = complex(x[2 * pair], x[2 * pair + 1]) * cmath.exp(1j * angle)
        out += [number.real, number.imag]
    return out


def naive(attention: MultiHeadAttention, x: Tensor, bias: Tensor | None, temperature: float) -> Tensor:
    """Return the weights (n_head, n, n), one number after the other."""
    q, k = (linear(x).tolist() for linear in (attention.W_q, attention.W_k))
    weights = torch.zeros(HEADS, len(x), len(x), dtype=torch.float64)
    for head in range(HEADS):
        own = slice(head * D_HEAD, (head + 1) * D_HEAD)
        for i in range(len(x)):
            row = []
            for j in range(len(x)):
                query = turned(q[i][own], 0.7 * i, 50.0) if attention.rotation else q[i][own]
                key = turned(k[j][own], 0.7 * j, 50.0) if attention.rotation else k[j][own]
                score = sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(D_HEAD) / temperature
                row.append(math.exp(score + (0.0 if bias is None else float(bias[head, i, j]))))
            weights[head, i] = torch.tensor(row, dtype=torch.float64) / sum(row)
    return weights


@pytest.mark.parametrize("temperature", [1.0, 0.4])
@pytest.mark.parametrize("positions", ["none", "rotary", "ALiBi", "buckets"])
def test_heads_with_positions_equal_a_loop(positions: str, temperature: float) -> None:
    rotation = ROTARY if positions == "rotary" else None
    bias = None
    if positions in ("ALiBi", "buckets"):
        scheme = make_scheme(positions, num_heads=HEADS, strength=0.6, seed=2)
        assert isinstance(scheme, BiasScheme)
        bias = scheme.biases(N, N)
    attention = module(rotation=rotation, temperature=temperature)
    result = attention(words(), attn_mask=bias)
    torch.testing.assert_close(
        result.weights, naive(attention, words(), bias, temperature), atol=1e-12, rtol=0
    )
    fused = attention.fast(words(), attn_mask=bias)
    torch.testing.assert_close(result.output, fused, atol=1e-12, rtol=0)
    assert compare("", result.output, module()(words()).output).passed is (
        positions == "none" and temperature == 1.0
    )


def test_rotation_keeps_values_and_first_token() -> None:
    plain, turning = module().project(words()), module(rotation=ROTARY).project(words())
    for without, with_rotation in zip(plain[:2], turning[:2], strict=True):
        torch.testing.assert_close(without[:, 0], with_rotation[:, 0])
        assert float((without[:, 1:] - with_rotation[:, 1:]).abs().min()) > 0
    torch.testing.assert_close(plain[2], turning[2], atol=0, rtol=0)


def test_shared_keys_are_rotated_alike() -> None:
    attention = module(rotation=ROTARY, temperature=2.0)
    whole, shared = attention(words()), attention.pool_key_heads(1)(words())
    torch.testing.assert_close(shared.key[0], whole.key.mean(dim=0), atol=1e-12, rtol=0)
    theirs = F.scaled_dot_product_attention(
        shared.query, shared.key, shared.value, scale=1 / (2 * math.sqrt(D_HEAD)), enable_gqa=True
    )
    torch.testing.assert_close(shared.heads, theirs, atol=1e-12, rtol=0)


@pytest.mark.parametrize("positions", ["rotary", "buckets"])
def test_decoding_with_positions_equals_full_run(positions: str) -> None:
    attention = module(rotation=ROTARY if positions == "rotary" else None, temperature=0.5)
    bias = RelativeBuckets(num_heads=HEADS).biases(N, N) if positions == "buckets" else None
    whole = attention(words(), attn_mask=bias, is_causal=True)
    cache: KVCache | None = None
    for place, token in enumerate(words()):
        own = None if bias is None else bias[:, place : place + 1, : place + 1]
        row, cache = decode_step(attention, token[None], cache, bias=own)
        torch.testing.assert_close(row.output[0], whole.output[place], atol=1e-12, rtol=0)
    assert cache is not None
    torch.testing.assert_close(cache.key, whole.key, atol=1e-12, rtol=0)


def test_latent_attention_takes_bias_and_temperature_not_rotation() -> None:
    bias = Alibi(num_heads=HEADS).biases(N, N)
    attention = module(temperature=0.3)
    latent = LatentAttention.from_multi_head(attention, D_MODEL)
    weights, output = latent.attend_absorbed(words(), attn_mask=bias)
    right = attention(words(), attn_mask=bias)
    torch.testing.assert_close(weights, right.weights, atol=1e-10, rtol=0)
    torch.testing.assert_close(output, right.output, atol=1e-10, rtol=0)
    with pytest.raises(ValueError, match="got the rotation rotary"):
        LatentAttention.from_multi_head(module(rotation=ROTARY), D_MODEL)


def test_rotation_and_temperature_refuse_misfits() -> None:
    with pytest.raises(ValueError, match="even d_head; got 3"):
        MultiHeadAttention(12, 4, rotation=ROTARY)
    with pytest.raises(ValueError, match="temperature must be a finite number > 0"):
        MultiHeadAttention(12, 4, temperature=0.0)
    with pytest.raises(ValueError, match="got rotation rotary and temperature 1"):
        module(rotation=ROTARY).to_torch()
    with pytest.raises(ValueError, match="got rotation none and temperature 2"):
        module(temperature=2.0).to_torch()


@pytest.mark.parametrize("temperature", [0.3, 2.5])
@pytest.mark.parametrize("rotation", [None, Rotary(base=50.0)])
def test_attending_with_is_a_module_made_so(rotation: Rotary | None, temperature: float) -> None:
    x = torch.randn(5, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    first = MultiHeadAttention(12, 3, rotation=Rotary(), temperature=7.0, seed=4, dtype=torch.float64)
    before = first(x).output
    made = MultiHeadAttention(12, 3, rotation=rotation, temperature=temperature, seed=4, dtype=torch.float64)
    other = first.with_settings(rotation=rotation, temperature=temperature)
    assert torch.equal(other(x).output, made(x).output)
    assert not torch.equal(other(x).output, before)
    other.W_q = other.W_k
    assert torch.equal(first(x).output, before)


def test_with_settings_refuses_what_init_refuses() -> None:
    odd = MultiHeadAttention(9, 3)
    with pytest.raises(ValueError, match="even d_head; got 3"):
        odd.with_settings(rotation=Rotary())
    with pytest.raises(ValueError, match=r"temperature must be a finite number > 0; got 0\.0"):
        odd.with_settings(temperature=0.0)


@pytest.mark.parametrize(("d_head", "shared_width"), [(None, 12), (5, 20)])
def test_with_settings_heads_equal_a_new_module(d_head: int | None, shared_width: int) -> None:
    x = torch.randn(5, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    one = MultiHeadAttention(12, 1 if d_head is None else 4, d_head=d_head, seed=4, dtype=torch.float64)
    for heads in (count for count in range(1, shared_width + 1) if shared_width % count == 0):
        made = MultiHeadAttention(12, heads, d_head=shared_width // heads, seed=4, dtype=torch.float64)
        other = one.with_settings(num_heads=heads, temperature=2.0)
        assert torch.equal(other(x).output, made.with_settings(temperature=2.0)(x).output)
        assert (other.num_heads, other.num_kv_heads, other.d_head) == (heads, heads, made.d_head)
        assert other.W_v is one.W_v
    with pytest.raises(ValueError, match=f"must divide the width of all heads, {shared_width}; got 8"):
        one.with_settings(num_heads=8)
    with pytest.raises(ValueError, match="num_heads must be"):
        one.with_settings(num_heads=0)
    with pytest.raises(ValueError, match="4 heads share those of 2 here"):
        MultiHeadAttention(12, 4, num_kv_heads=2).with_settings(num_heads=2)
