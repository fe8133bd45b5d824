"""One head of attention: scores, softmax, mix; other scores, masks, and what is set aside."""

import math

import numpy as np


def softmax(scores):
    """Turn each row into shares of one; a row of nothing but minus infinity becomes zero."""
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def attend(scores, V, mask=None):
    """Turn each query's scores into weights, and mix the values by them."""
    if mask is not None:
        scores = np.where(mask, scores, -math.inf)  # True = may attend
    weights = softmax(scores)  # each row sums to one, or is zero where all is masked
    return weights @ V, weights


def attention(Q, K, V, mask=None, temperature=1.0):
    """Scaled dot-product attention: softmax(Q Kᵀ / √d_k) V."""
    scores = Q @ K.mT / math.sqrt(Q.shape[-1]) / temperature  # (..., n_query, n_key)
    return attend(scores, V, mask)


def places(n_query, n_key):
    """Number the queries, one a row, and the keys, one a column."""
    return np.arange(n_query)[:, None], np.arange(n_key)[None, :]


def additive_scores(Q, K, W_a, U_a, v_a):
    """Score by a small network (Bahdanau et al., 2015)."""
    return np.tanh((Q @ W_a)[:, None] + K @ U_a) @ v_a


def general_scores(Q, K, W_a):
    """Score by a matrix between query and key (Luong et al., 2015)."""
    return Q @ W_a @ K.mT


def cosine_scores(Q, K):
    """Score by the angle alone: the dot product of vectors of length 1."""
    Q, K = (x / np.maximum(length(x)[:, None], 1e-12) for x in (Q, K))
    return Q @ K.mT


def kernel_scores(Q, K):
    """Score by nearness: softmax makes a Gaussian kernel of it."""
    return -((Q[:, None] - K) ** 2).sum(-1) / 2


def linear_scores(Q, K):
    """Return log(φ(q)·φ(k)), φ(x) = elu(x) + 1: softmax of it is linear attention's weights."""
    log_q, log_k = (np.minimum(x, 0) + np.log1p(np.maximum(x, 0)) for x in (Q, K))
    return np.logaddexp.reduce(log_q[:, None] + log_k, axis=-1)


def tiled_attention(Q, K, V, size):
    """FlashAttention's way: a tile of keys at a time, with a running maximum, sum and output."""
    largest = np.full(len(Q), -math.inf)
    total, output = np.zeros(len(Q)), np.zeros((len(Q), V.shape[-1]))
    for start in range(0, len(K), size):
        scores = Q @ K[start : start + size].T / math.sqrt(Q.shape[-1])  # (n_query, size)
        highest = np.maximum(largest, scores.max(axis=-1))
        shrink = np.exp(largest - highest)  # of what was there
        powers = np.exp(scores - highest[:, None])
        output = shrink[:, None] * output + powers @ V[start : start + size]
        largest, total = highest, shrink * total + powers.sum(axis=-1)
    return output / total[:, None]


def linear_attention(Q, K, V):
    """Causal linear attention: every token is added to one state, and reads it."""
    Q, K = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (Q, K))
    S, z = np.zeros((K.shape[-1], V.shape[-1])), np.zeros(K.shape[-1])
    output = []
    for q, k, v in zip(Q, K, V):
        S, z = S + k[:, None] * v, z + k
        output.append(q @ S / (q @ z))
    return np.stack(output)


def keep_above(weights, threshold):
    """Say which weights reach a threshold."""
    return (weights >= threshold) & (weights > 0)


def keep_largest(weights, top):
    """Say which are the largest weights of each row; what ties with the last is kept too."""
    least = np.sort(weights, axis=-1)[..., [-top]]
    return (weights >= least * (1 - 1e-10)) & (weights > 0)


def renormalise(weights, kept):
    """Let the weights that are kept sum to one again; return what they summed to, and them."""
    mass = (weights * kept).sum(-1)
    return mass, weights * kept / np.maximum(mass[..., None], 1e-300)


def length(x):
    """Return how long each row is."""
    return np.linalg.norm(x, axis=-1)


def widest_directions(Q, K):
    """Return the two directions along which queries and keys reach furthest."""
    if Q.shape[-1] == 1:
        return np.array([[1.0], [0.0]])  # there is no second one
    directions = np.linalg.svd(np.concatenate([Q, K], axis=-2), full_matrices=False).Vh[..., :2, :]
    # A direction has no sign of its own: its largest entry is made positive.
    largest = np.abs(directions).argmax(axis=-1, keepdims=True)
    return directions * np.sign(np.take_along_axis(directions, largest, axis=-1))
