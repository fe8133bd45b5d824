"""One way to write a number: true to its digits, the same everywhere."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_figures.numbers import as_weight, distinct, number

FINITE = st.floats(-1e300, 1e300, allow_nan=False) | st.floats(-2e4, 2e4) | st.floats(-2.0, 2.0)


def read(text: str) -> float:
    """Read a number back, independently of how it was written."""
    plain = text.replace("−", "-").replace(",", "")
    if "×" in plain:
        mantissa, _, power = plain.partition(" × 10")
        digits = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(f"{mantissa}e{digits}")
    return float(plain)


@given(FINITE, st.integers(2, 8))
def test_number_text_is_within_its_digits(value: float, digits: int) -> None:
    back = read(number(value, digits))
    assert math.isclose(back, value, rel_tol=0.51 * 10.0 ** (1 - digits), abs_tol=1e-307)


@given(FINITE)
def test_number_text_has_one_form(value: float) -> None:
    assert re.fullmatch(
        r"−?\d{1,3}(,\d{3})*(\.\d*[1-9])?|−?\d(\.\d*[1-9])? × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", number(value)
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (999999.6, "1,000,000"),
        (999.96, "1,000"),
        (0.99996, "1"),
        (0.00012345, "0.0001234"),
        (-0.0, "0"),
        (-math.inf, "−∞"),
        (123456789, "1.235 × 10⁸"),
    ],
)
def test_number_edge_cases(value: float, text: str) -> None:
    assert number(value) == text


@given(st.lists(st.floats(-1e12, 1e12, allow_nan=False), max_size=6))
def test_distinct_texts_differ_where_numbers_do(values: list[float]) -> None:
    close = any(a != b and math.isclose(a, b, rel_tol=1e-14, abs_tol=1e-300) for a in values for b in values)
    if not close:
        assert len(set(distinct(values))) == len(set(values))


@pytest.mark.parametrize(
    ("weight", "text"),
    [(1.234e-5, "0.000012"), (1e-5, "0.000010"), (9.9e-6, "9.9 × 10⁻⁶"), (1.234e-6, "1.23 × 10⁻⁶")],
)
def test_small_weight_keeps_two_digits(weight: float, text: str) -> None:
    assert as_weight(weight) == text
