"""Several heads: split, attend, merge; fewer heads of keys, and one token after the other."""

import math

import torch

from programs.pytorch.attention import attend


def split_heads(x, n_head):
    """Cut each row into heads: (n, n_head * d_head) -> (n_head, n, d_head)."""
    return x.reshape(len(x), n_head, -1).swapaxes(0, 1)


def merge_heads(x):
    """Lay the heads side by side again: (n_head, n, d_head) -> (n, n_head * d_head)."""
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)


def heads_take_turns(masks, n_head):
    """Give each head a mask, the first one again after the last: (n_head, n_query, n_key)."""
    return torch.stack([masks[head % len(masks)] for head in range(n_head)])


def share_heads(x, n_kv_head):
    """Replace each group of heads by its mean, for each head of the group once."""
    group = len(x) // n_kv_head
    means = x.reshape(n_kv_head, group, *x.shape[1:]).mean(dim=1)
    return means.repeat_interleave(group, dim=0)


def token_by_token(q, k, v):
    """Attend as a model writes: each token sees what was kept of those before it, and itself."""
    written = []
    for t in range(q.shape[1]):
        scores = q[:, [t]] @ k[:, : t + 1].mT / math.sqrt(q.shape[-1])
        written.append(attend(scores, v[:, : t + 1])[0])
    return torch.cat(written, dim=1)
