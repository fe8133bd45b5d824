"""Smoothing kernels: the weight of a training point at a distance of u bandwidths."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Kernel:
    """A weight profile over the distance ``u = |q - k| / bandwidth``, with profile(0) = 1.

    ``profile`` maps u >= 0 elementwise to a weight >= 0, and ``log_profile`` to its logarithm, -inf outside
    the support. ``support`` is the u beyond which the weight is zero: 1 for a compact kernel, infinity for
    the Gaussian. ``formula`` is the profile in LaTeX.
    """

    name: str
    formula: str
    profile: Callable[[Tensor], Tensor]
    log_profile: Callable[[Tensor], Tensor]
    support: float


def _gaussian(u: Tensor) -> Tensor:
    return torch.exp(-u.square() / 2)


def _log_gaussian(u: Tensor) -> Tensor:
    # The Gaussian is never 0: where the square overflows, its logarithm becomes the lowest finite number.
    return (-u.square() / 2).clamp(min=torch.finfo(u.dtype).min)


def _boxcar(u: Tensor) -> Tensor:
    return (u <= 1).to(u.dtype)


def _log_boxcar(u: Tensor) -> Tensor:
    return torch.zeros_like(u).masked_fill(u > 1, -torch.inf)


def _triangular(u: Tensor) -> Tensor:
    return (1 - u).clamp(min=0)


def _epanechnikov(u: Tensor) -> Tensor:
    return (1 - u.square()).clamp(min=0)


def _log_of_compact(profile: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def log_profile(u: Tensor) -> Tensor:
        # The logarithm is never taken of 0, where its infinite slope would turn gradients into NaN.
        outside = u >= 1
        return profile(u.masked_fill(outside, 0.0)).log().masked_fill(outside, -torch.inf)

    return log_profile


KERNELS: Mapping[str, Kernel] = MappingProxyType(
    {
        kernel.name: kernel
        for kernel in (
            Kernel("gaussian", r"e^{-u^2/2}", _gaussian, _log_gaussian, math.inf),
            Kernel("boxcar", r"\mathbb{1}[u \le 1]", _boxcar, _log_boxcar, 1.0),
            Kernel("triangular", r"\max(0,\ 1-u)", _triangular, _log_of_compact(_triangular), 1.0),
            Kernel("epanechnikov", r"\max(0,\ 1-u^2)", _epanechnikov, _log_of_compact(_epanechnikov), 1.0),
        )
    }
)
r"""The four kernels by name, read-only.

$$e^{-u^2/2} \qquad \mathbb{1}[u \le 1] \qquad \max(0,\ 1-u) \qquad \max(0,\ 1-u^2)$$

None is divided by its integral: in the Nadaraya-Watson estimate the constant cancels. Some courses print
the triangular kernel max(0, 1 - u) under the name Epanechnikov; the Epanechnikov kernel is the parabola
max(0, 1 - u^2).

>>> u = torch.tensor([0.0, 0.5, 1.0, 2.0], dtype=torch.float64)
>>> for name in ("boxcar", "triangular", "epanechnikov"):
...     print(f"{name:12}", KERNELS[name].profile(u).tolist())
boxcar       [1.0, 1.0, 1.0, 0.0]
triangular   [1.0, 0.5, 0.0, 0.0]
epanechnikov [1.0, 0.75, 0.0, 0.0]

Source: Wand and Jones, Kernel Smoothing (1995), section 2.7; Epanechnikov (1969).
"""
