"""What is said of queries and keys in a plane, on each page that draws them so."""

import numpy as np
from numpy.typing import NDArray

from attn_ui.base.set_aside import Lines

Numbers = NDArray[np.float64]
ROUNDING = 1e-9  # of the largest product: what is less is left out by rounding alone


def plane_lines(dimensions: tuple[int, int] | None = None) -> Lines:
    """Return the lines of a program that see Q and K in a plane: of two dimensions, or of the main ones."""
    if dimensions is not None:
        columns = [*dimensions]
        lines = [f"query_points, key_points = Q[:, {columns}], K[:, {columns}]  # dimensions from 0"]
    else:
        lines = [
            "directions = widest_directions(Q, K)",
            "query_points, key_points = Q @ directions.mT, K @ directions.mT",
        ]
    lines.append("in_plane = query_points @ key_points.mT  # the part of each q·k that the plane shows")
    return Lines(lines, ["query_points", "key_points", "in_plane"])
