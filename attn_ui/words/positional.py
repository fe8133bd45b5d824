"""Sentences about what the positional-encoding page shows: numbers in, words out."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attn_ui.frame import plain

Numbers = NDArray[np.float64]
SAME = 5e-7  # weights that agree to six digits are called equal


def attention(labels: Sequence[str], before: Numbers, after: Numbers, scheme: str, strength: float) -> str:
    """Say what positions change in a map of weights.

    Args:
        labels: the words.
        before, after: weights (n, n) without and with positions.
        scheme: its name.
        strength: what the encoding is multiplied by.
    """
    n = len(labels)
    if scheme == "none" or strength == 0:
        return f"Without positions {_bag(labels, before)}"
    if n == 1:
        return "One word attends to itself whatever its position: its weight is 1."
    change = after - before
    query, key = divmod(int(np.abs(change).argmax()), n)
    verb = "rises" if change[query, key] > 0 else "falls"
    return (
        f"Without positions {_bag(labels, before)} With them the largest change is at "
        f"**{plain(labels[query])}** looking at **{plain(labels[key])}**: its weight {verb} from "
        f"{before[query, key]:.3f} to {after[query, key]:.3f}."
    )


def _bag(labels: Sequence[str], weights: Numbers) -> str:
    """Point at two equal rows of one word, the sign that order is invisible."""
    for first in range(len(labels)):
        for second in range(first + 1, len(labels)):
            if labels[second].startswith(labels[first]) and np.allclose(
                weights[first], weights[second], rtol=0, atol=SAME
            ):
                return (
                    f"**{plain(labels[first])}** and **{plain(labels[second])}** have the same row: "
                    "the word counts, not its place."
                )
    return "the map would follow the words to any order: the word counts, not its place."
