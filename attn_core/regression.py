"""Kernel regression, the first attention: an estimate is a mean of the values, weighted by nearness."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attn_core import _require, _sample
from attn_core._leave_one_out import LeftOut
from attn_core._softmax import softmax_rows
from attn_core.kernels import KERNELS, Kernel


@dataclass(frozen=True, eq=False)
class KernelRegression:
    """Every stage of a kernel regression; ``*steps`` are the axes of a batch of bandwidths.

    Each row of ``weights`` sums to one where ``has_support``, else it is zero and its estimate NaN.
    """

    distances: Float[Tensor, "n_query n_key"]
    scores: Float[Tensor, "*steps n_query n_key"]
    weights: Float[Tensor, "*steps n_query n_key"]
    estimate: Float[Tensor, "*steps n_query"] | Float[Tensor, "*steps n_query d_value"]
    has_support: Bool[Tensor, "*steps n_query"]


@dataclass(frozen=True, eq=False)
class BandwidthSearch:
    """The errors of a list of bandwidths, and the best of them.

    ``n_supported`` counts the points that have another point within the bandwidth: a leave-one-out error is a
    mean over these points only.
    """

    bandwidths: Float[Tensor, " steps"]
    training_errors: Float[Tensor, " steps"]
    leave_one_out_errors: Float[Tensor, " steps"]
    n_supported: Int[Tensor, " steps"]
    best: float


@dataclass(frozen=True)
class BandwidthStep:
    """One step of a learned bandwidth: its leave-one-out error is ``error``; step 0 is the start."""

    step: int
    bandwidth: float
    error: float


def nadaraya_watson(
    queries: Float[Tensor, " n_query"] | Float[Tensor, "n_query d"],
    keys: Float[Tensor, " n_key"] | Float[Tensor, "n_key d"],
    values: Float[Tensor, " n_key"] | Float[Tensor, "n_key d_value"],
    *,
    kernel: str = "gaussian",
    bandwidth: float | int | Float[Tensor, "*steps"] = 1.0,
) -> KernelRegression:
    r"""Estimate the value at each query as a kernel-weighted mean, and return every stage.

    $$u_{ij} = \frac{|q_i - k_j|}{h}, \qquad w_{ij} = \frac{K(u_{ij})}{\sum_l K(u_{il})}
      = \mathrm{softmax}_j(\log K(u_{ij})), \qquad \hat f(q_i) = \sum_j w_{ij} v_j$$

    ``queries`` and ``keys`` are numbers or vectors, the distance is Euclidean, and ``bandwidth`` h is in
    their unit. It is one number or a tensor ``(*steps,)``, which computes all steps at once: scores,
    weights, estimate and has_support then begin with ``*steps``, and scores and weights hold steps x
    n_query x n_key numbers each (``kernel_estimate`` gives the estimates alone in bounded memory).

    Invariant: weights are (query, key), never negative, and each row with support sums to one.

    Edge cases: a query with no key in a compact kernel's window has ``has_support`` False, weights zero and
    estimate NaN. As the bandwidth goes to 0 a Gaussian row tends to the nearest key (ties share), as it goes
    to infinity to the plain mean; both are computed without overflow, since the Gaussian row is shifted by
    its smallest squared distance first. A Gaussian logarithm too low for the dtype is its lowest finite
    number in ``scores``.

    Raises ValueError for an unknown kernel, a bandwidth that is not finite and positive, shapes that do not
    fit, or numbers that are not finite.

    Source: Nadaraya (1964); Watson (1964).

    >>> keys = torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64)
    >>> fit = nadaraya_watson(keys[:1], keys, 10 * keys, kernel="triangular", bandwidth=2.0)
    >>> fit.weights
    tensor([[0.6667, 0.3333, 0.0000]], dtype=torch.float64)
    >>> fit.estimate
    tensor([3.3333], dtype=torch.float64)
    """
    _require.one_of("kernel", kernel, KERNELS)
    _sample.check(keys, values, queries=queries)
    h = _sample.bandwidths(bandwidth, like=keys)[..., None, None]
    distances = _sample.distances(queries, keys)
    scores = KERNELS[kernel].log_profile(distances / h)
    weights, has_support = _weigh(KERNELS[kernel], distances, h, scores)
    return KernelRegression(distances, scores, weights, _average(weights, values, has_support), has_support)


def _weigh(
    kernel: Kernel, distances: Tensor, h: Tensor, scores: Tensor | None = None, squares: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return the weights, and which queries have support; a Gaussian needs ``squares`` alone for both."""
    if math.isinf(kernel.support):
        squares = _sample.squares_beyond_nearest(distances) if squares is None else squares
        weights = softmax_rows(squares * -_sample.half_inverse_square(h), empty=None)
        return weights, torch.ones_like(weights[..., 0], dtype=torch.bool)
    if scores is None:
        scores = kernel.log_profile(distances / h)
    has_support = scores.amax(dim=-1) > -torch.inf
    return softmax_rows(scores, empty=~has_support[..., None]), has_support


def _average(weights: Tensor, values: Tensor, has_support: Tensor) -> Tensor:
    is_supported = has_support if values.ndim == 1 else has_support[..., None]
    return (weights @ values).masked_fill(~is_supported, torch.nan)


def kernel_estimate(
    queries: Float[Tensor, " n_query"] | Float[Tensor, "n_query d"],
    keys: Float[Tensor, " n_key"] | Float[Tensor, "n_key d"],
    values: Float[Tensor, " n_key"] | Float[Tensor, "n_key d_value"],
    *,
    kernel: str = "gaussian",
    bandwidth: float | int | Float[Tensor, "*steps"] = 1.0,
) -> Float[Tensor, "*steps n_query"] | Float[Tensor, "*steps n_query d_value"]:
    """Return the estimates of ``nadaraya_watson`` alone, for any number of bandwidths in bounded memory.

    Arguments, NaN where nothing supports a query, and errors are those of ``nadaraya_watson``; the
    bandwidths are worked through a few at a time.

    >>> keys = torch.tensor([0.0, 1.0], dtype=torch.float64)
    >>> kernel_estimate(keys, keys, keys, bandwidth=torch.tensor([1e-9, 1e9], dtype=torch.float64))
    tensor([[0.0000, 1.0000],
            [0.5000, 0.5000]], dtype=torch.float64)
    """
    _require.one_of("kernel", kernel, KERNELS)
    _sample.check(keys, values, queries=queries)
    steps = _sample.bandwidths(bandwidth, like=keys)
    distances = _sample.distances(queries, keys)
    squares = _sample.squares_beyond_nearest(distances)  # the same for all bandwidths
    few = steps.reshape(-1, 1, 1).split(max(1, _sample.CHUNK // max(1, distances.numel())))
    batches = (_weigh(KERNELS[kernel], distances, h, squares=squares) for h in few)
    parts = [_average(weights, values, has_support) for weights, has_support in batches]
    return torch.cat(parts).reshape(*steps.shape, len(queries), *values.shape[1:])


def leave_one_out_error(
    keys: Float[Tensor, " n_key"] | Float[Tensor, "n_key d"],
    values: Float[Tensor, " n_key"] | Float[Tensor, "n_key d_value"],
    *,
    kernel: str = "gaussian",
    bandwidth: float | int = 1.0,
) -> float:
    r"""Return the mean squared error at each point when that point is left out of its own estimate.

    $$\frac{1}{n} \sum_i \Bigl(v_i - \frac{\sum_{j \ne i} K(u_{ij})\, v_j}{\sum_{j \ne i} K(u_{ij})}\Bigr)^2$$

    Computed in matrix form: the weight matrix with its diagonal struck out, times the values. In squared
    units of the values; with ``d_value`` columns the mean runs over them too.

    Edge cases: points that lose all support when left out (a compact kernel's empty window) are left out of
    the mean; when none keeps support the error is infinite.

    Raises ValueError as ``nadaraya_watson``, and for fewer than two points.

    Source: Stone (1974), Cross-validatory choice and assessment of statistical predictions.

    >>> keys = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    >>> leave_one_out_error(keys, keys, kernel="boxcar", bandwidth=1.0)
    0.6666666666666666
    >>> leave_one_out_error(keys, keys, kernel="boxcar", bandwidth=0.5)
    inf
    """
    step = _sample.one_bandwidth("bandwidth", bandwidth, like=keys)
    return LeftOut.of(keys, values, kernel).errors(step.reshape(1))[1].item()


def bandwidth_search(
    keys: Float[Tensor, " n_key"] | Float[Tensor, "n_key d"],
    values: Float[Tensor, " n_key"] | Float[Tensor, "n_key d_value"],
    *,
    kernel: str = "gaussian",
    bandwidths: Float[Tensor, " steps"] | Sequence[float],
) -> BandwidthSearch:
    """Compute the training and leave-one-out errors of many bandwidths at once and choose one.

    ``bandwidths`` are positive numbers ``(steps,)`` in the unit of the keys, in any order. All errors are
    mean squared errors; memory is bounded for any number of bandwidths.

    Invariant: the training error tends to zero with the bandwidth where all keys differ, which is why it
    cannot choose one; ``best`` is the bandwidth with the least leave-one-out error.

    Edge cases: with a compact kernel, errors are means over different sets of points; ``best`` is then
    taken among the bandwidths that leave the most points with support, since a narrow window that happens to
    fit the only two points in it is not better. Where no bandwidth gives any point support, ``best``
    is the widest.

    Raises ValueError as ``leave_one_out_error``, and for an empty list.

    Source: Hardle and Marron (1985), Optimal bandwidth selection in nonparametric regression.

    >>> keys = torch.arange(8, dtype=torch.float64)
    >>> values = keys + torch.tensor([1.0, -1, 1, -1, 1, -1, 1, -1], dtype=torch.float64)
    >>> search = bandwidth_search(keys, values, bandwidths=[0.1, 1.0, 10.0])
    >>> search.training_errors.argmin().item(), search.best
    (0, 1.0)
    """
    steps = _sample.bandwidths(torch.as_tensor(bandwidths, dtype=keys.dtype), like=keys, name="bandwidths")
    if steps.ndim != 1:
        raise ValueError(f"bandwidths must have shape (steps,); got {tuple(steps.shape)}")
    training, left_out, n_supported = LeftOut.of(keys, values, kernel).errors(steps)
    # Of those that leave the most points with support, the one with the least error.
    comparable = n_supported == n_supported.max()
    best = left_out.masked_fill(~comparable, torch.inf).argmin() if n_supported.any() else steps.argmax()
    return BandwidthSearch(steps, training, left_out, n_supported, steps[best].item())


def learn_bandwidth(
    keys: Float[Tensor, " n_key"] | Float[Tensor, "n_key d"],
    values: Float[Tensor, " n_key"] | Float[Tensor, "n_key d_value"],
    *,
    kernel: str = "gaussian",
    start: float | int = 1.0,
    steps: int = 200,
    learning_rate: float | int = 0.05,
) -> Iterator[BandwidthStep]:
    r"""Learn the bandwidth by gradient descent on the leave-one-out error, one step at a time.

    Adam on $\log h$, so that the bandwidth stays positive and a step of ``learning_rate`` r is at most
    about r in relative size. Yields ``steps + 1`` steps: the start, then the bandwidth after each update
    with its own error.

    Edge cases: descent finds the nearest minimum, not always the best one. It ends early where no gradient
    can move it: at once for the boxcar, whose error is a staircase in h, and wherever no point keeps
    support (error inf). For the triangular and Epanechnikov kernels the error also jumps when a point
    enters a window; between the jumps the gradient holds.

    Raises ValueError as ``leave_one_out_error``, for a start that is not positive, fewer than one step, or a
    learning rate that is not positive; all at the call, before the first step is drawn.

    Source: Kingma and Ba (2015), Adam, with its default betas.

    >>> keys = torch.linspace(0, 1, 9, dtype=torch.float64)
    >>> *_, last = learn_bandwidth(keys, keys.square(), start=0.5, steps=100)
    >>> last.step, last.error < leave_one_out_error(keys, keys.square(), bandwidth=0.5)
    (100, True)
    """
    bandwidth = _sample.one_bandwidth("start", start, like=keys)
    rate = float(_require.positive("learning_rate", learning_rate))
    count = _require.integer("steps", steps, least=1)
    return _descend(LeftOut.of(keys.detach(), values.detach(), kernel), bandwidth.log(), count, rate)


def _descend(left_out: LeftOut, log_bandwidth: Tensor, steps: int, rate: float) -> Iterator[BandwidthStep]:
    mean, square = 0.0, 0.0
    for step in range(steps + 1):
        error, slope = left_out.slope(log_bandwidth)
        yield BandwidthStep(step, log_bandwidth.exp().item(), error)
        if not math.isfinite(error) or slope == 0:
            return
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        update = mean / (1 - 0.9 ** (step + 1)) / (math.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8)
        log_bandwidth = log_bandwidth - rate * update
