"""Trained heads: the toy model, what flows through its layers, and keys evicted from a cache."""

import math

import torch

from programs.arrays import layer_norm, merge_heads, split_heads
from programs.pytorch.attention import attend_masked


def toy_transformer(embedded, w, n_layer, n_head, mask):
    """Run layers of attention alone: each adds what its heads write; the sum is read out."""
    x, layers = embedded, []
    for layer in range(n_layer):
        h = layer_norm(x, w[f"gain {layer}"], w[f"shift {layer}"])
        Q, K, V = (split_heads(h @ w[f"{W} {layer}"], n_head) for W in ("W_q", "W_k", "W_v"))
        scores = Q @ K.mT / Q.shape[-1] ** 0.5  # (n_head, n, n)
        weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
        x = x + merge_heads(weights @ V) @ w[f"W_o {layer}"]
        layers.append((Q, K, V, weights))
    logits = (x - embedded) @ w["readout"].T  # (n, n_symbol)
    return logits, *(torch.cat(parts) for parts in zip(*layers))  # (n_layer * n_head, n, ·)


def rollout(layers):
    """Multiply the layers' maps: half of each place passes by on the residual connection."""
    own = rolled = torch.eye(len(layers[0]))
    for weights in layers:
        mixture = weights + own
        rolled = mixture / mixture.sum(-1)[:, None] @ rolled
    return rolled


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
    """Attend token by token, with at most so many keys and values in the cache of each head."""
    scores = Q @ K.mT / Q.shape[-1] ** 0.5  # (n_head, n, n)
    mask = torch.stack([keys_kept(head, budget, evict) for head in scores])
    return attend_masked(scores, V, mask)
