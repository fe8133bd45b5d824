"""Kernel regression, the first attention: the nearer a key, the more its value counts."""

import math

import numpy as np

from programs.numpy.attention import softmax


def distances(queries, keys):
    """Return how far each key is from each query, (n_query, n_key); they are numbers or vectors."""
    apart = queries[:, None] - keys[None, :]
    return np.abs(apart) if apart.ndim == 2 else np.linalg.norm(apart, axis=-1)


def gaussian(u):
    """Weigh by exp(-u² / 2): as a softmax, for the power itself is 0 where all keys are far."""
    return softmax(-(u**2) / 2)


def gaussian_nearest(u):
    """Weigh the same, but let the nearest key never be alone: with one key a line has no slope."""
    scores = -(u**2) / 2 + (u.min() ** 2) / 2
    rest = u > u.min()
    lift = max(-600 - scores[rest].max(), 0) if rest.any() else 0
    return softmax(np.where(rest, scores + lift, scores))


def shares(kernel):
    """Divide each row by its sum; where no key is near, nothing has weight."""
    total = kernel.sum(axis=-1, keepdims=True)
    return kernel / np.where(total == 0, 1, total)


def boxcar(u):
    """Weigh all keys alike that are at most a bandwidth away."""
    return shares(1.0 * (u <= 1))


def triangular(u):
    """Weigh less and less, up to a bandwidth away."""
    return shares(np.maximum(1 - u, 0))


def epanechnikov(u):
    """Weigh by a parabola, up to a bandwidth away."""
    return shares(np.maximum(1 - u**2, 0))


def nadaraya_watson(query, keys, values, bandwidth, kernel):
    """Estimate a curve: the mean of the values, each weighed by how near its key is."""
    weights = kernel(distances(query, keys) / bandwidth)  # (n_query, n_key), each row sums to one
    found = weights.sum(axis=-1) > 0  # no estimate where no key is near
    return np.where(found, weights @ values, math.nan), weights


def local_line(query, keys, values, bandwidth, kernel):
    """Fit a line around the query: its height there, its slope, and what each value counts."""
    u = np.abs(query - keys) / bandwidth
    w = kernel(u)
    nearest = keys[u.argmin()]
    a, b = keys - nearest, query - nearest  # places counted from the nearest key
    middle = (w * a).sum()
    spread = (w * (a - middle) ** 2).sum()
    lean = w * (a - middle) / spread if spread > 0 else 0 * w  # level at one place
    weights = w + (b - middle) * lean  # what each value counts in the line's height at the query
    return weights @ values, lean @ values, weights
