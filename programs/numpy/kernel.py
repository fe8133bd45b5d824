"""Kernel regression, the first attention: the nearer a key, the more its value counts."""

import math

import numpy as np

from programs.numpy.attention import softmax


def gaussian(u):
    """Weigh by exp(-u² / 2), divided by the sum of the row: a softmax."""
    return softmax(-(u**2) / 2)


def gaussian_nearest(u):
    """Weigh the same, where one key is so near that all others would have no weight for a line."""
    scores = (u.min() ** 2 - u**2) / 2  # 0 for the nearest
    others = u > u.min()
    if others.any():
        scores = scores + others * max(0, -600 - scores[others].max())
    return softmax(scores)


def with_gaps(numbers, weights):
    """Leave a gap (nan) at each query that has no key with weight."""
    return np.where(weights.sum(axis=-1) > 0, numbers, math.nan)
