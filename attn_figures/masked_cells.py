"""Traces over the masked cells of a matrix: a hatched outline, and cells with the hover text "masked".

Cells that have weight although they are masked get lines through which their number can be read.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.geometry import Axes

Numbers = NDArray[np.float64]
_PALED = 0.72  # opacity of the paper over a faded cell, whose number stays readable


@dataclass(frozen=True, eq=False)
class MaskedCells:
    """The masked cells of a matrix: ``cells`` is 0 there, else NaN; (``xs``, ``ys``) is their outline."""

    any: bool
    cells: Numbers
    xs: Numbers
    ys: Numbers


@lru_cache(maxsize=256)
def masked_cells(masked: bytes, shape: tuple[int, int]) -> MaskedCells:
    """Return the masked cells and their outline; steps and heads that share a mask share these arrays."""
    cells = np.frombuffer(masked, dtype=bool).reshape(shape)
    # The places where a run of masked cells begins and ends along each row, both in the same order.
    bordered = np.zeros((shape[0], shape[1] + 2), dtype=np.int8)
    bordered[:, 1:-1] = cells
    edges = bordered[:, 1:] - bordered[:, :-1]
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    gap = np.full(len(rows), np.nan)
    left, right, upper, lower = starts - 0.5, ends - 0.5, rows - 0.5, rows + 0.5
    xs = np.stack([left, right, right, left, left, gap], axis=-1).ravel()
    ys = np.stack([upper, upper, lower, lower, upper, gap], axis=-1).ravel()
    cover = MaskedCells(bool(cells.any()), np.where(cells, 0.0, np.nan), xs, ys)
    for array in (cover.cells, xs, ys):
        array.flags.writeable = False
    return cover


@lru_cache(maxsize=512)
def hatch(name: str, cover: MaskedCells, axes: Axes) -> dict[str, Any]:
    """Return one hatched outline over the masked cells; a heatmap itself cannot be hatched."""
    settings = {"visible": cover.any, "xaxis": axes.x, "yaxis": axes.y}
    return marks.hatch_area(f"{name} hatch", cover.xs, cover.ys) | settings


def leak(name: str, leaks: NDArray[np.bool_], values: Numbers, axes: Axes) -> list[dict[str, Any]]:
    """Return the traces of cells that have weight although they are masked: lines, and cells with a hover."""
    cover = masked_cells(np.ascontiguousarray(leaks).tobytes(), leaks.shape)
    settings = {"visible": cover.any, "xaxis": axes.x, "yaxis": axes.y}
    pointer = {"type": "heatmap", "name": f"{name} leaking", "z": np.where(leaks, values, np.nan)}
    return [marks.cross_area(f"{name} leak", cover.xs, cover.ys) | settings, pointer | settings]


def fade(name: str, faded: NDArray[np.bool_], axes: Axes) -> dict[str, Any]:
    """Return translucent paper that pales cells and their numbers; the pointer passes through it."""
    cover = masked_cells(np.ascontiguousarray(faded).tobytes(), faded.shape)
    paper = theme.rgba(theme.LIGHT.paper, _PALED)
    return {
        "type": "heatmap",
        "name": f"{name} faded",
        "visible": cover.any,
        "xaxis": axes.x,
        "yaxis": axes.y,
        "z": cover.cells,
        "colorscale": [[0, paper], [1, paper]],
        "showscale": False,
        "hoverinfo": "skip",
        "hoverongaps": False,
    }
