"""Labels of an axis: how much room they take, and where a long one is cut."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_figures.frame import LONGEST_LABEL
from attn_figures.widths import letters, shorten

FAMILY, FRANCE, ACCENT = "👩🏽\u200d👩\u200d👧", "🇫🇷", "e\u0301"


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("abcdefghijkl", "abcdefghijkl"),
        ("abcdefghijklm", "abcdefghijk…"),
        ("猫坐在垫子上", "猫坐在垫子上"),
        ("猫坐在垫子上因为", "猫坐在垫子…"),
        (5 * FAMILY, f"{FAMILY}…"),
        (8 * FRANCE, 5 * FRANCE + "…"),
        (13 * ACCENT, 11 * ACCENT + "…"),
        ("שלום" * 4, ("שלום" * 4)[:11] + "…"),
    ],
)
def test_long_label_is_cut_between_signs(label: str, shown: str) -> None:
    assert shorten(label, LONGEST_LABEL) == shown


@given(st.lists(st.sampled_from(["a", "猫", FAMILY, FRANCE, ACCENT, "ש"]), min_size=1))
def test_shortened_text_fits_and_parts_no_sign(signs: list[str]) -> None:
    shown = shorten("".join(signs), LONGEST_LABEL)
    kept = shown.removesuffix("…")
    assert kept in {"".join(signs[:count]) for count in range(1, len(signs) + 1)}
    assert letters(shown) <= LONGEST_LABEL or kept in signs
    assert re.search("…$", shown) or kept == "".join(signs)


@given(st.text(st.characters(max_codepoint=127)))
def test_letters_of_ascii_are_its_length(label: str) -> None:
    assert letters(label) == len(label)
    assert shorten(label, LONGEST_LABEL) == (label if len(label) <= 12 else label[:11] + "…")
