import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from statsmodels.nonparametric.kernel_regression import KernelReg
from torch import Tensor

from attn_core import KERNELS, local_linear, local_linear_estimate, nadaraya_watson, regression_sample
from tests.core.kinds import Draw, Refuses

COMPACT = ["boxcar", "triangular", "epanechnikov"]


def column(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def least_squares(q: float, keys: Tensor, values: Tensor, kernel: str, h: float) -> np.ndarray:
    """Height and slope of the line by numpy's lstsq, each row times the root of its weight."""
    roots = KERNELS[kernel].profile((keys - q).abs() / h).sqrt().numpy()
    design = np.stack([np.ones(len(keys)), (keys - q).numpy()], axis=1)
    line: np.ndarray = np.linalg.lstsq(design * roots[:, None], values.numpy() * roots, rcond=None)[0]
    return line


@pytest.mark.parametrize("h", [0.2, 0.35, 0.8, 3.0])
@pytest.mark.parametrize("data", ["sine", "bump", "heteroscedastic"])
def test_local_linear_equals_statsmodels(data: str, h: float) -> None:
    sample = regression_sample(data, n_points=40, seed=11)
    queries = np.linspace(float(sample.keys[0]), float(sample.keys[-1]), 101)
    peer = KernelReg(sample.values.numpy(), sample.keys.numpy(), "c", reg_type="ll", bw=[h], rng=0)
    estimate, slope = peer.fit(queries)
    ours = local_linear(torch.from_numpy(queries), sample.keys, sample.values, bandwidth=h)
    np.testing.assert_allclose(ours.estimate.numpy(), estimate, rtol=0, atol=1e-8)
    np.testing.assert_allclose(ours.slope.numpy(), slope[:, 0], rtol=0, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("h", [0.6, 1.7, 9.0])
def test_equals_weighted_least_squares(kernel: str, h: float) -> None:
    sample = regression_sample("sine", n_points=40, seed=5)
    queries = torch.linspace(-0.2, 5.2, 23, dtype=torch.float64)
    fit = local_linear(queries, sample.keys, sample.values, kernel=kernel, bandwidth=h)
    lines = np.array([least_squares(q, sample.keys, sample.values, kernel, h) for q in queries.tolist()])
    np.testing.assert_allclose(fit.estimate.numpy(), lines[:, 0], atol=1e-9)
    np.testing.assert_allclose(fit.slope.numpy(), lines[:, 1], atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("h", [0.01, 0.3, 2.0, 1e6])
def test_weights_sum_to_one_and_reproduce_lines(kernel: str, h: float) -> None:
    sample = regression_sample("gap", n_points=23, seed=5)
    queries = torch.linspace(-1, 6, 31, dtype=torch.float64)
    fit = local_linear(queries, sample.keys, sample.values, kernel=kernel, bandwidth=h)
    scale = fit.weights.abs().sum(dim=-1).clamp(min=1)
    assert ((fit.weights.sum(dim=-1) - fit.has_support.double()).abs() <= 1e-13 * scale).all()
    line = fit.has_slope
    assert ((fit.weights[line] @ sample.keys - queries[line]).abs() <= 1e-12 * scale[line]).all()
    given = fit.has_support
    torch.testing.assert_close(
        (fit.weights @ sample.values)[given], fit.estimate[given], rtol=1e-9, atol=1e-9 * float(scale.max())
    )
    means = nadaraya_watson(queries, sample.keys, sample.values, kernel=kernel, bandwidth=h)
    assert (fit.has_support == means.has_support).all()
    flat = fit.has_support & ~fit.has_slope
    torch.testing.assert_close(fit.estimate[flat], means.estimate[flat])
    torch.testing.assert_close(fit.weights[flat], means.weights[flat])


def test_local_linear_of_a_line_is_the_line() -> None:
    keys = regression_sample("bump", n_points=30, seed=2).keys
    queries = torch.linspace(-3, 8, 23, dtype=torch.float64)
    steps = column([0.5, 2.0, 50.0])
    fit = local_linear(queries, keys, 4 - 3 * keys, bandwidth=steps)
    torch.testing.assert_close(fit.estimate, (4 - 3 * queries).expand(3, -1), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(fit.slope, torch.full((3, 23), -3.0, dtype=torch.float64), rtol=1e-9, atol=0)
    assert (fit.weights < 0).any()


def test_local_linear_at_extreme_bandwidths() -> None:
    sample = regression_sample("sine", n_points=20, seed=8)
    queries = torch.linspace(-1, 6, 15, dtype=torch.float64)
    wide = local_linear(queries, sample.keys, sample.values, bandwidth=1e9)
    slope, height = np.polyfit(sample.keys.numpy(), sample.values.numpy(), 1)
    np.testing.assert_allclose(wide.estimate.numpy(), height + slope * queries.numpy(), rtol=1e-9)
    # A bandwidth at which no weight but the nearest key's is a number: still the line through two points.
    narrow = local_linear(queries, sample.keys, sample.values, bandwidth=1e-5)
    for q, estimate in zip(queries.tolist(), narrow.estimate.tolist(), strict=True):
        first, second = (sample.keys - q).abs().argsort()[:2].tolist()
        (k1, v1), (k2, v2) = (
            (Fraction(float(sample.keys[i])), Fraction(float(sample.values[i]))) for i in (first, second)
        )
        exact = v1 + (v2 - v1) / (k2 - k1) * (Fraction(q) - k1)
        assert estimate == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize("kernel", COMPACT)
def test_one_place_in_window_has_local_mean_and_no_slope(kernel: str) -> None:
    keys, values = column([0.0, 1.0, 1.0, 3.0]), column([5.0, 2.0, 4.0, 7.0])
    fit = local_linear(column([1.2, 1.95, 9.0]), keys, values, kernel=kernel, bandwidth=1.0)
    assert fit.has_support.tolist() == [True, True, False]
    assert fit.has_slope.tolist() == [False, False, False]
    assert fit.estimate.tolist()[:2] == pytest.approx([3.0, 3.0])
    assert fit.slope.tolist()[:2] == [0.0, 0.0]
    assert math.isnan(fit.estimate[2])
    assert math.isnan(fit.slope[2])
    torch.testing.assert_close(fit.weights[0], column([0.0, 0.5, 0.5, 0.0]))
    assert fit.weights[2].tolist() == [0.0] * 4


@pytest.mark.parametrize("kernel", KERNELS)
def test_batches_equal_one_at_a_time(kernel: str, draw: Draw) -> None:
    queries, keys, values = draw(5), draw(7), draw(7, 2)
    steps = column([0.05, 0.4, 1.0, 90.0]).reshape(2, 2)
    batch = local_linear(queries, keys, values, kernel=kernel, bandwidth=steps)
    alone = local_linear_estimate(queries, keys, values, kernel=kernel, bandwidth=steps)
    torch.testing.assert_close(alone, batch.estimate, equal_nan=True)
    for i in range(2):
        for j in range(2):
            one = local_linear(queries, keys, values[:, 1], kernel=kernel, bandwidth=steps[i, j].item())
            torch.testing.assert_close(batch.weights[i, j], one.weights)
            torch.testing.assert_close(batch.estimate[i, j, :, 1], one.estimate, equal_nan=True)
            torch.testing.assert_close(batch.slope[i, j, :, 1], one.slope, equal_nan=True)


def test_local_linear_refuses_misfits(refuses: Refuses, draw: Draw) -> None:
    plane, keys = draw(4, 2), draw(4)
    with refuses(r"keys must have shape \(n_key,\), for lines of one input"):
        local_linear(plane, plane, keys)
    with refuses("kernel must be one of"):
        local_linear(keys, keys, keys, kernel="cosine")
    with refuses("bandwidth must be a finite number > 0"):
        local_linear(keys, keys, keys, bandwidth=0.0)
