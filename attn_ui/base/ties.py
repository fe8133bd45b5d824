"""The largest of some numbers, and what ties with it: whoever reads "the largest" looks for one."""

import numpy as np
from numpy.typing import NDArray

from attn_words import _n

TIE = 1e-9  # weights that differ by less are equal
_ROUNDING = 1e-15  # of numbers of size one, which small ones are differences of


def largest(numbers: NDArray[np.float64]) -> list[int]:
    """Return the places of the largest number, those that tie with it included, counted through all axes.

    Small ones tie no more easily than large ones.

    >>> largest(np.array([0.2, 0.4, 0.4])), largest(np.array([3e-12, 0.0]))
    ([1, 2], [0])
    """
    most = float(numbers.max())
    found: list[int] = np.flatnonzero(numbers >= most - max(TIE * abs(most), _ROUNDING)).tolist()
    return found


def as_much(n_tied: int) -> str:
    """Say how many other cells change as much as the one that is named; nothing where none does.

    >>> as_much(0), as_much(1)
    ('', 'One other cell changes as much.')
    """
    if not n_tied:
        return ""
    return _n("One other cell changes as much.", "{count} other cells change as much.", n_tied)


def changed_as_much(n_tied: int) -> str:
    """The same of what has changed."""
    if not n_tied:
        return ""
    return _n("One other cell changed as much.", "{count} other cells changed as much.", n_tied)


def differ_as_much(n_tied: int) -> str:
    """Say in how many other cells two maps differ as much as where it is named; nothing where in none."""
    if not n_tied:
        return ""
    return _n("In one other cell they differ as much.", "In {count} other cells they differ as much.", n_tied)
