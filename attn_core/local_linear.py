"""Local linear regression: at each query a line is fitted to the points near it, in place of a mean."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attn_core import _require, _sample
from attn_core.kernels import KERNELS, Kernel

_AT_ONCE = _sample.CHUNK  # weights held at once: few enough for a processor's cache


@dataclass(frozen=True, eq=False)
class LocalLinear:
    """The line fitted around each query; ``*steps`` are the axes of a batch of bandwidths.

    ``estimate`` is the line's height at the query, ``slope`` its slope. ``weights`` are the equivalent
    weights: the estimate is the sum of values times weights. A row sums to one where ``has_support`` (its
    weights may be below zero or above one), and is zero elsewhere. ``has_slope`` is False where the points
    determine no line.
    """

    distances: Float[Tensor, "n_query n_key"]
    weights: Float[Tensor, "*steps n_query n_key"]
    estimate: Float[Tensor, "*steps n_query"] | Float[Tensor, "*steps n_query d_value"]
    slope: Float[Tensor, "*steps n_query"] | Float[Tensor, "*steps n_query d_value"]
    has_support: Bool[Tensor, "*steps n_query"]
    has_slope: Bool[Tensor, "*steps n_query"]


def local_linear(
    queries: Float[Tensor, " n_query"],
    keys: Float[Tensor, " n_key"],
    values: Float[Tensor, " n_key"] | Float[Tensor, "n_key d_value"],
    *,
    kernel: str = "gaussian",
    bandwidth: float | int | Float[Tensor, "*steps"] = 1.0,
) -> LocalLinear:
    r"""Fit a line to the values by least squares, weighted by nearness to each query, and evaluate it there.

    $$\min_{a_i, b_i} \sum_j K\!\left(\frac{|q_i - k_j|}{h}\right)
      \bigl(v_j - a_i - b_i (k_j - q_i)\bigr)^2, \qquad \hat f(q_i) = a_i = \sum_j l_{ij} v_j$$
    $$l_{ij} = w_{ij} \left(1 + \frac{(q_i - \bar k_i)(k_j - \bar k_i)}{\sum_l w_{il} (k_l - \bar k_i)^2}
      \right), \qquad \bar k_i = \sum_j w_{ij} k_j$$

    The w are the weights of ``nadaraya_watson``, which fits a constant in place of the line. ``queries`` and
    ``keys`` are numbers; a tensor ``(*steps,)`` of bandwidths is computed at once, as there.

    Invariant: each row of weights with support sums to one, and the keys' sum weighted by it is the query:
    values on a line are reproduced exactly, at the ends of the data too.

    Edge cases: a query with no key in a compact kernel's window has ``has_support`` False, weights zero, and
    estimate and slope NaN. Where all keys with weight lie at one place, no slope is determined: the flattest
    of the best lines is taken, so slope is 0 and the estimate the local mean (statsmodels takes the shortest
    vector (a, b), which depends on the unit of the keys). As the bandwidth goes to 0, a Gaussian line tends
    to the line through the two nearest places; as it goes to infinity, to the least-squares line of all
    points. Both are computed without overflow or underflow.

    Raises ValueError as ``nadaraya_watson``, and for keys that are vectors.

    Source: Fan (1992), Design-adaptive nonparametric regression; Cleveland (1979).

    >>> keys = torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64)
    >>> fit = local_linear(keys[:1], keys, 10 * keys + 1, kernel="triangular", bandwidth=4.0)
    >>> fit.weights
    tensor([[ 0.8000,  0.3000, -0.1000]], dtype=torch.float64)
    >>> round(fit.estimate.item(), 12), round(fit.slope.item(), 12)
    (1.0, 10.0)
    """
    steps = _check(keys, values, kernel, bandwidth, queries=queries)
    distances = _sample.distances(queries, keys)
    parts = []
    for h in _few(steps, distances):
        rows, slope_rows, *has = _lines(KERNELS[kernel], distances, (queries, keys), h)
        parts.append((rows, slope_rows(), *has))
    stages = (torch.cat(part).reshape(*steps.shape, *part[0].shape[1:]) for part in zip(*parts, strict=True))
    weights, slopes, has_support, has_slope = stages
    centre = values.mean(dim=0)  # the slope's rows sum to zero: a mean only costs digits
    estimate = _gaps(weights @ (values - centre) + centre, has_support)
    slope = _gaps(slopes @ (values - centre), has_support)
    return LocalLinear(distances, weights, estimate, slope, has_support, has_slope)


def local_linear_estimate(
    queries: Float[Tensor, " n_query"],
    keys: Float[Tensor, " n_key"],
    values: Float[Tensor, " n_key"] | Float[Tensor, "n_key d_value"],
    *,
    kernel: str = "gaussian",
    bandwidth: float | int | Float[Tensor, "*steps"] = 1.0,
) -> Float[Tensor, "*steps n_query"] | Float[Tensor, "*steps n_query d_value"]:
    """Return the estimates of ``local_linear`` alone, for any number of bandwidths in bounded memory.

    Arguments, NaN and errors are those of ``local_linear``.

    >>> keys = torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64)
    >>> steps = torch.tensor([0.1, 1e9], dtype=torch.float64)
    >>> local_linear_estimate(keys, keys, 2 * keys + 1, bandwidth=steps).round(decimals=12)
    tensor([[1., 3., 7.],
            [1., 3., 7.]], dtype=torch.float64)
    """
    steps = _check(keys, values, kernel, bandwidth, queries=queries)
    distances, centre = _sample.distances(queries, keys), values.mean(dim=0)
    parts = []
    for h in _few(steps, distances):
        weights, _, has_support, _ = _lines(KERNELS[kernel], distances, (queries, keys), h)
        parts.append(_gaps(weights @ (values - centre) + centre, has_support))
    return torch.cat(parts).reshape(*steps.shape, len(queries), *values.shape[1:])


def _check(keys: Tensor, values: Tensor, kernel: str, bandwidth: object, **queries: Tensor) -> Tensor:
    """Check the points; return the bandwidths."""
    _require.one_of("kernel", kernel, KERNELS)
    _sample.check(keys, values, **queries)
    if keys.ndim != 1:
        raise ValueError(f"keys must have shape (n_key,), for lines of one input; got {tuple(keys.shape)}")
    return _sample.bandwidths(bandwidth, like=keys)


def _few(steps: Tensor, distances: Tensor) -> Sequence[Tensor]:
    """Split the bandwidths into batches that fit in memory, each (steps, 1, 1)."""
    few: tuple[Tensor, ...] = steps.reshape(-1, 1, 1).split(max(1, _AT_ONCE // max(1, distances.numel())))
    return few


def _gaps(numbers: Tensor, has_support: Tensor) -> Tensor:
    is_supported = has_support if numbers.ndim == has_support.ndim else has_support[..., None]
    return numbers.masked_fill(~is_supported, torch.nan)


def _lines(
    kernel: Kernel, distances: Tensor, places: tuple[Tensor, Tensor], h: Tensor
) -> tuple[Tensor, Callable[[], Tensor], Tensor, Tensor]:
    """Return the estimate's equivalent weights, a function for the slope's, ``has_support``, ``has_slope``.

    The nearest key is treated by itself: relative to its weight, 1, all other weights may underflow, and yet
    they alone determine the slope. They are held relative to the largest of them.
    """
    queries, keys = places
    logs, has_support = _log_weights(kernel, distances, h)
    nearest = keys[distances.argmin(dim=-1, keepdim=True)]
    apart = keys - nearest  # (n_query, n_key)
    here = apart == 0
    count = here.sum(dim=-1, keepdim=True).to(keys.dtype)
    others = logs.masked_fill(here, -torch.inf)
    largest = others.amax(dim=-1, keepdim=True)
    share = torch.exp(others - largest.masked_fill(largest == -torch.inf, 0.0))
    scale = largest.exp()

    total = count + scale * share.sum(dim=-1, keepdim=True)
    total = total.masked_fill(~has_support[..., None], torch.inf)
    lean = (share * apart).sum(dim=-1, keepdim=True) / total
    mean = scale * lean  # of the keys, relative to the nearest
    variance = (share * (apart - mean).square()).sum(dim=-1, keepdim=True) + count * scale * lean.square()
    has_slope = (variance > 0) & has_support[..., None]
    variance = variance.masked_fill(~has_slope, torch.inf)
    along = (queries[:, None] - nearest - mean) / variance

    def rows(on_nearest: Tensor, constant: Tensor, slope: Tensor) -> Tensor:
        return torch.where(here, on_nearest, share * torch.addcmul(constant, slope, apart))

    weights = rows(1 / total - along * lean, scale / total - along * mean, along)
    slopes = partial(rows, -lean / variance, -mean / variance, 1 / variance)
    return weights, slopes, has_support, has_slope[..., 0]


def _log_weights(kernel: Kernel, distances: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logarithm of each weight relative to the nearest key's, and which queries have support."""
    if math.isinf(kernel.support):
        logs = _sample.squares_beyond_nearest(distances) * -_sample.half_inverse_square(h)
        has_support = torch.ones_like(logs[..., 0], dtype=torch.bool)
    else:
        logs = kernel.log_profile(distances / h.clamp(max=_sample.farthest_distance(h.dtype) / 2))
        largest = logs.amax(dim=-1, keepdim=True)
        has_support = largest[..., 0] > -torch.inf
        logs = logs - largest.masked_fill(largest == -torch.inf, 0.0)
    return logs, has_support
