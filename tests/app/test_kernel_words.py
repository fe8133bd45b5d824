"""What is said of kernel regression follows from its numbers."""

import math
import re
from collections.abc import Callable
from functools import partial
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
from tests.walk import fields, said_now

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


def test_the_heaviest_key_is_named() -> None:
    assert (
        "The key at 1 has the largest weight (0.700). The weights are as spread as equal weights on 2.2 of 3 "
        in fit()
    )
    assert "hatched" not in fit()
    assert "4 of 61 queries find no key" in fit(empty=4)
    assert "1 of 61 queries finds no key" in fit(empty=1)


@pytest.mark.parametrize(
    ("weights", "wanted"),
    [
        ([1 / 3, 1 / 3, 1 / 3], "All keys have the same weight (0.333)"),
        ([0.0, 0.5, 0.5], "2 keys have the same weight (0.500), all others none"),
        ([0.2, 0.4, 0.4], "2 keys have the same weight (0.400), all others less"),
        ([0.332, 0.3335, 0.3345], "All keys have nearly the same weight (at most 0.335)"),
        ([0.0, 0.0, 1.0], "The key at 3 has the largest weight (1.000)"),
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
        query="2.5",
        estimates={"gaussian": 1.0, "boxcar": math.nan, "triangular": math.nan},
        effective={"gaussian": 3.0, "boxcar": 0.0, "triangular": 0.0},
        empty={"gaussian": 0, "boxcar": 24, "triangular": 24},
        n_query=61,
    )
    assert "Gaussian 1 (3.0)" in said
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
        "compared": 1243,
        "supported": 3,
        "most_supported": 3,
    }
    return choose_sentence(POINTS, **(settings | more))


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, "too small: the curve follows single points"),
        ({"left_out": 0.281}, "as good"),
        # A wide bandwidth whose errors are the best's is as good, however far away it lies.
        ({"bandwidth": 13.0, "left_out": 0.281, "training": 0.26}, "as good"),
        ({"training": 0.4}, "too large: the curve is too smooth"),
        ({"training": 0.25}, "worse on the points left out"),
    ],
)
def test_errors_are_compared_not_bandwidths(more: dict[str, Any], wanted: str) -> None:
    said = choose(**more)
    assert wanted in said
    assert "the smallest of 1,243 tried is 0.28 at h = 0.32" in said
    assert "Dotted" not in said


def test_errors_of_some_points_only_are_not_passed_off_as_comparable() -> None:
    said = choose(training=0.0, left_out=math.inf, supported=0)
    assert "no point has a neighbour" in said
    assert "inf" not in said
    some = choose(left_out=0.1, supported=2)
    assert "only 2 of 3 points keep a neighbour" in some
    assert "the smallest of the 900 tried that leave every point a neighbour is 0.28" in choose(compared=900)
    apart = choose(compared=900, supported=1, most_supported=2)
    assert "the smallest of the 900 tried that leave 2 of 3 points a neighbour is 0.28" in apart
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
    few = learned(error=0.1, fewer=2)
    assert "only 2 of 3 points keep a neighbour, so the errors do not compare" in few
    assert "agree" not in few


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
def test_the_least_error_is_said_to_be_least_of_those_that_it_is_the_least_of(kernel: str) -> None:
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
    whom = "every point" if best.supported == 40 else f"{best.supported} of 40 points"
    assert all(
        f"the smallest of the {best.compared:,} tried that leave {whom} a neighbour" in each for each in said
    )
    # The mistake of choosing by the training error is made where few points have a neighbour left.
    broken = open_sound("kernel-regression", kernel=kernel, data="gap", tab="Break it", trap="training error")
    texts = [each.value for each in broken.markdown if "The training error is smallest" in each.value]
    assert len(texts) == 1
    assert "changes nothing" not in texts[0]


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
    told, header, terms = dot_products(standing)
    assert not any("|k|" in each for each in header)
    query = standing.queries[standing.row]
    exponentials = [math.exp(float(query @ key - query @ query / 2) / 0.7**2) for key in standing.keys]
    np.testing.assert_allclose(terms[:, -1], np.array(exponentials) / sum(exponentials))
    kernel = [math.exp(-float(((query - key) ** 2).sum()) / 2 / 0.7**2) for key in standing.keys]
    same = np.allclose(terms[:, -1], np.array(kernel) / sum(kernel))
    assert same == ("the weights are those above" in told) == (keys == "on a circle")
    kept = dot_products(laid.standing(0.7, True))
    assert any("|k|²/2" in each for each in kept[1])
    np.testing.assert_allclose(kept[2][:, -1], np.log(kernel))
    page = open_sound("kernel-regression", picture="Bridge to attention", lengths="false", keys=keys)
    tables = [each.value for each in page.markdown if each.value.startswith("| :orange[key] k | q · k")]
    assert len(tables) == 1
    assert "|k|" not in tables[0].replace("\\|", "|")


def test_the_bridge_says_why_weights_agree_or_not() -> None:
    common = {"h_squared": 0.25}
    kept = bridge_sentence(largest=1e-16, keeps_lengths=True, on_circle=False, **common)
    circle = bridge_sentence(largest=1e-16, keeps_lengths=False, on_circle=True, **common)
    line = bridge_sentence(largest=0.9, keeps_lengths=False, on_circle=False, **common)
    wide = bridge_sentence(largest=2e-6, keeps_lengths=False, on_circle=False, h_squared=625.0)
    assert "gives the weights of the Gaussian kernel" in kept
    assert "equally long" in circle
    assert "favours long **keys**" in line
    assert "favours" not in wide
    assert "no weight differs by more than 2 × 10⁻⁶" in wide


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"to_nearest": 0.01}, "copies the nearest key's value"),
        ({"to_mean": 0.1}, "gets the mean"),
        ({}, "wrong by +0.88 and −0.2,"),
        ({"ends": (1e-6, -1e-7)}, "hardly wrong"),
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


def test_where_every_place_gets_the_mean_the_nearest_keys_are_not_all_it_knows() -> None:
    data = sample("sine", 4, 0.0, 4)
    link = {"picture": "Where it fails", "points": "4", "noise": "0"}
    for kernel, h in (("boxcar", "25"), ("gaussian", "25")):
        at = open_sound("kernel-regression", kernel=kernel, h=h, **link)
        (told,) = said_now(at)
        assert "gets the mean of all values" in told
        assert "nearest keys" not in told
    u = np.abs(np.linspace(data.keys[0] - 3, data.keys[-1] + 3, 50)[:, None] - data.keys) / 25
    assert (u <= 1).all()  # every key is in the window of the boxcar everywhere: all weigh a quarter
    assert "it averages the nearest keys" in fails_sentence(
        POINTS, kernel="boxcar", bandwidth=1, silent=0, ends=None, to_nearest=0.5, to_mean=1, spread=1
    )


def test_rows_without_a_key_are_not_said_to_sum_to_one() -> None:
    at = open_sound("kernel-regression", tab="Break it", trap="triangular as Epanechnikov", h="0.01")
    assert any("Rows with a key in the window sum to one either way" in each.value for each in at.markdown)
    at = open_sound("kernel-regression", tab="Checks", kernel="boxcar", h="0.01")
    told = "\n".join(each.value for each in at.markdown)
    assert "| each row of weights sums to one, or is empty | :material/check: holds" in told


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_of_a_person_have_a_capital_in_sentences(kernel: str) -> None:
    name = {"gaussian": "Gaussian", "epanechnikov": "Epanechnikov"}.get(kernel, kernel)
    assert words.named(kernel) == name
    at = open_sound("kernel-regression", kernel=kernel, tab="Arithmetic", h="0.01")
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


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"to_nearest": 0.19}, "copies the nearest key's value"),
        ({"to_nearest": 0.21, "to_mean": 0.59}, "gets the mean"),
        ({"ends": (0.01, -0.081)}, "wrong by +0.01 and −0.081,"),
        ({"ends": (-0.079, 0.01)}, "hardly wrong"),
        ({"silent": 0.006}, "1% of the places drawn find no key"),
        ({"silent": 0.004}, "it averages the nearest keys"),
    ],
)
def test_what_is_small_is_measured_by_the_spread_of_the_values(more: dict[str, Any], wanted: str) -> None:
    settings: dict[str, Any] = {"silent": 0.0, "ends": (0.88, -0.2), "to_nearest": 0.21, "to_mean": 0.61}
    told = fails_sentence(POINTS, kernel="gaussian", bandwidth=0.5, spread=4.0, **(settings | more))
    assert wanted in told
    if "silent" not in more:
        assert wanted not in fails_sentence(POINTS, kernel="gaussian", bandwidth=0.5, spread=4.0, **settings)


@pytest.mark.parametrize("truth", ["3", "0"])
def test_of_errors_that_are_rounding_alone_no_bandwidth_is_called_too_large(truth: str) -> None:
    link = f"data=typed+function&truth={truth}&noise=0&picture=Choose+the+bandwidth"
    said = PAGES["kernel-regression"].at(link).sentence
    assert said.strip() == (
        "Training error and leave-one-out error are 0 at h = 0.5, to rounding: no bandwidth does better."
    )
    assert "the smallest of" in PAGES["kernel-regression"].at(link.replace("noise=0", "noise=0.001")).sentence
