"""Mistakes with positions that go around, each beside what is right, and the check that it fails."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.positional import sinusoidal_encoding
from attn_core.schemes import Sinusoidal, by_offset
from attn_words import N_

LOUD = 30.0  # both stand in the sentences below
SMALL_BASE = 1.2


@dataclass(frozen=True, eq=False)
class Compared:
    """Right and broken maps (n, n), and the number that a check measures of each: to be below ``bound``."""

    right: Float[Tensor, "n n"]
    broken: Float[Tensor, "n n"]
    measured: tuple[float, float]
    bound: tuple[float, float]

    @property
    def holds(self) -> tuple[bool, bool]:
        """Whether the check holds for the right map, and for the broken one."""
        right, broken = (m < b for m, b in zip(self.measured, self.bound, strict=True))
        return right, broken


@dataclass(frozen=True, eq=False)
class PositionMistake:
    """A mistake: ``what`` is done, ``why`` it is wrong, the ``check`` it fails, in words and as ``measure``.

    ``compare`` is called with vectors x (n, d_model) and a base. ``maps`` says what it returns: "products"
    of positions, or "weights".
    """

    name: str
    what: str
    why: str
    check: str
    measure: str
    maps: str
    compare: Callable[[Tensor, float], Compared]


def split_pairs_encoding(length: int, d_model: int, base: float) -> Float[Tensor, "length d_model"]:
    """Give every dimension a frequency of its own, so that no sine has its cosine.

    The exponent is i/d_model for dimension i, where it should be the same for both of a pair.

    >>> split_pairs_encoding(2, 2, 100.0)
    tensor([[0.0000, 1.0000],
            [0.8415, 0.9950]], dtype=torch.float64)
    """
    length = _require.whole("length", length, least=1)
    i = torch.arange(_require.whole("d_model", d_model, least=1), dtype=torch.float64)
    angles = torch.arange(length)[:, None] * torch.tensor(base, dtype=torch.float64) ** (-i / d_model)
    return torch.where(i % 2 == 0, angles.sin(), angles.cos())


def _products(encoding: Tensor) -> Tensor:
    return encoding @ encoding.mT


def _far_against_near(products: Tensor) -> tuple[float, float]:
    """Return the highest product at offsets from 2 on, and that at offset 1."""
    _, mean, _ = by_offset(products)
    centre = products.shape[-1] - 1
    return float(mean[centre + 2 :].max()), float(mean[centre + 1])


def _compare_products(right: Tensor, broken: Tensor) -> Compared:
    (right_far, right_near), (broken_far, broken_near) = map(_far_against_near, (right, broken))
    return Compared(right, broken, (right_far, broken_far), (right_near, broken_near))


def _other_base(x: Tensor, base: float, other: float) -> Compared:
    right, broken = (_products(sinusoidal_encoding(64, x.shape[-1], base=each)) for each in (base, other))
    return _compare_products(right, broken)


def _split_pairs(x: Tensor, base: float) -> Compared:
    length, width = 64, x.shape[-1]
    right = _products(sinusoidal_encoding(length, width, base=base))
    broken = _products(split_pairs_encoding(length, width, base))
    spreads = []
    for products in (right, broken):
        low, _, high = by_offset(products)
        spreads.append(float((high - low).max()))
    return Compared(right, broken, (spreads[0], spreads[1]), (1e-9, 1e-9))


def _too_loud(x: Tensor, base: float) -> Compared:
    maps, unmoved = [], []
    for strength in (1.0, LOUD):
        scheme = Sinusoidal(base=base, strength=strength)
        weights, traded = scheme.attend(x).weights, scheme.attend(x.flip(0)).weights
        maps.append(weights)
        unmoved.append(-float((weights - traded).abs().max()))
    return Compared(maps[0], maps[1], (unmoved[0], unmoved[1]), (-0.01, -0.01))


def _off_by_one(x: Tensor, base: float) -> Compared:
    scheme, silent = Sinusoidal(base=base), torch.zeros_like(x)
    maps = [scheme.attend(silent, key_shift=shift).weights for shift in (0, 1)]
    off = [float((m.argmax(dim=-1) != torch.arange(len(x))).sum()) for m in maps]
    return Compared(maps[0], maps[1], (off[0], off[1]), (0.5, 0.5))


_ALIKE = N_("A position is more like the next one than like any further away.")
_HIGHEST = N_("highest product from offset 2 on, to be below that at offset 1")

POSITION_MISTAKES: Mapping[str, PositionMistake] = MappingProxyType(
    {
        mistake.name: mistake
        for mistake in (
            PositionMistake(
                "one frequency",
                N_("The sines and cosines of all pairs have the same frequency: the exponent was left out."),
                N_("All waves then repeat together every 6.28 positions: position 44 looks like position 0."),
                _ALIKE,
                _HIGHEST,
                "products",
                lambda x, base: _other_base(x, base, 1.0),
            ),
            PositionMistake(
                "split pairs",
                N_("Every dimension has a frequency of its own, so a sine and its cosine are not a pair."),
                N_(
                    "sin a sin b + cos a cos b = cos(a - b) needs one frequency: now the place counts, "
                    "not the offset alone."
                ),
                N_("Pairs at the same offset have the same product."),
                N_("largest spread at one offset, to be 0 but for rounding"),
                "products",
                _split_pairs,
            ),
            PositionMistake(
                "base too small",
                N_("The base is 1.2, so even the slowest wave repeats within a few positions."),
                N_("Positions six apart look more alike than neighbours: no slow wave tells them apart."),
                _ALIKE,
                _HIGHEST,
                "products",
                lambda x, base: _other_base(x, base, SMALL_BASE),
            ),
            PositionMistake(
                "too loud",
                N_("The encoding is multiplied by 30 before it is added."),
                N_("Its products drown those of the words: each place attends to itself, whatever the word."),
                N_("Turning the order of the words round changes the weights."),
                N_("largest change of a weight, to be above 0.01"),
                "weights",
                _too_loud,
            ),
            PositionMistake(
                "off by one",
                N_("Queries count from 0 and keys from 1."),
                N_("Every query finds its own position at the key before it: the map moves by one column."),
                N_("With the words silent, every query looks most at its own place."),
                N_("queries that look most elsewhere, to be 0"),
                "weights",
                _off_by_one,
            ),
        )
    }
)
"""Mistakes with positions by name, read-only.

>>> x = torch.eye(5, 8, dtype=torch.float64)
>>> {name: each.compare(x, 10000.0).holds for name, each in POSITION_MISTAKES.items()}  # doctest: +ELLIPSIS
{'one frequency': (True, False), 'split pairs': (True, False), 'base too small': (True, False), ...
"""
