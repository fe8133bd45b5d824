"""A hover calls the row of a map of weights the query, its column the key, and tells that cell's weight."""

import re
from typing import Any

import numpy as np
import pytest

from attn_figures.frame import Side
from attn_figures.matrix import Matrix
from attn_figures.panels import compose
from tests.plotly_figure import as_plotly

LONG = "a token too long for its axis"
ROWS = {"short": ["q0", "q1"], "long": [f"q0 {LONG}", f"q1 {LONG}"]}
COLUMNS = {"short": ["k0", "k1", "k2"], "long": [f"k0 {LONG}", f"k1 {LONG}", f"k2 {LONG}"]}
WEIGHTS = np.array([[0.125, 0.25, 0.625], [0.5, 0.375, 0.125]])
MASK = np.array([[True, True, False], [True, True, True]])


def hover_text(trace: Any, row: int, column: int) -> str:
    """Return what Plotly writes for a cell: %{x} is a label of the columns, %{y} one of the rows."""
    layout = {
        "x": trace.x[column] if trace.x is not None else COLUMNS["short"][column],
        "y": trace.y[row] if trace.y is not None else ROWS["short"][row],
        "z": f"{trace.z[row][column]:.6f}",
    }
    if trace.hovertext is not None:
        layout["hovertext"] = trace.hovertext[row][column]
    filled = re.sub(r"%\{(\w+)(?::[^}]*)?\}", lambda found: layout[found[1]], trace.hovertemplate)
    return re.sub(r"<(?!br)[^>]*>", "", filled)


@pytest.mark.parametrize("labels", ["short", "long"])
@pytest.mark.parametrize("which", [0, 2], ids=["cells", "masked"])
def test_hover_names_query_rows_and_key_columns(labels: str, which: int) -> None:
    rows, columns = ROWS[labels], COLUMNS[labels]
    drawn = Matrix("weights", WEIGHTS, "weights", Side.queries(rows), Side.keys(columns), mask=MASK)
    trace = as_plotly(compose([drawn])).data[which]
    for row, column in np.argwhere(MASK if which == 0 else ~MASK):
        place, _, value = hover_text(trace, row, column).partition("<br>")
        assert place == f"query {rows[row]}, key {columns[column]}"
        assert value.startswith(f"weight {WEIGHTS[row, column]:.6f}" if which == 0 else "masked")
