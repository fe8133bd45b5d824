"""Trained heads: the toy model, what flows through its layers, and keys evicted from a cache."""

import torch

from programs.pytorch.attention import attend, attention, length
from programs.pytorch.heads import merge_heads, split_heads


def layer_norm(x, gain, shift):
    """Give each row mean 0 and variance 1, then the learned size and shift."""
    apart = x - x.mean(-1)[:, None]
    return apart / ((apart**2).mean(-1)[:, None] + 1e-5) ** 0.5 * gain + shift


def toy_transformer(tokens, w, n_layer, n_head, P=0.0, mask=None, off=()):
    """Run attention alone: no feed-forward layer, and what is read out is what the heads wrote."""
    x = embedded = w["embedding"][tokens] + P
    stages = []
    for layer in range(n_layer):
        h = layer_norm(x, w[f"gain {layer}"], w[f"shift {layer}"])
        q, k, v = (split_heads(h @ w[f"{name} {layer}"], n_head) for name in ("W_q", "W_k", "W_v"))
        output, weights = attention(q, k, v, mask)
        for head in range(n_head):
            if layer * n_head + head in off:
                output[head] = 0
        x = x + merge_heads(output) @ w[f"W_o {layer}"]
        stages.append((q, k, v, weights))
    return (x - embedded) @ w["readout"].T, stages  # (n, n_symbol), and each layer's heads


def join(parts):
    """Lay the heads of all layers one after the other."""
    return torch.cat(parts)


def mean_of_heads(x, on):
    """Return the mean over the heads that are on; zero where none is."""
    return x[on].sum(0) / max(1, len(on))


def written_lengths(weights, v, W_o):
    """Return how long what each key writes to each query is: its weight times its value."""
    blocks = W_o.reshape(len(v), -1, W_o.shape[-1])  # (n_head, d_head, d_model)
    return weights * length(v @ blocks)[:, None, :]


def set_sinks_aside(weights):
    """Take out the keys that draw much from all others; rows are divided by what is left."""
    n = len(weights)
    others = (weights.sum(0) - weights.diagonal()) / max(1, n - 1)
    weights = weights * ~(others >= max(0.3, 2 / n))
    rest = weights.sum(-1)[:, None]
    return weights / (rest + (rest == 0))


def rollout(layers):
    """Multiply the layers' maps: half of each place passes by on the residual connection."""
    own = rolled = torch.eye(len(layers[0]))
    for weights in layers:
        passed = weights + own
        rolled = passed / passed.sum(-1)[:, None] @ rolled
    return rolled


def evict_oldest(cache, had, budget):
    """Keep the latest keys."""
    return cache[0]


def evict_after_sinks(cache, had, budget):
    """Keep the first four keys and the latest (StreamingLLM)."""
    return cache[min(4, budget - 1)]


def evict_least_used(cache, had, budget):
    """Keep the latest half, and of the others those that had most weight so far (H2O)."""
    old = [key for key in cache if key <= cache[-1] - (budget + 1) // 2]
    return min(old, key=lambda key: (had[key], key))


def keys_kept(scores, budget, evict):
    """Say which keys each query still has, token by token: (n, n)."""
    n = len(scores)
    kept, cache, had = torch.zeros(n, n) > 0, [], [0.0] * n
    for query in range(n):
        cache.append(query)
        if len(cache) > budget:
            cache.remove(evict(cache, had, budget))
        kept[query, cache] = True
        _, weights = attend(scores[query], scores[query], kept[query])
        had = [before + float(weight) for before, weight in zip(had, weights)]
    return kept


def evicted(q, k, v, budget, evict):
    """Attend with so many keys in the cache: the weights, and each head's error."""
    maps, errors = [], []
    for Q, K, V in zip(q, k, v):
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        full, _ = attend(scores, V, keys_kept(scores, len(Q), evict))
        output, weights = attend(scores, V, keys_kept(scores, budget, evict))
        maps.append(weights[None])
        errors.append((((output - full) ** 2).sum() / (full**2).sum()) ** 0.5)
    return join(maps), errors
