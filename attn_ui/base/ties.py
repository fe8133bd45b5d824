"""Ties, numbers that differ by rounding alone: captions call none of them the largest without the others."""

from attn_words import _n

ROUNDING = 1e-12  # two ways to the same number differ by less


def drop_rounding(difference: float) -> float:
    """Return a difference, or 0 where it is rounding alone.

    >>> drop_rounding(0.5), drop_rounding(1e-16)
    (0.5, 0.0)
    """
    return difference if difference >= ROUNDING else 0.0


def tie_sentence(others: int) -> str:
    """Return a sentence with the number of others that tie with the named one; "" for none.

    >>> tie_sentence(0), tie_sentence(1), tie_sentence(2)
    ('', 'Tied with 1 other.', 'Tied with 2 others.')
    """
    return _n("Tied with {count} other.", "Tied with {count} others.", others) if others else ""
