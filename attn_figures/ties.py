"""The indices of the largest numbers, and of numbers in order, where differences by rounding are ties.

Processors add up in different orders, so the last digits of equal numbers vary between machines: these digits
must not decide what is named first, or drawn.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

TIE = 1e-9  # weights that differ by less are equal
_ROUNDING = 1e-15  # below it small numbers may be what rounding leaves of numbers of size one


def _least(numbers: Any) -> Any:
    """Return the difference up to which a smaller number ties with each of these."""
    return np.maximum(TIE * np.abs(numbers), _ROUNDING)


def largest_indices(numbers: NDArray[np.float64]) -> list[int]:
    """Return the indices, in the flattened array, of the largest number and of all that tie with it.

    >>> largest_indices(np.array([0.2, 0.4, 0.4])), largest_indices(np.array([3e-12, 0.0]))
    ([1, 2], [0])
    """
    most = numbers.max()
    places: list[int] = np.flatnonzero(numbers >= most - _least(most)).tolist()
    return places


def largest_first(numbers: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the indices of numbers (..., n) along the last axis, the largest first; ties keep their order.

    >>> largest_first(np.array([0.2, 0.4, 0.1, 0.4 + 1e-15])).tolist()
    [1, 3, 0, 2]
    """
    order = np.argsort(-numbers, axis=-1, kind="stable")
    falling = np.take_along_axis(numbers, order, axis=-1)
    is_less = falling[..., :-1] - falling[..., 1:] > _least(falling[..., :-1])
    rank = np.zeros_like(order)
    rank[..., 1:] = np.cumsum(is_less, axis=-1)
    within = np.argsort(rank * numbers.shape[-1] + order, axis=-1)
    return np.asarray(np.take_along_axis(order, within, axis=-1))
