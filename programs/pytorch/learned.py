"""Trained heads: the toy model, what flows through its layers, and keys evicted from a cache."""

import math

import torch

from programs.arrays import layer_norm, merge_heads, split_heads
from programs.pytorch.attention import attend_masked


def toy_transformer(x, layers, n_head, mask):
    """Run layers of attention alone: each adds to x what its heads write."""
    stages = []
    for gain, shift, W_q, W_k, W_v, W_o in layers:
        h = layer_norm(x, gain, shift)
        Q, K, V = (split_heads(h @ W, n_head) for W in (W_q, W_k, W_v))
        scores = Q @ K.mT / Q.shape[-1] ** 0.5  # (n_head, n, n)
        weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
        x = x + merge_heads(weights @ V) @ W_o
        stages.append((Q, K, V, weights))
    return x, *(torch.cat(parts) for parts in zip(*stages))  # (n_layer * n_head, n, ·)


def keys_kept(scores, budget, evict):
    """Say which keys each query of a head still has, token by token: (n, n)."""
    n = len(scores)
    mask, cache, mass = torch.zeros(n, n) > 0, [], [0.0] * n
    for query in range(n):
        cache.append(query)
        if len(cache) > budget:
            cache.remove(evict(cache, mass, budget))
        mask[query, cache] = True
        for key, weight in zip(cache, torch.softmax(scores[query, cache], dim=-1)):
            mass[key] += float(weight)
    return mask


def attend_with_cache(Q, K, V, budget, evict):
    """Attend token by token; a head's cache keeps at most ``budget`` keys and values."""
    scores = Q @ K.mT / Q.shape[-1] ** 0.5  # (n_head, n, n)
    mask = torch.stack([keys_kept(head, budget, evict) for head in scores])
    return attend_masked(scores, V, mask)
