"""What is said of queries and keys in a plane, on each page that draws them so."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_figures.names import Look
from attn_figures.ties import largest
from attn_words import _, _n

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
    out = products - shown
    most = largest(np.abs(out))[0]
    told = {"query": query, "key": key(best), "whole": digits(products[best])}
    if np.abs(out).max() <= ROUNDING * max(float(np.abs(products).max()), 1e-300):
        return _(
            "The plane shows all of every q·k of {query}: with {key} it is {whole}.",
            **told,
        )
    fields = told | {"shown": digits(shown[best]), "out": digits(out[best])}
    if most == best:
        return _(
            "Of q·k = {whole} of {query} with {key} the plane shows {shown} and leaves out {out}; with no "
            "key it leaves out more.",
            **fields,
        )
    return _(
        "Of q·k = {whole} of {query} with {key} the plane shows {shown} and leaves out {out}; it leaves out "
        "most with {other}: {most}, where q·k = {of}.",
        **fields,
        other=key(most),
        most=digits(out[most]),
        of=digits(products[most]),
    )


def direction_lines(width: int, whose: str, joined: str, both: str) -> list[str]:
    """Return the lines of a program that find the two main directions, as `attn_core.plane` has their signs.

    Args:
        width: of queries and keys.
        whose: the directions are, in words; joined: queries over keys, in the program's terms.
        both: the index of the first two directions.
    """
    if width == 1:
        return ["directions = torch.tensor([[1.0], [0.0]], dtype=torch.float64)  # there is no second one"]
    return [
        f"# The two main directions of {whose}; each has its largest entry positive.",
        f"directions = torch.linalg.svd({joined}, full_matrices=False).Vh[{both}]",
        "largest = directions.abs().argmax(dim=-1, keepdim=True)",
        "directions = directions * torch.take_along_dim(directions, largest, dim=-1).sign()",
    ]


def names_told(look: Look, keys: Sequence[str], left_out: Callable[[], int]) -> str:
    """Say which keys' names a picture leaves out, and why.

    Args:
        look: how the picture has its names.
        keys: their words.
        left_out: counts the names that have no room, where all are to stand in the picture.
    """
    if not look.names_all(keys):
        return _(
            "Of {count} keys those with the largest weights are named, up to {most}, as far as there is "
            "room.",
            count=len(keys),
            most=look.of_many,
        )
    left = left_out()
    if not left:
        return ""
    return _n(
        "One name is left out, where it would lie on another.",
        "{count} names are left out, where they would lie on others.",
        left,
        count=left,
    )
