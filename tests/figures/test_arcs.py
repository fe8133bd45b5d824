"""Arcs between words: words stand clear of one another, arcs go from word to word, as thick as weights."""

from itertools import pairwise

import numpy as np
import pytest

from attn_figures.arcs import (
    ABOVE,
    BELOW,
    COLUMNS,
    LEAST,
    LETTER,
    PITCH,
    THICKEST,
    Place,
    arcs_of,
    set_lines,
    thickness,
)

TEXT = (
    "attention " * 9 + "is all you need and a word that is longer than any line would have room for it all"
).split()


@pytest.mark.parametrize("count", [1, 6, 20, len(TEXT)])
def test_words_stand_on_their_lines_in_order_and_clear_of_one_another(count: int) -> None:
    placed = set_lines(tuple(TEXT[:count]))
    assert [each.word for each in placed] == TEXT[:count]
    for each in placed:
        assert each.x - each.width / 2 >= -1e-9
        assert each.x + each.width / 2 <= COLUMNS + 1e-9
    for before, after in pairwise(placed):
        if before.line == after.line:
            assert after.x - before.x - (after.width + before.width) / 2 >= LETTER
        else:
            assert after.line == before.line + 1
            # It is on the next line because it had no room on this one.
            assert before.x + before.width / 2 + LETTER + after.width > COLUMNS


def test_a_word_longer_than_a_line_is_cut() -> None:
    (placed,) = set_lines(("a" * 300,))
    assert placed.width <= COLUMNS
    assert placed.word.endswith("…")


def edge(word: Place, above: bool) -> tuple[float, float]:
    return word.x, word.line * PITCH + (-ABOVE if above else BELOW)


def test_an_arc_goes_from_its_query_to_its_key_and_over_no_other_line() -> None:
    words = set_lines(tuple(TEXT))
    course = arcs_of(words, words)
    assert course.shape[:2] == (len(words), len(words))
    assert course.shape[-1] == 2
    for row, query in enumerate(words):
        for column, key in enumerate(words):
            first, *between, last = course[row, column]
            above = key.line <= query.line
            start, end = edge(query, above), edge(key, key.line >= query.line)
            if row == column:
                assert max(abs(first[0] - start[0]), abs(last[0] - end[0])) < 0.2
                assert min(y for _x, y in between) < first[1] - 0.2
                continue
            np.testing.assert_allclose(first, start)
            np.testing.assert_allclose(last, end)
            heights = [y for _x, y in between]
            if query.line == key.line:  # it stays between the line above and its own
                assert min(heights) >= query.line * PITCH - PITCH + BELOW - 1e-9
                assert max(heights) <= first[1] + 1e-9
            else:
                assert min(first[1], last[1]) - 1e-9 <= min(heights)
                assert max(heights) <= max(first[1], last[1]) + 1e-9


def test_an_arc_is_as_thick_as_its_weight_and_a_tiny_one_is_none() -> None:
    weights = np.array([[1.0, 0.5, LEAST, LEAST - 1e-9, 0.0, np.nan]])
    expected = [THICKEST, THICKEST / 2, THICKEST * LEAST, 0.0, 0.0, 0.0]
    assert thickness(weights).tolist() == [expected]
