"""Common mistakes of kernel regression, with numbers and with vectors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core.kernels import KERNELS
from attn_core.mistakes.one_head import largest
from attn_core.mistakes.record import Example, LabelledMap, Mistake, MustHold, mistakes_by_name
from attn_core.regression import leave_one_out_error, nadaraya_watson
from attn_words import N_

FACTOR = 10.0  # millimetres in a centimetre
BANDWIDTH, WIDE = 1.0, 2.0  # the examples' sentences below state both
BANDWIDTHS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


def kernel_weights(queries: Tensor, keys: Tensor, _values: Tensor, *, kernel: str = "gaussian") -> Tensor:
    """Return the right weights: those of each query sum to one."""
    return nadaraya_watson(queries, keys, keys, kernel=kernel, bandwidth=BANDWIDTH).weights


def softmax_over_queries(queries: Tensor, keys: Tensor, _values: Tensor) -> Tensor:
    """Take the softmax of the kernel's logarithm down the columns."""
    scores = -((queries[:, None] - keys) / BANDWIDTH).square() / 2
    return scores.softmax(dim=-2)


@dataclass(frozen=True, eq=False)
class BandwidthChoice:
    """A bandwidth, and the weights that the data points have for one another at it."""

    bandwidth: float
    weights: Float[Tensor, "n n"]


def _choose_by(
    error: Callable[[Tensor, Tensor, float], float], keys: Tensor, values: Tensor
) -> BandwidthChoice:
    """Return the one of the tried bandwidths with the least error, and its weights."""
    h = min(BANDWIDTHS, key=lambda each: error(keys, values, each))
    return BandwidthChoice(h, nadaraya_watson(keys, keys, values, bandwidth=h).weights)


def left_out_error(keys: Tensor, values: Tensor, bandwidth: float) -> float:
    """Return the error at points that are left out of their own estimate."""
    return leave_one_out_error(keys, values, bandwidth=bandwidth)


def training_error(keys: Tensor, values: Tensor, bandwidth: float) -> float:
    """Return the error at the points, each of which has weight in its own estimate."""
    fit = nadaraya_watson(keys, keys, values, bandwidth=bandwidth)
    return float((fit.estimate - values).square().mean())


def kernel_of_distance(query: Tensor, keys: Tensor) -> Tensor:
    """Return the Gaussian kernel of the distance of each key (..., 2) from a query (2,)."""
    return KERNELS["gaussian"].profile((keys - query).norm(dim=-1) / WIDE)


def kernel_of_each_coordinate(query: Tensor, keys: Tensor) -> Tensor:
    """Take the mean of the kernels of both coordinates' differences."""
    return KERNELS["gaussian"].profile((keys - query).abs() / WIDE).mean(dim=-1)


def mixed_units(query: Tensor, keys: Tensor) -> Tensor:
    """Multiply the first coordinate by ten, as a change of unit does."""
    units = torch.tensor([FACTOR, 1.0], dtype=keys.dtype)
    return kernel_of_distance(query * units, keys * units)


def _from_parabola(weights: Tensor, queries: Tensor, keys: Tensor, _values: Tensor) -> float:
    heights = (1 - (queries[:, None] - keys).square()).clamp(min=0)
    return largest(weights - heights / heights.sum(dim=-1, keepdim=True))


def _range_around(heights: Tensor, query: Tensor, keys: Tensor) -> float:
    """Return the largest spread of heights among keys at one distance from the query."""
    apart = (keys - query).square().sum(dim=-1)
    rings = [heights[apart == each] for each in apart.unique()]
    return max(float(ring.max() - ring.min()) for ring in rings)


def _points() -> tuple[Tensor, Tensor, Tensor]:
    keys = torch.tensor([0.0, 0.3, 0.6, 1.0, 1.4, 2.1, 2.5, 3.0], dtype=torch.float64)
    queries = torch.arange(7, dtype=torch.float64) / 2
    return queries, keys, keys.sin()


def _noisy_points() -> tuple[Tensor, Tensor]:
    keys = torch.arange(10, dtype=torch.float64) / 2
    noise = torch.randn(10, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    return keys, keys.sin() + 0.5 * noise


def _plane() -> tuple[Tensor, Tensor]:
    down, along = torch.meshgrid(PLANE.flip(0), PLANE, indexing="ij")
    return torch.zeros(2, dtype=torch.float64), torch.stack([along, down], dim=-1)


def _numbers(places: Tensor) -> list[str]:
    return [f"{place:g}".replace("-", "−") for place in places.tolist()]


def _weights(result: Tensor, queries: Tensor, keys: Tensor, _values: Tensor) -> LabelledMap:
    return LabelledMap(result, _numbers(queries), _numbers(keys))


PLANE = torch.arange(-5, 6, dtype=torch.float64)
ONE_INPUT = Example(N_("Seven queries and eight keys on a line, with bandwidth h = 1."), _points, _weights)
NOISY = Example(
    N_("Ten points of a noisy sine, each as a query, at the bandwidth that is chosen."),
    _noisy_points,
    lambda result, keys, _values: LabelledMap(result.weights, _numbers(keys), _numbers(keys)),
)
TWO_INPUTS = Example(
    N_("What a key at each place of a plane counts for the query in its middle: a Gaussian with h = 2."),
    _plane,
    lambda result, *_inputs: LabelledMap(
        result, _numbers(PLANE.flip(0)), _numbers(PLANE), (N_("key at x₂ ="), N_("key at x₁ =")), N_("kernel")
    ),
)
_ONE_HEIGHT = MustHold(
    N_("the kernel has one height on a circle around the query"),
    N_("largest spread at one distance"),
    _range_around,
    most=1e-9,
)

KERNEL_MISTAKES: Mapping[str, Mistake[Any]] = mistakes_by_name(
    Mistake(
        "softmax over queries",
        N_("The softmax of the kernel's logarithms runs down the columns, over queries."),
        N_("Queries then compete for keys, and an estimate is no mean of values any more."),
        kernel_weights,
        softmax_over_queries,
        MustHold(
            N_("each row of weights sums to one, or is empty"),
            N_("largest distance of a row's sum from 1"),
            lambda result, *_inputs: largest(result.sum(dim=-1) - 1),
            most=1e-9,
        ),
        ONE_INPUT,
    ),
    Mistake(
        "training error",
        N_("The bandwidth is chosen by the error at the points themselves."),
        N_("It is least where each point predicts itself: the smallest bandwidth tried wins."),
        partial(_choose_by, left_out_error),
        partial(_choose_by, training_error),
        MustHold(
            N_("no bandwidth that is tried does better on points that are left out"),
            N_("leave-one-out error, less the least there is"),
            lambda result, keys, values: (
                left_out_error(keys, values, result.bandwidth)
                - min(left_out_error(keys, values, each) for each in BANDWIDTHS)
            ),
            most=1e-9,
        ),
        NOISY,
    ),
    Mistake(
        "triangular as Epanechnikov",
        N_("Some courses print max(0, 1 − u), the triangular kernel, as Epanechnikov's."),
        N_("Rows sum to one either way, so no sum tells."),
        partial(kernel_weights, kernel="epanechnikov"),
        partial(kernel_weights, kernel="triangular"),
        MustHold(
            N_("weights are in proportion to max(0, 1 − u²)"),
            N_("largest distance of a weight from it"),
            _from_parabola,
            most=1e-9,
        ),
        ONE_INPUT,
    ),
    Mistake(
        "kernel of each coordinate",
        N_("The kernel is taken of the difference in each coordinate, and the results are added."),
        N_(
            "A key that is near in one coordinate then counts, however far it is in the other: the "
            "disc becomes a cross."
        ),
        kernel_of_distance,
        kernel_of_each_coordinate,
        _ONE_HEIGHT,
        TWO_INPUTS,
    ),
    Mistake(
        "mixed units",
        N_(
            "x₁ comes in millimetres and x₂ in centimetres, and nothing is scaled: differences in x₁ "
            "are ten times larger."
        ),
        N_("The distance is then nearly that in x₁ alone, and the disc becomes a narrow strip."),
        kernel_of_distance,
        mixed_units,
        _ONE_HEIGHT,
        TWO_INPUTS,
    ),
)
"""Mistakes of kernel regression by name, read-only.

>>> KERNEL_MISTAKES["mixed units"].broken(torch.zeros(2), torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
tensor([8.8250e-01, 3.7267e-06])
"""
