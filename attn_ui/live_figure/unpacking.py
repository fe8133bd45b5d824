"""Read one step back out of a packed message, for a browser that cannot draw the moving figure."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

Header = dict[str, Any]


def count_steps(packed: bytes) -> int:
    """Return how many steps a packed message has."""
    return int(_header(packed)["n_steps"])


def figure_at(packed: bytes, step: int, row: int = 0) -> dict[str, Any]:
    """Return the figure of one step, at one row of its cursor, as a plain dict.

    Args:
        packed: what `packing.pack` made.
        step: position of the slider; row: position of the row slider, where there is one.
    """
    header = _header(packed)
    arrays = _arrays(packed, header)
    figure: dict[str, Any] = _resolve(header["figure"], arrays)
    for change in header["changes"]:
        _put(figure, change["path"], _resolve(change["values"][change["at"][step]], arrays))
    cursor = header["cursor"] or {"changes": [], "copies": []}
    for change in cursor["changes"]:
        rows = _resolve(change["values"], arrays)
        _put(figure, change["path"], rows[step][row] if change["by_step"] else rows[row])
    for copy in cursor["copies"]:
        _put(figure, copy["path"], _get(figure, copy["of"])[row])
    return figure


def _header(packed: bytes) -> Header:
    length = int.from_bytes(packed[:4], "little")
    header: Header = json.loads(packed[4 : 4 + length])
    return header


def _arrays(packed: bytes, header: Header) -> list[Any]:
    start = 4 + int.from_bytes(packed[:4], "little")
    arrays: list[Any] = []
    for described in header["arrays"]:
        if "text" in described:
            arrays.append(described["text"])
            continue
        dtype, shape = np.dtype(described["type"]), described["shape"]
        flat = np.frombuffer(packed, dtype, int(np.prod(shape)), start + described["offset"])
        arrays.append(flat.reshape(shape))
    return arrays


def _resolve(value: Any, arrays: Sequence[Any]) -> Any:
    if isinstance(value, dict):
        if "@" in value:
            return arrays[value["@"]]
        return {key: _resolve(inner, arrays) for key, inner in value.items()}
    return [_resolve(inner, arrays) for inner in value] if isinstance(value, list) else value


def _get(node: Any, path: Sequence[str | int]) -> Any:
    for part in path:
        node = node[part]
    return node


def _put(figure: Any, path: Sequence[Any], value: Any) -> None:
    *parents, last = path
    node = figure
    for part in parents:
        node = node[part] if isinstance(node, list) else node.setdefault(part, {})
    if value is None and isinstance(node, dict):
        node.pop(last, None)
    else:
        node[last] = value
