"""Several heads: a mask for each."""

import numpy as np


def heads_take_turns(masks, n_head):
    """Give each head a mask, the first one again after the last: (n_head, n_query, n_key)."""
    masks = np.stack(np.broadcast_arrays(*masks))
    return masks[[head % len(masks) for head in range(n_head)]]
