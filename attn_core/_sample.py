"""The data points of a kernel regression: checks of their arrays, and distances between them."""

import math

import torch
from torch import Tensor

from attn_core import _require

CHUNK = 2**16
"""How many numbers (steps, n_query, n_key) are held at once: 512 kB in float64, to stay in the cache."""


def check(keys: Tensor, values: Tensor, **queries: Tensor) -> None:
    """Refuse points whose shapes or dtypes do not fit together or that are not finite."""
    points = {**queries, "keys": keys, "values": values}
    _require.same_dtype(**points)
    for name, points_of in points.items():
        axes = (
            "(n_key, d_value)" if name == "values" else "(n_query, d)" if name == "queries" else "(n_key, d)"
        )
        if points_of.ndim not in (1, 2):
            raise ValueError(
                f"{name} must have shape {axes} or one axis only; got shape {tuple(points_of.shape)}"
            )
        if n_bad := int((~points_of.isfinite()).sum()):
            raise ValueError(f"{name} must hold finite numbers; got {n_bad} that are not")
    if len(keys) != len(values) or not len(keys):
        raise ValueError(
            "keys and values must have the same n_key >= 1 points; "
            f"got shapes {tuple(keys.shape)} and {tuple(values.shape)}"
        )
    for name, tensor in queries.items():
        if tensor.shape[1:] != keys.shape[1:]:
            raise ValueError(
                f"{name} and keys must have the same width d; "
                f"got shapes {tuple(tensor.shape)} and {tuple(keys.shape)}"
            )


def bandwidths(bandwidth: object, *, like: Tensor, name: str = "bandwidth") -> Tensor:
    """Return the bandwidth or bandwidths as a tensor ``(*steps,)`` of the keys' dtype."""
    positive = _require.positive(name, bandwidth)
    tensor = torch.as_tensor(positive, dtype=like.dtype, device=like.device)
    if not tensor.numel():
        raise ValueError(f"{name} must hold at least one number; got shape {tuple(tensor.shape)}")
    return tensor


def one_bandwidth(name: str, bandwidth: object, *, like: Tensor) -> Tensor:
    """Return a single bandwidth as a tensor without axes."""
    tensor = bandwidths(bandwidth, like=like, name=name)
    if tensor.ndim:
        raise ValueError(f"{name} must be one number; got shape {tuple(tensor.shape)}")
    return tensor


def distances(queries: Tensor, keys: Tensor) -> Tensor:
    """Return distances ``(n_query, n_key)``, Euclidean, by direct difference: exact for close points."""
    if queries.ndim == 1:
        return (queries[:, None] - keys[None, :]).abs()
    return torch.cdist(queries, keys, compute_mode="donot_use_mm_for_euclid_dist")


def squares_beyond_nearest(distances: Tensor) -> Tensor:
    """Return each squared distance less its row's smallest; ``-half_inverse_square(h)`` times it is a logit.

    The difference of squares is the product (d - d_min)(d + d_min), so that the nearest key has exactly 0 and
    no bandwidth overflows.
    """
    nearest = distances.amin(dim=-1, keepdim=True)
    return (distances - nearest) * (distances + nearest)


def half_inverse_square(bandwidth: Tensor) -> Tensor:
    """Return 1 / (2 h^2): clamped to stay finite at every bandwidth, and above zero."""
    limits = torch.finfo(bandwidth.dtype)
    return (0.5 / bandwidth.square().clamp(min=limits.tiny)).clamp(min=1e10 / limits.max)


def farthest_distance(dtype: torch.dtype) -> float:
    """Return a distance so large that no kernel gives it weight, though its square is still finite."""
    return math.sqrt(torch.finfo(dtype).max) / 2
