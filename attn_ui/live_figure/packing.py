"""Pack the steps of a moving figure into one message: what never changes once, each array once.

The message is a JSON header and the raw bytes of its typed arrays. In the header `{"@": i}` stands for
array i. What differs between steps is listed by path:

    {"path": ["data", 0, "z"], "values": [{"@": 3}, {"@": 4}], "at": [0, 0, 1]}

says that `data[0].z` is array 3 at steps 0 and 1 and array 4 at step 2.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Spec = Mapping[str, Any]
Path = tuple[str | int, ...]

MOST_BYTES = 1_500_000  # of one figure with all its steps
MOST_STEPS = 400
MISSING = object()
_ALIGNMENT = 8


class TooLargeError(ValueError):
    """The steps of one figure take more than `MOST_BYTES`; with fewer steps they would not."""


@dataclass(frozen=True)
class Cursor:
    """A second slider, over rows: arrays that follow it, by path ("data.0.marker.color").

    Each array is (n_rows, ...); those in `by_step` are (n_steps, n_rows, ...). Each path in `rows_of` takes
    the row of an array that the figure draws anyway, named by that array's own path
    ({"data.0.marker.size": "data.3.z"}), so that it is not sent twice.
    """

    n_rows: int
    changes: Mapping[str, Any] = field(default_factory=dict)
    by_step: Mapping[str, Any] = field(default_factory=dict)
    rows_of: Mapping[str, str] = field(default_factory=dict)


class _Store:
    """Arrays by content: equal ones are kept once, at the least width that still tells the true value."""

    def __init__(self) -> None:
        self.described: list[dict[str, Any]] = []
        self.blobs: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[str, tuple[int, ...], bytes], int] = {}
        self._by_identity: dict[int, tuple[Any, int]] = {}

    def add(self, array: NDArray[Any]) -> int:
        seen = self._by_identity.get(id(array))
        if seen is not None:
            return seen[1]
        if array.dtype.kind in "UO":
            self._by_identity[id(array)] = (array, len(self.described))
            self.described.append({"text": array.tolist()})
            return len(self.described) - 1
        narrow = _narrow(array)
        raw = narrow.tobytes()
        key = (narrow.dtype.str, narrow.shape, raw)
        index = self._known.get(key)
        if index is None:
            index = self._known[key] = len(self.described)
            padding = -len(raw) % _ALIGNMENT
            self.described.append({"type": narrow.dtype.str[1:], "shape": narrow.shape, "offset": self._size})
            self.blobs.append(raw + bytes(padding))
            self._size += len(raw) + padding
            if self._size > MOST_BYTES:
                raise TooLargeError(
                    f"the steps of one figure may take {MOST_BYTES:,} bytes, these take more: "
                    "use fewer steps or fewer tokens"
                )
        self._by_identity[id(array)] = (array, index)  # holding the array keeps its id from being reused
        return index


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """float32 holds seven digits, more than any hover shows; whole numbers take what they need.

    Numbers that lie close together far from zero, like points in time, keep float64.
    """
    if array.dtype.kind == "f":
        finite = array[np.isfinite(array)]
        crowded = finite.size and np.abs(finite).max() > 1e4 * np.ptp(finite) > 0
        return np.ascontiguousarray(array, dtype="<f8" if crowded else "<f4")
    if array.dtype.kind == "b":
        return np.ascontiguousarray(array, dtype="u1")
    if array.dtype.kind in "iu":
        return np.ascontiguousarray(array, dtype="<i4")
    raise ValueError(f"a figure's arrays must hold numbers, got dtype {array.dtype}")


def pack(figures: Sequence[Any], cursor: Cursor | None = None) -> bytes:
    """Pack one figure a step, and what follows the cursor, into the message that the browser unpacks.

    Args:
        figures: the same traces at every step; data, annotations, titles and layout may differ.
        cursor: what a second slider changes.

    Raises:
        ValueError: no step or too many, steps of unequal shape, cursor arrays of the wrong length, or
            more than `MOST_BYTES`.
    """
    specs = [_plain(figure) for figure in figures]
    _check_steps(specs)
    store = _Store()
    header: dict[str, Any] = {"n_steps": len(specs), "changes": []}
    for path, values in _differences(specs):
        # Equal arrays have one place in the store, so equal values have one text.
        known: dict[str, int] = {}
        packed: list[Any] = []
        at = []
        for value in values:
            replaced = _replace(value, store)
            position = known.setdefault(json.dumps(replaced), len(known))
            if position == len(packed):
                packed.append(replaced)
            at.append(position)
        header["changes"].append({"path": path, "values": packed, "at": at})
    header["figure"] = _replace(specs[0], store)
    header["cursor"] = None if cursor is None else _pack_cursor(cursor, specs, store)
    header["arrays"] = store.described
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % _ALIGNMENT)
    message = len(text).to_bytes(4, "little") + text + b"".join(store.blobs)
    if len(message) > MOST_BYTES:
        raise TooLargeError(f"too large {len(message)}")
    return message


def _plain(figure: Any) -> Spec:
    if isinstance(figure, Mapping):
        return {"data": list(figure["data"]), "layout": figure["layout"]}
    # Part by part: a whole figure would turn its arrays into base64 text.
    return {
        "data": [trace.to_plotly_json() for trace in figure.data],
        "layout": figure.layout.to_plotly_json(),
    }


def _check_steps(specs: Sequence[Spec]) -> None:
    if not 1 <= len(specs) <= MOST_STEPS:
        raise ValueError(f"a live figure needs 1 to {MOST_STEPS} steps, got {len(specs)}")
    shape = [trace.get("type", "scatter") for trace in specs[0]["data"]]
    for step, spec in enumerate(specs):
        here = [trace.get("type", "scatter") for trace in spec["data"]]
        if here != shape:
            raise ValueError(
                f"all steps need the same traces: step 0 has {len(shape)} ({', '.join(shape)}), "
                f"step {step} has {len(here)} ({', '.join(here)})"
            )


def _differences(specs: Sequence[Spec]) -> Iterator[tuple[Path, list[Any]]]:
    """Yield each path whose value is not the same at all steps, as deep in the figure as possible."""
    yield from _compare((), list(specs))


def _compare(path: Path, values: list[Any]) -> Iterator[tuple[Path, list[Any]]]:
    first = values[0]
    if all(value is first for value in values):
        return
    if all(isinstance(value, dict) for value in values):
        for key in dict.fromkeys(key for value in values for key in value):
            yield from _compare((*path, key), [value.get(key, MISSING) for value in values])
    elif all(isinstance(value, list) and len(value) == len(first) for value in values) and any(
        isinstance(item, dict) for item in first
    ):
        for index in range(len(first)):
            yield from _compare((*path, index), [value[index] for value in values])
    elif not all(_same(first, value) for value in values):
        yield path, values


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, str | int | float):
        return type(one) is type(other) and bool(one == other)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return (
            isinstance(one, np.ndarray)
            and isinstance(other, np.ndarray)
            and one.shape == other.shape
            and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _replace(value: Any, store: _Store) -> Any:
    """Copy a value with every numeric array replaced by its place in the store."""
    match value:
        case np.ndarray() if value.dtype.kind not in "USO" or value.ndim > 1:
            return {"@": store.add(value)}
        case np.ndarray() | np.generic():
            return value.tolist()
        case Mapping():
            return {key: _replace(inner, store) for key, inner in value.items()}
        case list() | tuple():
            return [_replace(inner, store) for inner in value]
    return None if value is MISSING else value


def _pack_cursor(cursor: Cursor, figures: Sequence[Spec], store: _Store) -> dict[str, Any]:
    changes = []
    n_steps = len(figures)
    for paths, leading in (
        (cursor.changes, (cursor.n_rows,)),
        (cursor.by_step, (n_steps, cursor.n_rows)),
    ):
        for path, values in paths.items():
            array = np.asarray(values)
            if array.shape[: len(leading)] != leading:
                raise ValueError(f"{path} must start with axes {leading}, got shape {array.shape}")
            packed = array.tolist() if array.dtype.kind in "US" else {"@": store.add(array)}
            changes.append({"path": _parts(path), "values": packed, "by_step": len(leading) == 2})
    copies = [{"path": _parts(path), "of": _parts(source)} for path, source in cursor.rows_of.items()]
    for step, figure in enumerate(figures):
        for copy in copies:
            _check_rows(figure, copy["of"], cursor.n_rows, step)
    return {"n_rows": cursor.n_rows, "changes": changes, "copies": copies}


def _parts(path: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in path.split(".")]


def _check_rows(figure: Spec, path: Sequence[str | int], n_rows: int, step: int) -> None:
    node: Any = figure
    for part in path:
        node = node[part]
    if np.shape(node)[:1] != (n_rows,):
        name = ".".join(map(str, path))
        raise ValueError(
            f"{name} must have {n_rows} rows at each step, got shape {np.shape(node)} at step {step}"
        )
