"""Measurements that decide claims, each against an independent computation."""

import math
import random

import numpy as np
import pytest
import torch
from einops import rearrange, repeat
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from torch import nn
from torch.nn import functional as F

from attn_core import MultiHeadAttention, SelfAttention, claims
from attn_core.claims.heads import LAYOUTS
from tests.core.kinds import Refuses

NUMBERS = st.lists(st.integers(-4, 4), min_size=3, max_size=9)


@given(NUMBERS, st.randoms())
def test_rank_correlation_is_scipys(a: list[int], chance: random.Random) -> None:
    b = [chance.randint(-4, 4) for _ in a]
    if len({*a}) == 1 or len({*b}) == 1:
        return
    ours = claims.rank_correlation(*(torch.tensor(each, dtype=torch.float64) for each in (a, b)))
    assert float(ours) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)
    assert claims.ranks(torch.tensor(a, dtype=torch.float64)).tolist() == stats.rankdata(a).tolist()


def test_clearly_below_needs_three_standard_errors() -> None:
    generator = torch.Generator().manual_seed(3)
    found = set()
    for _ in range(150):
        low, high = torch.randn(2, 8, generator=generator, dtype=torch.float64) + torch.tensor([[0.0], [0.8]])
        statistic = stats.ttest_rel(high, low).statistic
        holds = claims.difference(low, high).holds
        assert holds == (None if abs(statistic) <= claims.CLEAR else statistic > 0)
        assert claims.difference(high, low).holds == (None if holds is None else not holds)
        assert claims.clearly_below(low, high) == (holds is True)
        found.add(holds)
    assert found >= {True, None}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unpack_projection_equals_einops(layout: str) -> None:
    fused = torch.randn(5, 24, generator=torch.Generator().manual_seed(1))
    theirs = rearrange(fused, f"n ({layout}) -> k h n d", k=3, h=2)
    assert torch.equal(claims.unpack_projection(fused, layout, 2), theirs)
    for other in LAYOUTS:
        order = claims.rows_in(layout, other, 2, 4)
        assert torch.equal(
            claims.unpack_projection(fused[:, order], layout, 2), claims.unpack_projection(fused, other, 2)
        ), other


@pytest.mark.parametrize(("n_head", "d_head"), [(1, 2), (2, 2), (2, 8), (4, 4), (8, 2), (3, 5)])
def test_unpack_in_other_layout_mixes_queries_and_keys(n_head: int, d_head: int) -> None:
    for made_as, read_as in (("k h d", "d k h"), ("d k h", "h d k")):
        made = repeat(torch.arange(3), f"k -> ({made_as})", h=n_head, d=d_head)
        read = rearrange(made, f"({read_as}) -> k h d", k=3, h=n_head)
        assert bool((read[0] > 0).any()) == (n_head > 1 or read_as == "d k h")  # else both are one order


def test_fused_layouts_differ_unless_rows_are_ordered() -> None:
    study = claims.fused_layouts([0, 1], [1, 2, 4])
    assert (study.measures["difference"]["rows in order"] == 0).all()
    assert study.at("difference", "mixed", 1).tolist() == [0, 0]
    assert study.at("difference", "mixed", 2).min() > 0.5


def test_effects_equal_a_sequence_without_the_token() -> None:
    x = torch.randn(6, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    layers = [MultiHeadAttention(8, 2, seed=seed, dtype=x.dtype).requires_grad_(False) for seed in range(3)]

    def run(state: torch.Tensor) -> torch.Tensor:
        for layer in layers:
            state = state + layer(F.layer_norm(state, (8,))).output
        return state

    _, effects = claims.weights_and_effects(layers, x)
    for away in range(6):
        rest = [place for place in range(6) if place != away]
        moved = (run(x[rest]) - run(x)[rest]).norm(dim=-1)
        torch.testing.assert_close(effects[-1][rest, away], moved)


def test_noise_equals_that_of_torch_module() -> None:
    study = claims.noise(5, [0.0, 0.3])
    tokens, layers = claims.random_layers(5, 1)
    draw, (x, e), (w_q, w_k, w_v, w_o) = 7, tokens[7], layers[7, 0]
    for heads in (1, 4):
        module = nn.MultiheadAttention(16, heads, bias=False, batch_first=True, dtype=x.dtype)
        module.load_state_dict({"in_proj_weight": torch.cat([w_q, w_k, w_v]), "out_proj.weight": w_o})
        with torch.no_grad():
            (before, was), (after, result) = (
                module(each, each, each, average_attn_weights=False) for each in (x, x + 0.3 * e)
            )
        name = "1 head" if heads == 1 else f"{heads} heads"
        moved = float((after - before).norm() / before.norm())
        assert float(study.at("output (soft)", name, 0.3)[draw]) == pytest.approx(moved)
        variation = float((result - was).abs().sum(dim=-1).mean()) / 2
        assert float(study.at("weights (soft)", name, 0.3)[draw]) == pytest.approx(variation)
    assert all((curve[:, 0] == 0).all() for curves in study.measures.values() for curve in curves.values())


def test_noise_of_256_draws_equals_3000() -> None:
    """Over 3,000 draws, soft weights move 0.2325 with one head and 0.2135 with eight, 30 errors apart."""
    study = claims.noise(4, [0.5])
    one, eight = (study.at("weights (soft)", heads, 0.5) for heads in ("1 head", "8 heads"))
    assert len(one) == claims.DRAWS
    mean, margin = claims.difference(eight, one)
    assert 0 < mean - margin < 0.2325 - 0.2135 < mean + margin
    # No other difference is that large: the truth for the output is 0.017.
    mean, margin = claims.difference(
        *(study.at("output (soft)", heads, 0.5) for heads in ("8 heads", "1 head"))
    )
    assert margin > 0.017 > mean - margin
    assert claims.difference(one, one).holds is False


def test_over_smoothing_without_residual_ends_in_rounding() -> None:
    study = claims.over_smoothing(0, 8)
    for curves in study.measures.values():
        assert all(torch.equal(curve[:, 0], curves["1 head"][:, 0]) for curve in curves.values())
    assert all(curve[:, -1].max() < 1e-6 for curve in study.measures["difference, no residual"].values())
    assert all(curve[:, -1].min() > 1e-4 for curve in study.measures["difference, with residual"].values())


def test_one_vector_loses_what_does_not_fit() -> None:
    study = claims.one_vector(range(60), [2, 8, 16])
    lost = study.measures["lost"]["one vector"].mean(dim=0)
    torch.testing.assert_close(lost, torch.tensor([0.0, 0.5, 0.75], dtype=torch.float64), atol=0.03, rtol=0)


def test_divisors_leave_their_variance() -> None:
    widths = [1, 2, 9, 50]
    variance = claims.divisors(range(40), widths).measures["variance"]
    by = torch.tensor(widths, dtype=torch.float64)
    for name, want in (("÷ √d_k", by / by), ("÷ √2", by / 2), ("not divided", by)):
        torch.testing.assert_close(variance[name].mean(dim=0), want, rtol=0.07, atol=0)


def test_sides_of_a_matrix() -> None:
    study = claims.sides([3], [1, 4])
    x, w = torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(3), dtype=torch.float64).numpy()
    want = np.linalg.norm(w @ x - x @ w) / np.linalg.norm(x @ w)
    assert study.at("difference", "W X", 4).item() == pytest.approx(want)
    assert study.at("difference", "(Wᵀ Xᵀ)ᵀ", 4).item() < 1e-12


def test_growing_line_equals_numpy_and_stays_wrong() -> None:
    study = claims.growing([0, 1, 2], [20, 160])
    error = study.measures["error"]
    assert error["straight line"][:, -1].min() > 0.5
    assert error["kernel regression"][:, -1].max() < 0.25
    kept = {name: numbers[0].tolist() for name, numbers in study.measures["numbers kept"].items()}
    learned = sum(each.numel() for each in SelfAttention(16).parameters())
    assert kept == {
        "kernel regression": [41, 321],
        "straight line": [2, 2],
        "attention with W": [learned] * 2,
    }


def test_head_roles_at_checkpoints(refuses: Refuses) -> None:
    study = claims.head_roles([0, 1000])
    assert study.at("induction", "layer 2 head 2", 1000.0).mean() > 0.9
    assert study.at("induction", "layer 2 head 2", 0.0).mean() < 0.5
    with refuses("steps must be among those that were kept"):
        claims.head_roles([3])


def test_claims_refuses_misfits(refuses: Refuses) -> None:
    with refuses("layout must be one of"):
        claims.unpack_projection(torch.zeros(1, 6), "h h d", 1)
    with refuses(r"projection must have 3 \* 2 \* d_head columns; got 9"):
        claims.unpack_projection(torch.zeros(1, 9), "k h d", 2)


def test_printed_weights_are_those_without_positions() -> None:
    steps = [0.0, 0.5]
    study = claims.printed_with_positions(steps)
    for at, step in enumerate(steps):
        x = np.eye(3, 4) + step * np.arange(3)[:, None]
        powers = np.exp(x @ x.T / 2)
        weights = powers / powers.sum(axis=1, keepdims=True)
        own = [float(study.measures["own weight"][word][0, at]) for word in ("I", "love", "dogs")]
        assert own == pytest.approx(list(weights.diagonal()), abs=1e-12)
        off = np.abs(weights - np.where(np.eye(3) > 0, 0.4519, 0.2741)).max()
        assert float(study.measures["difference from the printed"]["all nine"][0, at]) == pytest.approx(
            off, abs=1e-12
        )
    # As the worked example prints them, to six digits.
    assert own == pytest.approx([0.359867, 0.389025, 0.817287], abs=5e-7)


@pytest.mark.parametrize(
    ("name", "words", "unit"),
    [
        ("I love dogs", "I love dogs", False),
        ("dogs love I", "dogs love I", False),
        ("rows of length 1", "I love dogs", True),
    ],
)
def test_love_attends_to_dogs_by_what_stands_last(name: str, words: str, unit: bool) -> None:
    order = words.split()
    x = [
        [float(word == each) + 0.5 * at for each in ("I", "love", "dogs", "")]
        for at, word in enumerate(order)
    ]
    if unit:
        x = [[each / math.dist(row, [0] * 4) for each in row] for row in x]
    love = x[order.index("love")]
    powers = {
        word: math.exp(sum(a * b for a, b in zip(love, x[at], strict=True)) / 2)
        for at, word in enumerate(order)
    }
    weights = {word: power / sum(powers.values()) for word, power in powers.items()}
    study = claims.phrase([0.0, 0.5])
    assert float(study.measures["weight on dogs"][name][0, 1]) == pytest.approx(weights["dogs"])
    lead = weights["dogs"] - max(weights["I"], weights["love"])
    assert float(study.measures["lead of dogs"][name][0, 1]) == pytest.approx(lead)


def test_another_run_draws_another_output() -> None:
    outputs = []
    for seed in (5, 7):
        drawn = torch.randn(3, 4, 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        q, k, v = (torch.eye(3, 4, dtype=drawn.dtype) @ w for w in drawn)
        outputs.append(torch.softmax(q @ k.T / 2, -1) @ v)
    study = claims.run_again([5], [3]).measures["difference"]
    assert float(study["W drawn anew"]) == pytest.approx(float((outputs[1] - outputs[0]).abs().max()))
    assert float(study["W from one seed"]) == float(study["one-hot words, no W"]) == 0


def test_asymmetry_is_that_of_a_loop() -> None:
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(6, 4, generator=generator, dtype=torch.float64)
    w_q, w_k = torch.randn(2, 4, 4, generator=generator, dtype=torch.float64)
    study = claims.symmetry([5], [6]).measures["asymmetry"]
    weights = F.scaled_dot_product_attention(x[None], x[None], torch.eye(6, dtype=x.dtype)[None])[0]
    apart = max(float(abs(weights[i, j] - weights[j, i])) for i in range(6) for j in range(6))
    assert float(study["weights with Q = K"]) == pytest.approx(apart / weights.max().item())
    scores = (x @ w_q @ w_k.T @ x.T / 2).tolist()
    apart = max(abs(scores[i][j] - scores[j][i]) for i in range(6) for j in range(6))
    largest = max(abs(each) for row in scores for each in row)
    assert float(study["scores with W_q and W_k"]) == pytest.approx(apart / largest)
    assert float(study["weights of one-hot words"]) == 0
    assert float(study["scores with Q = K"]) < 1e-15
