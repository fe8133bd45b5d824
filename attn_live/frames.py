"""Frames around what is chosen, in a figure that does not move."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def with_frames(figure: dict[str, Any], places: Mapping[str, int]) -> dict[str, Any]:
    """Return a figure with frames around the chosen cells, as the browser draws them.

    Args:
        figure: as a plain dict.
        places: the chosen rows, columns and parts by name; one beyond the last stands for the last.
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
    """Return a frame in ink on paper, so that it is seen on cells as dark as its ink."""
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
