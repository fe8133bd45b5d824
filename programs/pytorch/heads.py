"""Several heads, one token after the other."""

import torch

from programs.pytorch.attention import attend


def token_by_token(Q, K, V):
    """Attend as a model writes: each token sees what was kept of those before it, and itself."""
    rows = []
    for t in range(Q.shape[1]):
        scores = Q[:, [t]] @ K[:, : t + 1].mT / Q.shape[-1] ** 0.5  # (n_head, 1, t + 1)
        heads, _ = attend(scores, V[:, : t + 1])
        rows.append(heads)
    return torch.cat(rows, dim=1)
