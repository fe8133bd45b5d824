"""One scaled score taken apart: what the words say, what their positions say, and both together."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.schemes import Positions


def score_terms(
    positions: Positions,
    x: Float[Tensor, "n d_model"],
    query: int,
    key: int,
    *,
    strength: float = 1.0,
    start: int = 0,
) -> dict[str, float]:
    r"""Return the summands of one scaled score, by what they come from.

    $$(x_i + s p_i) \cdot (x_j + s p_j) =
      x_i \cdot x_j + s\,x_i \cdot p_j + s\,p_i \cdot x_j + s^2 p_i \cdot p_j$$

    each divided by sqrt(d_model). For a rotation: the product as it would be unturned, and what turning
    changes. For a bias: the product, and s times the bias.

    Invariant: they sum to ``positions.attend(...).scaled_scores[query, key]``.

    Raises ValueError for a query or key that is not a place in x.

    >>> x = torch.eye(4, dtype=torch.float64)[:3]
    >>> score_terms(Positions("ramp"), x, 1, 2)
    {'word · word': 0.0, 'word · position': 0.5, 'position · word': 0.25, 'position · position': 1.0}
    """
    n, d_model = x.shape
    query = _require.whole("query", query, least=0, most=n - 1)
    key = _require.whole("key", key, least=0, most=n - 1)
    root = math.sqrt(d_model)
    words = float(x[query] @ x[key]) / root
    if positions.adds == "bias":
        return {"word · word": words, "bias": strength * float(positions.bias(n, n)[query, key])}
    if positions.adds == "rotation":
        places = strength * (torch.arange(n, dtype=torch.float64) + start)
        turned = positions.turn(x, places)
        return {"word · word": words, "turning": float(turned[query] @ turned[key]) / root - words}
    if positions.adds == "nothing":
        return {"word · word": words}
    p = strength * positions.vectors(n, d_model, start=start)
    return {
        "word · word": words,
        "word · position": float(x[query] @ p[key]) / root,
        "position · word": float(p[query] @ x[key]) / root,
        "position · position": float(p[query] @ p[key]) / root,
    }
