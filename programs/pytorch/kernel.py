"""Kernel regression, the first attention: the nearer a key, the more its value counts."""

import math

import torch


def distances(queries, keys):
    """Return how far each key is from each query, (n_query, n_key); they are numbers or vectors."""
    apart = queries[:, None] - keys[None, :]
    return apart.abs() if apart.ndim == 2 else apart.norm(dim=-1)


def gaussian(u):
    """Weigh by exp(-u² / 2): as a softmax, for the power itself is 0 where all keys are far."""
    return torch.softmax(-(u**2) / 2, dim=-1)


def gaussian_nearest(u):
    """Weigh the same, but let the nearest key never be alone: with one key a line has no slope."""
    scores = -(u**2) / 2 + (u.min() ** 2) / 2
    rest = u > u.min()
    lift = (-600 - scores[rest].max()).clamp(min=0) if rest.any() else 0
    return torch.softmax(torch.where(rest, scores + lift, scores), dim=-1)


def shares(kernel):
    """Divide each row by its sum; where no key is near, nothing has weight."""
    return (kernel / kernel.sum(dim=-1, keepdim=True)).nan_to_num()


def boxcar(u):
    """Weigh all keys alike that are at most a bandwidth away."""
    return shares((u <= 1).double())


def triangular(u):
    """Weigh less and less, up to a bandwidth away."""
    return shares((1 - u).clamp(min=0))


def epanechnikov(u):
    """Weigh by a parabola, up to a bandwidth away."""
    return shares((1 - u**2).clamp(min=0))


def nadaraya_watson(query, keys, values, bandwidth, kernel):
    """Estimate a curve: the mean of the values, each weighed by how near its key is."""
    weights = kernel(distances(query, keys) / bandwidth)  # (n_query, n_key), each row sums to one
    found = weights.sum(dim=-1) > 0  # no estimate where no key is near
    return torch.where(found, weights @ values, math.nan), weights


def learn_bandwidth(keys, values, bandwidth, steps, rate):
    """Follow the gradient of the leave-one-out error: no point may attend to itself."""
    log_h = torch.tensor(math.log(bandwidth), requires_grad=True)  # exp(log h) stays above zero
    itself = torch.eye(len(keys), dtype=torch.bool)
    adam = torch.optim.Adam([log_h], lr=rate)
    for _ in range(steps):
        scores = -((distances(keys, keys) / log_h.exp()) ** 2) / 2
        weights = torch.softmax(scores.masked_fill(itself, -math.inf), dim=-1)
        error = ((weights @ values - values) ** 2).mean()
        adam.zero_grad()
        error.backward()
        adam.step()
    return log_h.exp().item()


def local_line(query, keys, values, bandwidth, kernel):
    """Fit a line around the query: its height there, its slope, and what each value counts."""
    u = (query - keys).abs() / bandwidth
    w = kernel(u)
    nearest = keys[u.argmin()]
    a, b = keys - nearest, query - nearest  # places counted from the nearest key
    middle = (w * a).sum()
    spread = (w * (a - middle) ** 2).sum()
    lean = torch.where(spread > 0, w * (a - middle) / spread, 0 * w)  # level at one place
    weights = w + (b - middle) * lean  # what each value counts in the line's height at the query
    return weights @ values, lean @ values, weights
