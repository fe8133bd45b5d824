"""The numbers on screen as tables: one row for each pair of words, and the outputs."""

from collections.abc import Mapping

import numpy as np

from attn_ui.base.page import Columns
from attn_words import N_
from pages.single_head.compute import Now


def tables(now: Now) -> Mapping[str, Columns]:
    """Return the numbers by what they are."""
    walk = now.walk
    n_query, n_key = walk.mask.shape
    made = {str(place): column.tolist() for place, column in enumerate(walk.output.T, start=1)}
    return {
        "pairs": {
            N_("query"): [query for query in walk.queries for _ in range(n_key)],
            N_("key"): [*walk.keys] * n_query,
            N_("score"): walk.scores.ravel().tolist(),
            N_("may attend"): walk.mask.ravel().tolist(),
            N_("scaled score"): np.where(walk.mask, walk.scaled, np.nan).ravel().tolist(),
            N_("weight"): walk.weights.ravel().tolist(),
        },
        "output": {N_("output of"): [*walk.queries], **made},
    }
