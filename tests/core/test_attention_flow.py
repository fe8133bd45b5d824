"""Rollout, weighted values and sinks against naive loops."""

import pytest
import torch

from attn_core import MultiHeadAttention
from attn_core.attention_flow import (
    attention_rollout,
    drop_keys,
    find_sinks,
    sink_shares,
    weighted_value_norms,
)


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def test_rollout_is_the_sum_over_all_paths() -> None:
    weights = draw(3, 4, 4).softmax(-1)
    mixed = 0.5 * weights + 0.5 * torch.eye(4, dtype=torch.float64)
    rolled = attention_rollout(weights)
    for i in range(4):
        for j in range(4):
            paths = [
                float(mixed[2, i, a] * mixed[1, a, b] * mixed[0, b, j]) for a in range(4) for b in range(4)
            ]
            assert float(rolled[2, i, j]) == pytest.approx(sum(paths), abs=1e-12)
    torch.testing.assert_close(rolled.sum(-1), torch.ones(3, 4, dtype=torch.float64))
    torch.testing.assert_close(rolled[0], mixed[0])


def test_rollout_of_zeros_keeps_own_place() -> None:
    assert attention_rollout(torch.zeros(2, 3, 3)).tolist() == [torch.eye(3).tolist()] * 2
    assert not attention_rollout(torch.zeros(1, 3, 3), residual=0.0).any()


@pytest.mark.parametrize("shape", [(3, 3), (0, 3, 3), (2, 3, 4)])
def test_rollout_takes_square_maps(shape: tuple[int, ...]) -> None:
    with pytest.raises((ValueError, TypeError)):
        attention_rollout(torch.zeros(*shape))


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("projected", [True, False])
def test_norms_are_those_of_the_vectors(kv_heads: int, projected: bool) -> None:
    module = MultiHeadAttention(
        12, 4, num_kv_heads=kv_heads, seed=2, dtype=torch.float64, output_projection=projected
    ).requires_grad_(False)
    stages = module(draw(5, 12), is_causal=True)
    found = weighted_value_norms(stages)
    for head in range(4):
        value = stages.value[head * kv_heads // 4]
        for i in range(5):
            for j in range(5):
                vector = stages.weights[head, i, j] * value[j]
                if stages.output_weight is not None:
                    vector = stages.output_weight[:, head * 3 : head * 3 + 3] @ vector
                assert float(found[head, i, j]) == pytest.approx(float(vector.norm()), abs=1e-12)


def test_weighted_values_sum_to_head_output() -> None:
    stages = MultiHeadAttention(6, 1, seed=1, dtype=torch.float64).requires_grad_(False)(draw(4, 6))
    total = stages.contributions[0].norm(dim=-1)
    assert (weighted_value_norms(stages)[0].sum(-1) >= total - 1e-12).all()  # the triangle inequality


def test_find_sinks_by_weight_of_others() -> None:
    weights = draw(2, 6, 6).softmax(-1)
    weights[0, :, 2] = 2.0
    weights /= weights.sum(-1, keepdim=True)
    for each in weights:
        for j in range(6):
            share = sum(float(each[i, j]) for i in range(6) if i != j) / 5
            assert float(sink_shares(each)[j]) == pytest.approx(share)
            assert bool(find_sinks(each)[j]) == (share >= 1 / 3)  # twice an even share is more than 0.3
    assert find_sinks(weights[0]).tolist() == [False, False, True, False, False, False]


def test_few_tokens_have_no_sink() -> None:
    for n in range(1, 7):
        assert not find_sinks(torch.full((n, n), 1 / n)).any()


def test_aside_leaves_rows_of_one() -> None:
    weights = draw(3, 5, 5).softmax(-1)
    sinks = torch.tensor([True, False, False, True, False]).expand(3, 5)
    rest = drop_keys(weights, sinks)
    torch.testing.assert_close(rest.sum(-1), torch.ones(3, 5, dtype=torch.float64))
    assert not rest[..., [0, 3]].any()
    torch.testing.assert_close(rest[..., 1] / rest[..., 2], weights[..., 1] / weights[..., 2])
