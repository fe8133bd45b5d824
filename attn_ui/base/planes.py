"""What is said of queries and keys in a plane, on each page that draws them so."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_figures.names import Look
from attn_ui.base.set_aside import Lines
from attn_words import _

Numbers = NDArray[np.float64]
ROUNDING = 1e-9  # of the largest product: what is less is left out by rounding alone


def plane_part(
    products: Numbers,
    shown: Numbers,
    best: int,
    *,
    query: str,
    key: Callable[[int], str],
    digits: Callable[[float], str],
) -> str:
    """Say what part of a query's products with the keys a plane shows.

    Args:
        products: q·k with each key, (n_key,); shown: the part of it that the plane shows.
        best: the key that is told in full, from 0.
        query: as sentences have it; key: writes one so.
        digits: writes a number.
    """
    out = float(products[best] - shown[best])
    return _(
        "Of q·k = {whole} of {query} with {key} the plane shows {shown} and leaves out {out}.",
        query=query,
        key=key(best),
        whole=digits(float(products[best])),
        shown=digits(float(shown[best])),
        out=digits(0.0 if abs(out) <= ROUNDING * float(np.abs(products).max()) else out),
    )


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


def names_told(look: Look, keys: Sequence[str]) -> str:
    """Say which keys' names a picture has, where it has not all of them."""
    if look.names_all(keys):
        return ""
    return _(
        "Of {count} keys those with the largest weights are named, up to {most}, as far as there is room.",
        count=len(keys),
        most=look.of_many,
    )
