"""Two maps whose difference is drawn are of the same words' vectors, whatever width a scheme asks for."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor

from attn_core import SCHEMES, sentence_vectors
from attn_ui.base import shared_cache
from attn_ui.base.parameters import Steps
from attn_ui.base.schemes import SchemeSettings
from pages.positional_encoding.compute import Result
from pages.positional_encoding.state import State
from pages.positional_encoding.views import compare
from tests.messages import figure_at

TOKENS = ("dog", "bites", "man", "dog")
NAMES = ("before", "after", "difference")
TITLES = ("one", "other")
STRENGTHS = Steps("strength", 1.0, (0.0, 1.0), ".1f")
WIDE, SEED = 384, 3


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tensor]:
    # Faint, so that the weights do not all become choices.
    numbers = 0.1 * torch.randn(512, WIDE, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    monkeypatch.setattr("attn_core.schemes.additive.scaled_table", lambda: numbers)
    shared_cache.clear()
    yield numbers
    shared_cache.clear()


def inputs(scheme: str, width: int, beside: str = "all", words: str = "random") -> State:
    picture = "attention" if beside == "all" else "compare"
    return State(picture, TOKENS, words, width, SEED, SchemeSettings(scheme), num_heads=8, beside=beside)


def by_hand(x: Tensor) -> np.ndarray:
    return torch.softmax(x @ x.T / math.sqrt(x.shape[-1]), dim=-1).numpy()


def words_of(width: int, kind: str = "random") -> Tensor:
    return sentence_vectors(TOKENS, width, kind=kind, seed=SEED)


def map_values(packed: bytes, step: int) -> list[np.ndarray]:
    return [np.asarray(each["z"]) for each in figure_at(packed, step)["data"] if each.get("name") in NAMES]


@pytest.mark.parametrize("kind", ["one-hot", "random"])
def test_learned_positions_are_compared_on_equal_words(kind: str, table: Tensor) -> None:
    packed = compare.draw_two(inputs("learned", 16, words=kind), "none", TITLES, STRENGTHS).steps
    x = words_of(WIDE, kind)
    before, after = by_hand(x), by_hand(x + table[1 : len(TOKENS) + 1])  # row 0 is that of [CLS]
    for found, wanted in zip(map_values(packed, 1), (before, after, after - before), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize(
    ("beside", "scheme", "used"),
    [
        ("learned", "sinusoidal", WIDE),
        ("sinusoidal", "learned", WIDE),
        ("rotary", "none", 6),
        ("rotary", "learned", WIDE),
    ],
)
def test_two_schemes_are_compared_on_equal_words(beside: str, scheme: str, used: int) -> None:
    packed = compare.draw_two(inputs(scheme, 5, beside), beside, TITLES, STRENGTHS).steps
    one, other, change = map_values(packed, 0)
    for found in (one, other):
        np.testing.assert_allclose(found, by_hand(words_of(used)), atol=1e-6)
    np.testing.assert_allclose(change, 0, atol=1e-6)


@pytest.mark.parametrize(
    ("scheme", "width", "used"), [("sinusoidal", 5, 5), ("none", 6, 6), ("learned", 5, WIDE)]
)
def test_all_schemes_are_compared_on_equal_words(scheme: str, width: int, used: int) -> None:
    """Only the schemes that take the width are there, and at strength 0 no map is another."""
    chosen = inputs(scheme, width)
    taken = {name for name, each in SCHEMES.items() if each.fitting_width(used) == used}
    assert {*SCHEMES} - taken == {5: {"rotary", "learned"}, 6: {"learned"}, WIDE: set()}[used]
    packed = compare._draw_all(chosen, STRENGTHS).steps
    maps = [np.asarray(each["z"]) for each in figure_at(packed, 0)["data"] if each.get("name") in SCHEMES]
    assert len(maps) == len(taken)
    for found in maps:
        np.testing.assert_allclose(found, by_hand(words_of(used)), atol=1e-6)


@pytest.mark.parametrize(
    ("beside", "scheme"), [("learned", "sinusoidal"), ("rotary", "none"), ("none", "learned")]
)
def test_tabs_have_the_drawn_vectors(beside: str, scheme: str) -> None:
    """What tabs read, the state's own weights, is the second of the two maps."""
    chosen = inputs(scheme, 5, beside)
    packed = compare.draw_two(chosen, beside, TITLES, STRENGTHS).steps
    np.testing.assert_allclose(map_values(packed, 1)[1], Result(chosen).attended.weights, atol=1e-6)


def test_single_scheme_keeps_its_requested_width() -> None:
    assert [Result(inputs(name, 5)).width for name in ("none", "ramp", "rotary", "learned")] == [
        5,
        5,
        6,
        WIDE,
    ]
