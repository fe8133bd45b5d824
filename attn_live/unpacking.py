"""Reads steps back out of a packed message: to check a click, and for figures that do not move."""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from attn_live import paths
from attn_live.arrays import read_body
from attn_live.packing import PREFIX_BYTES


def count_steps(payload: bytes) -> int:
    """Return how many steps a packed message has; only its prefix is read."""
    return int.from_bytes(payload[:PREFIX_BYTES], "little")


def body_of(payload: bytes) -> bytes:
    """Return a packed message's body as it was before it was deflated."""
    return zlib.decompress(payload[PREFIX_BYTES:])


def constant_figure(payload: bytes) -> dict[str, Any]:
    """Return what no step of a packed figure changes, with `{"@": i}` in place of array i.

    Where steps change the name of a trace, it has that of the last step, at which the most is shown.
    """
    inflate = zlib.decompressobj()
    length = int.from_bytes(inflate.decompress(payload[PREFIX_BYTES:], 8)[:4], "little")
    header = orjson.loads(inflate.decompress(inflate.unconsumed_tail, length))
    figure: dict[str, Any] = header["figure"]
    for change in header["changes"]:
        if change["path"][-1] == "name" and isinstance(change["values"], list):
            paths.put(figure, change["path"], change["values"][change["at"][-1]])
    return figure


def figure_at(payload: bytes, step: int, row: int = 0) -> dict[str, Any]:
    """Return the figure of one step, at one row of its cursor, as a plain dict.

    Args:
        payload: the result of `packing.pack`.
        step: position of the slider; row: position of the row slider, where there is one.
    """
    header, arrays = read_body(body_of(payload))
    figure = _step(header, arrays, step, row)
    if header["screens"]:
        paths.put(figure, ("layout", "meta", "screens"), _screens(header["screens"], step))
    return figure


def _figure_of_step(header: dict[str, Any], arrays: Sequence[Any], step: int) -> dict[str, Any]:
    """Return the figure of one step, without its arrangements and without what follows the cursor."""
    figure: dict[str, Any] = _resolve(header["figure"], arrays)
    for change in header["changes"]:
        values, index = change["values"], change["at"][step]
        value = arrays[values["@"]][index] if isinstance(values, dict) else _resolve(values[index], arrays)
        paths.put(figure, change["path"], value)
    return figure


def _step(header: dict[str, Any], arrays: Sequence[Any], step: int, row: int) -> dict[str, Any]:
    figure = _figure_of_step(header, arrays, step)
    cursor = header["cursor"] or {"changes": [], "copies": []}
    for change in cursor["changes"]:
        paths.put(figure, change["path"], _cursor_value(change, arrays, step, row))
    for copy in cursor["copies"]:
        paths.put(figure, copy["path"], paths.at(figure, copy["of"])[row])
    return figure


def _cursor_value(change: dict[str, Any], arrays: Sequence[Any], step: int, row: int) -> Any:
    """Return what follows the cursor at a step and a row."""
    values = _resolve(change["values"], arrays)
    if "picked" in change:
        return values[_resolve(change["picked"], arrays)[step][row]]
    return values[step][row] if change["by_step"] else values[row]


def with_frames(figure: dict[str, Any], places: Mapping[str, int]) -> dict[str, Any]:
    """Return a figure with frames around the chosen cells, as the browser draws them.

    Args:
        figure: as `figure_at` returns it.
        places: indices of the chosen rows, columns and parts by name; one beyond the last means the last.
    """
    maps: dict[tuple[str, str], dict[str, Any]] = {}
    for trace in figure["data"]:
        meta = trace.get("meta") or {}
        if trace.get("type") == "heatmap" and "chosen" in meta and trace.get("visible") is not False:
            maps.setdefault((trace["xaxis"], trace["yaxis"]), trace)
    if not maps:
        return figure
    parts = [part for trace in maps.values() if (part := trace["meta"]["chosen"]["part"])]
    shapes = list(figure["layout"].get("shapes", ()))
    ink, paper = figure["layout"]["font"]["color"], figure["layout"]["paper_bgcolor"]
    for (x, y), trace in maps.items():
        sides = trace["meta"]["chosen"]["axes"]
        size = np.shape(trace["z"])
        at = [min(places[n], m - 1) if n in places else None for n, m in zip(sides, size, strict=True)]
        if at != [None, None]:
            shapes += _frame((x, y), at, size, (ink, paper), 2)
        part = trace["meta"]["chosen"]["part"]
        if part and part[0] in places:
            last = max(place for name, place in parts if name == part[0])
            if part[1] == min(places[part[0]], last):
                shapes += _frame((x, y), [None, None], size, (ink, paper), 1)
    return {"data": figure["data"], "layout": figure["layout"] | {"shapes": shapes}}


def _frame(
    axes: tuple[str, str], at: Sequence[int | None], size: Sequence[int], colours: tuple[str, str], width: int
) -> list[dict[str, Any]]:
    """Return the shapes of a frame: ink on wider paper, so that it is visible on cells as dark as its ink."""
    (y0, y1), (x0, x1) = (
        (-0.5, count - 0.5) if place is None else (place - 0.5, place + 0.5)
        for place, count in zip(at, size, strict=True)
    )
    frame = {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "xref": axes[0], "yref": axes[1]}
    ink, paper = colours
    return [
        frame | {"line": {"color": paper, "width": width + 2}},
        frame | {"line": {"color": ink, "width": width}},
    ]


def _resolve(value: Any, arrays: Sequence[Any]) -> Any:
    if isinstance(value, dict):
        if "@" in value:
            return arrays[value["@"]]
        return {key: _resolve(inner, arrays) for key, inner in value.items()}
    return [_resolve(inner, arrays) for inner in value] if isinstance(value, list) else value


def _screens(tables_of_screens: dict[str, Any], step: int) -> list[dict[str, Any]]:
    tables = tables_of_screens["tables"]
    table = tables[tables_of_screens["at"][step]]
    settings = tables[0]["settings"] | table["settings"]
    return [
        {name: column[i] for name, column in table.items() if name != "settings"}
        | {
            "settings": {
                name: value
                for name, column in settings.items()
                if column is not None and (value := column[0 if len(column) == 1 else i]) is not None
            }
        }
        for i in range(len(table["width"]))
    ]
