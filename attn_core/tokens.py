"""Cuts a sentence of any script into tokens, and numbers equal ones."""

import logging
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import groupby, pairwise
from typing import Literal

_JOINERS = "\u200c\u200d"  # zero width; they join emoji, and shape letters within a word
_APOSTROPHES = ("'", "\u2019")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_KANA = ("HIRAGANA ", "KATAKANA ")  # how the names of characters begin
_UNSPACED = ("CJK ", *_KANA)
_SPACED_PAIR = re.compile(r"(\w)\s+(?=(\w))")

SPACE, LINE = "·", "↵"
"""The characters that show a space, and the end of a line, in a token."""
UNDERSCORE = "▁"
"""The character for a space in tokenizers such as sentencepiece."""
_INVISIBLE = {ord("\n"): LINE, ord("\r"): "␍", ord("\t"): "⇥"}

HowCut = Literal["", "spaces", "characters", "jieba"]


def tokenize(text: str) -> list[str]:
    """Cut a text into words, numbers and single marks of punctuation or symbols, as they were typed.

    A word is a run of letters, digits and the marks that belong to them, with apostrophes inside ("don't").
    Chinese and Japanese put no space between words: see `how_cut` for where these are cut. An emoji stays
    whole, with its skin colour, its flag or the family that a joiner makes of it.
    White space, control characters and invisible formatting characters separate tokens and are dropped.
    Nothing is interpreted: markup is text.

    Invariant: joined together, the tokens are the text without what separates them.

    Edge cases: a text without a visible character gives an empty list.

    Source: Unicode Standard Annex 29, in a short form.

    >>> tokenize("The cat's tail, the <b>!")
    ['The', "cat's", 'tail', ',', 'the', '<', 'b', '>', '!']
    >>> tokenize("猫 坐 在 垫子 上")
    ['猫', '坐', '在', '垫子', '上']
    """
    segmentation = how_cut(text)
    tokens: list[str] = []
    word_open = False  # whether the next letter continues the last token
    for cluster, following in pairwise([*_clusters(text), ""]):
        grows = _is_letter(cluster) if segmentation != "spaces" else _is_any_letter(cluster)
        joins = grows or (cluster in _APOSTROPHES and _is_letter(following))
        if cluster and word_open and joins:
            tokens[-1] += cluster
        else:
            tokens.extend([cluster] if cluster else [])
            word_open = grows
    find = _words_finder() if segmentation == "jieba" else None
    return [*_words_of(tokens, find)] if find else tokens


def how_cut(text: str) -> HowCut:
    """Return where the Chinese or Japanese of a text is cut; "" where it has no two such characters in a row.

    "spaces" where a space is between two Chinese characters: the user has then cut the text, and words are
    separated by spaces, as in other scripts. Otherwise "jieba", which finds Chinese words, where that package
    is installed, and "characters" where it is not: each character is a token. Japanese, which is a text with
    kana, is always cut into characters.

    >>> how_cut("the cat"), how_cut("猫 坐 在 垫子 上")
    ('', 'spaces')
    """
    if text.isascii():
        return ""
    has_spaces = any(_is_unspaced(one) and _is_unspaced(other) for one, other in _SPACED_PAIR.findall(text))
    if not has_spaces and not any(_is_unspaced(one) and _is_unspaced(other) for one, other in pairwise(text)):
        return ""
    if any(unicodedata.name(char, "").startswith(_KANA) for char in text):
        return "characters"
    if has_spaces:
        return "spaces"
    return "jieba" if _words_finder() else "characters"


def label_tokens(tokens: Sequence[str]) -> list[str]:
    """Return the tokens with repeated ones numbered by subscripts, so that all differ.

    Invariant: as many labels as tokens, no two equal.

    Edge cases: a number that would make a label equal to another token is skipped.

    >>> label_tokens(["the", "cat", "the", "the"])
    ['the', 'cat', 'the₂', 'the₃']
    """
    in_use = set(tokens)
    counts: dict[str, int] = {}
    labels = []
    for token in tokens:
        count = counts.get(token, 0) + 1
        label = token
        while count > 1:
            label = token + str(count).translate(_SUBSCRIPTS)
            if label not in in_use:
                break
            count += 1
        counts[token] = count
        in_use.add(label)
        labels.append(label)
    return labels


def readable_tokens(tokens: Sequence[str]) -> list[str]:
    """Return tokens as they can be read: a space at an end as "·", a line's end "↵", a tab "⇥", nothing "∅".

    Pieces of byte-level tokenizers such as GPT-2's, which replace bytes by other characters (Ġ is a space),
    are decoded, and so is the ▁ of sentencepiece.

    Invariant: as many as there are tokens; readable tokens are unchanged.

    >>> readable_tokens(["The", "Ġcat", "Ċ"]), readable_tokens(["", " ", "New York"])
    (['The', '·cat', '↵'], ['∅', '·', 'New York'])
    """
    texts = [*tokens]
    if any("Ġ" in each or "Ċ" in each for each in tokens):
        pieces = [decode_piece(each) for each in tokens]
        # Ġ is a letter of Maltese too, whose other letters would decode to control characters.
        if all(each.isprintable() for each in "".join(pieces) if not each.isspace()):
            texts = pieces
    if any(each.startswith(UNDERSCORE) for each in texts):
        texts = [each.replace(UNDERSCORE, " ") for each in texts]
    spaced = (re.sub("^ +| +$", lambda spaces: SPACE * len(spaces[0]), each) for each in texts)
    return [each.translate(_INVISIBLE) or "∅" for each in spaced]


def decode_piece(token: str) -> str:
    """Return the text of a piece of a byte-level tokenizer; another token as it is.

    A character may be cut into several tokens: a byte that is no whole character becomes such as <0xE6>.
    """
    if not all(char in _bytes_of() for char in token):
        return token
    text = ""
    for char in bytes(_bytes_of()[char] for char in token).decode("utf-8", errors="surrogateescape"):
        is_byte = 0xDC80 <= ord(char) <= 0xDCFF
        text += f"<0x{ord(char) - 0xDC00:02X}>" if is_byte else char
    return text


@cache
def _bytes_of() -> dict[str, int]:
    """Return the byte of each character of a byte-level token; printable bytes have their own character.

    Source: Radford et al. (2019), GPT-2, and its program.
    """
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + at): byte for at, byte in enumerate(others)}


def _clusters(text: str) -> Iterator[str]:
    """Yield each character with its accents, skin colour and joined emoji; "" for a separator."""
    start = 0
    while start < len(text):
        end = start + 1
        if _separates(text[start]):
            yield ""
        else:
            while end < len(text) and _belongs(text[start:end], text[end:]):
                end += 1
            yield text[start:end]
        start = end


def _belongs(cluster: str, rest: str) -> bool:
    """Whether the first character of the rest belongs to the cluster before it."""
    char, last = rest[0], cluster[-1]
    if char in _JOINERS:
        return len(rest) > 1 and not _separates(rest[1])
    if _is_flag_letter(char):
        return len(cluster) == 1 and _is_flag_letter(last)
    return (
        last in _JOINERS
        or unicodedata.category(char).startswith("M")
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin colours
        or "\U000e0020" <= char <= "\U000e007f"  # the letters of regional flags
    )


def _separates(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_letter(cluster: str) -> bool:
    """Whether a cluster can continue a word: a letter, digit or underscore of a script with spaces."""
    return _is_any_letter(cluster) and not _is_unspaced(cluster[0])


def _is_any_letter(cluster: str) -> bool:
    """Whether a cluster is a letter, digit or underscore of any script."""
    return bool(cluster) and (unicodedata.category(cluster[0])[0] in "LNM" or cluster[0] == "_")


def _is_unspaced(char: str) -> bool:
    """Whether ``char`` is Chinese or Japanese kana: these scripts put no space between words."""
    return unicodedata.name(char, "").startswith(_UNSPACED)


def _words_of(tokens: Sequence[str], find: Callable[[str], list[str]]) -> Iterator[str]:
    """Yield the tokens, with each run of Chinese characters replaced by its words."""
    for is_run, members in groupby(tokens, key=lambda token: len(token) == 1 and _is_unspaced(token)):
        run = [*members]
        yield from find("".join(run)) if is_run else run


@cache
def _words_finder() -> Callable[[str], list[str]] | None:
    """Return jieba's function that cuts Chinese into words; None where jieba is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its regular expressions are deprecated syntax
            jieba = import_module("jieba")
    except ImportError:
        return None
    jieba.setLogLevel(logging.WARNING)
    find: Callable[[str], list[str]] = jieba.lcut
    return find
