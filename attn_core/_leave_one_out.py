"""Leaving every point of a data set out of its own estimate, at many bandwidths at once."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attn_core import _require, _sample
from attn_core.kernels import KERNELS, Kernel


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A data set prepared for leaving each point out, at any bandwidth.

    ``values`` (n, d_value); ``distances`` (n, n), with a diagonal so large that no point has weight in its
    own estimate; ``nearest`` (n, 1), the distance to the nearest other point; ``gaps`` (n, n), squared
    distances minus that to the nearest; off the diagonal at most ``widest_gap``.
    """

    values: Tensor
    kernel: Kernel
    distances: Tensor
    nearest: Tensor
    gaps: Tensor
    widest_gap: float

    @classmethod
    def of(cls, keys: Tensor, values: Tensor, kernel: str) -> "LeftOut":
        """Check the points and measure their distances."""
        _require.one_of("kernel", kernel, KERNELS)
        _sample.check(keys, values)
        if len(keys) < 2:
            raise ValueError(f"leaving one out needs at least 2 points; got {len(keys)}")
        keys = keys.detach()
        distances = _sample.distances(keys, keys).fill_diagonal_(_sample.farthest_distance(keys.dtype))
        nearest = distances.amin(dim=-1, keepdim=True)
        gaps = (distances - nearest).mul_(distances + nearest)
        extent = (keys.amax(dim=0) - keys.amin(dim=0)).square().sum().item()
        return cls(values.detach().reshape(len(keys), -1), KERNELS[kernel], distances, nearest, gaps, extent)

    def errors(self, bandwidths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Training errors, leave-one-out errors and numbers of supported points, each ``(steps,)``."""
        steps = bandwidths[:, None, None]
        gaussian = math.isinf(self.kernel.support)
        rates = _sample.half_inverse_square(steps) if gaussian else steps
        at_once = max(1, _sample.CHUNK // self.distances.numel())
        # Written again and again: new memory for every chunk would cost more than filling it.
        room = None
        if gaussian and not bandwidths.requires_grad:
            room = self.gaps.new_empty(min(at_once, len(steps)), *self.gaps.shape)
        parts = [self._sums(rates[i : i + at_once], room) for i in range(0, len(steps), at_once)]
        sums, totals = (torch.cat(part) for part in zip(*parts, strict=True))

        alone = totals == 0
        estimates = sums / totals.masked_fill(alone, 1.0)
        residuals = (estimates - self.values).masked_fill(alone, 0.0)
        n_supported = (~alone).sum(dim=(-2, -1))
        left_out = residuals.square().mean(dim=-1).sum(dim=-1) / n_supported

        # Training keeps the point: the same sums, with the point's own weight of one added.
        shrink = torch.exp(-self.nearest.square() * rates) if gaussian else 1.0
        with_itself = (shrink * sums + self.values) / (shrink * totals + 1)
        training = (with_itself - self.values).square().mean(dim=(-2, -1))
        return training, left_out.masked_fill(n_supported == 0, torch.inf), n_supported

    def slope(self, log_bandwidth: Tensor) -> tuple[float, float]:
        """Return the leave-one-out error and its derivative by the log bandwidth, 0 where it has none."""
        with torch.enable_grad():
            leaf = log_bandwidth.detach().requires_grad_()
            error = self.errors(leaf.exp().reshape(1))[1].squeeze(0)
            if not error.requires_grad or not bool(error.isfinite()):
                return error.item(), 0.0
            (slope,) = torch.autograd.grad(error, leaf)
        return error.item(), slope.nan_to_num(0.0).item()

    def _sums(self, rates: Tensor, room: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return sums over the other points of weighted values ``(steps, n, d_value)`` and of weights."""
        if math.isinf(self.kernel.support):
            weights = self._gaussian(rates, room)
        else:
            near = rates.clamp(max=_sample.farthest_distance(rates.dtype) / 2)
            weights = self.kernel.profile(self.distances / near)
        return weights @ self.values, weights.sum(dim=-1, keepdim=True)

    def _gaussian(self, rates: Tensor, room: Tensor | None) -> Tensor:
        """Return weights of the other points ``(steps, n, n)``, relative to the largest of each row.

        This keeps them from vanishing at small bandwidths. ``rates`` are 1 / (2 h^2).
        """
        exponents = torch.mul(self.gaps, -rates, out=None if room is None else room[: len(rates)])
        lowest = math.log(torch.finfo(exponents.dtype).tiny) / 2
        if rates.max().item() * self.widest_gap > -lowest:
            # Weights below this limit are lost beside the largest, 1; and denormal numbers, of the weights or
            # of their products with the values, are slow.
            exponents.clamp_(min=lowest)
        return _exp(exponents)


def _exp(exponents: Tensor) -> Tensor:
    """Exponentiate, in place where it can be: numpy's float64 exponential takes half the time of torch's."""
    if exponents.requires_grad or exponents.device.type != "cpu":
        return exponents.exp()
    array = exponents.numpy()
    np.exp(array, out=array)
    return exponents
