"""What is said of kernel regression follows from its numbers."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from pages.kernel_regression.points import Points, from_columns
from pages.kernel_regression.words import (
    Heaviest,
    bridge_sentence,
    choose_sentence,
    compare_sentence,
    fails_sentence,
    fit_sentences,
    heaviest,
    learned_sentence,
)

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
    return fit_sentences(
        POINTS,
        kernel="boxcar",
        bandwidth=bandwidth,
        places=["1.1"] * 61,
        nearest=[nearest] * 61,
        estimates=[estimate, *[math.nan] * empty, *[2.0] * (60 - empty)],
        most=[most] * 61,
        effective=[effective] * 61,
    )[0]


def test_the_heaviest_key_is_named() -> None:
    assert "over 2.2 of 3 **keys**; the one at 1 counts most (0.700)" in fit()
    assert "hatched" not in fit()
    assert "4 of 61 queries find no key" in fit(empty=4)
    assert "1 of 61 queries finds no key" in fit(empty=1)


@pytest.mark.parametrize(
    ("weights", "wanted"),
    [
        ([1 / 3, 1 / 3, 1 / 3], "all weigh the same (0.333)"),
        ([0.0, 0.5, 0.5], "2 keys weigh the same (0.500), and all others nothing"),
        ([0.2, 0.4, 0.4], "2 keys weigh the same (0.400), and all others less"),
        ([0.332, 0.3335, 0.3345], "all weigh nearly the same (at most 0.335)"),
        ([0.0, 0.0, 1.0], "the one at 3 counts most (1.000)"),
    ],
)
def test_no_key_is_singled_out_among_ties(weights: list[float], wanted: str) -> None:
    assert wanted in fit(most=heaviest(np.array([weights]))[0])


def test_an_empty_window_is_explained_and_tells_no_number() -> None:
    said = fit(estimate=math.nan, nearest=0.9, most=heaviest(np.zeros((1, 3)))[0], effective=0.0, empty=6)
    assert "as for 7 of the 61 queries" in said
    assert "no **key** within h = 0.5: the nearest lies 0.9 away" in said
    assert "nan" not in said


def test_a_key_just_outside_the_window_is_told_from_its_edge() -> None:
    outside = partial(fit, nearest=3 - 2.1, estimate=math.nan, most=heaviest(np.zeros((1, 3)))[0])
    assert "within h = 0.8997: the nearest lies 0.9 away" in outside(bandwidth=0.8997)
    # On the edge itself a triangular kernel is zero: no digits would part them.
    assert "within h = 0.9: the nearest lies 0.9 away" in outside(bandwidth=3 - 2.1)


def test_values_are_told_apart_however_far_from_zero() -> None:
    far = from_columns(np.arange(3.0), 1e9 + np.array([0.0, 0.5, 1.0]), "x", "y")
    assert far.amount(1e9 + 0.25) != far.amount(1e9 + 0.5)
    prices = from_columns(np.arange(3.0), np.array([1e5, 4e5, 6e5]), "x", "y")
    assert prices.amount(407432.1) == "407,432"


def test_kernels_without_an_estimate_are_named_apart() -> None:
    said = compare_sentence(
        POINTS,
        bandwidth=0.3,
        query=2.5,
        estimates={"gaussian": 1.0, "boxcar": math.nan, "triangular": math.nan},
        effective={"gaussian": 3.0, "boxcar": 0.0, "triangular": 0.0},
        empty={"gaussian": 0, "boxcar": 24, "triangular": 24},
        n_query=61,
    )
    assert "gaussian 1 (3.0)" in said
    assert "No estimate from boxcar and triangular" in said
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
        "supported": 3,
        "most_supported": 3,
    }
    return choose_sentence(POINTS, **(settings | more))


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, "follows single points"),
        ({"left_out": 0.281}, "as good"),
        # A wide bandwidth whose errors are the best's is as good, however far away it lies.
        ({"bandwidth": 13.0, "left_out": 0.281, "training": 0.26}, "as good"),
        ({"training": 0.4}, "blurs the curve"),
        ({"training": 0.25}, "worse on the points left out"),
    ],
)
def test_errors_are_compared_not_bandwidths(more: dict[str, Any], wanted: str) -> None:
    said = choose(**more)
    assert wanted in said
    assert "the least of 1243 tried is 0.28 at h = 0.32" in said
    assert "Dotted" not in said


def test_errors_of_some_points_only_are_not_passed_off_as_comparable() -> None:
    said = choose(training=0.0, left_out=math.inf, supported=0)
    assert "no point has a neighbour" in said
    assert "inf" not in said
    some = choose(left_out=0.1, supported=2)
    assert "only 2 of 3 points keep a neighbour" in some
    none = choose(left_out=math.inf, best_error=math.inf, supported=0, most_supported=0)
    assert "No bandwidth leaves any point a neighbour" in none
    assert "inf" not in none


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
    wide = bridge_sentence(largest=2e-6, keeps_lengths=False, on_circle=False, h_squared=625.0)
    assert "is the Gaussian kernel" in kept
    assert "equally long" in circle
    assert "favours long **keys**" in line
    assert "favours" not in wide
    assert "no weight differs by more than 2.0e-06" in wide


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"to_nearest": 0.01}, "copies the nearest key's value"),
        ({"to_mean": 0.1}, "gets the mean"),
        ({}, "off by +0.88 and −0.2,"),
        ({"ends": (1e-6, -1e-7)}, "hardly off"),
        ({"ends": None}, "pulls the estimate inwards"),
        ({"silent": 0.25}, "25% of the places drawn find no key"),
        ({"spread": 0.0, "to_nearest": 0.0, "to_mean": 0.0}, "all values are the same"),
    ],
)
def test_the_failure_that_shows_is_the_one_named(more: dict[str, Any], wanted: str) -> None:
    settings: dict[str, Any] = {
        "kernel": "gaussian",
        "bandwidth": 0.5,
        "silent": 0.0,
        "ends": (0.88, -0.2),
        "to_nearest": 0.5,
        "to_mean": 1.0,
        "spread": 1.0,
    }
    assert wanted in fails_sentence(POINTS, **(settings | more))
