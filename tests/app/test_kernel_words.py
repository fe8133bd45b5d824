"""What is said of kernel regression follows from its numbers."""

import math

import numpy as np
import pytest

from pages.kernel_regression.words import (
    bridge_sentence,
    choose_sentence,
    compare_sentence,
    fails_sentence,
    fit_sentence,
    learned_sentence,
)

KEYS = np.array([0.0, 1.0, 3.0])


def fit(**more: object) -> str:
    settings: dict[str, object] = {
        "kernel": "boxcar",
        "bandwidth": 0.5,
        "query": 1.1,
        "estimate": 2.0,
        "weights": np.array([0.2, 0.7, 0.1]),
        "keys": KEYS,
        "effective": 2.2,
        "empty": 0,
        "n_query": 61,
    }
    return fit_sentence(**(settings | more))  # type: ignore[arg-type]


def test_the_heaviest_key_is_named() -> None:
    assert "over 2.2 of 3 **keys**; the one at 1 counts most (0.700)" in fit()
    assert "hatched" not in fit()
    assert "4 of 61 queries find no key" in fit(empty=4)


def test_an_empty_window_is_explained_and_tells_no_number() -> None:
    said = fit(estimate=math.nan, query=2.1, weights=np.zeros(3), effective=0.0, empty=7)
    assert "no **key** within h = 0.5: the nearest lies 0.9 away" in said
    assert "nan" not in said


def test_kernels_without_an_estimate_are_named_apart() -> None:
    said = compare_sentence(
        bandwidth=0.3,
        query=2.5,
        estimates={"gaussian": 1.0, "boxcar": math.nan, "triangular": math.nan},
        effective={"gaussian": 3.0, "boxcar": 0.0, "triangular": 0.0},
        empty={"gaussian": 0.0, "boxcar": 0.4, "triangular": 0.4},
    )
    assert "gaussian 1.000 (3.0)" in said
    assert "No estimate from boxcar and triangular" in said
    assert "nan" not in said


@pytest.mark.parametrize(
    ("bandwidth", "wanted"),
    [(0.1, "narrower than the best"), (0.33, "about as wide as the best"), (2.0, "wider than the best")],
)
def test_a_bandwidth_is_placed_beside_the_best(bandwidth: float, wanted: str) -> None:
    said = choose_sentence(
        bandwidth=bandwidth, training=0.2, left_out=0.3, best=0.32, best_error=0.28, supported=40, n_key=40
    )
    assert wanted in said
    assert "Dotted" not in said


def test_errors_of_some_points_only_are_not_passed_off_as_comparable() -> None:
    said = choose_sentence(
        bandwidth=0.1, training=0.0, left_out=math.inf, best=0.3, best_error=0.3, supported=0, n_key=40
    )
    assert "no point has a neighbour" in said
    assert "inf" not in said
    some = choose_sentence(
        bandwidth=0.1, training=0.0, left_out=0.1, best=0.3, best_error=0.3, supported=31, n_key=40
    )
    assert "only 31 of 40 points keep a neighbour" in some


def learned(**more: object) -> str:
    settings: dict[str, object] = {
        "steps": 300,
        "planned": 300,
        "start": 2.0,
        "end": 0.33,
        "error": 0.284,
        "best": 0.332,
        "best_error": 0.284,
        "kernel": "gaussian",
    }
    return learned_sentence(**(settings | more))  # type: ignore[arg-type]


def test_learning_says_how_near_it_came() -> None:
    assert "0.6% apart" in learned()
    assert "the valley is flat" in learned(end=0.36)
    assert "nearest valley" in learned(end=3.0, error=0.9)
    assert "stopped" in learned(steps=20, end=1.0, error=0.8)
    assert "staircase" in learned(steps=0, kernel="boxcar")


def test_the_bridge_says_why_weights_agree_or_not() -> None:
    common = {"h_squared": 0.25}
    kept = bridge_sentence(largest=1e-16, keeps_lengths=True, on_circle=False, **common)
    circle = bridge_sentence(largest=1e-16, keeps_lengths=False, on_circle=True, **common)
    line = bridge_sentence(largest=0.9, keeps_lengths=False, on_circle=False, **common)
    assert "is the Gaussian kernel" in kept
    assert "equally long" in circle
    assert "favours long **keys**" in line


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"to_nearest": 0.01}, "copies its nearest key"),
        ({"to_mean": 0.1}, "gets the mean"),
        ({}, "off by +0.88 and -0.2,"),
        ({"ends": None}, "pulls the estimate inwards"),
        ({"silent": 0.25}, "25% of the places drawn find no key"),
    ],
)
def test_the_failure_that_shows_is_the_one_named(more: dict[str, object], wanted: str) -> None:
    settings: dict[str, object] = {
        "kernel": "gaussian",
        "bandwidth": 0.5,
        "silent": 0.0,
        "ends": (0.88, -0.2),
        "to_nearest": 0.5,
        "to_mean": 1.0,
        "spread": 1.0,
    }
    assert wanted in fails_sentence(**(settings | more))  # type: ignore[arg-type]
