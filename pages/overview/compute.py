"""The weights of the five maps: one sentence under four kinds of attention, at every temperature."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attn_core import (
    MultiHeadAttention,
    effective_keys,
    label_tokens,
    nadaraya_watson,
    scaled_dot_product_attention,
    sentence_vectors,
    sinusoidal_encoding,
    tokenize,
)
from attn_ui.base.shared_settings import TEMPERATURE

Weights = NDArray[np.float64]
SENTENCE = "the cat sat on the mat"
D_MODEL, N_HEAD, SEED = 16, 2, 4


@dataclass(frozen=True)
class Story:
    """Weights between words at every temperature, (steps, n, n); those in `heads` (steps, n_head, n, n)."""

    words: list[str]
    kernel: Weights
    head: Weights
    placed: Weights
    heads: Weights

    def spread(self, step: int) -> tuple[float, float, float]:
        """The mean effective number of words in `kernel` (by nearness), `head` (by likeness) and `placed`."""
        by_nearness, by_likeness, by_both = (
            float(effective_keys(torch.from_numpy(weights[step])).mean())
            for weights in (self.kernel, self.head, self.placed)
        )
        return by_nearness, by_likeness, by_both


def story(temperatures: Sequence[float] = TEMPERATURE.values) -> Story:
    """Compute the weights at every temperature.

    A Gaussian kernel of bandwidth h is a softmax at temperature h squared, so one slider serves all maps.
    """
    temperature = torch.tensor(temperatures, dtype=torch.float64)
    tokens = tokenize(SENTENCE)
    places = torch.arange(len(tokens), dtype=torch.float64)
    x = sentence_vectors(tokens, D_MODEL, seed=SEED)
    placed = x + sinusoidal_encoding(len(tokens), D_MODEL, dtype=x.dtype)
    column = temperature.reshape(-1, 1, 1)
    model = MultiHeadAttention(D_MODEL, N_HEAD, seed=SEED, dtype=x.dtype)
    with torch.no_grad():
        heads = scaled_dot_product_attention(*model.project(placed), temperature=column.unsqueeze(-1)).weights
    return Story(
        label_tokens(tokens),
        nadaraya_watson(places, places, places, bandwidth=temperature.sqrt()).weights.numpy(),
        scaled_dot_product_attention(x, x, x, temperature=column).weights.numpy(),
        scaled_dot_product_attention(placed, placed, placed, temperature=column).weights.numpy(),
        heads.numpy(),
    )
