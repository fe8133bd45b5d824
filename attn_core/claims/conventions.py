"""Claims about conventions: the divisor of the scores, X W or W X, a ramp in place of a sinusoid."""

from collections.abc import Sequence

import torch

from attn_core import _require
from attn_core.claims.measurements import Measurements, Study
from attn_core.positional import ramp_encoding, sinusoidal_encoding

ROOT_D, ROOT_2, NOTHING = "÷ √d_k", "÷ √2", "not divided"
N_QUERY, N_KEY = 64, 10


def divisors(seeds: Sequence[int], widths: Sequence[int]) -> Study:
    r"""Divide the products of standard normal queries and keys by √d_k, by √2 or by nothing.

    "variance" is that of the softmax's inputs, "largest weight" the largest of 10 keys, "gradient" the
    Frobenius norm of the softmax's Jacobian; all are means over 64 queries, each with keys of its own.

    Source: Vaswani et al. (2017), section 3.2.1, footnote 4.

    >>> study = divisors([0, 1], [1, 2])
    >>> bool((study.at("variance", "÷ √2", 2) == study.at("variance", "÷ √d_k", 2)).all())
    True
    """
    sizes = [_require.integer("each width", width, least=1) for width in widths]
    measurements = Measurements()
    by = torch.tensor(sizes, dtype=torch.float64)[:, None, None]
    divisors = {ROOT_D: by.sqrt(), ROOT_2: torch.full_like(by, 2).sqrt(), NOTHING: torch.ones_like(by)}
    for seed in seeds:
        generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
        query = torch.randn(N_QUERY, 1, max(sizes), generator=generator, dtype=torch.float64)
        key = torch.randn(N_QUERY, N_KEY, max(sizes), generator=generator, dtype=torch.float64)
        products = torch.stack([(query * key)[..., :size].sum(dim=-1) for size in sizes])
        for name, divisor in divisors.items():
            weights = torch.softmax(entering := products / divisor, dim=-1)
            jacobian = torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]
            for measure, each in (
                ("variance", entering.flatten(start_dim=1).var(dim=-1)),
                ("largest weight", weights.amax(dim=-1).mean(dim=-1)),
                ("gradient", jacobian.norm(dim=(-2, -1)).mean(dim=-1)),
            ):
                measurements.add(measure, name, each)
    return Study("d_k", tuple(sizes), measurements.curves(len(sizes)))


TRANSPOSED, OTHER_SIDE, OTHER_WAY = "(Wᵀ Xᵀ)ᵀ", "W X", "X Wᵀ"


def sides(seeds: Sequence[int], sizes: Sequence[int]) -> Study:
    """Compare W X, X Wᵀ and (Wᵀ Xᵀ)ᵀ with X W, for X and W both n x n and standard normal.

    "difference" is relative to the norm of X W, whose rows are tokens. X and W are square, since W X has no
    shape where the number of tokens is not the width. ``nn.Linear`` stores Wᵀ: X Wᵀ is the result if its
    weight is mistaken for W.

    >>> sides([0], [1]).measures["difference"]["W X"].tolist()
    [[0.0]]
    """
    measurements = Measurements()
    for seed in seeds:
        for size in sizes:
            generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
            x, w = torch.randn(2, size, size, generator=generator, dtype=torch.float64)
            right = x @ w
            for name, other in ((TRANSPOSED, (w.T @ x.T).T), (OTHER_SIDE, w @ x), (OTHER_WAY, x @ w.T)):
                measurements.add("difference", name, (other - right).norm() / right.norm())
    return Study("width and tokens", tuple(sizes), measurements.curves(len(sizes)))


RAMP, SINUSOID, SLOWEST, FASTEST = "ramp", "sinusoid", "slowest sine", "fastest sine"
OFFSET, D_MODEL = 5, 16


def ramp_and_sinusoid(positions: Sequence[int]) -> Study:
    """Compare a ramp, p / 2 in every dimension of position p, with sinusoids of d_model 16, base 10,000.

    "length" is a position vector's norm; "product" its product with the vector 5 positions on; "share of a
    straight line" is sin(w p) / (w p) for the fastest and the slowest of the sinusoid's frequencies w.

    Invariant: the sinusoid's lengths are sqrt(8), and its products depend on the offset alone.

    >>> study = ramp_and_sinusoid([1, 2, 40])
    >>> bool((study.measures["length"]["sinusoid"] - 8**0.5).abs().max() < 1e-12)
    True
    """
    places = torch.tensor([_require.integer("each position", each, least=1) for each in positions])
    longest = int(places.max()) + OFFSET + 1
    encodings = {
        SINUSOID: sinusoidal_encoding(longest, D_MODEL, dtype=torch.float64),
        RAMP: ramp_encoding(longest, D_MODEL, dtype=torch.float64),
    }
    sines = encodings[SINUSOID][places]
    angles = {FASTEST: (sines[:, 0], 1.0), SLOWEST: (sines[:, -2], 10000 ** (2 / D_MODEL - 1))}
    return Study(
        "position",
        tuple(positions),
        {
            "length": {name: each[places].norm(dim=-1)[None] for name, each in encodings.items()},
            "product": {
                name: (each[places] * each[places + OFFSET]).sum(dim=-1)[None]
                for name, each in encodings.items()
            },
            "share of a straight line": {
                name: (sine / (frequency * places))[None] for name, (sine, frequency) in angles.items()
            },
        },
    )
