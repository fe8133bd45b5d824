"""Packs the steps of a moving figure into one message: equal arrays, and parts that never change, once.

A message is the number of steps, an unsigned 32-bit number, and a deflated body (RFC 1950; see `arrays`).

In the body's header `{"@": i}` means array i. What differs between steps is listed by path:

    {"path": ["data", 0, "z"], "values": {"@": 3}, "at": [0, 0, 1]}

means that `data[0].z` is array 3's first item at steps 0 and 1 and its second at step 2. Values that are not
arrays of one shape are in a list. The figure itself has only the parts that no step changes.

Arrangements for many widths (`layout.meta.screens`) are sent as tables, one column per setting. A column that
is equal at all widths has one entry, and later tables hold only the columns that differ from the first's.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import orjson
from isal import isal_zlib
from numpy.typing import NDArray

from attn_live import paths
from attn_live.arrays import Arrays, CrossedLabels, IndexedItems, narrow_each
from attn_live.paths import Path

Spec = Mapping[str, Any]
Moves = Mapping[str, Sequence[Any] | NDArray[Any]]  # by path, a value per step

MOST_MESSAGE_BYTES = 2_000_000  # as it is sent: head, sentences and steps
MOST_BYTES = 1_800_000  # of the packed steps; the rest is for head and sentences
MOST_STEPS = 400
MISSING = object()
PREFIX_BYTES = 4
# ISA-L's deflate takes an eighth of the time of zlib's level 3, and with small blocks 2 % more bytes.
_LEVEL, _MEMORY = 1, 2


class TooLargeError(ValueError):
    """The steps of one figure take more than `MOST_BYTES`; with fewer steps they would not."""


@dataclass(frozen=True)
class Cursor:
    """A second slider, over rows: arrays that follow it, by path ("data[points].marker.color", see `paths`).

    Each array is (n_rows, ...); those in `by_step` are (n_steps, n_rows, ...), or `IndexedItems`. Each path
    in `rows_of` takes the row of an array that the figure draws anyway, named by that array's own path
    ({"data[points].marker.size": "data[weights].z"}), so that it is not sent twice.
    """

    n_rows: int
    changes: Mapping[str, Any] = field(default_factory=dict)
    by_step: Mapping[str, Any] = field(default_factory=dict)
    rows_of: Mapping[str, str] = field(default_factory=dict)


def pack(figures: Sequence[Any], cursor: Cursor | None = None, moves: Moves | None = None) -> bytes:
    """Pack one figure per step, and what follows the cursor: see `pack_with_texts`."""
    return pack_with_texts(figures, cursor, moves)[0]


def pack_with_texts(
    figures: Sequence[Any], cursor: Cursor | None = None, moves: Moves | None = None
) -> tuple[bytes, Spec]:
    """Pack one figure per step, and what follows the cursor, into the message that the browser unpacks.

    Return also the figure's texts that no step and no row changes: of its traces, annotations and axes.

    Args:
        figures: the same traces at every step; data, annotations, titles and layout may differ. In the layout
            1, 1.0 and True count as the same.
        cursor: what a second slider changes.
        moves: with one figure for all steps, the values that change, by path (see `paths`): an array
            (n_steps, ...) or one value per step. This saves drawing and comparing the steps, which takes two
            thirds of the time.

    Raises:
        ValueError: no step or too many, steps of unequal shape, a path that leads nowhere, or arrays of the
            wrong length, a NaN or an infinity outside of arrays; `TooLargeError` for more than `MOST_BYTES`.
    """
    whole = [_plain(figure) for figure in figures]
    n_steps = len(whole) if moves is None else _count_moves(whole, moves)
    _check_steps(whole, n_steps)
    specs, screens = _without_screens(whole, n_steps)
    arrays = Arrays()
    at_steps = dict(_differences((), specs) if moves is None else _resolve_moves(moves, specs[0]))
    packed_cursor = None if cursor is None else _pack_cursor(cursor, specs[0], at_steps, n_steps, arrays)
    cursor_changes = packed_cursor["changes"] + packed_cursor["copies"] if packed_cursor else []
    moving = {each["path"] for each in cursor_changes}
    changes = []
    for path, values in at_steps.items():
        if path not in moving:  # the cursor sets it at every step
            changes.append({"path": path, **_pack_values(values, arrays)})
            moving.add(path)
    constant = _without(specs[0], _branches(moving))
    header = {
        "figure": _replace(constant, arrays),
        "changes": changes,
        "screens": screens,
        "cursor": packed_cursor,
        "arrays": arrays.descriptions,
    }
    body = arrays.body(orjson.dumps(header))
    message = n_steps.to_bytes(PREFIX_BYTES, "little") + _deflate(body)
    if len(message) > MOST_BYTES:
        raise TooLargeError(
            f"the steps of one figure may take {MOST_BYTES:,} bytes, these take {len(message):,}: "
            "use fewer steps or fewer tokens"
        )
    names = {path[1]: values[-1] for path, values in at_steps.items() if path[::2] == ("data", "name")}
    return message, _texts(constant, names)


def count_steps(payload: bytes) -> int:
    """Return how many steps a packed message has; only its prefix is read."""
    return int.from_bytes(payload[:PREFIX_BYTES], "little")


def _texts(figure: Spec, names: Mapping[Any, Any]) -> Spec:
    """Return the texts of a figure's traces, its annotations and its axes alone.

    ``names``: of the traces whose name changes, by index, that at the last step, which shows the most.
    """

    def strings(part: Spec, *keys: str) -> Spec:
        return {key: part[key] for key in keys if isinstance(part.get(key), str)}

    layout = figure["layout"]
    axes = {
        key: {"title": part["title"]} for key, part in layout.items() if "axis" in key and "title" in part
    }
    notes = [strings(note, "xref", "yanchor", "text") for note in layout.get("annotations") or ()]
    renamed = [trace | {"name": names.get(at, trace.get("name"))} for at, trace in enumerate(figure["data"])]
    traces = [strings(trace, "type", "name", "xaxis", "text") for trace in renamed]
    return {"data": traces, "layout": axes | {"annotations": notes}}


def message(head: bytes, captions: bytes, payload: bytes) -> bytes:
    """Join the parts of a message to the browser: head (JSON), packed captions and packed steps."""
    return b"".join(len(part).to_bytes(4, "little") + part for part in (head, captions)) + payload


def _deflate(body: bytes) -> bytes:
    deflate = isal_zlib.compressobj(_LEVEL, memLevel=_MEMORY)
    return deflate.compress(body) + deflate.flush()


def _plain(figure: Any) -> Spec:
    if isinstance(figure, Mapping):
        return {"data": list(figure["data"]), "layout": figure["layout"]}
    # Part by part: a whole figure would turn its arrays into base64 text.
    return {
        "data": [trace.to_plotly_json() for trace in figure.data],
        "layout": figure.layout.to_plotly_json(),
    }


def _count_moves(figures: Sequence[Spec], moves: Moves) -> int:
    """Return the number of steps of one figure and its moves."""
    counts = {path: len(values) for path, values in moves.items()}
    if len(figures) != 1 or len(set(counts.values())) != 1:
        each = ", ".join(f"{path}: {count}" for path, count in counts.items()) or "none"
        raise ValueError(
            f"what moves needs one figure and as many values at each path, got {len(figures)} figures; {each}"
        )
    return next(iter(counts.values()))


def _resolve_moves(moves: Moves, figure: Spec) -> Iterator[tuple[Path, list[Any]]]:
    """Yield each path that moves, with its values; what is the same at all steps stays in the figure."""
    for path, values in moves.items():
        place = paths.resolve(figure, path)
        here, each = paths.at(figure, place), list(values)
        if not all(_same(here, value) for value in each):
            yield place, each


def _check_steps(specs: Sequence[Spec], n_steps: int) -> None:
    if not 1 <= n_steps <= MOST_STEPS:
        raise ValueError(f"a live figure needs 1 to {MOST_STEPS} steps, got {n_steps}")
    shape = [trace.get("type", "scatter") for trace in specs[0]["data"]]
    for step, spec in enumerate(specs):
        here = [trace.get("type", "scatter") for trace in spec["data"]]
        if here != shape:
            raise ValueError(
                f"all steps need the same traces: step 0 has {len(shape)} ({', '.join(shape)}), "
                f"step {step} has {len(here)} ({', '.join(here)})"
            )


# ---- arrangements ----


def _without_screens(specs: Sequence[Spec], n_steps: int) -> tuple[list[Spec], dict[str, Any] | None]:
    """Take the arrangements out of the figures; return the figures, and the arrangements as tables.

    The arrangement of a single figure is that of all ``n_steps`` steps.
    """
    if not any("screens" in (spec["layout"].get("meta") or {}) for spec in specs):
        return list(specs), None
    bare: list[Spec] = []
    arrangements: list[Any] = []
    at = []
    for spec in specs:
        meta = dict(spec["layout"]["meta"])
        screens = meta.pop("screens")
        layout = {key: value for key, value in spec["layout"].items() if key != "meta"}
        bare.append({"data": spec["data"], "layout": layout | ({"meta": meta} if meta else {})})
        index = next((i for i, each in enumerate(arrangements) if each is screens or each == screens), -1)
        if index < 0:
            index = len(arrangements)
            arrangements.append(screens)
        at.append(index)
    tables = [_table(screens) for screens in arrangements]
    at = at if len(specs) > 1 else at * n_steps
    return bare, {"tables": [tables[0], *(_differing(table, tables[0]) for table in tables[1:])], "at": at}


def _table(screens: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    every = [screen["settings"] for screen in screens]
    names = dict.fromkeys(chain.from_iterable(every))
    columns = zip(*(map(each.get, names) for each in every), strict=True)
    settings = dict(zip(names, map(_column, columns), strict=True))
    own = (name for name in screens[0] if name != "settings")
    return {name: [screen[name] for screen in screens] for name in own} | {"settings": settings}


def _column(values: Sequence[Any]) -> list[Any]:
    return [*values[:1]] if values.count(values[0]) == len(values) else [*values]


def _differing(table: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    """Return what differs from the first table; None for a setting that this one lacks."""
    here, there = table["settings"], first["settings"]
    settings: dict[str, Any] = {name: column for name, column in here.items() if there.get(name) != column}
    return {**table, "settings": settings | {name: None for name in there if name not in here}}


# ---- what differs between steps ----


def _differences(path: Path, values: list[Any]) -> Iterator[tuple[Path, list[Any]]]:
    """Yield each path whose value is not the same at all steps, as deep in the figure as possible."""
    first = values[0]
    if _plainly_equal(values):
        return
    kinds = set(map(type, values))
    if kinds == {dict}:
        for key in dict.fromkeys(chain.from_iterable(values)):
            yield from _differences((*path, key), [value.get(key, MISSING) for value in values])
    elif (
        kinds == {list} and len(set(map(len, values))) == 1 and any(isinstance(item, dict) for item in first)
    ):
        for index, items in enumerate(zip(*values, strict=True)):
            yield from _differences((*path, index), list(items))
    elif not all(_same(first, value) for value in values):
        yield path, values


def _plainly_equal(values: list[Any]) -> bool:
    """Whether branches are equal by a fast test; False if they hold arrays that it cannot compare."""
    first = values[0]
    if isinstance(first, np.ndarray):
        return all(value is first for value in values)
    try:
        # The last differs most often. `count` compares each by identity, then by value.
        return values[-1] == first and values.count(first) == len(values)
    except ValueError:  # two arrays in a comparison have no truth value
        return False


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return (
            isinstance(one, np.ndarray)
            and isinstance(other, np.ndarray)
            and one.shape == other.shape
            and (
                (one.dtype == other.dtype and one.tobytes() == other.tobytes())  # the fastest test
                or np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
            )
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _pack_values(values: list[Any], arrays: Arrays) -> dict[str, Any]:
    """Return the different values, and which of them each step has."""
    if all(isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.ndim for value in values):
        return _pack_arrays(narrow_each(values), arrays)
    # Equal arrays have one index, so equal values have one text.
    texts = [orjson.dumps(_replace(value, arrays)) for value in values]
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return {"values": [orjson.Fragment(text) for text in place], "at": [place[text] for text in texts]}


def _pack_arrays(values: list[Any], arrays: Arrays) -> dict[str, Any]:
    numbers: dict[tuple[str, tuple[int, ...], bytes], int] = {}
    at = [numbers.setdefault((v.dtype.str, v.shape, v.tobytes()), len(numbers)) for v in values]
    different = [values[at.index(position)] for position in range(len(numbers))]
    if len({(kind, shape) for kind, shape, _ in numbers}) == 1:
        return {"values": {"@": arrays.add(np.stack(different))}, "at": at}
    return {"values": [{"@": arrays.add(value)} for value in different], "at": at}


def _in_body(array: NDArray[Any] | CrossedLabels) -> bool:
    """Whether an array goes into the body; a list of words stays in the header."""
    return isinstance(array, CrossedLabels) or array.dtype.kind not in "USO" or array.ndim > 1


def _replace(value: Any, arrays: Arrays) -> Any:
    """Return a copy of a value with every array replaced by its index, `{"@": i}`.

    Raises:
        ValueError: if it has a NaN or an infinity outside of arrays, for which JSON has no word.
    """
    match value:
        case str() | int() | None:
            return value
        case dict() | Mapping():
            return {key: _replace(inner, arrays) for key, inner in value.items()}
        case list() | tuple():
            return [_replace(inner, arrays) for inner in value]
        case CrossedLabels() | np.ndarray() if _in_body(value):
            return {"@": arrays.add(value)}
        case np.ndarray() | np.generic():
            return _replace(value.tolist(), arrays)
        case float() if not math.isfinite(value):
            raise ValueError(f"numbers outside of arrays must be finite in a figure, got {value}")
    return None if value is MISSING else value


def _branches(all_paths: Iterable[Path]) -> dict[Any, Any]:
    """Return paths as a tree of dicts, with an empty dict at the end of each path."""
    tree: dict[Any, Any] = {}
    for path in all_paths:
        node = tree
        for key in path:
            node = node.setdefault(key, {})
    return tree


def _without(part: Any, removed: Mapping[Any, Any]) -> Any:
    """Return a part of a figure without some branches; in a list, None replaces them."""
    if isinstance(part, Mapping):
        rest = {key: inner for key, inner in part.items() if removed.get(key) != {}}
        return rest | {key: _without(rest[key], inner) for key, inner in removed.items() if key in rest}
    return [
        (_without(inner, removed[place]) if removed[place] else None) if place in removed else inner
        for place, inner in enumerate(part)
    ]


# ---- the second slider ----


def _pack_cursor(
    cursor: Cursor, first: Spec, at_steps: Mapping[Path, list[Any]], n_steps: int, arrays: Arrays
) -> dict[str, Any]:
    changes = []
    for values_by_path, leading_axes in (
        (cursor.changes, (cursor.n_rows,)),
        (cursor.by_step, (n_steps, cursor.n_rows)),
    ):
        for path, values in values_by_path.items():
            indices = values.at if isinstance(values, IndexedItems) else None
            items = np.asarray(values.items if isinstance(values, IndexedItems) else values)
            shape = items.shape if indices is None else indices.shape
            if shape[: len(leading_axes)] != leading_axes:
                raise ValueError(f"{path} must start with axes {leading_axes}, got shape {shape}")
            packed_items = items.tolist() if items.dtype.kind in "US" else {"@": arrays.add(items)}
            change = {
                "path": paths.resolve(first, path),
                "values": packed_items,
                "by_step": len(leading_axes) == 2,
            }
            if indices is not None:
                change["picked"] = {"@": arrays.add(indices)}
            changes.append(change)
    copies = []
    for path, source in cursor.rows_of.items():
        source_path = paths.resolve(first, source)
        for step, array in enumerate(at_steps.get(source_path) or [paths.at(first, source_path)]):
            shape = np.shape(array)
            if shape[:1] != (cursor.n_rows,):
                raise ValueError(
                    f"{source} must have {cursor.n_rows} rows at each step, got shape {shape} at step {step}"
                )
        copies.append({"path": paths.resolve(first, path), "of": source_path})
    return {"n_rows": cursor.n_rows, "changes": changes, "copies": copies}
