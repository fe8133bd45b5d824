"""The page's numbers against independent code, computed on the spot."""

import cmath
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from attn_core.positional import rotary_embedding, sinusoidal_encoding
from attn_core.schemes import NoPositions, Scheme, shift_difference, shuffle_difference
from pages.positional_encoding.setup import Settings, Setup


@dataclass(frozen=True)
class Check:
    """What is checked, and the largest difference found."""

    what: str
    difference: float


def run_checks(setup: Setup, at: Settings, strength: float) -> list[Check]:
    """Check what the page shows now."""
    placed, x = setup.placed(at, strength), setup.vectors()
    attended = placed.attend(x)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(setup.seed))
    checks = [
        Check("Each row of the weights sums to 1", _largest(attended.weights.sum(-1) - 1)),
        Check(
            "The output is that of torch's own attention, given the same queries, keys and bias",
            _largest(attended.output - _by_torch(placed, x)),
        ),
        Check(
            "Without positions, shuffled words give the shuffled output",
            _largest(shuffle_difference(NoPositions(), x, order)),
        ),
    ]
    if setup.scheme == "sinusoidal":
        checks += _sinusoidal_checks(setup, at)
    if setup.scheme == "rotary":
        checks += _rotary_checks(setup, at, x)
    if placed.adds != "nothing" and placed.sees_offsets_only(setup.width):
        moved = shift_difference(setup.placed(at), len(x), setup.width, torch.tensor([7]))
        checks.append(
            Check("Moving all positions on by 7 changes nothing between positions", _largest(moved))
        )
    if setup.scheme == "ALiBi":
        slope = _alibi_slope(at.head, setup.num_heads)
        naive = [[-slope * abs(i - j) for j in range(len(x))] for i in range(len(x))]
        difference = setup.placed(at).bias(len(x), len(x)) - torch.tensor(naive, dtype=torch.float64)
        checks.append(Check("The bias is -m |i - j|, in a plain loop", _largest(difference)))
    return checks


def _by_torch(placed: Scheme, x: Tensor) -> Tensor:
    n, d = x.shape
    query = x + placed.vectors(n, d, start=placed.first)
    turned = placed.turn(query, torch.arange(n) + placed.first)
    bias = placed.bias(n, n) if placed.adds == "bias" else None
    return F.scaled_dot_product_attention(turned[None], turned[None], query[None], attn_mask=bias)[0]


def _sinusoidal_checks(setup: Setup, at: Settings) -> list[Check]:
    length, d = 64, setup.width
    naive = torch.zeros(length, d, dtype=torch.float64)
    for p in range(length):
        for i in range(d):
            angle = p * at.base ** (-(i - i % 2) / d)
            naive[p, i] = math.cos(angle) if i % 2 else math.sin(angle)
    interleaved = sinusoidal_encoding(length, d, base=at.base)
    concatenated = sinusoidal_encoding(length, d, base=at.base, layout="concatenated")
    order = [*range(0, d, 2), *range(1, d, 2)]
    return [
        Check(
            "The encoding is the formula, in a plain loop over 64 positions", _largest(interleaved - naive)
        ),
        Check(
            "The two layouts differ by a permutation of dimensions only",
            _largest(interleaved[:, order] - concatenated),
        ),
    ]


def _rotary_checks(setup: Setup, at: Settings, x: Tensor) -> list[Check]:
    turned = rotary_embedding(x, base=at.base)
    d = setup.width
    difference = 0.0
    for p in range(len(x)):
        for pair in range(d // 2):
            a, b = x[p, 2 * pair].item(), x[p, 2 * pair + 1].item()
            z = complex(a, b) * cmath.exp(1j * p * at.base ** (-2 * pair / d))
            found = complex(turned[p, 2 * pair].item(), turned[p, 2 * pair + 1].item())
            difference = max(difference, abs(z - found))
    return [
        Check("Turning is multiplying by exp(i p ω), pair by pair as complex numbers", difference),
        Check("Turning leaves lengths as they are", _largest(turned.norm(dim=-1) - x.norm(dim=-1))),
    ]


def _alibi_slope(head: int, num_heads: int) -> float:
    """Return the slope as the paper's program does, for any number of heads."""

    def powers(n: int) -> list[float]:
        ratio = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [ratio * ratio**i for i in range(n)]

    near = 2 ** math.floor(math.log2(num_heads))
    return (powers(near) + powers(2 * near)[0::2][: num_heads - near])[min(head, num_heads) - 1]


def _largest(difference: Tensor) -> float:
    return float(difference.abs().max())
