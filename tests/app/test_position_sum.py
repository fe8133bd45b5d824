"""X = E + P on the positional-encoding page: its matrices and its sentences, against NumPy and loops."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_core import SCHEMES
from attn_figures.picture import Spec
from attn_ui.base.schemes import SchemeSettings
from pages.positional_encoding.compute import Result
from pages.positional_encoding.state import State
from pages.positional_encoding.views import added
from tests.app.test_positional_encoding import visit
from tests.sentences import messages_in, numbers_in
from tests.walk import fields, said_now

CAT = ("the", "cat", "sat", "on", "the", "mat")
Array = NDArray[np.float64]


def page(scheme: str, **more: Any) -> Result:
    settings: dict[str, Any] = {"tokens": CAT, "words": "random", "width": 8, "seed": 3, "num_heads": 8}
    settings |= {key: value for key, value in more.items() if key in State.__dataclass_fields__}
    own = {key: value for key, value in more.items() if key in ("base", "step", "layout")}
    return Result(State("E + P", scheme=SchemeSettings(scheme, **own), **settings))


def matrices_by_name(spec: Spec) -> dict[str, Array]:
    """The matrices by name, without what marks masked cells."""
    return {
        trace["name"]: np.asarray(trace["z"])
        for trace in spec["data"]
        if trace["type"] == "heatmap" and not trace["name"].endswith(" masked")
    }


def waves(n: int, width: int, base: float) -> Array:
    """Vaswani et al., section 3.5, a number at a time."""
    found = np.zeros((n, width))
    for place in range(n):
        for dimension in range(width):
            angle = place / base ** (2 * (dimension // 2) / width)
            found[place, dimension] = math.cos(angle) if dimension % 2 else math.sin(angle)
    return found


@pytest.mark.parametrize("width", [1, 5, 8, 16])
@pytest.mark.parametrize("strength", [0.0, 0.7, 2.0])
def test_position_sum_adds_waves_and_ramps_number_by_number(width: int, strength: float) -> None:
    for scheme, p in (
        ("sinusoidal", waves(6, width, 300.0)),
        ("ramp", np.repeat(0.2 * np.arange(6)[:, None], width, axis=1)),
    ):
        numbers = page(scheme, width=width, base=300.0, step=0.2)
        _, spec = added.draw(numbers, (1.0, strength))
        maps = matrices_by_name(spec)
        assert list(maps) == ["E", "P", "X"]
        np.testing.assert_allclose(maps["P"], strength * p, atol=1e-12)
        for row in range(6):
            for column in range(width):
                assert maps["X"][row, column] == pytest.approx(
                    maps["E"][row, column] + strength * p[row, column]
                )
        assert np.array_equal(maps["E"][0], maps["E"][4])


def test_position_sum_learned_table_starts_after_its_cls() -> None:
    if SCHEMES["learned"].missing_package():
        pytest.skip("the package with the learned table is not installed")
    numbers = page("learned")
    (spec,) = added.draw(numbers, (1.0,))
    table = numbers.scheme().vectors(7, numbers.width).numpy()
    np.testing.assert_allclose(matrices_by_name(spec)["P"], table[1:])
    assert numbers_in(added.caption(added.sums(numbers, (1.0,))[0], numbers, (1, 0)))[0] == 2


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_position_sum_rotary_adds_nothing_and_rotates_pairs(strength: float) -> None:
    numbers = page("rotary", base=100.0)
    (spec,) = added.draw(numbers, (strength,))
    maps = matrices_by_name(spec)
    assert list(maps) == ["E", "turned"]
    e = numbers.x.numpy()
    np.testing.assert_array_equal(maps["E"], e)
    angles = strength * np.arange(6)[:, None] * 100.0 ** (-np.arange(0, 8, 2) / 8)
    turned = (e[:, 0::2] + 1j * e[:, 1::2]) * np.exp(1j * angles)
    np.testing.assert_allclose(maps["turned"][:, 0::2], turned.real)
    np.testing.assert_allclose(maps["turned"][:, 1::2], turned.imag)
    said = added.caption(added.sums(numbers, (strength,))[0], numbers, (4, 0))
    apart = np.linalg.norm(turned[0] - turned[4])
    if strength:
        length, moved = np.linalg.norm(e[4]), np.linalg.norm(turned[4] - (e[4, 0::2] + 1j * e[4, 1::2]))
        found = numbers_in(said)
        assert found == [4, *(pytest.approx(each, rel=5e-3) for each in (length, length, moved, apart))]


@pytest.mark.parametrize("strength", [0.0, 1.3])
def test_position_sum_biases_are_added_to_the_scores(strength: float) -> None:
    numbers = page("ALiBi", head=3)
    (spec,) = added.draw(numbers, (strength,))
    maps = matrices_by_name(spec)
    assert list(maps) == ["S", "B", "scores"]
    e = numbers.x.numpy()
    for query in range(6):
        for key in range(6):
            score = sum(e[query] * e[key]) / math.sqrt(8)
            bias = -strength * 2.0**-3 * abs(query - key)
            assert maps["S"][query, key] == pytest.approx(score)
            assert maps["B"][query, key] == pytest.approx(bias)
            assert maps["scores"][query, key] == pytest.approx(score + bias)
    said = added.caption(added.sums(numbers, (strength,))[0], numbers, (1, 5))
    if strength:
        rows = maps["scores"]
        wanted = [*(each[1, 5] for each in maps.values()), np.linalg.norm(rows[0] - rows[4])]
        assert numbers_in(said) == [pytest.approx(each, rel=5e-3) for each in wanted]


@pytest.mark.parametrize("scheme", [name for name, scheme in SCHEMES.items() if not scheme.missing_package()])
def test_position_sum_equals_the_inputs_of_attention(scheme: str) -> None:
    """The softmax of the last map's scores is the page's own map of weights."""
    numbers = page(scheme, width=16)
    (spec,) = added.draw(numbers, (numbers.state.scheme.strength,))
    last = [*matrices_by_name(spec).values()][-1]
    scores = last if SCHEMES[scheme].adds == "bias" else last @ last.T / math.sqrt(last.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights, numbers.attended.weights.numpy(), atol=1e-12)


def test_position_sum_sentence_has_the_lengths_of_rows() -> None:
    numbers = page("sinusoidal", words="one-hot", width=16)
    (one,) = added.sums(numbers, (0.5,))
    said = added.caption(one, numbers, (3, 0))
    e, p = np.eye(16)[[0, 1, 2, 3, 0, 4]], 0.5 * waves(6, 16, 10000.0)
    x = e + p
    lengths = [np.linalg.norm(each[3]) for each in (e, x, p)]
    assert numbers_in(said) == [
        3,
        *(pytest.approx(each, rel=5e-3) for each in (*lengths, np.linalg.norm(x[0] - x[4]))),
    ]
    assert messages_in(said, "apart", first="the", second="the₂")


def test_position_sum_equal_rows_are_told_apart_only_where_they_are() -> None:
    def said(scheme: str, strength: float, **more: Any) -> str:
        numbers = page(scheme, **more)
        return added.caption(added.sums(numbers, (strength,))[0], numbers, (0, 0))

    for same in (said("none", 1.0), said("ramp", 0.0), said("ramp", 1.0, step=0.0)):
        assert messages_in(same, "first", "second", apart=0)
    assert not messages_in(said("ramp", 1.0, step=0.01), "first", "second", apart=0)
    assert r"**\<b\>**" in said("ramp", 1.0, tokens=("<b>", "x"))


def test_position_sum_selected_word_is_in_the_sentence() -> None:
    app = visit(show="E + P", q="2", strength="0.5")
    (said,) = said_now(app)
    assert [[*head["chosen"]] for head, _, _ in fields(app) if "chosen" in head] == [["query"]]
    assert numbers_in(said)[:2] == [2, 1]
    assert numbers_in(said)[3] == pytest.approx(0.5 * math.sqrt(8), rel=5e-3)  # eight pairs sin² + cos²
