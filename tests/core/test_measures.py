import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from attn_core import (
    attention_cost,
    attention_distance,
    causal_mask,
    diagonal_score,
    effective_keys,
    effective_rank,
    entropy,
    first_token_score,
    head_similarity,
    linear_attention_cost,
    linear_attention_steps,
    next_token_score,
    previous_token_score,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from tests.core.kinds import Draw, Refuses


def uniform(*shape: int) -> Tensor:
    return torch.full(shape, 1 / shape[-1], dtype=torch.float64)


@pytest.fixture
def weights(draw: Draw) -> Tensor:
    return torch.softmax(3 * draw(2, 3, 5, 7), dim=-1)


class TestEntropy:
    def test_equals_naive_loops(self, weights: Tensor) -> None:
        expected = [[sum(-w * math.log(w) for w in row) for row in weights[1, 2].tolist()]]
        torch.testing.assert_close(entropy(weights)[1, 2], torch.tensor(expected[0], dtype=torch.float64))

    def test_ends(self) -> None:
        one_key = torch.eye(5, 7, dtype=torch.float64)
        assert entropy(one_key).tolist() == [0.0] * 5
        assert effective_keys(one_key).tolist() == [1.0] * 5
        torch.testing.assert_close(
            entropy(uniform(5, 7)), torch.full((5,), math.log(7)).double(), rtol=0, atol=1e-7
        )
        torch.testing.assert_close(effective_keys(uniform(5, 7)), torch.full((5,), 7.0).double())

    def test_effective_keys_of_zeros_is_zero(self) -> None:
        zeros = torch.zeros(1, 7, dtype=torch.float64)
        assert entropy(zeros).item() == 0
        assert effective_keys(zeros).item() == 0

    @given(st.integers(1, 20), st.floats(0.01, 50), st.integers(0, 2**31))
    def test_effective_keys_lie_between_one_and_all(self, n_key: int, sharpness: float, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        row = torch.softmax(
            sharpness * torch.randn(1, n_key, generator=generator, dtype=torch.float64), dim=-1
        )
        assert 1 - 1e-9 <= effective_keys(row).item() <= n_key * (1 + 1e-9)


class TestPlaces:
    def test_distance_equals_naive_loops(self, weights: Tensor) -> None:
        one = weights[1, 2].tolist()
        expected = sum(one[i][j] * abs(i - j) for i in range(5) for j in range(7)) / 5
        assert attention_distance(weights).shape == (2, 3)
        assert attention_distance(weights)[1, 2].item() == pytest.approx(expected)

    def test_distance_leaves_out_rows_of_zeros(self) -> None:
        weights = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
        assert attention_distance(weights).item() == 1.0
        assert attention_distance(torch.zeros(2, 2)).item() == 0.0

    def test_scores_of_pure_heads(self) -> None:
        diagonal = torch.eye(5)
        previous = torch.zeros(5, 5)
        previous[0, 0] = 1
        previous[torch.arange(1, 5), torch.arange(4)] = 1
        assert diagonal_score(diagonal).item() == previous_token_score(previous).item() == 1
        assert diagonal_score(previous).item() == pytest.approx(0.2)
        assert previous_token_score(diagonal).item() == 0
        assert attention_distance(diagonal).item() == 0
        assert attention_distance(previous).item() == pytest.approx(0.8)

    def test_scores_equal_naive_loops(self, weights: Tensor) -> None:
        one = weights[1, 2]
        assert diagonal_score(weights)[1, 2].item() == pytest.approx(
            sum(one[i, i].item() for i in range(5)) / 5
        )
        previous = sum(one[i, i - 1].item() for i in range(1, 5)) / 4
        assert previous_token_score(weights)[1, 2].item() == pytest.approx(previous)
        following = sum(one[i, i + 1].item() for i in range(5)) / 5  # seven keys: every query has one
        assert next_token_score(weights)[1, 2].item() == pytest.approx(following)
        first = sum(one[i, 0].item() for i in range(1, 5)) / 4
        assert first_token_score(weights)[1, 2].item() == pytest.approx(first)

    def test_more_queries_than_keys(self) -> None:
        weights = uniform(7, 5)
        assert diagonal_score(weights).item() == pytest.approx(0.2)
        assert previous_token_score(weights).item() == pytest.approx(0.2)

    def test_one_query_has_no_token_before_it(self) -> None:
        assert previous_token_score(uniform(1, 5)).item() == 0
        assert first_token_score(uniform(1, 5)).item() == 0
        assert next_token_score(uniform(5, 1)).item() == 0


class TestHeadSimilarity:
    def test_equals_naive_loops(self, weights: Tensor) -> None:
        def divergence(p: list[float], r: list[float]) -> float:
            total = 0.0
            for a, b in zip(p, r, strict=True):
                total += 0.5 * (a * math.log2(2 * a / (a + b)) + b * math.log2(2 * b / (a + b)))
            return total

        maps = weights.transpose(0, 1).flatten(1, 2).tolist()  # the rows of each head over all batches
        expected = torch.tensor(
            [
                [1 - sum(divergence(p, r) for p, r in zip(g, h, strict=True)) / len(g) for h in maps]
                for g in maps
            ],
            dtype=torch.float64,
        )
        torch.testing.assert_close(head_similarity(weights), expected, rtol=0, atol=1e-12)

    def test_equal_and_disjoint_heads(self) -> None:
        first, second = torch.tensor([[1.0, 0, 0]]), torch.tensor([[0, 0.5, 0.5]])
        similarity = head_similarity(torch.stack((first, second, first)))
        torch.testing.assert_close(similarity, torch.tensor([[1.0, 0, 1], [0, 1, 0], [1, 0, 1]]))

    def test_rows_of_zeros_are_left_out(self, draw: Draw) -> None:
        mask = torch.ones(5, 7, dtype=torch.bool)
        mask[2] = False
        query, key = draw(3, 5, 2), draw(3, 7, 2)
        masked = scaled_dot_product_attention(query, key, key, mask).weights
        kept = masked[:, mask.any(dim=1)]
        torch.testing.assert_close(head_similarity(masked), head_similarity(kept))
        assert torch.equal(head_similarity(torch.zeros(2, 5, 7)), torch.ones(2, 2))


class TestCost:
    def test_counts_by_hand(self) -> None:
        cost = attention_cost(2, 3, 5, 7, n_head=11, bytes_per_number=4)
        assert cost.pairs == 11 * 6
        assert cost.flops == 11 * 6 * (10 + 5 + 14)
        assert cost.bytes == 4 * 11 * (2 * 5 + 3 * 5 + 3 * 7 + 6 + 2 * 7)

    def test_cost_with_mask_counts_its_pairs(self) -> None:
        full = attention_cost(64, 64, 8, 8)
        causal = attention_cost(64, 64, 8, 8, pairs=int(causal_mask(64).sum()))
        window = attention_cost(64, 64, 8, 8, pairs=int(sliding_window_mask(64, 2).sum()))
        assert full.pairs == 4096
        assert causal.pairs == 64 * 65 // 2
        assert window.pairs == 64 * 5 - 6
        assert window.flops < causal.flops < full.flops
        assert window.bytes < causal.bytes < full.bytes

    def test_cost_of_heads_differs_by_softmax(self) -> None:
        one, eight = attention_cost(16, 16, 64, 64), attention_cost(16, 16, 8, 8, n_head=8)
        assert eight.flops - one.flops == 7 * 5 * 256

    def test_linear_attention_operations_equal_a_count_in_loops(self) -> None:
        n, d_k, d_v, count = 3, 5, 7, 0
        for _token in range(n):
            for _key in range(d_k):
                count += 3  # z added to, and read by a multiply and an add
                for _value in range(d_v):
                    count += 4  # S written, and read
            count += d_v  # divisions
        cost = linear_attention_cost(n, d_k, d_v)
        state = linear_attention_steps(torch.ones(n, d_k), torch.ones(n, d_k), torch.ones(n, d_v))[-1]
        kept = state.state.numel() + state.normaliser.numel()
        assert (cost.pairs, cost.flops) == (0, count)
        assert cost.bytes == 8 * (3 * 5 + 3 * 5 + 3 * 7 + 3 * 7 + kept)

    def test_refusals(self, refuses: Refuses) -> None:
        with refuses("pairs must be a whole number from 0 to 6; got 7"):
            attention_cost(2, 3, 5, 7, pairs=7)
        with refuses("d_v must be a whole number >= 1; got 0"):
            attention_cost(2, 3, 5, 0)


def test_measures_refusals_say_what_came(refuses: Refuses) -> None:
    for measure in (entropy, effective_keys, attention_distance, previous_token_score, diagonal_score):
        with refuses(r"weights must have shape \(\*batch, n_query, n_key\); got \(5,\)"):
            measure(torch.zeros(5))
    with refuses(r"weights must have shape \(\*batch, n_head, n_query, n_key\); got \(5, 7\)"):
        head_similarity(torch.zeros(5, 7))


class TestSingularValues:
    """Of a matrix whose singular values differ: equal ones do not tell a sum from a maximum."""

    def test_effective_rank_of_known_shares(self) -> None:
        turned = torch.linalg.qr(torch.arange(16.0, dtype=torch.float64).reshape(4, 4).sin())[0]
        matrix = turned[:, :3] * torch.tensor([4.0, 2.0, 2.0], dtype=torch.float64)
        # Shares of a half, a quarter and a quarter: 3/2 ln 2.
        assert effective_rank(matrix).item() == pytest.approx(2**1.5)
        assert effective_rank(torch.stack([matrix, 7 * matrix])).tolist() == pytest.approx([2**1.5] * 2)
        assert effective_rank(matrix.T).item() == pytest.approx(2**1.5)


# Another answer by a maximum than by a sum, a mean or a norm; each is worked out by hand.
UNEVEN = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0.25, 0.5, 0.25]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [
        (lambda w: entropy(w)[..., 0], 1.5 * math.log(2)),
        (lambda w: effective_keys(w)[..., 0], 2**1.5),
        (attention_distance, (0.75 + 0.5 + 1.0) / 3),
        (previous_token_score, (0.125 + 0.5) / 2),
        (diagonal_score, 1.25 / 3),
        (next_token_score, (0.25 + 0.375) / 2),
        (first_token_score, (0.125 + 0.25) / 2),
    ],
    ids=["entropy", "keys", "distance", "previous", "diagonal", "next", "first"],
)
def test_measures_of_uneven_weights_by_hand(measure: Callable[[Tensor], Tensor], wanted: float) -> None:
    assert measure(UNEVEN).item() == pytest.approx(wanted)
    assert measure(UNEVEN[None].expand(2, 3, 3))[1].item() == pytest.approx(wanted)
