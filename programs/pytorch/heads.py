"""Several heads: a mask for each, and one token after the other."""

import torch

from programs.pytorch.attention import attend


def heads_take_turns(masks, n_head):
    """Give each head a mask, the first one again after the last: (n_head, n_query, n_key)."""
    masks = torch.stack(torch.broadcast_tensors(*masks))
    return masks[[head % len(masks) for head in range(n_head)]]


def token_by_token(Q, K, V):
    """Attend as a model writes: each token sees what was kept of those before it, and itself."""
    rows = []
    for t in range(Q.shape[1]):
        scores = Q[:, [t]] @ K[:, : t + 1].mT / Q.shape[-1] ** 0.5  # (n_head, 1, t + 1)
        heads, _ = attend(scores, V[:, : t + 1])
        rows.append(heads)
    return torch.cat(rows, dim=1)
