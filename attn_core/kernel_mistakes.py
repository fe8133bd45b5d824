"""Mistakes of kernel regression with vectors, each as it is made, to be shown beside the right thing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _points, _require
from attn_core._softmax import softmax_rows
from attn_core.kernels import KERNELS
from attn_core.mistakes import Mistake
from attn_core.regression import nadaraya_watson
from attn_words import N_

ONE_HEIGHT = N_("the kernel has one height on a circle around the query")
FACTOR = 10.0  # millimetres in a centimetre


@dataclass(frozen=True, eq=False)
class Weighed:
    """What queries make of keys: ``scores`` (the kernel's logarithm), weights, and estimates.

    A query that no key supports has weights zero and estimate NaN.
    """

    scores: Float[Tensor, "n_query n_key"]
    weights: Float[Tensor, "n_query n_key"]
    estimate: Float[Tensor, " n_query"]


def by_distance(
    queries: Float[Tensor, "n_query d"],
    keys: Float[Tensor, "n_key d"],
    values: Float[Tensor, " n_key"],
    *,
    kernel: str,
    bandwidth: float,
) -> Weighed:
    """Do it right: the kernel of the distance. Errors are those of ``nadaraya_watson``."""
    fit = nadaraya_watson(queries, keys, values, kernel=kernel, bandwidth=bandwidth)
    return Weighed(fit.scores, fit.weights, fit.estimate)


def kernel_of_each_coordinate(
    queries: Float[Tensor, "n_query d"],
    keys: Float[Tensor, "n_key d"],
    values: Float[Tensor, " n_key"],
    *,
    kernel: str,
    bandwidth: float,
) -> Weighed:
    r"""Take the kernel of each coordinate's difference, and add up.

    $$\frac{1}{d} \sum_i K\!\left(\frac{|q_i - k_i|}{h}\right) \quad\text{in place of}\quad
      K\!\left(\frac{|q - k|}{h}\right)$$

    The estimate is that of weights in proportion to this mean. Errors are those of ``nadaraya_watson``.

    >>> keys = torch.tensor([[0.0, 9.0]], dtype=torch.float64)
    >>> made = kernel_of_each_coordinate(0 * keys, keys, keys[0, :1], kernel="boxcar", bandwidth=1.0)
    >>> made.scores.exp()  # far away, and yet half of the height
    tensor([[0.5000]], dtype=torch.float64)
    """
    _require.one_of("kernel", kernel, KERNELS)
    _points.check(keys, values, queries=queries)
    h = _points.one_bandwidth("bandwidth", bandwidth, like=keys)
    apart = (queries[:, None] - keys).abs() / h  # (n_query, n_key, d)
    scores = KERNELS[kernel].log_profile(apart).logsumexp(dim=-1) - math.log(keys.shape[1])
    empty = (scores == -torch.inf).all(dim=-1)
    weights = softmax_rows(scores, empty=empty[:, None])
    return Weighed(scores, weights, (weights @ values).masked_fill(empty, torch.nan))


def mixed_units(
    queries: Float[Tensor, "n_query d"],
    keys: Float[Tensor, "n_key d"],
    values: Float[Tensor, " n_key"],
    *,
    kernel: str,
    bandwidth: float,
) -> Weighed:
    """Give the first coordinate in a unit ten times smaller than the others, in numbers ten times larger.

    Errors are those of ``nadaraya_watson``.

    >>> keys = torch.tensor([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]], dtype=torch.float64)
    >>> mixed_units(keys[:1], keys, keys[:, 0], kernel="boxcar", bandwidth=1.0).weights
    tensor([[0.5000, 0.0000, 0.5000]], dtype=torch.float64)
    """
    units = torch.ones_like(keys[0])
    units[0] = FACTOR
    return by_distance(queries * units, keys * units, values, kernel=kernel, bandwidth=bandwidth)


KERNEL_MISTAKES: Mapping[str, Mistake[Weighed]] = MappingProxyType(
    {
        mistake.name: mistake
        for mistake in (
            Mistake(
                "kernel of each coordinate",
                N_("The kernel is taken of the difference in each coordinate, and the results are added."),
                N_(
                    "A key that is near in one coordinate then counts, however far it is in the other: the "
                    "disc becomes a cross."
                ),
                ONE_HEIGHT,
                kernel_of_each_coordinate,
            ),
            Mistake(
                "mixed units",
                N_(
                    "x₁ comes in millimetres and x₂ in centimetres, and nothing is scaled: differences in x₁ "
                    "are ten times larger."
                ),
                N_("The distance is then nearly that in x₁ alone, and the disc becomes a narrow strip."),
                ONE_HEIGHT,
                mixed_units,
            ),
        )
    }
)
"""Mistakes with vectors as queries and keys by name, read-only; called as ``by_distance`` is.

>>> keys = torch.eye(2, dtype=torch.float64)
>>> right = by_distance(keys[:1], keys, keys[0], kernel="gaussian", bandwidth=1.0)
>>> right.weights
tensor([[0.7311, 0.2689]], dtype=torch.float64)
>>> KERNEL_MISTAKES["mixed units"].attend(keys[:1], keys, keys[0], kernel="gaussian", bandwidth=1.0).weights
tensor([[1.0000e+00, 1.1604e-22]], dtype=torch.float64)
"""
