"""Common mistakes with positions: in an encoding's products, and in weights with an encoding added."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core.mistakes.one_head import WORDS
from attn_core.mistakes.record import Example, LabelledMap, Mistake, MustHold, mistakes_by_name
from attn_core.positional import sinusoidal_encoding
from attn_core.samples import sentence_vectors
from attn_core.schemes import Sinusoidal, by_offset
from attn_words import N_

LOUD = 30.0  # the sentences below state this and the next
SMALL_BASE = 1.2
LENGTH, WIDTH = 64, 16


def split_pairs_encoding(
    length: int, d_model: int, base: float = 10_000.0
) -> Float[Tensor, "length d_model"]:
    """Give every dimension a frequency of its own, so that no sine has its cosine.

    The exponent is i/d_model for dimension i, where it should be the same for both dimensions of a pair.

    >>> split_pairs_encoding(2, 2, 100.0)
    tensor([[0.0000, 1.0000],
            [0.8415, 0.9950]], dtype=torch.float64)
    """
    i = torch.arange(d_model, dtype=torch.float64)
    angles = torch.arange(length)[:, None] * torch.tensor(base, dtype=torch.float64) ** (-i / d_model)
    return torch.where(i % 2 == 0, angles.sin(), angles.cos())


def _products(encode: Callable[..., Tensor], **more: float) -> Callable[[int, int], Tensor]:
    """Return a function that computes the products of all pairs of positions."""

    def products(length: int, width: int) -> Tensor:
        encoding = encode(length, width, **more)
        return encoding @ encoding.mT

    return products


def _far_over_near(products: Tensor, length: int, _width: int) -> float:
    """Return the highest mean product at an offset of 2 or more, less the mean product at offset 1."""
    _, mean, _ = by_offset(products)
    return float(mean[length + 1 :].max() - mean[length])


def _largest_range(products: Tensor, _length: int, _width: int) -> float:
    low, _, high = by_offset(products)
    return float((high - low).max())


def _in_either_order(strength: float, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the weights of words, and those of the same words in the opposite order."""
    scheme = Sinusoidal(strength=strength)
    return scheme.attend(x).weights, scheme.attend(x.flip(0)).weights


def _of_places(key_shift: int, x: Tensor) -> Tensor:
    """Return the weights of positions alone, without words, with keys shifted by ``key_shift``."""
    weights: Tensor = Sinusoidal(strength=2.0).attend(torch.zeros_like(x), key_shift=key_shift).weights
    return weights


def _words() -> tuple[Tensor]:
    return (sentence_vectors(WORDS, WIDTH, kind="one-hot"),)


_PLACES = [str(place) for place in range(LENGTH)]
POSITIONS = Example(
    N_("The dot products of all pairs of 64 positions, whose sinusoids have 16 dimensions."),
    lambda: (LENGTH, WIDTH),
    lambda result, *_inputs: LabelledMap(
        result, _PLACES, _PLACES, (N_("Position"), N_("Position")), N_("dot product")
    ),
)
SENTENCE = Example(
    N_("Six words as one-hot vectors of 16 dimensions, with sinusoids of base 10,000."),
    _words,
    lambda result, _x: LabelledMap(result[0], WORDS, WORDS),
)
SILENT = Example(
    N_("Six positions with sinusoids of 16 dimensions, twice as loud; the words are silent: they are zero."),
    _words,
    lambda result, _x: LabelledMap(result, WORDS, WORDS),
)
_NEAR_IS_ALIKE = MustHold(
    N_("a position is more like the next one than like any further away"),
    N_("highest product from offset 2 on, less that at offset 1"),
    _far_over_near,
    most=0.0,
)

POSITION_MISTAKES = mistakes_by_name(
    Mistake(
        "one frequency",
        N_("The sines and cosines of all pairs have the same frequency: the exponent was left out."),
        N_("All waves then repeat together every 6.28 positions: position 44 looks like position 0."),
        _products(sinusoidal_encoding),
        _products(sinusoidal_encoding, base=1.0),
        _NEAR_IS_ALIKE,
        POSITIONS,
    ),
    Mistake(
        "split pairs",
        N_("Every dimension has a frequency of its own, so a sine and its cosine are not a pair."),
        N_(
            "sin a sin b + cos a cos b = cos(a - b) needs one frequency: now the place counts, "
            "not the offset alone."
        ),
        _products(sinusoidal_encoding),
        _products(split_pairs_encoding),
        MustHold(
            N_("pairs at the same offset have the same product"),
            N_("largest spread at one offset"),
            _largest_range,
            most=1e-9,
        ),
        POSITIONS,
    ),
    Mistake(
        "base too small",
        N_("The base is 1.2, so even the slowest wave repeats within a few positions."),
        N_("Positions six apart look more alike than neighbours: no slow wave tells them apart."),
        _products(sinusoidal_encoding),
        _products(sinusoidal_encoding, base=SMALL_BASE),
        _NEAR_IS_ALIKE,
        POSITIONS,
    ),
    Mistake(
        "too loud",
        N_("The encoding is multiplied by 30 before it is added."),
        N_("Its products drown those of the words: each place attends to itself, whatever the word."),
        partial(_in_either_order, 1.0),
        partial(_in_either_order, LOUD),
        MustHold(
            N_("the same words in the opposite order have other weights"),
            N_("largest change of a weight, at least 0.01"),
            lambda result, _x: float((result[0] - result[1]).abs().max()),
            least=0.01,
        ),
        SENTENCE,
    ),
    Mistake(
        "off by one",
        N_("Queries count from 0 and keys from 1."),
        N_("Every query finds its own position at the key before it: the map moves by one column."),
        partial(_of_places, 0),
        partial(_of_places, 1),
        MustHold(
            N_("with the words silent, every query looks most at its own place"),
            N_("queries that look most elsewhere"),
            lambda result, x: float((result.argmax(dim=-1) != torch.arange(len(x))).sum()),
            most=0.0,
        ),
        SILENT,
    ),
)
"""Mistakes with positions by name, read-only.

>>> [pair for _, *pair in POSITION_MISTAKES["off by one"].numbers]
[[0.0, 5.0]]
"""
