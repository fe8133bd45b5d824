"""What the landing page computes: one sentence seen four ways, and four places where attention is used."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attn_core import (
    MultiHeadAttention,
    causal_mask,
    effective_keys,
    label_tokens,
    nadaraya_watson,
    scaled_dot_product_attention,
    sentence_vectors,
    sinusoidal_encoding,
    tokenize,
)
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import N_, _, cached

Weights = NDArray[np.float64]
SENTENCE = "the cat sat on the mat"
D_MODEL, N_HEAD, SEED = 16, 2, 4


@dataclass(frozen=True)
class Story:
    """Weights between words at every temperature, (steps, n, n) each; `heads` (steps, n_head, n, n)."""

    words: list[str]
    kernel: Weights
    head: Weights
    placed: Weights
    heads: Weights

    def spread(self, step: int) -> tuple[float, float, float]:
        """Over how many words a query spreads its weight, on average: by nearness, by likeness, by both."""
        by_nearness, by_likeness, by_both = (
            float(effective_keys(torch.from_numpy(weights[step])).mean())
            for weights in (self.kernel, self.head, self.placed)
        )
        return by_nearness, by_likeness, by_both


def story(temperatures: Sequence[float] = TEMPERATURE.values) -> Story:
    """Compute every position of the slider.

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


@dataclass(frozen=True)
class Use:
    """One place where attention is used: weights (n_query, n_key) and the labels of both sides.

    The labels are as they are shown, the name is the same in every language.
    """

    name: str
    weights: Weights
    queries: list[str]
    keys: list[str]


# A date in digits and in words; each piece is a one-hot vector of what it tells: year, month, day.
DIGITS = {"2026": 0, "11": 1, "21": 2}
WORDS = {"21": 2, "November": 1, "2026": 0}
SURE = 4.0  # how much larger a score is where both pieces tell the same
# Nine patches of a picture: sky above, grass below, a red roof between.
COLOURS = {N_("sky"): (0.5, 0.7, 1.0), N_("grass"): (0.2, 0.6, 0.2), N_("roof"): (0.8, 0.2, 0.1)}
PATCHES = ("sky", "sky", "sky", "sky", "roof", "sky", "grass", "grass", "grass")
PITCHES = (3, 3, 7, 7, 3, 3, 0, 0)  # waves in each frame of a sound; 0 is silence
FRAME = 32  # samples


@cached()
def uses() -> tuple[Use, ...]:
    """Compute one small attention for each use, from vectors that are set by hand and said on the page."""
    return (_translation(), _text(), _image(), _speech())


def _translation() -> Use:
    kinds = torch.eye(3, dtype=torch.float64)
    query, key = kinds[list(WORDS.values())], kinds[list(DIGITS.values())]
    return Use(N_("translation"), _attend(query, key, SURE), list(WORDS), list(DIGITS))


def _text() -> Use:
    tokens = tokenize(SENTENCE)
    x = sentence_vectors(tokens, D_MODEL, seed=SEED)
    x = x + sinusoidal_encoding(len(tokens), D_MODEL, dtype=x.dtype)
    weights = scaled_dot_product_attention(x, x, x, causal_mask(len(tokens))).weights
    return Use(N_("text"), weights.numpy(), label_tokens(tokens), label_tokens(tokens))


def _image() -> Use:
    colours = torch.tensor([COLOURS[patch] for patch in PATCHES], dtype=torch.float64)
    colours = colours - colours.mean(dim=0)
    names = label_tokens([_(patch) for patch in PATCHES])
    return Use(N_("images"), _attend(colours, colours, 8.0), names, names)


def _speech() -> Use:
    time = torch.arange(FRAME, dtype=torch.float64) / FRAME
    frames = torch.stack([torch.sin(2 * torch.pi * waves * time) for waves in PITCHES])
    spectra = torch.fft.rfft(frames).abs() / (FRAME / 2)  # how loud each pitch is in each frame
    spectra[:, 0] = 1 - spectra[:, 1:].sum(dim=-1)  # silence, where nothing sounds
    names = label_tokens([_("{count} waves", count=waves) if waves else _("silence") for waves in PITCHES])
    return Use(N_("speech"), _attend(spectra, spectra, SURE), names, names)


def _attend(query: Tensor, key: Tensor, scale: float) -> Weights:
    weights: Weights = scaled_dot_product_attention(query, key, key, scale=scale).weights.numpy()
    return weights
