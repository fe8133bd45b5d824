"""What is said of kernel regression follows from its numbers."""

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from attn_core import KERNELS
from pages import PAGES
from pages.kernel_regression import words
from pages.kernel_regression.data_points import Points, from_columns, sample
from pages.kernel_regression.search import best_of
from pages.kernel_regression.settings import BANDWIDTH, KERNEL_VIEW
from pages.kernel_regression.tabs.arithmetic import dot_products
from pages.kernel_regression.views.bridge import lay_points
from pages.kernel_regression.words import (
    Answers,
    empty_warning,
    error_readout,
    estimate_captions,
    format_amount,
)
from tests.pages import open_sound
from tests.sentences import messages_in, numbers_in
from tests.walk import fields

POINTS = Points("own points", np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 4.0]))


def fit(
    weights: list[float],
    *,
    bandwidth: float = 0.5,
    nearest: float = 0.1,
    estimate: float = 2.0,
    effective: float = 2.2,
    warning: str = "",
) -> str:
    """What is said of one query."""
    answers = Answers(
        bandwidths=[bandwidth],
        places=["1.1"],
        nearest=[nearest],
        estimates=np.array([[estimate]]),
        weights=np.array([weights]),
        effective=np.array([[effective]]),
    )
    return estimate_captions(POINTS, answers, [""], [warning]).at(0, 0)


def test_heaviest_key_is_named_with_its_weight_and_ties() -> None:
    said = fit([0.2, 0.7, 0.1])
    assert messages_in(said, place=1.1, key=1, largest="0.700", spread=2.2, n_key=3)
    assert "ied with" not in said
    for weights, ties in (([1 / 3] * 3, 2), ([0.4, 0.2, 0.4], 1), ([0.5, 0.5, 0.0], 1)):
        assert messages_in(fit(weights), count=ties)
    warned = fit([0.4, 0.2, 0.4], warning=empty_warning(4, 61, "boxcar"))
    assert messages_in(warned, count=4, places=61, kernel="boxcar")
    assert "ied with" not in warned
    assert not empty_warning(0, 61, "boxcar")


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("bandwidth", "nearest", "window", "distance"),
    [
        (0.5, 0.9, 0.5, 0.9),
        (0.8997, 3 - 2.1, 0.8997, 0.9),
        (3 - 2.1, 3 - 2.1, 0.9, 0.9),  # on the edge itself a triangular kernel is zero: no digits part them
    ],
)
def test_empty_window_sentence_has_the_nearest_key(
    bandwidth: float, nearest: float, window: float, distance: float
) -> None:
    said = fit([0.0] * 3, bandwidth=bandwidth, estimate=math.nan, nearest=nearest, effective=0.0)
    assert messages_in(said, place=1.1, window=window, distance=distance)
    assert "ied with" not in said
    assert "nan" not in said


def test_values_far_from_zero_have_distinct_digits() -> None:
    far = from_columns(np.arange(3.0), 1e9 + np.array([0.0, 0.5, 1.0]), "x", "y")
    assert far.amount(1e9 + 0.25) != far.amount(1e9 + 0.5)
    prices = from_columns(np.arange(3.0), np.array([1e5, 4e5, 6e5]), "x", "y")
    assert prices.amount(407432.1) == "407,432"


def test_kernel_without_an_estimate_has_a_dash() -> None:
    link = "picture=Four+kernels&data=gap&h=0.1&x0=2.55"
    page = PAGES["kernel-regression"].at(link)
    (told,) = messages_in(page.sentence, "estimates", h=0.1, query=2.55)
    assert told["estimates"].count("– (0.0)") == 3  # all but the Gaussian have an end
    assert messages_in(page.sentence, "count", "places", "kernel")


def test_errors_sentence_has_the_points_they_are_computed_on() -> None:
    for errors, supported in (((0.2, 0.3), 3), ((0.0, math.inf), 0)):
        said = error_readout(POINTS, 0.1, errors, supported, (0.32, 0.28))
        (told,) = messages_in(said, h=0.1, training=f"{errors[0]:g}", least=0.28, best=0.32, n_key=3)
        assert (told["left_out"], told["supported"]) == ({3: "0.3", 0: "∞"}[supported], str(supported))


def test_rounding_is_shown_as_zero_and_missing_as_a_dash() -> None:
    assert [format_amount(POINTS, each) for each in (math.nan, 1e-13, -1e-13, 0.5, -0.5)] == [
        "–",
        "0",
        "0",
        "0.5",
        "−0.5",
    ]


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
def test_least_error_equals_plain_python_on_the_same_points(kernel: str) -> None:
    """At the narrowest bandwidth fewer points are left, and their error may be the smaller one."""
    points = sample("gap", 40, 0.5, 4)
    best = best_of(points, points.fingerprint, kernel)
    error, many = least_left_out(kernel, best.bandwidth, points.keys.tolist(), points.values.tolist())
    assert (round(error, 9), many) == (round(best.left_out, 9), best.n_supported)
    own = [h * points.unit for h in BANDWIDTH.values]
    found = [least_left_out(kernel, h, points.keys.tolist(), points.values.tolist()) for h in own]
    assert all(one >= best.left_out - 1e-12 for one, n in found if n == best.n_supported)
    told = (
        PAGES["kernel-regression"].at(f"kernel={kernel}&data=gap&picture=Choose+the+bandwidth&h=0.1").sentence
    )
    assert messages_in(told, best=f"{best.bandwidth:.3g}", least=f"{best.left_out:.4g}", n_key=40)
    assert "ot comparable" in told  # fewer points keep a neighbour there


@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
@pytest.mark.parametrize("tab", ["Arithmetic", "Checks"])
def test_negative_numbers_have_a_minus_sign(picture: str, tab: str) -> None:
    at = open_sound("kernel-regression", picture=picture, tab=tab, x0="-0.5", lengths="false")
    texts = [each.value for each in (*at.markdown, *at.caption)]
    texts += [text for _, said, _ in fields(at) for text in said]
    assert [text for text in texts if re.search(r"(?<![\w|:-])-\d|\de-\d", text)] == []


@pytest.mark.parametrize("keys", ["on a line", "on a circle"])
def test_arithmetic_omits_lengths_where_the_picture_does(keys: str) -> None:
    laid = lay_points(sample("sine", 40, 0.5, 4), False, keys == "on a circle")
    selection = laid.select(0.7, False)
    _, header, terms = dot_products(selection)
    assert not any("|k|" in each for each in header)
    query = selection.queries[selection.row]
    exponentials = [math.exp(float(query @ key - query @ query / 2) / 0.7**2) for key in selection.keys]
    np.testing.assert_allclose(terms[:, -1], np.array(exponentials) / sum(exponentials))
    kernel = [math.exp(-float(((query - key) ** 2).sum()) / 2 / 0.7**2) for key in selection.keys]
    assert np.allclose(terms[:, -1], np.array(kernel) / sum(kernel)) == (keys == "on a circle")
    kept = dot_products(laid.select(0.7, True))
    assert any("|k|²/2" in each for each in kept[1])
    np.testing.assert_allclose(kept[2][:, -1], np.log(kernel))


@pytest.mark.parametrize(
    ("more", "is_same"), [("", True), ("&lengths=false", False), ("&lengths=false&keys=on+a+circle", True)]
)
def test_bridge_sentence_has_the_distance_between_the_weights(more: str, is_same: bool) -> None:
    page = PAGES["kernel-regression"].at(f"picture=Bridge+to+attention&h=0.5{more}")
    (told,) = messages_in(page.sentence, "difference", temperature=0.25)
    assert (told["difference"] == "0") == is_same


def test_smoothing_bias_at_the_ends_and_inside_equals_numpy() -> None:
    """It is that of the example, whatever data the sidebar has."""

    def truth(x: np.ndarray) -> np.ndarray:
        return np.asarray(2 * np.sin(x) + x)

    page = PAGES["kernel-regression"].at("picture=Limits&data=typed+function&truth=cos(2*pi*x)&h=0.2")
    keys = np.asarray(page.view.result.state.points.keys)
    places = np.linspace(keys[0], keys[-1], 5001)
    weights = np.exp(-(((places[:, None] - keys) / 0.2) ** 2) / 2)
    bias = weights @ truth(keys) / weights.sum(axis=1) - truth(places)
    (told,) = messages_in(page.sentence, "first", "last", "most")
    numbers = [numbers_in(told[each])[0] for each in ("first", "last", "most")]
    assert numbers == pytest.approx([*bias[[0, -1]], abs(bias).max()], abs=0.01)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_names_of_persons_are_capitalised(kernel: str) -> None:
    name = {"gaussian": "Gaussian", "epanechnikov": "Epanechnikov"}.get(kernel, kernel)
    assert words.kernel_name(kernel) == name
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
