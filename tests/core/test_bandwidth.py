import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from statsmodels.nonparametric.kernel_regression import KernelReg
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from attn_core import (
    KERNELS,
    BandwidthStep,
    bandwidth_search,
    kernel_estimate,
    learn_bandwidth,
    leave_one_out_error,
    nadaraya_watson,
    regression_sample,
)
from tests.core.kinds import Draw, Refuses

GRID = torch.logspace(-2, 1, 50, dtype=torch.float64)


def naive_leave_one_out(keys: Tensor, values: Tensor, kernel: str, h: float) -> float:
    """Fit once for each point, on all the others."""
    squares = []
    for i in range(len(keys)):
        others = torch.arange(len(keys)) != i
        fit = nadaraya_watson(keys[i : i + 1], keys[others], values[others], kernel=kernel, bandwidth=h)
        if fit.has_support.item():
            squares.append((fit.estimate[0] - values[i]).square().mean().item())
    return sum(squares) / len(squares) if squares else math.inf


def naive_training(keys: Tensor, values: Tensor, kernel: str, h: float) -> float:
    fit = nadaraya_watson(keys, keys, values, kernel=kernel, bandwidth=h)
    return (fit.estimate - values).square().mean().item()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("h", [1e-200, 1e-12, 0.02, 0.3, 4.0, 1e12, 1e200])
def test_leave_one_out_equals_a_loop(kernel: str, h: float) -> None:
    sample = regression_sample("bump", n_points=29, seed=3)
    expected = naive_leave_one_out(sample.keys, sample.values, kernel, h)
    assert leave_one_out_error(sample.keys, sample.values, kernel=kernel, bandwidth=h) == pytest.approx(
        expected, rel=1e-10
    )


@pytest.mark.parametrize("h", [0.15, 0.5])
def test_leave_one_out_equals_statsmodels(h: float) -> None:
    sample = regression_sample("sine", seed=2)
    peer = KernelReg(sample.values.numpy(), sample.keys.numpy(), "c", reg_type="lc", bw=[h], rng=0)
    expected = peer.cv_loo(np.array([h]), peer.est["lc"])
    assert leave_one_out_error(sample.keys, sample.values, bandwidth=h) == pytest.approx(
        expected.item(), rel=1e-8
    )


def test_leave_one_out_on_three_points_by_hand() -> None:
    keys = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    values = torch.tensor([0.0, 3.0, 0.0], dtype=torch.float64)
    # Windows of 1: the ends see the middle (error 9 each), the middle sees both ends (error 9).
    assert leave_one_out_error(keys, values, kernel="boxcar", bandwidth=1.0) == 9.0
    # Windows of 2: the ends see 3 and 0, mean 1.5; the middle still sees 0 and 0.
    assert leave_one_out_error(keys, values, kernel="boxcar", bandwidth=2.0) == (1.5**2 + 9 + 1.5**2) / 3


@pytest.mark.parametrize("kernel", KERNELS)
def test_search_equals_errors_one_at_a_time(kernel: str) -> None:
    sample = regression_sample("sine", n_points=31, seed=4)
    found = bandwidth_search(sample.keys, sample.values, kernel=kernel, bandwidths=GRID)
    for h, training, left_out in zip(
        GRID.tolist(), found.training_errors.tolist(), found.leave_one_out_errors.tolist(), strict=True
    ):
        assert training == pytest.approx(
            naive_training(sample.keys, sample.values, kernel, h), rel=1e-9, abs=1e-15
        )
        assert left_out == pytest.approx(
            naive_leave_one_out(sample.keys, sample.values, kernel, h), rel=1e-10
        )


def test_search_in_chunks_equals_search(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = regression_sample("sine")
    whole = bandwidth_search(sample.keys, sample.values, bandwidths=GRID)
    monkeypatch.setattr("attn_core._sample.CHUNK", 3 * 40 * 40)
    chunked = bandwidth_search(sample.keys, sample.values, bandwidths=GRID)
    torch.testing.assert_close(chunked.leave_one_out_errors, whole.leave_one_out_errors)
    torch.testing.assert_close(chunked.training_errors, whole.training_errors)


def test_search_of_500_points_takes_bounded_memory() -> None:
    sample = regression_sample("sine", n_points=500)

    class LargestResult(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]  # torch says no types here
            self.largest = 0

        def __torch_dispatch__(
            self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor):
                self.largest = max(self.largest, result.numel() * result.element_size())
            return result

    one_map = 500 * 500 * 8
    with LargestResult() as search:
        bandwidth_search(sample.keys, sample.values, bandwidths=GRID)
    with LargestResult() as curves:
        kernel_estimate(sample.keys, sample.keys, sample.values, bandwidth=GRID)
    assert one_map <= search.largest <= 2 * one_map
    assert one_map <= curves.largest <= 2 * one_map


def test_training_error_prefers_the_smallest_bandwidth() -> None:
    sample = regression_sample("sine")
    found = bandwidth_search(sample.keys, sample.values, bandwidths=GRID)
    assert found.training_errors.argmin() == 0
    assert found.training_errors[0] < 0.5 * found.training_errors.max()
    assert 0 < found.leave_one_out_errors.argmin() < len(GRID) - 1
    assert found.best == GRID[found.leave_one_out_errors.argmin()].item()
    assert bandwidth_search(sample.keys, sample.values, bandwidths=[1e-9]).training_errors.item() < 1e-20


def test_search_ignores_windows_with_few_points() -> None:
    keys = torch.tensor([0.0, 0.01, 1.0, 2.0, 3.0, 4.0], dtype=torch.float64)
    values = torch.tensor([5.0, 5.0, 4.0, 6.0, 4.0, 6.0], dtype=torch.float64)
    found = bandwidth_search(keys, values, kernel="boxcar", bandwidths=[0.02, 1.5, 9.0])
    assert found.n_supported.tolist() == [2, 6, 6]
    assert found.leave_one_out_errors.argmin() == 0
    assert found.best == 9.0


def test_no_support_at_any_bandwidth() -> None:
    keys = torch.tensor([0.0, 10.0], dtype=torch.float64)
    found = bandwidth_search(keys, keys, kernel="triangular", bandwidths=[3.0, 5.0, 1.0])
    assert found.leave_one_out_errors.tolist() == [math.inf] * 3
    assert found.n_supported.tolist() == [0, 0, 0]
    assert found.training_errors.tolist() == [0.0] * 3
    assert found.best == 5.0


def test_equal_keys_and_values_with_columns(draw: Draw) -> None:
    keys = torch.tensor([1.0, 1.0, 2.0, 2.0, 3.0], dtype=torch.float64)
    values = draw(5, 3)
    for kernel in KERNELS:
        for h in (1e-200, 0.5, 2.5):
            expected = naive_leave_one_out(keys, values, kernel, h)
            assert leave_one_out_error(keys, values, kernel=kernel, bandwidth=h) == pytest.approx(
                expected, rel=1e-10
            )


def test_learned_bandwidth_ends_at_the_best_of_a_fine_grid() -> None:
    sample = regression_sample("sine", n_points=40)
    fine = torch.logspace(-1.5, 1, 2000, dtype=torch.float64)
    best = bandwidth_search(sample.keys, sample.values, bandwidths=fine)
    for start in (0.1, 1.0, 3.0):
        *_, last = learn_bandwidth(sample.keys, sample.values, start=start)
        assert last.bandwidth == pytest.approx(best.best, rel=0.02)
        assert last.error <= best.leave_one_out_errors.min().item() * (1 + 1e-4)


def test_learning_yields_every_step_with_its_own_error() -> None:
    sample = regression_sample("sine")
    path = list(learn_bandwidth(sample.keys, sample.values, start=2.0, steps=7, learning_rate=0.1))
    assert [each.step for each in path] == list(range(8))
    assert path[0].bandwidth == pytest.approx(2.0)
    for each in path:
        assert each.error == pytest.approx(
            leave_one_out_error(sample.keys, sample.values, bandwidth=each.bandwidth)
        )


def test_learning_steps_are_those_of_adam(draw: Draw) -> None:
    keys, values = draw(11), draw(11)
    log_h = torch.tensor(0.7, dtype=torch.float64).log().requires_grad_()
    adam = torch.optim.Adam([log_h], lr=0.03)
    for ours in learn_bandwidth(keys, values, start=0.7, steps=20, learning_rate=0.03):
        assert ours.bandwidth == pytest.approx(log_h.exp().item(), rel=1e-9)
        logits = -((keys[:, None] - keys) ** 2) / (2 * log_h.exp() ** 2)
        weights = torch.softmax(logits.masked_fill(torch.eye(11, dtype=torch.bool), -math.inf), dim=1)
        adam.zero_grad()
        (weights @ values - values).square().mean().backward()
        adam.step()


@pytest.mark.parametrize("kernel", ["triangular", "epanechnikov"])
def test_learning_improves_a_compact_kernel(kernel: str) -> None:
    sample = regression_sample("sine")
    first, *_, last = learn_bandwidth(sample.keys, sample.values, kernel=kernel, start=3.0)
    assert last.error < 0.8 * first.error


def test_learning_without_gradient_stops() -> None:
    sample = regression_sample("sine")
    (only,) = learn_bandwidth(sample.keys, sample.values, kernel="boxcar", start=1.0)
    assert only == BandwidthStep(
        0, 1.0, leave_one_out_error(sample.keys, sample.values, kernel="boxcar", bandwidth=1.0)
    )
    (only,) = learn_bandwidth(sample.keys, sample.values, kernel="triangular", start=1e-12)
    assert only.error == math.inf


def test_learning_under_no_grad_works() -> None:
    sample = regression_sample("sine")
    with torch.no_grad():
        first, *_, last = learn_bandwidth(sample.keys, sample.values, start=3.0, steps=5)
    assert last.bandwidth < first.bandwidth


def test_bandwidth_refusals_say_what_came(refuses: Refuses, draw: Draw) -> None:
    keys = draw(7)
    with refuses("leaving one out needs at least 2 points; got 1"):
        leave_one_out_error(keys[:1], keys[:1])
    with refuses(r"bandwidth must be one number; got shape \(2,\)"):
        leave_one_out_error(keys, keys, bandwidth=torch.ones(2, dtype=torch.float64))  # type: ignore[arg-type]  # wrong on purpose
    with refuses("bandwidth must be a finite number > 0; got 0"):
        leave_one_out_error(keys, keys, bandwidth=0)
    with refuses(r"bandwidths must have shape \(steps,\); got \(2, 2\)"):
        bandwidth_search(keys, keys, bandwidths=torch.ones(2, 2, dtype=torch.float64))
    with refuses("bandwidths must hold at least one number"):
        bandwidth_search(keys, keys, bandwidths=[])
    with refuses(r"bandwidths must hold finite numbers > 0; got \[1.0, -1.0\]"):
        bandwidth_search(keys, keys, bandwidths=[1.0, -1.0])
    with refuses("kernel must be one of .*; got 'cosine'"):
        bandwidth_search(keys, keys, kernel="cosine", bandwidths=[1.0])


def test_learning_refuses_at_the_call(refuses: Refuses, draw: Draw) -> None:
    keys = draw(7)
    with refuses("start must be a finite number > 0; got -1"):
        learn_bandwidth(keys, keys, start=-1)
    with refuses("steps must be a whole number >= 1; got 0"):
        learn_bandwidth(keys, keys, steps=0)
    with refuses("learning_rate must be a finite number > 0; got nan"):
        learn_bandwidth(keys, keys, learning_rate=math.nan)
