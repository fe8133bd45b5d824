"""Labels of rows and columns, as they are read back from a figure."""

import html
import re
from collections.abc import Sequence

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_TAG = re.compile(r"<[^>]*>")


def untagged(text: str) -> str:
    """Leave out Plotly's tags; users' own "<" is escaped."""
    return _TAG.sub("", text)


def as_read(text: str) -> str:
    """Return a text of a figure as it is read: without Plotly's tags, and what is escaped as it was typed.

    >>> as_read("<b>a &lt; b</b>")
    'a < b'
    """
    return html.unescape(untagged(text))


def told_apart(names: Sequence[str]) -> list[str]:
    """Count names that come again, as pages do where a word stands twice.

    >>> told_apart(["a", "b", "a", "a"])
    ['a', 'b', 'a₂', 'a₃']
    """
    counts = [list(names[: place + 1]).count(name) for place, name in enumerate(names)]
    return [
        name if count == 1 else name + str(count).translate(_SUBSCRIPTS)
        for name, count in zip(names, counts, strict=True)
    ]
