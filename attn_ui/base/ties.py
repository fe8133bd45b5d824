"""What is said of cells that change, or differ, as much as the one that is named."""

from attn_words import _n


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
