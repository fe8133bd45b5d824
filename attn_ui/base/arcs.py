"""What is said of arcs from one query to its keys, on each page that draws them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attn_ui.base.markdown import listed
from attn_words import _, _n, paragraph

Numbers = NDArray[np.float64]


def arcs_said(query: str, keys: Sequence[str], weights: Numbers, may: NDArray[np.bool_], least: float) -> str:
    """Say what a query's thickest arcs hold, and what has none.

    Args:
        query, keys: as sentences have them.
        weights, may: of this query, (n_key,); True where it may attend.
        least: the weight below which no arc is drawn.
    """
    if not may.any():
        return _("{query} may attend to nothing: it has no arc.", query=query)
    drawn = [key for key in np.argsort(-weights, kind="stable").tolist() if weights[key] >= least]
    said = _(
        "The thickest arcs of {query}: {keys}, together {sum} of its weight.",
        query=query,
        keys=listed([f"{keys[key]} {weights[key]:.3f}" for key in drawn[:3]]),
        sum=f"{weights[drawn[:3]].sum():.3f}",
    )
    thin = may & (weights < least)
    left_out = _n(
        "{count} key with less than {least} has none ({sum}).",
        "{count} keys with less than {least} each have none ({sum} together).",
        int(thin.sum()),
        least=f"{least}",
        sum=f"{weights[thin].sum():.4f}",
    )
    masked = int((~may).sum())
    hidden = _n("{count} key is masked.", "{count} keys are masked.", masked)
    return paragraph(said, left_out if thin.any() else "", hidden if masked else "")
