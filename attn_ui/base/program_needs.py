"""What a program needs and does, read from its own lines, so that its caption says no more and no less."""

import ast
import sys

from attn_ui.base.markdown import listed
from attn_words import _

_OF_THIS_APP = frozenset({"attn_core", "attn_figures"})
_FRAMEWORKS = {"torch": "PyTorch", "numpy": "NumPy"}


def packages(program: str) -> tuple[str, ...]:
    """Return what a program imports beside Python's own library, as it is called where it is installed.

    >>> packages("import math\\nimport torch\\nfrom torch import nn\\nfrom safetensors import safe_open")
    ('torch', 'safetensors')
    """
    roots: dict[str, None] = {}
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            roots.update(dict.fromkeys(each.name.partition(".")[0] for each in node.names))
        elif isinstance(node, ast.ImportFrom) and node.module:
            roots[node.module.partition(".")[0]] = None
    others = [root.replace("_", "-") if root not in _OF_THIS_APP else root for root in roots]
    found = [each for each in others if each not in sys.stdlib_module_names]
    return tuple(sorted(found, key=lambda name: (name not in _FRAMEWORKS, name)))


def runs_with(program: str) -> str:
    """Say what a program needs.

    >>> runs_with("import numpy as np\\nfrom safetensors import safe_open")
    'NumPy and the package `safetensors` alone'
    """
    needed = packages(program)
    named = [_FRAMEWORKS[each] for each in needed if each in _FRAMEWORKS]
    others = [f"`{each}`" for each in needed if each not in _FRAMEWORKS]
    if others:
        one = len(others) == 1
        names = listed(others)
        named.append(_("the package {names}", names=names) if one else _("the packages {names}", names=names))
    return _("{packages} alone", packages=listed(named))


def draws_as_torch(program: str) -> bool:
    """Whether a program in NumPy draws numbers, which are those that PyTorch's generator draws."""
    return "np.random.RandomState(" in program
