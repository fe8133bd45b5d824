import math
import warnings
from collections.abc import Callable, Sequence
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.nonparametric.kernel_regression import KernelReg
from torch import Tensor

from attn_core import KERNELS, _sample, kernel_estimate, nadaraya_watson, regression_sample
from tests.core.kinds import Draw, Refuses

COMPACT = ["boxcar", "triangular", "epanechnikov"]
numbers = st.floats(-50, 50, allow_nan=False)


def column(values: Sequence[float] | Sequence[Sequence[float]]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def naive_estimate(
    queries: list[float], keys: list[float], values: list[float], kernel: str, h: float
) -> tuple[Tensor, Tensor]:
    """The definition in plain loops: weights, and the estimate or NaN."""
    profiles: dict[str, Callable[[float], float]] = {
        "gaussian": lambda u: math.exp(-u * u / 2),
        "boxcar": lambda u: float(u <= 1),
        "triangular": lambda u: max(0.0, 1 - u),
        "epanechnikov": lambda u: max(0.0, 1 - u * u),
    }
    profile = profiles[kernel]
    all_weights, estimates = [], []
    for q in queries:
        raw = [profile(abs(q - k) / h) for k in keys]
        total = sum(raw)
        weights = [r / total if total else 0.0 for r in raw]
        all_weights.append(weights)
        estimates.append(sum(w * v for w, v in zip(weights, values, strict=True)) if total else math.nan)
    return column(all_weights), column(estimates)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("h", [0.13, 0.7, 3.0])
def test_regression_equals_naive_loops(kernel: str, h: float) -> None:
    sample = regression_sample("gap", n_points=23, seed=5)
    queries = torch.linspace(-1, 6, 31, dtype=torch.float64)
    weights, estimate = naive_estimate(
        queries.tolist(), sample.keys.tolist(), sample.values.tolist(), kernel, h
    )
    fit = nadaraya_watson(queries, sample.keys, sample.values, kernel=kernel, bandwidth=h)
    torch.testing.assert_close(fit.weights, weights, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(fit.estimate, estimate, rtol=1e-10, atol=1e-12, equal_nan=True)
    assert (fit.has_support == ~estimate.isnan()).all()


@pytest.mark.parametrize("h", [0.1, 0.35, 2.0])
def test_regression_equals_statsmodels(h: float) -> None:
    sample = regression_sample("sine", n_points=40, seed=11)
    queries = np.linspace(0, 5, 101)
    peer = KernelReg(sample.values.numpy(), sample.keys.numpy(), "c", reg_type="lc", bw=[h], rng=0)
    ours = nadaraya_watson(torch.from_numpy(queries), sample.keys, sample.values, bandwidth=h).estimate
    np.testing.assert_allclose(ours.numpy(), peer.fit(queries)[0], rtol=0, atol=1e-8)


def test_gaussian_weights_are_softmax_of_distances(draw: Draw) -> None:
    queries, keys, values, h = draw(5), draw(7), draw(7), 0.6
    expected = torch.softmax(-((queries[:, None] - keys[None, :]) ** 2) / (2 * h**2), dim=1)
    fit = nadaraya_watson(queries, keys, values, bandwidth=h)
    torch.testing.assert_close(fit.weights, expected)
    torch.testing.assert_close(fit.weights, torch.softmax(fit.scores, dim=1))
    torch.testing.assert_close(fit.estimate, expected @ values)


def test_distances_of_vectors_are_euclidean(draw: Draw) -> None:
    queries, keys, values = draw(5, 3), draw(7, 3), draw(7, 2)
    fit = nadaraya_watson(queries, keys, values, bandwidth=0.9)
    expected = torch.tensor([[math.dist(q, k) for k in keys.tolist()] for q in queries.tolist()])
    torch.testing.assert_close(fit.distances, expected.double())
    assert fit.estimate.shape == (5, 2)
    for j in range(2):
        torch.testing.assert_close(
            fit.estimate[:, j], nadaraya_watson(queries, keys, values[:, j], bandwidth=0.9).estimate
        )


def test_distances_of_close_vectors_are_exact() -> None:
    keys = column([[1e8, 1.0], [1e8, 1.0 + 1e-7]])
    assert nadaraya_watson(keys, keys, column([0.0, 1.0])).distances[0, 1].item() == pytest.approx(
        1e-7, rel=1e-8
    )


@pytest.mark.parametrize("kernel", KERNELS)
def test_bandwidth_batch_equals_one_at_a_time(kernel: str, draw: Draw) -> None:
    queries, keys, values = draw(5), draw(7), draw(7)
    steps = column([[0.05, 0.4, 1.0], [2.0, 5.0, 90.0]])
    batch = nadaraya_watson(queries, keys, values, kernel=kernel, bandwidth=steps)
    assert batch.weights.shape == (2, 3, 5, 7)
    assert batch.estimate.shape == batch.has_support.shape == (2, 3, 5)
    for i in range(2):
        for j in range(3):
            one = nadaraya_watson(queries, keys, values, kernel=kernel, bandwidth=steps[i, j].item())
            for field in ("scores", "weights", "estimate", "has_support"):
                torch.testing.assert_close(
                    getattr(batch, field)[i, j], getattr(one, field), equal_nan=True, rtol=0, atol=1e-15
                )


@pytest.mark.parametrize("kernel", COMPACT)
def test_empty_window_has_zero_weights_and_nan(kernel: str) -> None:
    keys = column([0.0, 1.0])
    fit = nadaraya_watson(column([0.5, 9.0]), keys, keys, kernel=kernel, bandwidth=2.0)
    assert fit.has_support.tolist() == [True, False]
    assert fit.weights[1].tolist() == [0.0, 0.0]
    assert fit.scores[1].tolist() == [-math.inf, -math.inf]
    assert fit.estimate[0].item() == pytest.approx(0.5)
    assert math.isnan(fit.estimate[1].item())


@pytest.mark.parametrize("h", [1e-3, 1e-9, 1e-160, 1e-305])
def test_gaussian_of_tiny_bandwidth_is_nearest_neighbour(h: float, draw: Draw) -> None:
    queries, keys, values = draw(11), draw(7), draw(7)
    fit = nadaraya_watson(queries, keys, values, bandwidth=h)
    nearest = (queries[:, None] - keys[None, :]).abs().argmin(dim=1)
    assert fit.has_support.all()
    assert fit.weights.isfinite().all()
    assert fit.scores.isfinite().all()
    assert (fit.weights.argmax(dim=1) == nearest).all()
    if h < 1e-3:
        torch.testing.assert_close(fit.estimate, values[nearest])


def test_gaussian_of_tiny_bandwidth_shares_ties() -> None:
    fit = nadaraya_watson(column([0.0]), column([-1.0, 1.0, 2.0]), column([3.0, 5.0, 7.0]), bandwidth=1e-200)
    assert fit.weights.tolist() == [[0.5, 0.5, 0.0]]


def test_gaussian_of_tiny_bandwidth_in_float32() -> None:
    keys = torch.tensor([0.0, 1.0, 3.0])
    fit = nadaraya_watson(torch.tensor([1.2]), keys, keys, bandwidth=1e-30)
    assert fit.weights.tolist() == [[0.0, 1.0, 0.0]]
    assert fit.estimate.dtype == torch.float32


@pytest.mark.parametrize("h", [1e6, 1e200])
@pytest.mark.parametrize("kernel", KERNELS)
def test_gaussian_of_huge_bandwidth_is_the_mean(kernel: str, h: float, draw: Draw) -> None:
    queries, keys, values = draw(5), draw(7), draw(7)
    estimate = nadaraya_watson(queries, keys, values, kernel=kernel, bandwidth=h).estimate
    torch.testing.assert_close(estimate, values.mean().expand(5), rtol=0, atol=1e-5)


@given(
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12),
    st.lists(numbers, min_size=1, max_size=5),
    st.floats(1e-300, 1e300),
    st.sampled_from(sorted(KERNELS)),
)
def test_rows_sum_to_one_where_there_is_support(
    points: list[tuple[float, float]], queries: list[float], h: float, kernel: str
) -> None:
    keys, values = (column(list(axis)) for axis in zip(*points, strict=True))
    fit = nadaraya_watson(column(queries), keys, values, kernel=kernel, bandwidth=h)
    sums = fit.weights.sum(dim=1)
    torch.testing.assert_close(sums, fit.has_support.double(), rtol=0, atol=1e-12)
    assert (fit.weights >= 0).all()
    estimates = fit.estimate[fit.has_support]
    assert (estimates >= values.min() - 1e-9).all()
    assert (estimates <= values.max() + 1e-9).all()


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=9), st.randoms(use_true_random=False))
def test_estimate_is_independent_of_point_order(points: list[tuple[float, float]], random: Random) -> None:
    shuffled = random.sample(points, len(points))
    keys, values = (column(list(axis)) for axis in zip(*points, strict=True))
    other_keys, other_values = (column(list(axis)) for axis in zip(*shuffled, strict=True))
    queries = column([-3.0, 0.5])
    torch.testing.assert_close(
        nadaraya_watson(queries, keys, values, bandwidth=2.0).estimate,
        nadaraya_watson(queries, other_keys, other_values, bandwidth=2.0).estimate,
    )


@pytest.mark.parametrize("kernel", ["gaussian", "triangular", "epanechnikov"])
def test_regression_gradients_are_right(kernel: str, draw: Draw) -> None:
    queries, keys, values = draw(3).requires_grad_(), draw(5).requires_grad_(), draw(5).requires_grad_()
    bandwidth = column([2.9]).requires_grad_()

    def estimate(*inputs: Tensor) -> Tensor:
        return nadaraya_watson(*inputs[:3], kernel=kernel, bandwidth=inputs[3]).estimate

    assert torch.autograd.gradcheck(estimate, (queries, keys, values, bandwidth))


@pytest.mark.parametrize("kernel", ["gaussian", "boxcar"])
def test_kernel_estimate_equals_nadaraya_watson(
    monkeypatch: pytest.MonkeyPatch, draw: Draw, kernel: str
) -> None:
    monkeypatch.setattr("attn_core._sample.CHUNK", 50)  # so that one bandwidth is worked through at a time
    queries, keys, values = draw(5), draw(7), draw(7, 2)
    steps = column([[0.1, 0.4, 1.0], [2.0, 5.0, 9.0]])
    once = Mock(side_effect=_sample.squares_beyond_nearest)  # what no bandwidth changes
    whole = nadaraya_watson(queries, keys, values, kernel=kernel, bandwidth=steps).estimate
    monkeypatch.setattr("attn_core._sample.squares_beyond_nearest", once)
    chunked = kernel_estimate(queries, keys, values, kernel=kernel, bandwidth=steps)
    torch.testing.assert_close(chunked, whole, equal_nan=True)
    assert once.call_count == 1


def test_regression_refusals_say_what_came(refuses: Refuses, draw: Draw) -> None:
    keys = draw(7)
    bad: Any
    for bad in (0, -1.0, math.nan, math.inf, "wide", None, True):
        with refuses(f"bandwidth must be a finite number > 0; got {bad!r}"):
            nadaraya_watson(keys, keys, keys, bandwidth=bad)
    with refuses(r"bandwidth must hold finite numbers > 0; got \[1.0, 0.0\]"):
        nadaraya_watson(keys, keys, keys, bandwidth=column([1.0, 0.0]))
    with refuses(r"bandwidth must hold at least one number; got shape \(0,\)"):
        kernel_estimate(keys, keys, keys, bandwidth=column([]))
    with refuses("kernel must be one of 'gaussian', 'boxcar', 'triangular', 'epanechnikov'; got 'cosine'"):
        nadaraya_watson(keys, keys, keys, kernel="cosine")
    with refuses(r"same n_key >= 1 points; got shapes \(7,\) and \(5,\)"):
        nadaraya_watson(keys, keys, draw(5))
    with refuses(r"same width d; got shapes \(5, 2\) and \(7, 3\)"):
        nadaraya_watson(draw(5, 2), draw(7, 3), keys)
    with refuses(r"queries must have shape .*; got shape \(2, 3, 5\)"):
        nadaraya_watson(draw(2, 3, 5), keys, keys)
    with refuses("keys must hold finite numbers; got 1 that are not"):
        nadaraya_watson(draw(2), column([0.0, math.nan]), draw(2))
    with refuses("share one floating-point dtype; got queries torch.float32, keys torch.float64"):
        nadaraya_watson(keys.float(), keys, keys)


def test_empty_window_raises_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nadaraya_watson(column([9.0]), column([0.0]), column([1.0]), kernel="boxcar")
