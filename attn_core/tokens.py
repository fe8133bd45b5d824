"""From a sentence to tokens, for any script, and names that tell equal tokens apart."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

_JOINERS = "\u200c\u200d"  # zero width; they tie emoji into one, and shape letters within a word
_APOSTROPHES = ("'", "\u2019")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def tokenize(text: str) -> list[str]:
    """Cut a text into words, numbers and single marks of punctuation or symbols, as they were typed.

    A word is a run of letters, digits and the marks that belong to them, with apostrophes inside ("don't").
    Each Chinese character or Japanese kana is a token of its own, for these scripts put no space between
    words. An emoji stays whole, with its skin colour, its flag or the family that a joiner makes of it.
    White space, control characters and invisible formatting characters separate tokens and are dropped.
    Nothing is interpreted: markup is text.

    Invariant: joined together, the tokens are the text without what separates them.

    Edge cases: a text without a visible character gives an empty list.

    Source: Unicode Standard Annex 29, in a short form.

    >>> tokenize("The cat's tail, the <b>!")
    ['The', "cat's", 'tail', ',', 'the', '<', 'b', '>', '!']
    """
    tokens: list[str] = []
    word_open = False  # whether the last token may still grow
    for cluster, following in pairwise([*_clusters(text), ""]):
        joins = _is_letter(cluster) or (cluster in _APOSTROPHES and _is_letter(following))
        if cluster and word_open and joins:
            tokens[-1] += cluster
        else:
            tokens.extend([cluster] if cluster else [])
            word_open = _is_letter(cluster)
    return tokens


def label_tokens(tokens: Sequence[str]) -> list[str]:
    """Return the tokens with repeated ones numbered by subscripts, so that all differ.

    Invariant: as many labels as tokens, no two equal.

    Edge cases: a number that would repeat a token that is there already is passed over.

    >>> label_tokens(["the", "cat", "the", "the"])
    ['the', 'cat', 'the₂', 'the₃']
    """
    taken = set(tokens)
    seen: dict[str, int] = {}
    labels = []
    for token in tokens:
        count = seen.get(token, 0) + 1
        label = token
        while count > 1:
            label = token + str(count).translate(_SUBSCRIPTS)
            if label not in taken:
                break
            count += 1
        seen[token] = count
        taken.add(label)
        labels.append(label)
    return labels


def _clusters(text: str) -> Iterator[str]:
    """Characters with what belongs to them (accents, skin colours, joined emoji); "" for a separator."""
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
    """Whether a cluster is part of a word that may grow: a letter, digit or underscore of a spaced script."""
    if not cluster or (unicodedata.category(cluster[0])[0] not in "LNM" and cluster[0] != "_"):
        return False
    return not unicodedata.name(cluster[0], "").startswith(("CJK ", "HIRAGANA ", "KATAKANA "))
