"""Disguised English for tests, with accents on every letter and two fifths more letters.

Plain English on a page is then untranslated; text that overflows would overflow in a longer language.
Fields, marks, formulas, code and links stay as they are.
"""

import re
from gettext import NullTranslations

_DISGUISE = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "ÅƁÇÐÉƑĜĤÎĴĶĻḾÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļḿñöþǫŕšţûṽŵẋýž",
)
MORE = 0.4
"""The share by which a message becomes longer."""
_ENDS = re.compile(r"(<br>|\n)")  # of lines, each of which becomes longer
_KEPT = re.compile(
    r"""\{[^{}]*\}          # a field
    |%\{[^{}]*\}            # one of Plotly's
    |<[^<>]*>               # a tag
    |&\w+;|:material/\w+:|:(?:violet|orange|green)\[
    |`[^`]*`                # code
    |\$[^$]+\$              # a formula
    |\]\([^)]*\)            # where a link leads
    """,
    re.VERBOSE,
)


def disguise(message: str) -> str:
    """Return a message in disguise.

    >>> disguise("The **query** {query} in `Q`")
    'Ţĥé **ǫûéŕý** {query} îñ `Q` ····'
    """
    return "".join(line if place % 2 else _lengthen(line) for place, line in enumerate(_ENDS.split(message)))


def _lengthen(line: str) -> str:
    text, at = "", 0
    for match in _KEPT.finditer(line):
        text += line[at : match.start()].translate(_DISGUISE) + match[0]
        at = match.end()
    text += line[at:].translate(_DISGUISE)
    letters = sum(letter.isalpha() for letter in _KEPT.sub("", line))
    return f"{text} {'·' * round(letters * MORE)}" if letters > 2 else text


class Pseudo(NullTranslations):
    """A catalogue that translates every message by its disguise."""

    def gettext(self, message: str) -> str:
        """Return a message in disguise."""
        return disguise(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return one of two messages in disguise."""
        return disguise(super().ngettext(msgid1, msgid2, n))

    def pgettext(self, context: str, message: str) -> str:
        """Return a message in disguise."""
        return disguise(message)
