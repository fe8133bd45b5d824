"""Spaces in Chinese: one between Chinese and Latin letters or digits, none before or after punctuation.

A translator sets the spaces of a message; the text beside a field is known only when it is filled in.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from string import Formatter

_HAN, _SIGN, _LATIN = "[\u3400-\u9fff]", "[，。：；？！（）、“”《》]", "[A-Za-z0-9]"
_ENDS = re.compile(r"(\S)( ?)(\**)\Z")  # a last letter, a space, marks of bold
_BEGINS = re.compile(r"(\**)( ?)(\S)")
_TOGETHER = re.compile(f"{_HAN}{{2}}|{_SIGN}.|.{_SIGN}")
_APART = re.compile(f"{_HAN}{_LATIN}|{_LATIN}{_HAN}")


def fill_in(message: str, fields: Mapping[str, object]) -> str:
    """Fill in a message, with a space beside a field where its value needs one.

    >>> fill_in("{one} 和 {other}的权重", {"one": "键", "other": "cat"})
    '键和 cat 的权重'
    """
    text = ""
    for number, (literal, field) in enumerate(_parts(message)):
        text = _join(text, literal) if number and literal else text + literal
        if field:
            value = field.format_map(fields)
            text = _join(text, value) if literal else text + value
    return text


@lru_cache(4096)
def _parts(message: str) -> tuple[tuple[str, str], ...]:
    """Cut a message into pieces of text, each with the field that follows, if any."""
    parts = []
    for literal, name, form, way in Formatter().parse(message):
        how = (f"!{way}" if way else "") + (f":{form}" if form else "")
        parts.append((literal, "" if name is None else f"{{{name}{how}}}"))
    return tuple(parts)


def _join(before: str, after: str) -> str:
    """Join two texts; marks of bold, and a space, may be between their letters."""
    left, right = _ENDS.search(before), _BEGINS.match(after)
    if not (left and right):
        return before + after
    pair, bold, space = left[1] + right[3], left[3] + right[1], left[2] + right[2]
    # Beside punctuation, markdown takes ** for bold only next to a space.
    if space and _TOGETHER.fullmatch(pair) and (pair.isalpha() or not bold):
        return before[: left.start(2)] + bold + after[right.start(3) :]
    return f"{before} {after}" if _APART.fullmatch(pair) and not (bold or space) else before + after
