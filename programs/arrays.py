"""Functions that are the same in PyTorch and in NumPy: operators do all of it."""

# ---- one head ----


def general_scores(Q, K, W_a):
    """Score by a matrix between query and key (Luong et al., 2015)."""
    return Q @ W_a @ K.mT


def cosine_scores(Q, K):
    """Score by the angle alone: the dot product of vectors of length 1."""
    Q, K = (x / (length(x) + 1e-12)[:, None] for x in (Q, K))  # a vector of zeros stays one
    return Q @ K.mT


def kernel_scores(Q, K):
    """Score by nearness: softmax makes a Gaussian kernel of it."""
    return -((Q[:, None] - K) ** 2).sum(-1) / 2


def renormalise(weights):
    """Divide each row by its sum; a row of zeros stays one."""
    mass = weights.sum(-1)[..., None]
    return weights / (mass + (mass == 0))


def length(x):
    """Return how long each vector is."""
    return (x**2).sum(-1) ** 0.5


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


def local_line(query, keys, values, w):
    """Fit a line around each query by least squares, where w (n_query, n_key) weighs the keys."""
    origin = keys[w.argmax(-1)]  # places are counted from the key with most weight
    a, b = keys - origin[:, None], query - origin
    middle = (w * a).sum(-1)[:, None]
    spread = (w * (a - middle) ** 2).sum(-1)[:, None]
    slopes = w * (a - middle) / (spread + (spread == 0))  # level where all keys are in one place
    weights = w + (b[:, None] - middle) * slopes  # what each value counts in the estimate
    return weights @ values, slopes @ values, weights


# ---- positions ----


def interpolated(frequencies, factor):
    """Turn all pairs slower, as if positions were divided by the factor (Chen et al., 2023)."""
    return frequencies / factor


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


def set_sinks_aside(weights):
    """Take out the keys that draw much from all others; the rows sum to one again."""
    n = len(weights)
    others = (weights.sum(0) - weights.diagonal()) / max(1, n - 1)
    return renormalise(weights * ~(others >= max(0.3, 2 / n)))


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
