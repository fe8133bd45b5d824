"""Docstrings of this repository for Sphinx: formulas between dollars, as everywhere else here."""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

_BLOCK = re.compile(r"^( *)\$\$(.+?)\$\$$", re.MULTILINE | re.DOTALL)
_STARS = re.compile(r"(``[^`]+``)|(?<=\()\*(?=\w)")  # of shapes, (*batch, n): no emphasis begins there
_INLINE = re.compile(r"(?<![\\$`\w])\$([^$\n]+?)\$(?![\w$])")


def with_formulas(text: str) -> str:
    r"""Return a docstring with its formulas and shapes in reStructuredText.

    >>> print(with_formulas("The weight $w$ (*batch, n) is\n\n$$w = 1$$"))
    The weight :math:`w` (\*batch, n) is
    <BLANKLINE>
    .. math::
    <BLANKLINE>
        w = 1
    """
    text = _BLOCK.sub(lambda match: _directive(match[1], match[2]), text)
    text = _INLINE.sub(r":math:`\1`", text)
    return _STARS.sub(lambda match: match[1] or r"\*", text)


def _directive(indent: str, formula: str) -> str:
    lines = "\n".join(f"{indent}    {line.strip()}" for line in formula.strip().splitlines())
    return f"{indent}.. math::\n\n{lines}"


def _read(_app: Sphinx, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    lines[:] = with_formulas("\n".join(lines)).split("\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Have docstrings read by this module first, and then by napoleon."""
    app.connect("autodoc-process-docstring", _read, priority=400)
    return {"parallel_read_safe": True}
