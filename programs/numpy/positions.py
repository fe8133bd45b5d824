"""How attention learns where tokens stand: added vectors, turned pairs, biases on scores."""

import math

import numpy as np


def ramp_encoding(n, d_model, step):
    """Return a toy encoding: the position times a step, in every dimension."""
    return step * np.arange(n)[:, None] * np.ones(d_model)


def rotary_frequencies(d, base):
    """Return by which angle each pair of dimensions turns from one position to the next."""
    return base ** (-np.arange(0, d, 2) / d)  # from fast to slow


def rotary_angles(n, d, base):
    """Return how far each pair of dimensions is turned at each position: (n, d / 2)."""
    return np.arange(n)[:, None] * rotary_frequencies(d, base)


def sinusoidal_encoding(n, d_model, base):
    """Return sines and cosines of the positions, from fast to slow (Vaswani et al., 2017)."""
    angles = rotary_angles(n, d_model, base)
    P = np.zeros((n, d_model))
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)[:, : d_model // 2]  # an odd width has one sine more
    return P


def sinusoidal_halves(n, d_model, base):
    """Return the same waves, all sines before all cosines."""
    angles = rotary_angles(n, d_model, base)
    return np.concatenate([np.sin(angles), np.cos(angles)[:, : d_model // 2]], axis=-1)


def rotate(x, angles):
    """Turn each pair of dimensions by an angle of its position (Su et al., 2021)."""
    a, b = x[..., 0::2], x[..., 1::2]
    turned = a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)
    return np.stack(turned, axis=-1).reshape(x.shape)


def rotate_halves(x, angles):
    """Turn pairs as Llama does: dimension i with dimension i + d / 2."""
    d = x.shape[-1]
    a, b = x[..., : d // 2], x[..., d // 2 :]
    turned = a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)
    return np.concatenate(turned, axis=-1)


def alibi_bias(n_head, n_query, n_key):
    """Return a penalty that grows with the distance, steeper in some heads (Press et al., 2022)."""
    power = 2 ** int(math.log2(n_head))
    slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    # Heads past a power of two take every other slope of the next one.
    slopes += [2 ** (-4 * h / power) for h in range(1, 2 * (n_head - power), 2)]
    distances = np.abs(np.arange(n_key)[None, :] - np.arange(n_query)[:, None])
    return -np.array(slopes)[:, None, None] * distances  # (n_head, n_query, n_key)


def relative_bias(n_query, n_key, biases):
    """Look up each head's bias for the bucket of the offset: one of 32, wider when far (T5)."""
    offsets = np.arange(n_key)[None, :] - np.arange(n_query)[:, None]
    distances = np.abs(offsets)
    near_eight = np.maximum(distances, 1).astype(np.float32) / 8
    far = 8 + (np.log(near_eight) / math.log(16) * 8).astype(int)
    buckets = np.where(distances < 8, distances, np.minimum(far, 15)) + 16 * (offsets > 0)
    return biases[:, buckets]  # biases (n_head, 32) -> (n_head, n_query, n_key)


def ntk_aware(frequencies, factor):
    """Keep the fastest pair, and turn the slowest slower by the factor (bloc97, 2023)."""
    pairs = np.arange(len(frequencies))
    return frequencies * factor ** (-pairs / max(len(frequencies) - 1, 1))


def yarn(frequencies, base, factor, trained):
    """Slow only the pairs that do not come round within the trained length (Peng et al., 2023)."""
    d_head = 2 * len(frequencies)

    def at_turns(turns):  # the pair that comes round so often within the trained length
        return d_head * math.log(trained / (2 * math.pi * turns)) / (2 * max(math.log(base), 1e-9))

    low = min(max(math.floor(at_turns(32)), 0), d_head - 1)
    high = min(max(math.ceil(at_turns(1)), 0), d_head - 1)
    slowed = ((np.arange(d_head // 2) - low) / max(high - low, 0.001)).clip(0, 1)
    return frequencies * (1 - slowed + slowed / factor)  # 0 keeps a pair, 1 slows it all


def scores_at(offsets, frequencies):
    """Return the score of a vector with itself at each offset, where every pair counts alike."""
    angles = np.array(offsets)[:, None] * frequencies  # (n_offset, n_pair)
    return np.cos(angles).mean(axis=-1)
