"""Numbers as text, in figures, sentences and tables alike."""

import math
from collections.abc import Sequence

from attn_words import _

PLAIN = 1e6  # up to here a number is written out, beyond it as a power of ten
SMALL = 1e-4
_LOW_WEIGHT = 1e-5  # smaller weights have at most one digit in six decimals
_EXACT = 1e-9  # a share that differs by less from 0 or 1 is 0 or 1, up to rounding
# By the number of digits: below this number Python's "g" gives the right text, as there are no thousands.
_SHORT = tuple(min(999.0, 10.0 ** (digits - 1)) for digits in range(20))
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 4) -> str:
    """Write a number with some significant digits; up to a million its whole part in full.

    >>> number(0.25), number(-1234.5678), number(407432.1), number(1.7e9), number(2.5e-7)
    ('0.25', '−1,235', '407,432', '1.7 × 10⁹', '2.5 × 10⁻⁷')
    >>> number(0.0), number(math.inf), number(math.nan)
    ('0', '∞', 'not a number')
    """
    sign = "−" if value < 0 else ""
    size = abs(float(value))
    if SMALL <= size < _SHORT[digits]:
        return f"{sign}{size:.{digits}g}"
    if math.isnan(value):
        return _("not a number")
    if math.isinf(size):
        return f"{sign}∞"

    nearest = float(f"{size:.{digits - 1}e}")
    if not nearest:
        return "0"

    if nearest >= SMALL and size <= PLAIN:
        return sign + _plain(size, digits)
    mantissa, _e, power = f"{size:.{digits - 1}e}".partition("e")
    return f"{sign}{_strip_zeros(mantissa)} × {power_of_ten(int(power))}"


def power_of_ten(exponent: int) -> str:
    """Write a power of ten with its exponent.

    >>> power_of_ten(-12), power_of_ten(3)
    ('10⁻¹²', '10³')
    """
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def fixed_point(value: float, decimals: int) -> str:
    """Write a number with some decimals, a true minus, and no sign before zero.

    >>> fixed_point(-0.25, 2), fixed_point(-0.001, 2), fixed_point(1234.5, 1)
    ('−0.25', '0.00', '1234.5')
    """
    text = f"{abs(value):.{decimals}f}"
    return f"−{text}" if value < 0 and float(text) else text


def in_brackets(number: str) -> str:
    """Put a number, as text, in brackets if it is negative, so that it can follow another sign.

    >>> in_brackets("−0.5"), in_brackets("0.5")
    ('(−0.5)', '0.5')
    """
    return f"({number})" if number.startswith(("−", "-")) else number


def as_share(share: float, decimals: int = 0) -> str:
    """Write a share, from 0 to 1, in percent; "0%" and "100%" only if that is exact, up to rounding.

    >>> as_share(0.254), as_share(0.9999, 1), as_share(1e-4), as_share(1 - 1e-12), as_share(0.0)
    ('25%', 'over 99.9%', 'under 1%', '100%', '0%')
    """
    text, least = f"{share:.{decimals}%}", 10.0 ** (-2 - decimals)
    if text == f"{1:.{decimals}%}" and share < 1 - _EXACT:
        return _("over {share}", share=f"{1 - least:.{decimals}%}")
    if text == f"{0:.{decimals}%}" and share > _EXACT:
        return _("under {share}", share=f"{least:.{decimals}%}")
    return text


def as_weight(value: float) -> str:
    """Write a weight with six decimals, or with a power of ten if it is too small for them.

    >>> as_weight(0.25), as_weight(0.99996933), as_weight(3.066e-9), as_weight(0.0)
    ('0.250000', '0.999969', '3.07 × 10⁻⁹', '0.000000')
    """
    return f"{value:.6f}" if value >= _LOW_WEIGHT or not value else number(value, 3)


def distinct(values: Sequence[float]) -> list[str]:
    """Write numbers with enough digits for different numbers to have different texts.

    >>> distinct([1_700_000_000, 1_700_000_060]), distinct([0.5, 0.25])
    (['1,700,000,000', '1,700,000,060'], ['0.5', '0.25'])
    """
    n_different = len(set(values))
    for more in range(3, 18):
        texts = [number(value, more) for value in values]
        if len(set(texts)) == n_different:
            break
    writable = all(not value or SMALL <= abs(value) < 1e15 for value in values)
    if writable and max(map(len, texts), default=0) > len("1.234 × 10⁻¹²"):
        return [("−" if value < 0 else "") + _plain(abs(value), more) for value in values]
    return texts


def _plain(size: float, digits: int) -> str:
    if not size:
        return "0"
    whole = len(str(int(size)))
    decimals = max(0, digits - whole) if size >= 1 else digits - 1 - math.floor(math.log10(size))
    return _strip_zeros(f"{size:,.{decimals}f}")


def _strip_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
