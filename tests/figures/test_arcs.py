"""Arcs between words: words stand clear of one another, arcs go from word to word, as thick as weights."""

from itertools import combinations, pairwise

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
    Group,
    WordPlace,
    arc,
    arcs,
    arcs_of,
    pitch_of,
    set_words,
    thickness,
)
from attn_figures.frame import Side
from attn_figures.head_arcs import COLOURS, HeadArcs, style_of
from attn_figures.matrix import Matrix
from tests.figures.test_palettes import BLINDNESS, THEMES, TOLD_APART, lab, linear

TEXT = (
    "attention " * 9 + "is all you need and a word that is longer than any line would have room for it all"
).split()


@pytest.mark.parametrize("count", [1, 6, 20, len(TEXT)])
def test_words_in_lines_keep_order_without_overlap(count: int) -> None:
    placed = set_words(tuple(TEXT[:count]))
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


def test_word_longer_than_a_line_is_shortened() -> None:
    (placed,) = set_words(("a" * 300,))
    assert placed.width <= COLUMNS
    assert placed.word.endswith("…")


def edge(word: WordPlace, above: bool) -> tuple[float, float]:
    return word.x, word.line * PITCH + (-ABOVE if above else BELOW)


def test_arc_joins_query_and_key_without_crossing_a_line() -> None:
    words = set_words(tuple(TEXT))
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


def test_arc_thickness_is_its_weight_and_zero_for_tiny_ones() -> None:
    weights = np.array([[1.0, 0.5, LEAST, LEAST - 1e-9, 0.0, np.nan]])
    expected = [THICKEST, THICKEST / 2, THICKEST * LEAST, 0.0, 0.0, 0.0]
    assert thickness(weights).tolist() == [expected]


@pytest.mark.parametrize("lines", [1, 2, 4, 5, 12])
def test_few_lines_are_farther_apart_than_their_arcs_rise(lines: int) -> None:
    pitch = pitch_of(lines)
    assert pitch >= PITCH
    assert lines * pitch <= max(6.8, lines * PITCH) + 1e-9
    left, right = WordPlace("a", 0.5, lines - 1, 1), WordPlace("b", 11.5, lines - 1, 1)
    highest = arc(left, right, pitch)[:, 1].min()
    assert (lines - 1) * pitch - ABOVE - (pitch - ABOVE - BELOW) <= highest + 1e-9


def test_group_mean_equals_a_plain_loop() -> None:
    weights = np.random.default_rng(0).random((3, 5, 4))
    group = Group((1, 4), summed=True)
    for row, members in enumerate([[0, 1, 4], [1, 4], [1, 2, 4], [1, 3, 4], [1, 4]]):
        assert group.rows(row) == members
        sums = sum(weights[:, member] for member in members)
        np.testing.assert_allclose(group.mean(weights)[:, row], sums / len(members))
        np.testing.assert_allclose(group.totals(group.mean(weights))[:, row], sums)
        np.testing.assert_allclose(Group((1, 4)).totals(group.mean(weights))[:, row], sums / len(members))


@pytest.mark.parametrize(("also", "last"), [((), 1), ((3,), 3)])
def test_masked_word_is_struck_where_no_query_may_attend(also: tuple[int, ...], last: int) -> None:
    words, may = TEXT[-5:], np.tri(5, dtype=bool)
    group = Group(also)
    weights = group.mean(may / may.sum(axis=1, keepdims=True))
    drawn = Matrix("weights", weights, "weights", Side.queries(words), Side.keys(words), mask=may)
    spec = arcs(weights, words, words, drawn, row=1, group=group)
    (struck,) = (each["x"] for each in spec["data"] if each["name"] == "masked words")
    assert np.isnan(struck).tolist() == [key <= last for key in range(5)]


@pytest.mark.parametrize("worn", THEMES)
@pytest.mark.parametrize("blind", BLINDNESS)
def test_head_styles_differ_in_colour_or_dash_with_colour_blindness(worn: str, blind: str) -> None:
    ramp = THEMES[worn].series[: len(COLOURS)]
    seen = lab(linear(ramp) @ BLINDNESS[blind].T)
    for one, other in combinations(range(len(ramp)), 2):
        assert np.linalg.norm(seen[one] - seen[other]) > TOLD_APART, (one, other)
    assert len({style_of(head)[:2] for head in range(16)}) == 16


@pytest.mark.parametrize(
    ("n_head", "n_query", "also"), [(1, 6, ()), (4, 15, ()), (16, 64, (3,)), (2, 64, ())]
)
def test_head_arcs_left_out_weight_is_the_rest_of_the_row(
    n_head: int, n_query: int, also: tuple[int, ...]
) -> None:
    weights = np.random.default_rng(1).dirichlet(np.full(n_query, 0.2), size=(n_head, n_query))
    step = HeadArcs(weights, range(n_head), Group(also))
    drawn = step.slots * (1 + len(also))
    assert 1 <= step.per_head <= n_query
    assert drawn <= 48 or step.per_head == 1
    keys, found = step.thickest()
    for head in range(n_head):
        for row in (0, n_query - 1):
            mine = slice(head * step.per_head, (head + 1) * step.per_head)
            best = sorted(weights[head, row].tolist(), reverse=True)[: step.per_head]
            assert sorted(found[row, mine].tolist(), reverse=True) == best
            assert weights[head, row, keys[row, mine]].tolist() == found[row, mine].tolist()
            assert row not in keys[row, mine][:-1]  # the head's number stands on an arc to another word
            rest = 1 - sum(each for each in best if each >= LEAST)
            assert step.left_out(row)[head] == pytest.approx(rest)


def test_head_arcs_between_two_words_do_not_overlap() -> None:
    words = set_words(tuple(TEXT))
    for query, key in ((words[0], words[1]), (words[2], words[2]), (words[0], words[6])):
        courses = [
            arc(query, key, PITCH, lane=lane, height=height) for lane, height in ((-0.3, 0.6), (0, 0.8))
        ]
        assert np.abs(courses[0] - courses[1]).max(axis=-1).min() > 0.1
