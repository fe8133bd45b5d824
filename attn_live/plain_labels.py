"""Labels of rows and columns without HTML tags, duplicates numbered."""

import html
import re
from collections.abc import Sequence

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_TAG = re.compile(r"<[^>]*>")


def strip_tags(text: str) -> str:
    """Return a text without Plotly's tags; a user's own "<" is escaped, and so stays."""
    return _TAG.sub("", text)


def plain_label(text: str) -> str:
    """Return a figure's text as readers see it: without Plotly's tags and escapes.

    >>> plain_label("<b>a &lt; b</b>")
    'a < b'
    """
    return html.unescape(strip_tags(text))


def number_duplicates(names: Sequence[str]) -> list[str]:
    """Return names with each repetition numbered by a subscript, as pages number repeated words.

    >>> number_duplicates(["a", "b", "a", "a"])
    ['a', 'b', 'a₂', 'a₃']
    """
    counts = [list(names[: place + 1]).count(name) for place, name in enumerate(names)]
    return [
        name if count == 1 else name + str(count).translate(_SUBSCRIPTS)
        for name, count in zip(names, counts, strict=True)
    ]
