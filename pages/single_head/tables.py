"""The numbers on screen as tables: one row for each pair of words, and the outputs."""

import numpy as np
import pandas as pd

from pages.single_head.compute import Now


def tables(now: Now) -> dict[str, pd.DataFrame]:
    """Return the numbers by what they are."""
    n_value = now.walk.output.shape[1]
    output = pd.DataFrame(now.walk.output, columns=[str(dimension) for dimension in range(1, n_value + 1)])
    output.insert(0, "output of", list(now.walk.queries))
    return {"pairs": _pairs(now), "output": output}


def _pairs(now: Now) -> pd.DataFrame:
    walk = now.walk
    mask = walk.mask.ravel()
    return pd.DataFrame(
        {
            "query": np.repeat(np.array(walk.queries, dtype=object), len(walk.keys)),
            "key": np.tile(np.array(walk.keys, dtype=object), len(walk.queries)),
            "score": walk.scores.ravel(),
            "may attend": mask,
            "scaled score": np.where(mask, walk.scaled.ravel(), np.nan),
            "weight": walk.weights.ravel(),
        }
    )
