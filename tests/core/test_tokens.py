import logging
import re
import sys
import unicodedata
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core import how_cut, label_tokens, tokenize
from attn_core.tokens import _words_finder, readable_tokens


@pytest.fixture(autouse=True, scope="module")
def without_jieba() -> Iterator[None]:
    """As most installations are."""
    with pytest.MonkeyPatch.context() as planted:
        planted.setitem(sys.modules, "jieba", None)
        _words_finder.cache_clear()
        yield
    _words_finder.cache_clear()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I love dogs", ["I", "love", "dogs"]),
        ("  Wait, what?!  ", ["Wait", ",", "what", "?", "!"]),
        ("don't rock ’n’ roll", ["don't", "rock", "’", "n", "’", "roll"]),
        ("the dogs' bowl", ["the", "dogs", "'", "bowl"]),
        ("well-known snake_case 3.14", ["well", "-", "known", "snake_case", "3", ".", "14"]),
        ("<script>alert(1)</script>", ["<", "script", ">", "alert", "(", "1", ")", "<", "/", "script", ">"]),
        ("%{x} $x$ &lt;", ["%", "{", "x", "}", "$", "x", "$", "&", "lt", ";"]),
        ("naïve café", ["naïve", "café"]),
        ("cafe\u0301!", ["cafe\u0301", "!"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("שלום, עולם", ["שלום", ",", "עולם"]),
        ("我爱狗。", ["我", "爱", "狗", "。"]),
        ("ねこ cat", ["ね", "こ", "cat"]),
        ("hi🙂there", ["hi", "🙂", "there"]),
        ("👍🏽👨‍👩‍👧🇫🇷🇩🇪", ["👍🏽", "👨‍👩‍👧", "🇫🇷", "🇩🇪"]),
        ("❤️ 1️⃣", ["❤️", "1️⃣"]),
        ("a\u200bb\u202ec\x00d\ne", ["a", "b", "c", "d", "e"]),
        ("\ud83d", []),
        ("", []),
        (" \t\n", []),
    ],
)
def test_examples(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens", "cut"),
    [
        ("猫 坐 在 垫子 上", ["猫", "坐", "在", "垫子", "上"], "spaces"),
        ("天气\u3000很好", ["天气", "很好"], "spaces"),
        ("我 love 狗狗 很！", ["我", "love", "狗狗", "很", "！"], "spaces"),
        ("T恤 很 好", ["T恤", "很", "好"], "spaces"),
        ("猫坐在垫子上", ["猫", "坐", "在", "垫", "子", "上"], "characters"),
        ("我爱 PyTorch，也爱狗。", ["我", "爱", "PyTorch", "，", "也", "爱", "狗", "。"], "characters"),
        ("猫。 狗狗", ["猫", "。", "狗", "狗"], "characters"),
        ("猫 が 好き", ["猫", "が", "好", "き"], "characters"),  # as links have it that were saved
        ("the 猫 sat", ["the", "猫", "sat"], ""),
        ("한국어 좋아", ["한국어", "좋아"], ""),
        ("naïve café", ["naïve", "café"], ""),
    ],
)
def test_where_chinese_is_cut(text: str, tokens: list[str], cut: str) -> None:
    assert (tokenize(text), how_cut(text)) == (tokens, cut)


@given(st.lists(st.sampled_from(["猫", "垫子", "上", "PyTorch", "自然语言"])))
def test_typed_spaces_cut_chinese(words: list[str]) -> None:
    """Against `str.split`."""
    text = " ".join(words)
    cut = re.search(r"[猫垫子上自然语言] [猫垫子上自然语言]", text) is not None
    assert (tokenize(text) == text.split()) or not cut
    assert (how_cut(text) == "spaces") == cut


@given(st.text(st.sampled_from("猫狗坐上cat5，。 ねコ")))
def test_chinese_without_spaces_is_cut_into_characters(text: str) -> None:
    """Against a pattern."""
    if how_cut(text) == "characters":
        assert tokenize(text) == re.findall(r"[a-z0-9]+|\S", text)


def test_jieba_cuts_words_where_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def find(run: str) -> list[str]:
        asked.append(run)
        return [run[:2], run[2:]]

    monkeypatch.setattr("attn_core.tokens._words_finder", lambda: find)
    assert tokenize("我爱狗狗，cat 垫子上👍🏽") == ["我爱", "狗狗", "，", "cat", "垫子", "上", "👍🏽"]
    assert asked == ["我爱狗狗", "垫子上"]
    assert how_cut("我爱狗狗") == "jieba"
    assert how_cut("猫 坐 在") == "spaces"
    assert tokenize("猫 が 好き") == ["猫", "が", "好", "き"]
    assert tokenize("I love dogs") == ["I", "love", "dogs"]


def test_jieba_is_asked_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a stand-in, as most installations have none; and what is missing is no error."""
    _words_finder.cache_clear()
    told: list[int] = []
    stand_in = SimpleNamespace(setLogLevel=told.append, lcut=lambda run: [run])
    with monkeypatch.context() as planted:
        planted.setitem(sys.modules, "jieba", stand_in)
        assert tokenize("猫坐") == ["猫坐"]
        assert told == [logging.WARNING]
    _words_finder.cache_clear()
    assert tokenize("猫坐") == ["猫", "坐"]


def is_visible(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")


@given(st.text())
def test_tokenize_keeps_all_visible_characters(text: str) -> None:
    tokens = tokenize(text)
    assert all(any(map(is_visible, token)) for token in tokens)
    assert list(filter(is_visible, "".join(tokens))) == list(filter(is_visible, text))
    assert not any(char.isspace() for token in tokens for char in token)


@given(st.lists(st.sampled_from(["cat", "the", "a", "b1"])))
def test_words_joined_by_spaces_come_back(words: list[str]) -> None:
    assert tokenize(" ".join(words)) == words


def test_labels_tell_repeated_words_apart() -> None:
    assert label_tokens(["the", "cat", "and", "the", "the"]) == ["the", "cat", "and", "the₂", "the₃"]
    assert label_tokens(["The", "the"]) == ["The", "the"]
    assert label_tokens(["x"] * 12)[-1] == "x₁₂"
    assert label_tokens([]) == []


def test_labels_never_equal_other_tokens() -> None:
    assert label_tokens(["a", "a₂", "a", "a"]) == ["a", "a₂", "a₃", "a₄"]


def test_readable_tokens_show_invisible_ones() -> None:
    pieces = ["<s>", "The", "Ġcat", "Ċ", "ĠĠ", "Ã©", "æĸ", "Ġ"]  # as GPT-2's tokenizer spells them
    assert readable_tokens(pieces) == ["<s>", "The", "·cat", "↵", "··", "é", "<0xE6><0x96>", "·"]
    assert readable_tokens(["\n", " ", "", "\t", "a b"]) == ["↵", "·", "∅", "⇥", "a b"]
    assert readable_tokens(["▁the", "▁", "cat"]) == ["·the", "·", "cat"]
    for words in (["Ġorġ", "ċ"], ["[CLS]", "un", "##bel"], ["·", "↵"], []):
        assert readable_tokens(words) == words


@given(st.lists(st.sampled_from(["a", "a₂", "a₃", "b", "a₂₂", ""])))
def test_labels_all_differ(tokens: list[str]) -> None:
    labels = label_tokens(tokens)
    assert len(set(labels)) == len(labels) == len(tokens)
    assert all(label.startswith(token) for label, token in zip(labels, tokens, strict=True))
