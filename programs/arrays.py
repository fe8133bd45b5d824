"""Functions that are the same in PyTorch and in NumPy, which has all the names of torch that they use."""

import math

import torch

# ---- one head ----


def places(n_query, n_key):
    """Number the queries, one a row, and the keys, one a column."""
    return torch.arange(n_query)[:, None], torch.arange(n_key)[None, :]


def additive_scores(Q, K, W_a, U_a, v_a):
    """Score by a small network (Bahdanau et al., 2015)."""
    features = torch.tanh((Q @ W_a)[:, None] + K @ U_a)  # (n_query, n_key, n_hidden)
    return features @ v_a


def cosine_scores(Q, K):
    """Score by the angle alone: the dot product of vectors of length 1."""
    Q, K = (x / (length(x) + 1e-12)[:, None] for x in (Q, K))  # a vector of zeros stays one
    return Q @ K.mT


def kernel_scores(Q, K):
    """Score by nearness: softmax makes a Gaussian kernel of it."""
    apart = Q[:, None] - K  # (n_query, n_key, d_k)
    return -(apart**2).sum(-1) / 2


def renormalise(weights):
    """Divide each row by its sum; a row of zeros stays one."""
    mass = weights.sum(-1)[..., None]
    return weights / (mass + (mass == 0))


def largest_in_row(weights, k):
    """Say which weights are among the k largest of their row; equals of the k-th are."""
    larger = weights[..., None, :] > weights[..., None] * (1 + 1e-10)  # by more than rounding
    return larger.sum(-1) < k  # (..., n_query, n_key, n_key) -> (..., n_query, n_key)


def length(x):
    """Return how long each vector is."""
    return (x**2).sum(-1) ** 0.5


def widest_directions(Q, K):
    """Return the two directions along which queries and keys reach furthest: (..., 2, d_k)."""
    if Q.shape[-1] == 1:
        return torch.asarray([[1.0], [0.0]])  # there is no second one
    vectors = torch.concatenate([Q, K], -2)
    directions = torch.linalg.svd(vectors, full_matrices=False).Vh[..., :2, :]
    # A direction has no sign of its own: its largest entry is made positive.
    largest = torch.arange(Q.shape[-1]) == torch.argmax(abs(directions), -1)[..., None]
    return directions * torch.sign((directions * largest).sum(-1))[..., None]


# ---- several heads ----


def split_heads(x, n_head):
    """Cut each row into heads: (n, n_head * d_head) -> (n_head, n, d_head)."""
    return x.reshape(len(x), n_head, -1).swapaxes(0, 1)


def merge_heads(x):
    """Lay the heads side by side again: (n_head, n, d_head) -> (n, n_head * d_head)."""
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)


def share_heads(x, n_kv_head):
    """Give all heads of a group the group's mean: (n_head, n, d_head) -> the same shape."""
    group = len(x) // n_kv_head
    means = x.reshape(n_kv_head, group, *x.shape[1:]).mean(1)  # (n_kv_head, n, d_head)
    return means[[head // group for head in range(len(x))]]


def heads_take_turns(masks, n_head):
    """Give each head a mask, the first one again after the last: (n_head, n_query, n_key)."""
    nowhere = sum(masks) < 0  # of the shape that they have together
    return torch.stack([nowhere | masks[head % len(masks)] for head in range(n_head)])


# ---- kernel regression ----


def boxcar(u):
    """Weigh all keys alike that are at most a bandwidth away."""
    return 1.0 * (u <= 1)


def triangular(u):
    """Weigh less and less, up to a bandwidth away."""
    return (1 - u) * (u <= 1)


def epanechnikov(u):
    """Weigh by a parabola, up to a bandwidth away."""
    return (1 - u**2) * (u <= 1)


def with_gaps(numbers, weights):
    """Leave a gap (nan) at each query that has no key with weight."""
    return torch.where(weights.sum(-1) > 0, numbers, math.nan)


def local_line(query, keys, values, w):
    """Fit a line around each query by least squares, where w (n_query, n_key) weighs the keys."""
    origin = keys[w.argmax(-1)]  # places are counted from the key with most weight
    a, b = keys - origin[:, None], query - origin  # (n_query, n_key) and (n_query,)
    middle = (w * a).sum(-1)[:, None]
    spread = (w * (a - middle) ** 2).sum(-1)[:, None]
    slopes = w * (a - middle) / (spread + (spread == 0))  # level where all keys are in one place
    weights = w + (b[:, None] - middle) * slopes  # what each value counts in the estimate
    return weights @ values, slopes @ values, weights


# ---- positions ----


def ramp_encoding(n, d_model, step):
    """Return a toy encoding: the position times a step, in every dimension."""
    return step * torch.arange(n)[:, None] * torch.ones(d_model)


def rotary_frequencies(d, base):
    """Return by which angle each pair of dimensions turns from one position to the next."""
    return base ** (-torch.arange(0, d, 2) / d)  # from fast to slow


def rotary_angles(n, d, base):
    """Return how far each pair of dimensions is turned at each position: (n, d / 2)."""
    return torch.arange(n)[:, None] * rotary_frequencies(d, base)


def sinusoidal_encoding(n, d_model, base):
    """Return sines and cosines of the positions, from fast to slow (Vaswani et al., 2017)."""
    angles = rotary_angles(n, d_model, base)
    P = torch.zeros((n, d_model))
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles)[:, : d_model // 2]  # an odd width has one sine more
    return P


def sinusoidal_halves(n, d_model, base):
    """Return the same waves, all sines before all cosines."""
    angles = rotary_angles(n, d_model, base)
    return torch.concatenate([torch.sin(angles), torch.cos(angles)[:, : d_model // 2]], -1)


def rotate(x, angles):
    """Turn each pair of dimensions by an angle of its position (Su et al., 2021)."""
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = torch.cos(angles), torch.sin(angles)  # (n, d / 2)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)


def rotate_halves(x, angles):
    """Turn pairs as Llama does: dimension i with dimension i + d / 2."""
    d = x.shape[-1]
    a, b = x[..., : d // 2], x[..., d // 2 :]
    cos, sin = torch.cos(angles), torch.sin(angles)  # (n, d / 2)
    return torch.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def alibi_bias(n_head, n_query, n_key):
    """Return a penalty that grows with the distance, steeper in some heads (Press et al., 2022)."""
    power = 2 ** int(math.log2(n_head))
    slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    # Heads past a power of two take every other slope of the next one.
    slopes += [2 ** (-4 * h / power) for h in range(1, 2 * (n_head - power), 2)]
    distances = abs(torch.arange(n_key)[None, :] - torch.arange(n_query)[:, None])
    return -torch.asarray(slopes)[:, None, None] * distances  # (n_head, n_query, n_key)


def relative_bias(n_query, n_key, biases):
    """Look up each head's bias for the bucket of the offset: one of 32, wider when far (T5)."""
    offsets = torch.arange(n_key)[None, :] - torch.arange(n_query)[:, None]
    starts = [*range(1, 8), *(8 * 2 ** (step / 2) for step in range(8))]  # where each bucket starts
    buckets = sum(abs(offsets) >= start for start in starts) + 16 * (offsets > 0)
    return biases[:, buckets]  # biases (n_head, 32) -> (n_head, n_query, n_key)


def ntk_aware(frequencies, factor):
    """Keep the fastest pair, and turn the slowest slower by the factor (bloc97, 2023)."""
    pairs = torch.arange(len(frequencies))
    return frequencies * factor ** (-pairs / max(len(frequencies) - 1, 1))


def yarn(frequencies, base, factor, trained):
    """Slow only the pairs that do not come round within the trained length (Peng et al., 2023)."""
    d_head = 2 * len(frequencies)

    def at_turns(turns):  # the pair that comes round so often within the trained length
        return d_head * math.log(trained / (2 * math.pi * turns)) / (2 * max(math.log(base), 1e-9))

    low = min(max(math.floor(at_turns(32)), 0), d_head - 1)
    high = min(max(math.ceil(at_turns(1)), 0), d_head - 1)
    width = max(high - low, 0.001)  # a step where both are one
    slowed = ((torch.arange(d_head // 2) - low) / width).clip(0, 1)
    return frequencies * (1 - slowed + slowed / factor)  # 0 keeps a pair, 1 slows it all


def scores_at(offsets, frequencies):
    """Return the score of a vector with itself at each offset, where every pair counts alike."""
    angles = torch.asarray(offsets)[:, None] * frequencies  # (n_offset, n_pair)
    return torch.cos(angles).mean(-1)


# ---- trained heads ----


def layer_norm(x, gain, shift):
    """Give each row mean 0 and variance 1, then the learned size and shift."""
    centred = x - x.mean(-1)[:, None]
    return centred / ((centred**2).mean(-1)[:, None] + 1e-5) ** 0.5 * gain + shift


def mean_of_heads(x, on):
    """Return the mean over the heads that are on; zero where none is."""
    return x[on].sum(0) / max(1, len(on))


def written_lengths(weights, V, W_o):
    """Return how long what each key writes to each query is: its weight times its value."""
    blocks = W_o.reshape(len(V), -1, W_o.shape[-1])  # (n_head, d_head, d_model)
    return weights * length(V @ blocks)[:, None, :]


def rollout(layers):
    """Multiply the layers' maps: half of each place passes by on the residual connection."""
    own = rolled = torch.eye(len(layers[0]))
    for weights in layers:
        rolled = renormalise(weights + own) @ rolled
    return rolled


def drop_sinks(weights):
    """Take out the keys that draw much from all others; the rows sum to one again."""
    n = len(weights)
    others = (weights.sum(0) - weights.diagonal()) / max(1, n - 1)
    is_sink = others >= max(0.3, 2 / n)  # on average; in a short text twice an even share
    return renormalise(weights * ~is_sink)


def relative_errors(heads, full):
    """Return how far each head's output is from the full one, as a share of its length."""
    change, full = (x.reshape(len(x), -1) for x in (heads - full, full))
    return length(change) / length(full)


def oldest(cache, mass, budget):
    """Choose the oldest key: the latest stay."""
    return cache[0]


def oldest_after_sinks(cache, mass, budget):
    """Choose the oldest key but the first four, which stay (StreamingLLM)."""
    return cache[min(4, budget - 1)]


def least_used(cache, mass, budget):
    """Choose the key with the least weight so far; the latest half of the budget stays (H2O)."""
    old = [key for key in cache if key <= cache[-1] - (budget + 1) // 2]
    return min(old, key=lambda key: (mass[key], key))
