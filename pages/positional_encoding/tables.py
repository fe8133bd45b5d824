"""The numbers on screen: the vectors of the words, and what the scheme adds to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from pages.positional_encoding.compute import Now


@dataclass(frozen=True, eq=False)
class Numbers:
    """A table (n, columns): what it is, and the names of its columns."""

    what: str
    columns: Sequence[str]
    values: NDArray[np.float64]


def tables(now: Now) -> Mapping[str, Numbers]:
    """Return the numbers by what they are; a row a word."""
    x, labels = now.x, now.state.labels
    n, width = x.shape
    dimensions = [f"dimension {i}" for i in range(width)]
    scheme = now.bare()
    what, columns = "The vectors of their positions", dimensions
    if scheme.adds == "bias":
        what, columns = f"The bias of each pair in head {now.state.head}", [f"key {each}" for each in labels]
        added = scheme.bias(n, n)
    elif scheme.adds == "rotation":
        what, added = "The turned vectors", scheme.turn(x, torch.arange(n) + scheme.first)
    else:
        added = scheme.vectors(n, width, start=scheme.first)
    return {
        "words": Numbers(f"The vectors of the words, {n} × {width}:", dimensions, x.numpy()),
        "positions": Numbers(
            f"{what}, at strength 1, {added.shape[0]} × {added.shape[1]}:",
            columns,
            added.numpy() + 0.0,  # a bias of −0 is 0
        ),
    }
