import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core import label_tokens, tokenize


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


def is_visible(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")


@given(st.text())
def test_nothing_visible_is_lost_changed_or_moved(text: str) -> None:
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


def test_a_label_never_takes_the_name_of_a_token() -> None:
    assert label_tokens(["a", "a₂", "a", "a"]) == ["a", "a₂", "a₃", "a₄"]


@given(st.lists(st.sampled_from(["a", "a₂", "a₃", "b", "a₂₂", ""])))
def test_labels_all_differ(tokens: list[str]) -> None:
    labels = label_tokens(tokens)
    assert len(set(labels)) == len(labels) == len(tokens)
    assert all(label.startswith(token) for label, token in zip(labels, tokens, strict=True))
