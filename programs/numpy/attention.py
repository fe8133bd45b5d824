"""One head of attention: softmax and mix, masks; other scores, and a plane to draw in."""

import numpy as np


def softmax(scores):
    """Turn each row into weights that sum to one."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))  # at most 1: none overflows
    return powers / powers.sum(axis=-1, keepdims=True)


def attend(scores, V):
    """Turn each query's scores into weights, and mix the values by them."""
    weights = softmax(scores)
    return weights @ V, weights


def attend_masked(scores, V, mask):
    """Attend only where the mask is True; a query that may attend to no key gets zeros."""
    scores = np.where(mask, scores, np.finfo(float).min)  # the lowest number; -inf could give 0 / 0
    weights = softmax(scores) * mask
    return weights @ V, weights


def attend_with_sink(scores, V, sink, mask=True):
    """Attend beside a sink: one more logit in each row's softmax, dropped after it."""
    column = np.full_like(scores[..., :1], sink)
    weights = softmax(np.concatenate([np.where(mask, scores, -np.inf), column], axis=-1))[..., :-1]
    return weights @ V, weights


def linear_scores(Q, K):
    """Return log(φ(q)·φ(k)), φ(x) = elu(x) + 1: softmax of it is linear attention's weights."""
    log_q, log_k = (np.minimum(x, 0) + np.log1p(np.maximum(x, 0)) for x in (Q, K))
    return np.logaddexp.reduce(log_q[:, None] + log_k, axis=-1)
