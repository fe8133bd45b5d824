"""The width of words before any browser has drawn them, in letters of the Latin alphabet."""

from functools import lru_cache
from unicodedata import category, east_asian_width

_JOINER = "\u200d"  # makes one emoji of two
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two are a flag


@lru_cache(maxsize=1024)  # each step of a moving figure asks for the same captions
def letters(text: str) -> int:
    """Return the width of a text in Latin letters; a Chinese character has that of two.

    >>> letters("key"), letters("键"), letters("查询 cat")
    (3, 2, 8)
    """
    if text.isascii():
        return len(text)
    return sum(0 if _adds(char) else 1 + (east_asian_width(char) in "WF") for char in text)


@lru_cache(maxsize=1024)
def shorten(text: str, most: int) -> str:
    """Cut a text that is longer than `most` letters, and end it in an ellipsis.

    One sign, such as an emoji joined from several, is never cut.

    >>> shorten("attention", 6), shorten("注意力权重", 6), shorten("key", 6)
    ('atten…', '注意…', 'key')
    """
    end = wide = flags = 0  # the end of the last whole sign with room; flag letters in a row
    for at, char in enumerate(text):
        half_a_flag = char in _FLAG_LETTERS and flags % 2 == 1
        if wide < most and not (_adds(char) or text[at - 1] == _JOINER or half_a_flag):
            end = at
        wide += letters(char)
        if wide > most:
            return text[:end] + "…" if end else text
        flags = flags + 1 if char in _FLAG_LETTERS else 0
    return text


def _adds(char: str) -> bool:
    """Whether the character changes the sign before it: an accent, a joiner, a colour of skin."""
    return category(char) in ("Mn", "Me", "Cf") or "\U0001f3fb" <= char <= "\U0001f3ff"
