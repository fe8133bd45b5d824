"""Leaving every point of a data set out of its own estimate, at many bandwidths at once."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attn_core import _points, _require
from attn_core.kernels import KERNELS, Kernel


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The points of a data set, ready to leave each out: distances ``(n, n)``, values ``(n, d_value)``."""

    distances: Tensor
    values: Tensor
    kernel: Kernel

    @classmethod
    def of(cls, keys: Tensor, values: Tensor, kernel: str) -> "LeftOut":
        """Check the points and measure their distances."""
        _require.one_of("kernel", kernel, KERNELS)
        _points.check(keys, values)
        if len(keys) < 2:
            raise ValueError(f"leaving one out needs at least 2 points; got {len(keys)}")
        distances = _points.distances(keys.detach(), keys.detach())
        return cls(distances, values.detach().reshape(len(keys), -1), KERNELS[kernel])

    def errors(self, bandwidths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Training errors, leave-one-out errors and numbers of supported points, each ``(steps,)``."""
        at_once = max(1, _points.CHUNK // self.distances.numel())
        parts = [self._errors(bandwidths[i : i + at_once]) for i in range(0, len(bandwidths), at_once)]
        training, left_out, supported = (torch.cat(part) for part in zip(*parts, strict=True))
        return training, left_out, supported

    def slope(self, log_bandwidth: Tensor) -> tuple[float, float]:
        """Return the leave-one-out error and its derivative by the logarithm of the bandwidth."""
        with torch.enable_grad():
            leaf = log_bandwidth.detach().requires_grad_()
            error = self._errors(leaf.exp().reshape(1))[1].squeeze(0)
            if not error.requires_grad or not bool(error.isfinite()):
                return error.item(), 0.0
            (slope,) = torch.autograd.grad(error, leaf)
        return error.item(), slope.item()

    def _errors(self, bandwidths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        weights, shrink = self._weights(bandwidths[:, None, None])
        sums, totals = weights @ self.values, weights.sum(dim=-1, keepdim=True)
        has_support = totals > 0
        safe_totals = totals.masked_fill(~has_support, 1.0)
        residuals = (sums / safe_totals - self.values).masked_fill(~has_support, 0.0)
        supported = has_support.squeeze(-1).sum(dim=-1)
        left_out = residuals.square().mean(dim=-1).sum(dim=-1) / supported
        # Training keeps the point: the same sums, with the point's own weight of one added.
        kept = (shrink * sums + self.values) / (shrink * totals + 1)
        training = (kept - self.values).square().mean(dim=(-2, -1))
        return training, left_out.masked_fill(supported == 0, torch.inf), supported

    def _weights(self, bandwidth: Tensor) -> tuple[Tensor, Tensor]:
        """Weights of the other points ``(steps, n, n)``, and each row's factor that makes them true weights.

        A Gaussian row is taken relative to its largest weight, so that no bandwidth is too small for it.
        """
        own = torch.eye(len(self.distances), dtype=torch.bool, device=self.distances.device)
        if math.isinf(self.kernel.support):
            nearest = self.distances.masked_fill(own, torch.inf).amin(dim=-1, keepdim=True)
            # On the diagonal the nearest distance stands in for the point's own: finite at every bandwidth.
            others = torch.where(own, nearest, self.distances)
            weights = _points.log_gaussian_ratio(others, nearest, bandwidth).exp()
            shrink = torch.exp(-nearest.square() * _points.half_inverse_square(bandwidth))
        else:
            weights = self.kernel.profile(self.distances / bandwidth)
            shrink = torch.ones_like(weights[..., :1])
        return weights.masked_fill(own, 0.0), shrink
