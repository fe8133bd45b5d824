"""Sentences that say what the pictures of kernel regression show. Numbers in, one sentence out."""

import math

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def fit_sentence(
    *,
    kernel: str,
    bandwidth: float,
    query: float,
    estimate: float,
    weights: Numbers,
    keys: Numbers,
    effective: float,
    empty: int,
    n_query: int,
) -> str:
    """Say what the chosen query attends to, and how many queries find nothing."""
    if math.isnan(estimate):
        nearest = float(np.abs(keys - query).min())
        seen = (
            f"At {query:.3g} the **query** finds no **key** within h = {bandwidth:.3g}: the nearest lies "
            f"{nearest:.3g} away, so there is nothing to average and the estimate has a gap."
        )
    else:
        heaviest = int(weights.argmax())
        seen = (
            f"At {query:.3g} the **query** spreads its weight as if over {effective:.1f} of {len(keys)} "
            f"**keys**; the one at {keys[heaviest]:.3g} counts most ({weights[heaviest]:.3f}), "
            f"and the weighted mean of the **values** is {estimate:.3f}."
        )
    if empty and not math.isnan(estimate):
        seen += f" {empty} of {n_query} queries find no key in the window of the {kernel} kernel (hatched)."
    return seen
