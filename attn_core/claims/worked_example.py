"""Claims about the worked example "I love dogs": its printed weights, its grammar, its symmetry."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.attention import scaled_dot_product_attention
from attn_core.claims.measurements import Measurements, Study
from attn_core.positional import ramp_encoding

WORDS = ("I", "love", "dogs")
PRINTED_OWN, PRINTED_OTHER = 0.4519, 0.2741
D_MODEL = 4
FORWARD, REVERSED, LENGTH_1 = "I love dogs", "dogs love I", "rows of length 1"


def _weights(words: Sequence[str], step: float, *, unit: bool = False) -> Float[Tensor, "n n"]:
    """Return the weights of one-hot words plus a ramp, with Q = K = X."""
    x = torch.eye(D_MODEL, dtype=torch.float64)[[WORDS.index(word) for word in words]]
    if step:
        x = x + ramp_encoding(len(words), D_MODEL, step=step, dtype=torch.float64)
    x = x / x.norm(dim=-1, keepdim=True) if unit else x
    return scaled_dot_product_attention(x, x, x).weights


def printed_with_positions(steps: Sequence[float]) -> Study:
    """Compare the weights of "I love dogs" with the printed ones, for ramps of growing step.

    "own weight" is each word's weight on itself; "difference from the printed" is the largest difference
    from 0.4519 on the diagonal and 0.2741 elsewhere. Step 0 means no positions.

    >>> study = printed_with_positions([0.0, 0.5])
    >>> [round(float(each), 4) for each in study.measures["own weight"]["dogs"][0]]
    [0.4519, 0.8173]
    """
    measurements = Measurements()
    expected = torch.full((3, 3), PRINTED_OTHER, dtype=torch.float64).fill_diagonal_(PRINTED_OWN)
    for step in steps:
        weights = _weights(WORDS, _require.finite("each step", step, requirement="a finite number"))
        for word, own in zip(WORDS, weights.diagonal(), strict=True):
            measurements.add("own weight", word, own)
        measurements.add("difference from the printed", "all nine", (weights - expected).abs().max())
    return Study("step of the ramp", tuple(steps), measurements.curves(len(steps)))


def phrase(steps: Sequence[float]) -> Study:
    """Measure the weight of "love" on "dogs": as written, in reverse order, and with rows of length 1.

    "weight on dogs" is in the row of "love"; "lead of dogs" is this weight less the larger of the other two.

    >>> study = phrase([0.5])
    >>> {name: round(float(found), 4) for name, found in study.measures["weight on dogs"].items()}
    {'I love dogs': 0.4995, 'dogs love I': 0.1115, 'rows of length 1': 0.3432}
    """
    measurements = Measurements()
    for step in steps:
        _require.finite("each step", step, requirement="a finite number")
        for name, words, unit in (
            (FORWARD, WORDS, False),
            (REVERSED, WORDS[::-1], False),
            (LENGTH_1, WORDS, True),
        ):
            row = _weights(words, step, unit=unit)[words.index("love")]
            dogs = words.index("dogs")
            others = torch.cat([row[:dogs], row[dogs + 1 :]])
            measurements.add("weight on dogs", name, row[dogs])
            measurements.add("lead of dogs", name, row[dogs] - others.max())
    return Study("step of the ramp", tuple(steps), measurements.curves(len(steps)))


ANEW, ONE_SEED, NOT_DRAWN = "W drawn anew", "W from one seed", "one-hot words, no W"


def run_again(seeds: Sequence[int], runs: Sequence[int]) -> Study:
    """Run a program again, on three words of width 4, and compare its output with that of the first run.

    "difference" is the largest difference between two numbers. W_q, W_k and W_v are standard normal, drawn
    anew in each run or from one seed; or there are none.

    >>> study = run_again([0], [2])
    >>> {name: round(float(found), 2) for name, found in study.measures["difference"].items()}
    {'W drawn anew': 1.34, 'W from one seed': 0.0, 'one-hot words, no W': 0.0}
    """
    x = torch.eye(3, D_MODEL, dtype=torch.float64)

    def output(seed: int | None) -> Tensor:
        matrices = torch.eye(D_MODEL, dtype=x.dtype).expand(3, D_MODEL, D_MODEL)
        if seed is not None:
            generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
            matrices = torch.randn(3, D_MODEL, D_MODEL, generator=generator, dtype=x.dtype)
        return scaled_dot_product_attention(*x @ matrices).output

    measurements = Measurements()
    for seed in seeds:
        for run in runs:
            for name, first, again in (
                (ANEW, seed, seed + run - 1),
                (ONE_SEED, seed, seed),
                (NOT_DRAWN, None, None),
            ):
                measurements.add("difference", name, (output(again) - output(first)).abs().max())
    return Study("run", tuple(runs), measurements.curves(len(runs)))


SCORES, WEIGHTS = "scores with Q = K", "weights with Q = K"
ONE_HOT, PROJECTED = "weights of one-hot words", "scores with W_q and W_k"


def symmetry(seeds: Sequence[int], lengths: Sequence[int]) -> Study:
    r"""Measure how far scores and weights without positions are from symmetric.

    $$\max |A - A^T| / \max |A|$$

    Words are standard normal and 4 numbers wide, with Q = K, or with standard normal W_q and W_k; or one-hot,
    all different.

    Invariant: the scores of Q = K are symmetric; so are weights of one-hot words, whose row sums are equal.

    >>> study = symmetry([0], [4])
    >>> [bool(study.at("asymmetry", f"{each} with Q = K", 4) > 0.1) for each in ("scores", "weights")]
    [False, True]
    """
    measurements = Measurements()
    for seed in seeds:
        for length in lengths:
            generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
            n = _require.integer("each length", length, least=1)
            x = torch.randn(n, D_MODEL, generator=generator, dtype=torch.float64)
            w_q, w_k = torch.randn(2, D_MODEL, D_MODEL, generator=generator, dtype=torch.float64)
            same, hot = (
                scaled_dot_product_attention(*[each] * 3) for each in (x, torch.eye(n, dtype=x.dtype))
            )
            stages = scaled_dot_product_attention(x @ w_q, x @ w_k, x)
            for name, matrix in (
                (SCORES, same.scaled_scores),
                (WEIGHTS, same.weights),
                (ONE_HOT, hot.weights),
                (PROJECTED, stages.scaled_scores),
            ):
                measurements.add("asymmetry", name, (matrix - matrix.mT).abs().max() / matrix.abs().max())
    return Study("tokens", tuple(lengths), measurements.curves(len(lengths)))
