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


def places(n_query, n_key):
    """Number the queries, one a row, and the keys, one a column."""
    return np.arange(n_query)[:, None], np.arange(n_key)[None, :]


def linear_scores(Q, K):
    """Return log(φ(q)·φ(k)), φ(x) = elu(x) + 1: softmax of it is linear attention's weights."""
    log_q, log_k = (np.minimum(x, 0) + np.log1p(np.maximum(x, 0)) for x in (Q, K))
    return np.logaddexp.reduce(log_q[:, None] + log_k, axis=-1)


def widest_directions(Q, K):
    """Return the two directions along which queries and keys reach furthest."""
    if Q.shape[-1] == 1:
        return np.array([[1.0], [0.0]])  # there is no second one
    directions = np.linalg.svd(np.concatenate([Q, K], axis=-2), full_matrices=False).Vh[..., :2, :]
    # A direction has no sign of its own: its largest entry is made positive.
    largest = np.abs(directions).argmax(axis=-1, keepdims=True)
    return directions * np.sign(np.take_along_axis(directions, largest, axis=-1))
