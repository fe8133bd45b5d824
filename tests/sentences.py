"""What a sentence says, whatever its words: the numbers in it, and the messages that it was made of.

A test names the fields that the right message has, and what stands in them; how it is worded stands in
one place, where it is said.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from string import Formatter
from typing import TypeVar

import polib

Kind = TypeVar("Kind")
Pieces = Sequence[tuple[str, str | None]]
CATALOGUES = Path(__file__).resolve().parents[1] / "locales" / "zh_CN"
NUMBER = re.compile(
    r"(?<![\w.−-])([−-]?)(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(\.\d+)?(?:(?: × 10|e)([−⁻⁰¹²³⁴⁵⁶⁷⁸⁹\d-]+))?(?![\w-])"
)
RAISED = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
COLOUR = re.compile(r":(?:violet|orange|green)\[((?:[^\[\]]|\\\[|\\\])*)\]")


def numbers_in(text: str) -> list[float]:
    """Return the numbers of a text in their order; those of a name, such as k2 or L6-v2, are none.

    >>> numbers_in("k2 gets −0.5, 1,024 times 3 × 10⁻⁴ (25.0%), in 2 of 4.")
    [-0.5, 1024.0, 0.0003, 25.0, 2.0, 4.0]
    """
    return [
        float(f"{'-' if sign else ''}{whole.replace(',', '')}{part}e{raised.translate(RAISED) or 0}")
        for sign, whole, part, raised in NUMBER.findall(plain(text))
    ]


def messages_in(text: str, /, *fields: str, **given: object) -> list[dict[str, str]]:
    """Return the fields of each message of an English text that has these, and those given as they are.

    >>> messages_in("One. Head 3 of 4. Two.", count=4)
    [{'number': '3', 'count': '4'}]
    >>> messages_in("One. Head 3 of 4. Two.", "number", count=5)
    []
    """
    said, wanted = plain(text), {*fields, *given}
    patterns = [_pattern(pieces, given) for names, pieces in _messages() if wanted <= names]
    return [match.groupdict() for pattern in patterns for match in pattern.finditer(said)]


def kind_in(text: str, kinds: Mapping[Kind, str]) -> Kind | None:
    """Return which of the messages of a table an English text has; where one begins as another, the longer.

    >>> kind_in("Of 3: none.", {"few": "Of {count}: some.", "none": "Of {count}: none.", "all": "Of {count}"})
    'none'
    """
    said = plain(text)
    by_length = sorted(kinds, key=lambda kind: -len(kinds[kind]))
    return next((kind for kind in by_length if _pattern(_pieces(kinds[kind]), {}).search(said)), None)


def plain(text: str) -> str:
    """Return a text without marks of Markdown.

    >>> plain(r":violet[the] gives **0.5** to \\\\*a\\\\*")
    'the gives 0.5 to *a*'
    """
    return re.sub(r"\\(?=[^\w\s])", "", re.sub(r"(?<!\\)\*", "", COLOUR.sub(r"\1", text)))


@cache
def _messages() -> list[tuple[set[str], Pieces]]:
    """Return the fields of each message with words and fields, and its words and fields in turn."""
    entries = [entry for path in CATALOGUES.glob("*.po") for entry in polib.pofile(str(path))]
    found: list[tuple[set[str], Pieces]] = []
    for text in sorted({text for entry in entries for text in (entry.msgid, entry.msgid_plural)}):
        with suppress(ValueError):  # a formula
            pieces = _pieces(text)
            names = {name for _, name in pieces if name}
            if all(map(str.isidentifier, names)) and re.search(r"\w", "".join(each for each, _ in pieces)):
                found.append((names, pieces))
    return found


def _pieces(message: str) -> Pieces:
    return [(literal, name) for literal, name, _, _ in Formatter().parse(plain(message))]


def _pattern(pieces: Pieces, given: Mapping[str, object]) -> re.Pattern[str]:
    """Return what finds a message: its words as they are, what is given or anything in its fields."""
    pattern, seen = "", set[str]()
    for literal, name in pieces:
        pattern += re.escape(literal)
        if name:
            inside = re.escape(plain(str(given[name]))) if name in given else r"(?:(?!\. )[^\n])+?"
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>{inside})"
            seen.add(name)
    return re.compile(rf"(?<![\w.]){pattern}(?![\w]|\.\d)")
