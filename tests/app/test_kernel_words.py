"""What is said of kernel regression follows from its numbers."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attn_core import KERNELS
from pages import PAGES
from pages.kernel_regression import words
from pages.kernel_regression.points import Points, from_columns, sample
from pages.kernel_regression.search import best_of
from pages.kernel_regression.settings import BANDWIDTH, KERNEL_VIEW
from pages.kernel_regression.tabs.arithmetic import dot_products
from pages.kernel_regression.views.bridge import lay
from pages.kernel_regression.words import (
    Answered,
    Heaviest,
    bridge_sentence,
    choose_sentence,
    compare_sentence,
    fails_sentence,
    fit_sentences,
    heaviest,
    learned_sentence,
)
from tests.pages import open_sound
from tests.sentences import kind_in, messages_in, numbers_in
from tests.walk import fields

POINTS = Points("own points", np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 4.0]))


HEAVIEST = heaviest(np.array([[0.2, 0.7, 0.1]]))[0]


def fit(
    *,
    bandwidth: float = 0.5,
    nearest: float = 0.1,
    estimate: float = 2.0,
    most: Heaviest = HEAVIEST,
    effective: float = 2.2,
    empty: int = 0,
) -> str:
    """What is said of the first of 61 queries, when so many of the others find nothing."""
    answered = Answered(
        bandwidths=[bandwidth],
        places=["1.1"] * 61,
        nearest=[nearest] * 61,
        estimates=np.array([[estimate, *[math.nan] * empty, *[2.0] * (60 - empty)]]),
        most=[most] * 61,
        effective=np.full((1, 61), effective),
    )
    return fit_sentences(POINTS, answered, kernel="boxcar").written()[0][0]


def test_heaviest_key_is_told_with_its_weight_and_the_gaps_counted() -> None:
    assert messages_in(fit(), key=1, largest="0.700")
    assert messages_in(fit(), spread=2.2, n_key=3)
    assert not messages_in(fit(), "count", "n_query")
    assert messages_in(fit(empty=4), count=4, n_query=61)


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("bandwidth", "nearest", "window", "distance"),
    [
        (0.5, 0.9, 0.5, 0.9),
        (0.8997, 3 - 2.1, 0.8997, 0.9),
        (3 - 2.1, 3 - 2.1, 0.9, 0.9),  # on the edge itself a triangular kernel is zero: no digits part them
    ],
)
def test_empty_window_is_told_from_the_nearest_key(
    bandwidth: float, nearest: float, window: float, distance: float
) -> None:
    none = heaviest(np.zeros((1, 3)))[0]
    said = fit(bandwidth=bandwidth, estimate=math.nan, nearest=nearest, most=none, effective=0.0, empty=6)
    assert messages_in(said, "place", window=window, distance=distance, empty=7, n_query=61)
    assert "nan" not in said


def test_values_are_told_apart_however_far_from_zero() -> None:
    far = from_columns(np.arange(3.0), 1e9 + np.array([0.0, 0.5, 1.0]), "x", "y")
    assert far.amount(1e9 + 0.25) != far.amount(1e9 + 0.5)
    prices = from_columns(np.arange(3.0), np.array([1e5, 4e5, 6e5]), "x", "y")
    assert prices.amount(407432.1) == "407,432"


def test_kernels_without_an_estimate_are_named_apart() -> None:
    said = compare_sentence(
        POINTS,
        bandwidth=0.3,
        query="2.5",
        estimates={"gaussian": 1.0, "boxcar": math.nan, "triangular": math.nan},
        effective={"gaussian": 3.0, "boxcar": 0.0, "triangular": 0.0},
        empty={"gaussian": 0, "boxcar": 24, "triangular": 24},
        n_query=61,
    )
    assert messages_in(said, h=0.3, query=2.5, estimates="Gaussian 1 (3.0)")
    assert messages_in(said, kernels="boxcar and triangular")
    assert "nan" not in said


def choose(**more: Any) -> str:
    settings: dict[str, Any] = {
        "bandwidth": 0.1,
        "training": 0.2,
        "left_out": 0.3,
        "best": 0.32,
        "best_training": 0.25,
        "best_error": 0.28,
        "tried": 1243,
        "compared": 1243,
        "supported": 3,
        "most_supported": 3,
    }
    return choose_sentence(POINTS, **(settings | more))


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({}, "too small"),
        ({"left_out": 0.281}, "as good"),
        # A wide bandwidth whose errors are the best's is as good, however far away it lies.
        ({"bandwidth": 13.0, "left_out": 0.281, "training": 0.26}, "as good"),
        ({"training": 0.4}, "too large"),
        ({"training": 0.25}, "worse"),
        ({"left_out": 0.1, "supported": 2}, None),
    ],
)
def test_bandwidth_is_judged_by_its_errors(more: dict[str, Any], kind: str | None) -> None:
    said = choose(**more)
    assert kind_in(said, words._STANDS) == kind
    assert messages_in(said, "among", least=0.28, best=0.32)
    assert bool(messages_in(said, supported=2, n_key=3)) == (kind is None)


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("more", "numbers"),
    [
        ({"training": 0.0, "left_out": math.inf, "supported": 0}, [0, 0.1, 1243, 0.28, 0.32, 0]),
        ({"compared": 900}, [0.2, 0.3, 0.1, 900, 0.28, 0.32]),
        ({"compared": 900, "supported": 1, "most_supported": 2}, [0.2, 0.3, 0.1, 900, 2, 3, 0.28, 0.32]),
        ({"left_out": math.inf, "best_error": math.inf, "supported": 0, "most_supported": 0}, [0.2]),
    ],
)
def test_least_error_is_told_of_the_points_that_it_is_of(more: dict[str, Any], numbers: list[float]) -> None:
    said = choose(**more)
    assert numbers_in(said)[: len(numbers)] == numbers
    assert "inf" not in said


def learned(**more: Any) -> str:
    settings: dict[str, Any] = {
        "steps": 300,
        "planned": 300,
        "start": 2.0,
        "end": 0.33,
        "error": 0.284,
        "best": 0.332,
        "best_error": 0.284,
        "kernel": "gaussian",
    }
    return learned_sentence(POINTS, **(settings | more))


def test_learning_says_how_near_it_came() -> None:
    assert messages_in(learned(), apart="0.6%")
    ends = [
        kind_in(learned(**more), words._WENT)
        for more in ({}, {"end": 0.36}, {"end": 3.0, "error": 0.9}, {"steps": 20, "end": 1.0, "error": 0.8})
    ]
    assert ends == [("same", False), ("flat", False), ("apart", False), ("apart", True)]
    assert numbers_in(learned(steps=0, kernel="boxcar")) == [2]
    few = learned(error=0.1, fewer=2)
    assert messages_in(few, fewer=2, n_key=3)
    assert kind_in(few, words._WENT) == ("apart", False)


def least_left_out(kernel: str, h: float, keys: list[float], values: list[float]) -> tuple[float, int]:
    """Leave each point out in plain Python; return the mean squared error and how many points it is of."""
    weigh: Callable[[float], float] = {
        "boxcar": lambda u: float(u <= 1),
        "triangular": lambda u: max(0.0, 1 - u),
        "epanechnikov": lambda u: max(0.0, 1 - u * u),
    }[kernel]
    squares = []
    for i, key in enumerate(keys):
        w = [0.0 if j == i else weigh(abs(key - other) / h) for j, other in enumerate(keys)]
        if sum(w):
            squares.append((sum(a * v for a, v in zip(w, values, strict=True)) / sum(w) - values[i]) ** 2)
    return (sum(squares) / len(squares) if squares else math.inf), len(squares)


@pytest.mark.parametrize("kernel", ["boxcar", "triangular", "epanechnikov"])
def test_least_error_is_that_of_plain_python_among_as_many_points(kernel: str) -> None:
    """At the narrowest bandwidth fewer points are left, and their error may be the smaller one."""
    points = sample("gap", 40, 0.5, 4)
    best = best_of(points, points.fingerprint, kernel)
    error, many = least_left_out(kernel, best.bandwidth, points.keys.tolist(), points.values.tolist())
    assert (round(error, 9), many) == (round(best.left_out, 9), best.supported)
    own = [h * points.unit for h in BANDWIDTH.values]
    found = [least_left_out(kernel, h, points.keys.tolist(), points.values.tolist()) for h in own]
    assert all(one >= best.left_out - 1e-12 for one, n in found if n == best.supported)
    told = open_sound("kernel-regression", kernel=kernel, data="gap", picture="Choose the bandwidth")
    (_, said, _), *_ = fields(told)
    assert best.compared < best.tried
    assert all(f"{best.compared:,}" in each for each in said)


@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
@pytest.mark.parametrize("tab", ["Arithmetic", "Checks", "Break it"])
def test_numbers_below_zero_have_a_minus_sign(picture: str, tab: str) -> None:
    at = open_sound("kernel-regression", picture=picture, tab=tab, x0="-0.5", lengths="false")
    texts = [each.value for each in (*at.markdown, *at.caption)]
    texts += [text for _, said, _ in fields(at) for text in said]
    assert [text for text in texts if re.search(r"(?<![\w|:-])-\d|\de-\d", text)] == []


@pytest.mark.parametrize("keys", ["on a line", "on a circle"])
def test_arithmetic_leaves_the_lengths_out_where_the_picture_does(keys: str) -> None:
    laid = lay(sample("sine", 40, 0.5, 4), False, keys == "on a circle")
    standing = laid.standing(0.7, False)
    _, header, terms = dot_products(standing)
    assert not any("|k|" in each for each in header)
    query = standing.queries[standing.row]
    exponentials = [math.exp(float(query @ key - query @ query / 2) / 0.7**2) for key in standing.keys]
    np.testing.assert_allclose(terms[:, -1], np.array(exponentials) / sum(exponentials))
    kernel = [math.exp(-float(((query - key) ** 2).sum()) / 2 / 0.7**2) for key in standing.keys]
    assert np.allclose(terms[:, -1], np.array(kernel) / sum(kernel)) == (keys == "on a circle")
    kept = dot_products(laid.standing(0.7, True))
    assert any("|k|²/2" in each for each in kept[1])
    np.testing.assert_allclose(kept[2][:, -1], np.log(kernel))


def test_bridge_has_a_sentence_for_each_reason() -> None:
    said = [
        bridge_sentence(largest=largest, keeps_lengths=kept, on_circle=circle, h_squared=h_squared)
        for largest, kept, circle, h_squared in (
            (1e-16, True, False, 0.25),
            (1e-16, False, True, 0.25),
            (0.9, False, False, 0.25),
            (2e-6, False, False, 625.0),
        )
    ]
    told = [messages_in(each, "temperature", "difference")[0] for each in said]
    assert [each["difference"] for each in told] == ["1 × 10⁻¹⁶"] * 2 + ["0.900", "2 × 10⁻⁶"]
    assert [each["temperature"] for each in told] == ["0.25"] * 3 + ["625"]
    assert len(set(said)) == 4


def fails(**more: Any) -> str:
    settings: dict[str, Any] = {
        "silent": 0.0,
        "bias": np.array([0.88, 0.3, -0.95, -0.2]),
        "to_nearest": 0.21,
        "to_mean": 0.61,
    }
    return fails_sentence(POINTS, kernel="gaussian", bandwidth=0.5, **({"spread": 4.0} | settings | more))


def test_failure_that_shows_is_told_and_is_another_for_each() -> None:
    """What is small is measured by the spread of the values, which is 4."""
    assert messages_in(fails(), h=0.5, kernel="Gaussian", errors="+0.88 and −0.2", most=0.95)
    assert messages_in(fails(silent=0.006), share="1%")
    assert not messages_in(fails(silent=0.004), "share")
    others = [
        fails(**more)
        for more in (
            {"to_nearest": 0.19},
            {"to_mean": 0.59},
            {"bias": np.empty(0)},
            {"spread": 0.0, "to_nearest": 0.0, "to_mean": 0.0},
        )
    ]
    assert not any(messages_in(each, "errors") for each in others)
    assert len(set(others)) == 4


def test_what_smoothing_does_at_the_ends_it_does_between_them() -> None:
    """Of a wave whose every top is smoothed away, keys on one side are no cause."""
    link = "picture=Where+it+fails&data=typed+function&truth=cos(2*pi*x)&noise=0&h=0.2&points=400"
    page = PAGES["kernel-regression"].at(link)
    keys = np.asarray(page.seen.now.state.points.keys)
    places = np.linspace(keys[0], keys[-1], 501)
    weights = np.exp(-(((places[:, None] - keys) / 0.2) ** 2) / 2)
    bias = weights @ np.cos(2 * np.pi * keys) / weights.sum(axis=1) - np.cos(2 * np.pi * places)
    assert numbers_in(page.sentence)[:4] == pytest.approx([0.2, *bias[[0, -1]], abs(bias).max()], abs=0.01)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_of_a_person_have_a_capital_in_sentences(kernel: str) -> None:
    name = {"gaussian": "Gaussian", "epanechnikov": "Epanechnikov"}.get(kernel, kernel)
    assert words.named(kernel) == name
    at = open_sound("kernel-regression", kernel=kernel, tab="Arithmetic", h="0.01", x0="5.5")
    rows = re.findall(
        r"^\| [\d.]+ \| ([\d.]+) \|", "\n".join(each.value for each in at.markdown), re.MULTILINE
    )
    distances = [float(each) for each in rows]
    assert distances == sorted(distances)  # beyond some keys every weight is 0
    texts = [each.value for each in (*at.markdown, *at.caption)]
    texts += [text for _, said, _ in fields(at) for text in said]
    assert any(f"{name} kernel" in each for each in texts)
    assert not any(re.search(r"\b(gaussian|epanechnikov)\b", each) for each in texts)


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("row", "lies"),
    [
        ([1 / 3, 1 / 3, 1 / 3], "alike"),
        ([0.5, 0.5, 0.0], "tied alone"),
        ([0.4, 0.4, 0.2], "tied"),
        ([0.339, 0.331, 0.33], "nearly alike"),  # the largest is 1.017 times the mean
        ([0.341, 0.33, 0.329], "one"),  # 1.023 times
    ],
)
def test_weights_lie_as_they_are(row: list[float], lies: str) -> None:
    (found,) = heaviest(np.array([row]))
    assert words.lying(found) == lies
    assert found == (
        max(row),
        sum(each == max(row) for each in row),
        sum(map(bool, row)),
        3,
        row.index(max(row)),
    )


@pytest.mark.parametrize("truth", ["3", "0"])
def test_errors_of_rounding_alone_call_no_bandwidth_too_large(truth: str) -> None:
    link = f"data=typed+function&truth={truth}&noise=0&picture=Choose+the+bandwidth"
    said = PAGES["kernel-regression"].at(link).sentence
    assert numbers_in(said) == [0, 0.5]
    assert kind_in(said, words._STANDS) is None
    noisy = PAGES["kernel-regression"].at(link.replace("noise=0", "noise=0.001")).sentence
    assert kind_in(noisy, words._STANDS)
