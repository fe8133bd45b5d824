"""Paths into a figure: one grammar for drawing, for packing and for the browser.

layout.title.text               names, joined by dots
layout.annotations[3].xshift    an item of a list by its index
data[weights].marker.size       or by its own name: a trace's, a shape's
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

Key = str | int
Path = tuple[Key, ...]

_PARTS = re.compile(r"\[([^\[\]]+)\]|([^.\[\]]+)")
_WHOLE = re.compile(r"[^.\[\]]+(\[[^\[\]]+\]|\.[^.\[\]]+)*")


@lru_cache(maxsize=4096)
def parse(path: str) -> Path:
    """Split a path into its parts; a number in brackets becomes an int.

    >>> parse("data[head 3].marker.size")
    ('data', 'head 3', 'marker', 'size')
    >>> parse("layout.annotations[3].xshift")
    ('layout', 'annotations', 3, 'xshift')

    Raises:
        ValueError: if it is not of this grammar.
    """
    if not _WHOLE.fullmatch(path):
        raise ValueError(f"a path is like 'data[weights].z' or 'layout.title.text', got {path!r}")
    return tuple(int(item) if item.isdigit() else item or name for item, name in _PARTS.findall(path))


def resolve(figure: Mapping[str, Any], path: str) -> Path:
    """Return a path with the names of items replaced by their indices in a figure.

    >>> resolve({"data": [{"name": "keys"}, {"name": "weights"}]}, "data[weights].z")
    ('data', 1, 'z')

    Raises:
        ValueError: if no item of the list has that name or index, or several have.
    """
    node: Any = figure
    parts: list[Key] = []
    for name in parse(path):
        part = _number(node, name, path) if isinstance(node, list | tuple) else name
        parts.append(part)
        node = at(node, (part,)) if isinstance(part, int) or isinstance(node, Mapping) else None
    return tuple(parts)


def at(node: Any, path: Path) -> Any:
    """Return the value at a resolved path; None where there is none."""
    for part in path:
        if node is None:
            return None
        node = node[part] if isinstance(part, int) else node.get(part)
    return node


def put(figure: Any, path: Path, value: Any) -> None:
    """Set the value at a resolved path, creating the dicts on the way; None removes it."""
    *parents, last = path
    node: Any = figure
    for part in parents:
        node = node[part] if isinstance(part, int) else node.setdefault(part, {})
    if value is None and isinstance(node, dict):
        node.pop(last, None)
    else:
        node[last] = value


def _number(items: list[Any] | tuple[Any, ...], part: Key, path: str) -> int:
    if isinstance(part, int):
        if part >= len(items):
            raise ValueError(f"{path}: there are {len(items)} items, so none has number {part}")
        return part
    names = [item.get("name") if isinstance(item, Mapping) else None for item in items]
    if names.count(part) != 1:
        present = ", ".join(str(name) for name in names if name is not None) or "none"
        raise ValueError(f"{path}: exactly one item must be named {part!r}; the names are {present}")
    return names.index(part)
