"""The sentences that move with a figure: markdown in, runs of plain text out, each once."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_live.says import (
    Run,
    Split,
    _split,
    _split_at_bold,
    check_says,
    pack_says,
    runs,
    said_at,
)
from attn_ui.base.markdown import coloured, plain


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("plain words", [("", "plain words")]),
        ("a **b** c", [("", "a "), ("b", "b"), ("", " c")]),
        ("to *one order* it", [("", "to "), ("i", "one order"), ("", " it")]),
        ("**:orange[k] x**", [("b key", "k"), ("b", " x")]),
        (":violet[**q**]:green[v]", [("b query", "q"), ("value", "v")]),
        ("2 * 3 is *not* 2*3", [("", "2 * 3 is "), ("i", "not"), ("", " 2*3")]),
        ("4 * 5", [("", "4 * 5")]),
        ("3*4 [a]", [("", "3*4 [a]")]),
        ("", []),
    ],
)
def test_marks_become_roles(sentence: str, wanted: list[tuple[str, str]]) -> None:
    assert runs(sentence) == wanted


PIECES = ["*", "**", "a", " ", "b c", ":", ":violet[", "]", "\\", "\n"]


SENTENCES = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
BOLD_ONLY = st.lists(st.sampled_from(["a", "b c", "**d**", "**e f**"]), max_size=9).map("x".join)


def spoken(split: Split) -> list[list[Run]]:
    known, numbers, _ = split
    texts: list[list[Run]] = [[]]
    for number in numbers:
        if number < 0:
            texts.append([])
        else:
            texts[-1].append(known[number])
    return texts[:-1]


@given(st.lists(SENTENCES | BOLD_ONLY, max_size=4) | st.lists(BOLD_ONLY.map("x{}".format), min_size=1))
def test_the_short_way_through_bold_words_is_the_long_way(sentences: list[str]) -> None:
    wanted = [runs(sentence) for sentence in sentences]
    assert spoken(_split(sentences)) == wanted
    short = _split_at_bold(sentences)
    if short is not None:
        assert spoken(short) == wanted


@given(st.lists(SENTENCES | BOLD_ONLY, max_size=6))
def test_each_sentence_comes_back(sentences: list[str]) -> None:
    packed = pack_says(sentences)
    assert [said_at(packed, step) for step in range(len(sentences))] == [runs(each) for each in sentences]


def test_the_short_way_is_taken() -> None:
    assert _split_at_bold(["the **one**, the **other**.", "the **one**."]) == (
        [("", "the "), ("", ", the "), ("", "."), ("b", "one"), ("b", "other")],
        [0, 3, 1, 4, 2, -1, 0, 3, 2, -1],
        6,
    )
    for other in ("**first**", "*one*", "a **b", "a ** b**", ":violet[q]", "a****b", r"1 \* 2", "a\n**b** c"):
        assert _split_at_bold(["the **one**.", other]) is None, other


@pytest.mark.parametrize("typed", ["<b>*a*</b>", "a]b[", "**", ":violet[x]", "\\", "\\*", "1*2*3", "`$x$`"])
def test_what_people_typed_comes_out_as_typed(typed: str) -> None:
    assert "".join(text for _, text in runs(plain(typed))) == typed
    assert {role for role, _ in runs(plain(typed))} <= {""}
    said = runs(f"the {coloured('key', typed)} and **{plain(typed)}**")
    assert "".join(text for _, text in said) == f"the {typed} and {typed}"
    assert {role for role, _ in said} <= {"", "key", "b"}


def test_a_word_from_right_to_left_turns_nothing_around_it() -> None:
    """Else "שלום: 0.5" has the number before the word."""
    assert plain("שלום!") == "\u2068שלום\\!\u2069"
    assert plain("مرحبا") == "\u2068مرحبا\u2069"
    assert plain("naïve 猫 🙂") == "naïve 猫 🙂"
    assert coloured("key", "שלום") == ":orange[\u2068שלום\u2069]"


def test_sentences_come_back_and_repeats_travel_once() -> None:
    says = [["one **x**", "two **x**"], ["one **x**", "three"]]
    packed = pack_says(says)
    assert [[said_at(packed, step, row) for row in (0, 1)] for step in (0, 1)] == [
        [runs(sentence) for sentence in step] for step in says
    ]
    plainly = zlib.decompress(packed)
    assert plainly.count(b'"one "') == 1
    assert plainly.count(b'"x"') == 1
    assert said_at(pack_says(["a", "b"]), 1, 7) == [("", "b")]


@pytest.mark.parametrize(
    ("says", "n_rows", "complaint"),
    [
        (["a"], None, "2 positions, so it needs 2 sentences, got 1"),
        ([["a"], ["a"]], None, "no row slider"),
        ([["a", "b"], ["a"]], 2, "step 1 needs 2 sentences"),
    ],
)
def test_a_missing_sentence_is_told(says: list[str], n_rows: int | None, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check_says(pack_says(says), 2, n_rows)
