"""The sentences that move with a figure: markdown in, spans of plain text out, each once."""

import zlib
from collections.abc import Iterable
from itertools import groupby

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_live.captions import CaptionTemplates, TextSpan, check_captions, pack_captions, spans
from attn_ui.base.markdown import coloured, plain
from tests.messages import caption_at


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
def test_caption_runs_have_the_roles_of_their_marks(sentence: str, wanted: list[tuple[str, str]]) -> None:
    assert spans(sentence) == wanted


PIECES = ["*", "**", "a", " ", "b c", ":", ":violet[", "]", "\\", "\n"]


SENTENCES = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
BOLD_ONLY = st.lists(st.sampled_from(["a", "b c", "**d**", "**e f**"]), max_size=9).map("x".join)


@given(st.lists(SENTENCES | BOLD_ONLY, max_size=6))
def test_captions_at_returns_every_caption(sentences: list[str]) -> None:
    packed = pack_captions(sentences)
    assert [caption_at(packed, step) for step in range(len(sentences))] == [spans(each) for each in sentences]


def joined(said: Iterable[TextSpan]) -> list[TextSpan]:
    """Return spans with neighbours of one role joined: whether a field is a span of its own is not seen."""
    return [
        (role, "".join(text for _role, text in together))
        for role, together in groupby(said, key=lambda run: run[0])
    ]


FIELDS = st.fixed_dictionaries({"a": st.text("x1.{[", min_size=1), "b": st.text("y2", min_size=1)})
FORMS = st.lists(
    st.lists(st.sampled_from(["**q**", "{a}", "{b}", " is ", "*", ":orange[{a}]", "**{b}**"])).map("".join),
    min_size=1,
    max_size=3,
)


@given(st.data(), FORMS)
def test_caption_templates_equal_their_filled_texts(data: st.DataObject, forms: list[str]) -> None:
    steps, rows = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    each = st.tuples(st.integers(0, len(forms) - 1), FIELDS)
    drawn = data.draw(st.lists(each, min_size=steps * rows, max_size=steps * rows))
    says = CaptionTemplates(
        forms,
        np.reshape([form for form, _ in drawn], (steps, rows)),
        {name: [fields[name] for _, fields in drawn] for name in "ab"},
    )
    packed = pack_captions(says)
    check_captions(packed, steps, rows)
    for place, (form, fields) in enumerate(drawn):
        whole = forms[form].format_map({name: plain(text) for name, text in fields.items()})
        assert joined(caption_at(packed, *divmod(place, rows))) == joined(spans(whole)), (forms[form], fields)


def test_caption_templates_send_equal_captions_once() -> None:
    says = CaptionTemplates(
        ["**{n}** keys", "no key"],
        np.array([[0, 1, 0], [0, 0, 1]]),
        {"n": ["2", "", "3", "2", "3", "unused"]},
    )
    written = [[says.at(step, row) for row in range(3)] for step in range(2)]
    assert written == [["**2** keys", "no key", "**3** keys"], ["**2** keys", "**3** keys", "no key"]]
    told = orjson.loads(zlib.decompress(pack_captions(says)))
    assert sorted(told["runs"]) == [["", " keys"], ["", "no key"], ["b", "2"], ["b", "3"]]
    assert told["next"] == [[0, 1, 1], [-2, 2, -1]]


def test_caption_fields_are_never_marks() -> None:
    packed = pack_captions(CaptionTemplates(["*{n}* of {n}"], np.array([[0]]), {"n": ["**2**"]}))
    assert caption_at(packed, 0) == [("i", "**2**"), ("", " of "), ("", "**2**")]


@pytest.mark.parametrize("typed", ["<b>*a*</b>", "a]b[", "**", ":violet[x]", "\\", "\\*", "1*2*3", "`$x$`"])
def test_caption_runs_return_typed_text_unchanged(typed: str) -> None:
    assert "".join(text for _, text in spans(plain(typed))) == typed
    assert {role for role, _ in spans(plain(typed))} <= {""}
    said = spans(f"the {coloured('key', typed)} and **{plain(typed)}**")
    assert "".join(text for _, text in said) == f"the {typed} and {typed}"
    assert {role for role, _ in said} <= {"", "key", "b"}


def test_right_to_left_word_is_isolated_in_a_caption() -> None:
    """Else "שלום: 0.5" has the number before the word."""
    assert plain("שלום!") == "\u2068שלום\\!\u2069"
    assert plain("مرحبا") == "\u2068مرحبا\u2069"
    assert plain("naïve 猫 🙂") == "naïve 猫 🙂"
    assert coloured("key", "שלום") == ":orange[\u2068שלום\u2069]"


def test_captions_by_row_are_sent_once_each() -> None:
    says = [["one **x**", "two **x**"], ["one **x**", "three"]]
    packed = pack_captions(says)
    assert [[caption_at(packed, step, row) for row in (0, 1)] for step in (0, 1)] == [
        [spans(sentence) for sentence in step] for step in says
    ]
    plainly = zlib.decompress(packed)
    assert plainly.count(b'"one "') == 1
    assert plainly.count(b'"x"') == 1
    assert caption_at(pack_captions(["a", "b"]), 1, 7) == [("", "b")]


@pytest.mark.parametrize(
    ("says", "n_rows", "complaint"),
    [
        (["a"], None, "2 positions, so it needs 2 sentences, got 1"),
        ([["a"], ["a"]], None, "no row slider"),
        ([["a", "b"], ["a"]], 2, "step 1 needs 2 sentences"),
    ],
)
def test_check_captions_of_a_missing_caption_raises(
    says: list[str], n_rows: int | None, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        check_captions(pack_captions(says), 2, n_rows)
