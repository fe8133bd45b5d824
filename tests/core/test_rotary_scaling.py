"""Rotary scalings against transformers, closed forms, a longer text's own angles, and turned vectors."""

import math
from itertools import pairwise, product

import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from attn_core import SCALINGS, RotaryScaling, make_scaling, rotary_embedding
from attn_core.rotary_scaling import NtkAware, PositionInterpolation, Yarn
from tests.core.kinds import Refuses

HEADS = list(
    product((4, 16, 64, 128), (16, 64, 2048, 4096), (100.0, 10000.0, 500000.0), (1.0, 1.5, 4.0, 32.0))
)


def by_transformers(
    kind: str, d_head: int, *, trained: int, base: float, factor: float, length: int | None = None
) -> tuple[torch.Tensor, float]:
    told = {"rope_type": kind, "rope_theta": base, "factor": factor}
    if kind == "yarn":
        told["original_max_position_embeddings"] = trained
    config = LlamaConfig(
        hidden_size=d_head,
        num_attention_heads=1,
        head_dim=d_head,
        max_position_embeddings=trained,
        rope_parameters=told,
    )
    frequencies, multiplied = ROPE_INIT_FUNCTIONS[kind](config, None, seq_len=length)
    return frequencies.double(), multiplied


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize(("kind", "name"), [("linear", "interpolation"), ("yarn", "YaRN")])
def test_equals_transformers(kind: str, name: str) -> None:
    for d_head, trained, base, factor in HEADS:
        found = make_scaling(name, base=base, factor=factor, trained_length=float(trained))
        frequencies, multiplied = by_transformers(kind, d_head, trained=trained, base=base, factor=factor)
        close(found.frequencies(d_head), frequencies)
        # transformers multiplies queries and keys, so scores by the square
        assert float(found.score_factor) == pytest.approx(multiplied**2, rel=1e-12)


def test_ntk_equals_transformers_at_the_full_length() -> None:
    for d_head, trained, base, factor in HEADS:
        length = int(factor * trained)
        frequencies, _ = by_transformers(
            "dynamic", d_head, trained=trained, base=base, factor=1.0, length=length
        )
        close(NtkAware(base=base, factor=factor, trained_length=trained).frequencies(d_head), frequencies)


def test_ntk_is_a_larger_base() -> None:
    for d_head, _, base, factor in HEADS:
        larger = base * factor ** (d_head / (d_head - 2))
        close(
            NtkAware(base=base, factor=factor).frequencies(d_head),
            RotaryScaling(base=larger).frequencies(d_head),
        )


def test_one_pair_is_not_slowed() -> None:
    assert NtkAware(factor=8.0).frequencies(2).tolist() == [1.0]


@pytest.mark.parametrize("name", SCALINGS)
def test_frequencies_lie_within_their_bounds(name: str) -> None:
    for d_head, trained, base, factor in HEADS:
        plain = RotaryScaling(base=base).frequencies(d_head)
        found = make_scaling(name, base=base, factor=factor, trained_length=float(trained)).frequencies(
            d_head
        )
        slack = 1 + 1e-12
        assert ((found <= plain * slack) & (found * slack >= plain / factor)).all()
        if factor == 1:
            close(found, plain)


def test_interpolation_equals_training_positions() -> None:
    x = torch.randn(5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    slowed = PositionInterpolation(factor=3.0).frequencies(8)
    found = rotary_embedding(x, 3 * torch.arange(5), frequencies=slowed)
    torch.testing.assert_close(found, rotary_embedding(x), rtol=0, atol=1e-12)


def test_yarn_keeps_fast_and_slows_slow_pairs() -> None:
    d_head, trained, factor = 128, 4096, 4.0
    plain = [10000.0 ** (-2 * pair / d_head) for pair in range(d_head // 2)]
    turns = [trained * each / (2 * math.pi) for each in plain]
    found = Yarn(factor=factor, trained_length=trained).frequencies(d_head).tolist()
    kept = [pair for pair in range(64) if found[pair] == pytest.approx(plain[pair], rel=1e-12)]
    slowed = [pair for pair in range(64) if found[pair] == pytest.approx(plain[pair] / factor, rel=1e-12)]
    # Ends are rounded outwards, to whole pairs: the ramp has one pair more at either end.
    assert kept == [pair for pair in range(64) if turns[pair] > 32][: len(kept)]
    assert sum(each > 32 for each in turns) - len(kept) in (0, 1)
    assert slowed == [pair for pair in range(64) if turns[pair] < 1][-len(slowed) :]
    assert sum(each < 1 for each in turns) - len(slowed) in (0, 1)
    between = found[len(kept) : 64 - len(slowed)]
    assert all(earlier > later for earlier, later in pairwise(between))


@pytest.mark.parametrize(
    ("base", "trained", "kept"), [(10.0, 100_000, True), (1.0, 4096, True), (1e4, 4, False)]
)
def test_yarn_ramp_is_monotone(base: float, trained: float, *, kept: bool) -> None:
    """Where all pairs turn often, or none comes round, the ends of the authors' program would cross."""
    slowed = Yarn(base=base, factor=4.0, trained_length=trained).slowed_share(16)
    assert slowed.tolist() == ([0.0] * 8 if kept else [0.0] + [1.0] * 7)


@pytest.mark.parametrize("name", SCALINGS)
def test_scores_equal_products_of_rotated_vectors(name: str) -> None:
    scaling = make_scaling(name, factor=4.0, trained_length=64.0)
    offsets = torch.tensor([0.0, 1.0, 7.0, 200.0], dtype=torch.float64)
    vector = torch.full((4, 16), 0.25, dtype=torch.float64) * scaling.score_factor.sqrt()
    keys = rotary_embedding(vector, 50 + offsets, frequencies=scaling.frequencies(16))
    query = rotary_embedding(vector[:1], torch.tensor([50.0]), frequencies=scaling.frequencies(16))
    torch.testing.assert_close(scaling.scores(offsets, 16), (keys @ query.mT)[:, 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", SCALINGS)
def test_a_batch_of_steps(name: str) -> None:
    factors = torch.tensor([1.0, 2.0, 16.0], dtype=torch.float64)
    bases = torch.tensor([100.0, 1.0, 5000.0], dtype=torch.float64)
    trained = torch.tensor([16.0, 64.0, 2048.0], dtype=torch.float64)
    batch = make_scaling(name, factor=factors, base=bases, trained_length=trained)
    offsets = torch.arange(9.0)
    for step in range(3):
        one = make_scaling(
            name, factor=float(factors[step]), base=float(bases[step]), trained_length=float(trained[step])
        )
        close(batch.frequencies(16)[step], one.frequencies(16))
        close(batch.turns(16)[step], one.turns(16))
        torch.testing.assert_close(
            batch.scores(offsets, 16)[step], one.scores(offsets, 16), rtol=0, atol=1e-12
        )


def test_rotary_scaling_refuses_misfits(refuses: Refuses) -> None:
    with refuses("factor must be >= 1: a longer text, not a shorter; got 0.5"):
        PositionInterpolation(factor=0.5)
    with refuses("base must be >= 1, so that later pairs turn slower; got 0.5"):
        Yarn(base=0.5)
    with refuses("fast must be above slow; got 1.0 and 2.0"):
        Yarn(fast=1.0, slow=2.0)
    with refuses("rotary positions turn pairs of dimensions; got d_head 3, which is odd"):
        NtkAware().frequencies(3)
    with refuses("scaling must be one of 'none', 'interpolation', 'NTK', 'YaRN'; got 'ntk'"):
        make_scaling("ntk")
    with refuses("trained_length must be a finite number > 0; got 0"):
        RotaryScaling(trained_length=0)
