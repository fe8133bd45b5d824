"""One head of attention: softmax and mix, masks; other scores, two fast ways, and a plane to draw in."""

import math

import torch


def attend(scores, V):
    """Turn each query's scores into weights, and mix the values by them."""
    weights = torch.softmax(scores, dim=-1)  # each row sums to one
    return weights @ V, weights


def attend_masked(scores, V, mask):
    """Attend only where the mask is True; a query that may attend to no key gets zeros."""
    scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1).nan_to_num()  # nan where the whole row is masked
    return weights @ V, weights


def attend_with_sink(scores, V, sink, mask=None):
    """Attend beside a sink: one more logit in each row's softmax, dropped after it."""
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    column = torch.full_like(scores[..., :1], sink)
    weights = torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1]
    return weights @ V, weights


def linear_scores(Q, K):
    """Return log(φ(q)·φ(k)), φ(x) = elu(x) + 1: softmax of it is linear attention's weights."""
    log_q, log_k = (x.clamp(max=0) + x.clamp(min=0).log1p() for x in (Q, K))
    return torch.logsumexp(log_q[:, None] + log_k, dim=-1)


def tiled_attention(Q, K, V, size):
    """FlashAttention's way: a tile of keys at a time, with a running maximum, sum and output."""
    largest = torch.full(Q.shape[:1], -math.inf)
    total, output = torch.zeros(len(Q)), torch.zeros(len(Q), V.shape[-1])
    for keys, values in zip(K.split(size), V.split(size)):
        scores = Q @ keys.mT / Q.shape[-1] ** 0.5  # (n_query, size)
        highest = torch.maximum(largest, scores.amax(dim=-1))
        shrink = torch.exp(largest - highest)  # of what was there
        powers = torch.exp(scores - highest[:, None])
        output = shrink[:, None] * output + powers @ values
        largest, total = highest, shrink * total + powers.sum(dim=-1)
    return output / total[:, None]


def linear_attention(Q, K, V):
    """Causal linear attention: every token is added to one state, and reads it."""
    Q, K = (torch.nn.functional.elu(x) + 1 for x in (Q, K))
    S, z = torch.zeros(K.shape[-1], V.shape[-1]), torch.zeros(K.shape[-1])
    output = []
    for q, k, v in zip(Q, K, V):
        S, z = S + k[:, None] * v, z + k
        output.append(q @ S / (q @ z))
    return torch.stack(output)
