"""Text for Streamlit's markdown: a user's text is shown as typed, names are joined into a list in words."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from attn_words import _, _c

# Streamlit's names for what `.streamlit/config.toml` sets to the colours of query, key and value.
_COLOURS = {"query": "violet", "key": "orange", "value": "green"}
_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|~$:&^=\"'")
_FROM_THE_RIGHT = ("R", "AL", "AN")  # directions of letters, as Unicode calls them
_APART, _AGAIN = "\u2068", "\u2069"  # text between these cannot turn the text around it


def plain(text: str) -> str:
    r"""Escape a user's text for Streamlit's markdown; right-to-left letters do not turn the text around it.

    >>> plain("*a* $b$ <i>")
    '\\*a\\* \\$b\\$ \\<i\\>'
    """
    escaped = "".join(f"\\{c}" if c in _MARKDOWN else c for c in text)
    turns = not text.isascii() and any(unicodedata.bidirectional(c) in _FROM_THE_RIGHT for c in text)
    return f"{_APART}{escaped}{_AGAIN}" if turns else escaped


def quoted(text: str, most: int = 40) -> str:
    """Return the beginning of a foreign text as code.

    >>> quoted("`a`")
    '`?a?`'
    """
    printable = "".join(c if c.isprintable() and c != "`" else "?" for c in text)
    beginning = printable if len(printable) <= most else printable[: most - 1] + "…"
    return f"`{beginning}`" if printable.strip() else _c("what was typed", "nothing")


def capital(text: str) -> str:
    """Make the first letter a capital."""
    return text[:1].upper() + text[1:]


def all_of(names: Sequence[str]) -> str:
    """Join words with commas and "and".

    >>> all_of(["a", "b", "c"]), all_of(["a"]), all_of([])
    ('a, b and c', 'a', 'none')
    """
    *most, last = names or [_c("of several", "none")]
    return _("{most} and {last}", most=_(", ").join(most), last=last) if most else last


def either(names: Sequence[str]) -> str:
    """Join words with "or".

    >>> either(["a", "b", "c"]), either(["a"])
    ('a, b or c', 'a')
    """
    *most, last = names
    return _("{most} or {last}", most=_(", ").join(most), last=last) if most else last


def first_of(names: Sequence[str], most: int = 3) -> str:
    """Join words; of more than `most`, the first ones and the number of the others.

    >>> first_of(["a", "b", "c"]), first_of(["a", "b", "c", "d"], 2)
    ('a, b and c', 'a, b and 2 more')
    """
    n_more = len(names) - most
    return all_of([*names[:most], _("{count} more", count=n_more)] if n_more > 0 else names)


@lru_cache(1024)  # sentences by the thousand name a few words
def coloured(role: Literal["query", "key", "value"], text: str) -> str:
    r"""Return a user's text in the colour of its role, as markdown.

    >>> coloured("query", "a[b]")
    ':violet[a\\[b\\]]'
    """
    return f":{_COLOURS[role]}[{plain(text)}]"
