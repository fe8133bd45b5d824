"""The softmax of attention and of kernel regression: a row with nothing to attend to stays zero."""

import torch
from torch import Tensor


def softmax_rows(scores: Tensor, empty: Tensor | None, *, out: Tensor | None = None) -> Tensor:
    """Softmax over the last axis, in which a row of nothing but -inf becomes a row of zeros.

    ``empty`` (broadcastable to ``(..., n_query, 1)``) is True for those rows, or None if there are none.
    Their scores are set to 0 before the exponential, so that neither weights nor gradient are NaN.
    """
    if empty is None or not bool(empty.any()):
        return torch.softmax(scores, dim=-1, out=out)
    return torch.softmax(scores.masked_fill(empty, 0.0), dim=-1).masked_fill(empty, 0.0)
