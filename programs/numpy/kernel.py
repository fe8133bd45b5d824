"""Kernel regression, the first attention: the nearer a key, the more its value counts."""

from programs.numpy.attention import softmax


def gaussian(u):
    """Weigh by exp(-u² / 2), divided by the sum of the row: a softmax."""
    return softmax(-(u**2) / 2)
