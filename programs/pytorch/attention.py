"""One head of attention: scores, softmax, mix; other scores, masks, and what is set aside."""

import math

import torch


def attend(scores, V, mask=None):
    """Turn each query's scores into weights, and mix the values by them."""
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)  # True = may attend
    weights = torch.softmax(scores, dim=-1)  # each row sums to one
    weights = weights.nan_to_num()  # a row that may attend to nothing is zero
    return weights @ V, weights


def attention(Q, K, V, mask=None, temperature=1.0):
    """Scaled dot-product attention: softmax(Q Kᵀ / √d_k) V."""
    scores = Q @ K.mT / math.sqrt(Q.shape[-1]) / temperature  # (..., n_query, n_key)
    return attend(scores, V, mask)


def places(n_query, n_key):
    """Number the queries, one a row, and the keys, one a column."""
    return torch.arange(n_query)[:, None], torch.arange(n_key)[None, :]


def additive_scores(Q, K, W_a, U_a, v_a):
    """Score by a small network (Bahdanau et al., 2015)."""
    return torch.tanh((Q @ W_a)[:, None] + K @ U_a) @ v_a


def general_scores(Q, K, W_a):
    """Score by a matrix between query and key (Luong et al., 2015)."""
    return Q @ W_a @ K.mT


def cosine_scores(Q, K):
    """Score by the angle alone: the dot product of vectors of length 1."""
    Q, K = (x / x.norm(dim=-1, keepdim=True).clamp(min=1e-12) for x in (Q, K))
    return Q @ K.mT


def kernel_scores(Q, K):
    """Score by nearness: softmax makes a Gaussian kernel of it."""
    return -((Q[:, None] - K) ** 2).sum(-1) / 2


def linear_scores(Q, K):
    """Return log(φ(q)·φ(k)), φ(x) = elu(x) + 1: softmax of it is linear attention's weights."""
    log_q, log_k = (x.clamp(max=0) + x.clamp(min=0).log1p() for x in (Q, K))
    return torch.logsumexp(log_q[:, None] + log_k, dim=-1)


def tiled_attention(Q, K, V, size):
    """FlashAttention's way: a tile of keys at a time, with a running maximum, sum and output."""
    largest = torch.full(Q.shape[:1], -math.inf)
    total, output = torch.zeros(len(Q)), torch.zeros(len(Q), V.shape[-1])
    for keys, values in zip(K.split(size), V.split(size)):
        scores = Q @ keys.mT / math.sqrt(Q.shape[-1])  # (n_query, size)
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


def keep_above(weights, threshold):
    """Say which weights reach a threshold."""
    return (weights >= threshold) & (weights > 0)


def keep_largest(weights, top):
    """Say which are the largest weights of each row; what ties with the last is kept too."""
    least = weights.sort(dim=-1).values[..., [-top]]
    return (weights >= least * (1 - 1e-10)) & (weights > 0)


def renormalise(weights, kept):
    """Let the weights that are kept sum to one again; return what they summed to, and them."""
    mass = (weights * kept).sum(-1)
    return mass, weights * kept / mass[..., None].clamp(min=1e-300)


def length(x):
    """Return how long each row is."""
    return x.norm(dim=-1)


def widest_directions(Q, K):
    """Return the two directions along which queries and keys reach furthest."""
    if Q.shape[-1] == 1:
        return torch.tensor([[1.0], [0.0]])  # there is no second one
    directions = torch.linalg.svd(torch.cat([Q, K], dim=-2), full_matrices=False).Vh[..., :2, :]
    # A direction has no sign of its own: its largest entry is made positive.
    largest = directions.abs().argmax(dim=-1, keepdim=True)
    return directions * torch.take_along_dim(directions, largest, dim=-1).sign()
