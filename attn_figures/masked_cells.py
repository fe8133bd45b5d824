"""What covers the masked cells of a matrix: a hatched outline, and cells that tell on hover that they are.

And what marks those that have weight against the mask: lines through which their number is read.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.geometry import Axes

Numbers = NDArray[np.float64]
_PALED = 0.72  # of the paper over a faded cell: its number is still read


@dataclass(frozen=True, eq=False)
class MaskedCells:
    """What covers the masked cells: zero where they are, NaN elsewhere; and the outline around their runs."""

    any: bool
    cells: Numbers
    xs: Numbers
    ys: Numbers


@lru_cache(maxsize=256)
def hidden_cells(masked: bytes, shape: tuple[int, int]) -> MaskedCells:
    """Cover masked cells; steps and heads that share a mask share these arrays."""
    cells = np.frombuffer(masked, dtype=bool).reshape(shape)
    # Where a run of masked cells begins and ends along each row; both come in the same order.
    padded = np.zeros((shape[0], shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = cells
    edges = padded[:, 1:] - padded[:, :-1]
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    gap = np.full(len(rows), np.nan)
    left, right, upper, lower = starts - 0.5, ends - 0.5, rows - 0.5, rows + 0.5
    xs = np.stack([left, right, right, left, left, gap], axis=-1).ravel()
    ys = np.stack([upper, upper, lower, lower, upper, gap], axis=-1).ravel()
    found = MaskedCells(bool(cells.any()), np.where(cells, 0.0, np.nan), xs, ys)
    for array in (found.cells, xs, ys):
        array.flags.writeable = False
    return found


@lru_cache(maxsize=512)
def hatch(name: str, hidden: MaskedCells, axes: Axes) -> dict[str, Any]:
    """Cover the masked cells with one hatched outline; a heatmap itself cannot be hatched."""
    placed = {"visible": hidden.any, "xaxis": axes.x, "yaxis": axes.y}
    return marks.hatched(f"{name} hatch", hidden.xs, hidden.ys) | placed


def leak(name: str, leaks: NDArray[np.bool_], values: Numbers, axes: Axes) -> list[dict[str, Any]]:
    """Mark cells that have weight against the mask: lines over them, and cells for the pointer."""
    found = hidden_cells(np.ascontiguousarray(leaks).tobytes(), leaks.shape)
    placed = {"visible": found.any, "xaxis": axes.x, "yaxis": axes.y}
    pointed = {"type": "heatmap", "name": f"{name} leaking", "z": np.where(leaks, values, np.nan)}
    return [marks.crossed(f"{name} leak", found.xs, found.ys) | placed, pointed | placed]


def fade(name: str, faded: NDArray[np.bool_], axes: Axes) -> dict[str, Any]:
    """Lay paper over cells so that they and their numbers pale; the pointer reads what is below."""
    found = hidden_cells(np.ascontiguousarray(faded).tobytes(), faded.shape)
    paper = theme.rgba(theme.LIGHT.paper, _PALED)
    return {
        "type": "heatmap",
        "name": f"{name} faded",
        "visible": found.any,
        "xaxis": axes.x,
        "yaxis": axes.y,
        "z": found.cells,
        "colorscale": [[0, paper], [1, paper]],
        "showscale": False,
        "hoverinfo": "skip",
        "hoverongaps": False,
    }
