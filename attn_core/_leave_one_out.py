"""Leaving every point of a data set out of its own estimate, at many bandwidths at once."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attn_core import _points, _require
from attn_core.kernels import KERNELS, Kernel


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The points of a data set, ready to leave each out at any bandwidth.

    ``values`` (n, d_value); ``distances`` (n, n), where the point itself counts as so far away that it never
    weighs; ``nearest`` (n, 1) to the nearest other point; ``gaps``, the squared distances beyond the nearest.
    """

    values: Tensor
    kernel: Kernel
    distances: Tensor
    nearest: Tensor
    gaps: Tensor

    @classmethod
    def of(cls, keys: Tensor, values: Tensor, kernel: str) -> "LeftOut":
        """Check the points and measure their distances."""
        _require.one_of("kernel", kernel, KERNELS)
        _points.check(keys, values)
        if len(keys) < 2:
            raise ValueError(f"leaving one out needs at least 2 points; got {len(keys)}")
        keys = keys.detach()
        distances = _points.distances(keys, keys).fill_diagonal_(_points.far_away(keys.dtype))
        nearest = distances.amin(dim=-1, keepdim=True)
        gaps = (distances - nearest).mul_(distances + nearest)
        return cls(values.detach().reshape(len(keys), -1), KERNELS[kernel], distances, nearest, gaps)

    def errors(self, bandwidths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Training errors, leave-one-out errors and numbers of supported points, each ``(steps,)``."""
        steps = bandwidths[:, None, None]
        at_once = max(1, _points.CHUNK // self.distances.numel())
        parts = [self._sums(steps[i : i + at_once]) for i in range(0, len(steps), at_once)]
        sums, totals = (torch.cat(part) for part in zip(*parts, strict=True))

        alone = totals == 0
        estimates = sums / totals.masked_fill(alone, 1.0)
        residuals = (estimates - self.values).masked_fill(alone, 0.0)
        supported = (~alone).sum(dim=(-2, -1))
        left_out = residuals.square().mean(dim=-1).sum(dim=-1) / supported

        # Training keeps the point: the same sums, with the point's own weight of one added.
        shrink = self._largest(steps)
        kept = (shrink * sums + self.values) / (shrink * totals + 1)
        training = (kept - self.values).square().mean(dim=(-2, -1))
        return training, left_out.masked_fill(supported == 0, torch.inf), supported

    def slope(self, log_bandwidth: Tensor) -> tuple[float, float]:
        """Return the leave-one-out error and its derivative by the log bandwidth, 0 where it has none."""
        with torch.enable_grad():
            leaf = log_bandwidth.detach().requires_grad_()
            error = self.errors(leaf.exp().reshape(1))[1].squeeze(0)
            if not error.requires_grad or not bool(error.isfinite()):
                return error.item(), 0.0
            (slope,) = torch.autograd.grad(error, leaf)
        return error.item(), slope.nan_to_num(0.0).item()

    def _sums(self, bandwidth: Tensor) -> tuple[Tensor, Tensor]:
        """Weighted sums of the other points' values ``(steps, n, d_value)``, and of their weights alone.

        A Gaussian row is taken relative to its largest weight, so that no bandwidth is too small for it.
        """
        if math.isinf(self.kernel.support):
            exponents = self.gaps * -_points.half_inverse_square(bandwidth)
            # Below e^-80 a weight is lost beside the largest, which is 1; and denormal numbers are slow.
            weights = _exp(exponents.clamp_(min=-80.0))
        else:
            widest = _points.far_away(bandwidth.dtype) / 2
            weights = self.kernel.profile(self.distances / bandwidth.clamp(max=widest))
        return weights @ self.values, weights.sum(dim=-1, keepdim=True)

    def _largest(self, bandwidth: Tensor) -> Tensor:
        """Return the weight that stands as 1 in a row of ``_sums``, ``(steps, n, 1)``."""
        if math.isinf(self.kernel.support):
            return torch.exp(-self.nearest.square() * _points.half_inverse_square(bandwidth))
        return torch.ones_like(bandwidth)


def _exp(exponents: Tensor) -> Tensor:
    """Exponentiate, in place where it can be: numpy's float64 exponential takes half the time of torch's."""
    if exponents.requires_grad or exponents.device.type != "cpu":
        return exponents.exp()
    array = exponents.numpy()
    np.exp(array, out=array)
    return exponents
