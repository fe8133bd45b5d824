"""How fast the mathematics is, each part against a named peer in the same run: ``python -m benchmarks.core``.

All comparisons run on one torch thread, in eval mode, without gradients. Their two sides take turns, so that
a busy machine slows both; the result is the median of the ratios of neighbouring turns. Exits with 1 when a
target is missed.
"""

import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from statsmodels.nonparametric.kernel_regression import KernelReg
from torch import Tensor

from attn_core import MultiHeadAttention, bandwidth_search, regression_sample, scaled_dot_product_attention

LENGTHS = (128, 512, 2048)
N_HEAD, D_HEAD = 8, 64
D_MODEL = N_HEAD * D_HEAD
SECONDS_A_COMPARISON = 8.0


@dataclass(frozen=True)
class Timing:
    """Median seconds of both sides, and how ours relates to the target."""

    what: str
    peer: str
    ours: float
    peers: float
    ratio: float
    target: str
    reached: bool


def turns(ours: Callable[[], object], peers: Callable[[], object]) -> tuple[list[float], list[float]]:
    """Time both sides in turn, after one turn to warm up."""
    times: tuple[list[float], list[float]] = ([], [])
    start = time.perf_counter()
    while len(times[0]) < 16 or time.perf_counter() - start < SECONDS_A_COMPARISON:
        # Who goes first changes, so that neither always finds the caches as the other left them.
        sides = [(0, ours), (1, peers)]
        for side, run in sides if len(times[0]) % 2 else reversed(sides):
            before = time.perf_counter()
            run()
            times[side].append(time.perf_counter() - before)
    return times[0][1:], times[1][1:]


def at_most(
    limit: float, what: str, peer: str, ours: Callable[[], object], peers: Callable[[], object]
) -> Timing:
    """Compare two sides whose ratio ours / peer must stay below a limit."""
    mine, theirs = turns(ours, peers)
    ratio = statistics.median(a / b for a, b in zip(mine, theirs, strict=True))
    median = statistics.median
    return Timing(what, peer, median(mine), median(theirs), ratio, f"<= {limit:.2f} x", ratio <= limit)


def leave_one_out() -> list[Timing]:
    """Time the leave-one-out errors of 50 bandwidths at n = 500 on both sides."""
    sample = regression_sample("sine", n_points=500)
    bandwidths = torch.logspace(-1.5, 0.5, 50, dtype=torch.float64)
    peer = KernelReg(sample.values.numpy(), sample.keys.numpy(), "c", reg_type="lc", bw=[1.0], rng=0)

    def peers() -> list[float]:
        return [peer.cv_loo(np.array([h]), peer.est["lc"]).item() for h in bandwidths.tolist()]

    def ours() -> Tensor:
        return bandwidth_search(sample.keys, sample.values, bandwidths=bandwidths).leave_one_out_errors

    np.testing.assert_allclose(ours().numpy(), peers(), rtol=1e-8)
    mine, theirs = turns(ours, peers)
    faster = statistics.median(b / a for a, b in zip(mine, theirs, strict=True))
    what = "leave-one-out, 50 bandwidths, n = 500", "statsmodels KernelReg.cv_loo"
    return [
        Timing(
            *what, statistics.median(mine), statistics.median(theirs), faster, ">= 50 x faster", faster >= 50
        )
    ]


def bare_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the results of the same torch operations with nothing around them, all intermediates kept."""
    scores = query @ key.mT
    scaled_scores = scores * D_HEAD**-0.5
    weights = torch.softmax(scaled_scores, dim=-1)
    return scores, scaled_scores, weights, weights @ value


def attention(n: int) -> list[Timing]:
    """Time one call with every stage kept, against the bare operations."""
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(N_HEAD, n, D_HEAD, generator=generator) for _ in range(3))
    return [
        at_most(
            1.15,
            f"scaled_dot_product_attention, n = {n}",
            "the same torch operations, bare",
            lambda: scaled_dot_product_attention(query, key, value),
            lambda: bare_attention(query, key, value),
        )
    ]


def multi_head(n: int) -> list[Timing]:
    """Time the fast path and the full forward, against torch's module with the same weights."""
    ours = MultiHeadAttention(D_MODEL, N_HEAD).eval()
    theirs = ours.to_torch().eval()
    x = torch.randn(1, n, D_MODEL, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(ours.fast(x), theirs(x, x, x, need_weights=False)[0], rtol=0, atol=1e-4)
    torch.testing.assert_close(ours(x).output, theirs(x, x, x)[0], rtol=0, atol=1e-4)
    return [
        at_most(
            1.05,
            f"MultiHeadAttention.fast, n = {n}",
            "nn.MultiheadAttention, need_weights=False",
            lambda: ours.fast(x),
            lambda: theirs(x, x, x, need_weights=False),
        ),
        at_most(
            1.25,
            f"MultiHeadAttention, all stages, n = {n}",
            "nn.MultiheadAttention, average_attn_weights=False",
            lambda: ours(x),
            lambda: theirs(x, x, x, need_weights=True, average_attn_weights=False),
        ),
    ]


def main() -> int:
    """Print the table; return 1 when a target is missed."""
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, 1 thread, no_grad, eval, float32 (leave-one-out: float64)")
    print(f"{platform.platform()}; {N_HEAD} heads of {D_HEAD}\n")
    print(f"| {'ours':<40} | {'peer':<49} | ours ms | peer ms | ratio | target         |     |")
    print(f"|{'-' * 42}|{'-' * 51}|--------:|--------:|------:|----------------|-----|")
    comparisons: list[Callable[[], list[Timing]]] = [
        leave_one_out,
        *(partial(compare, n) for compare in (attention, multi_head) for n in LENGTHS),
    ]
    misses = 0
    for compare in comparisons:
        with torch.no_grad():
            results = compare()
        for each in results:
            misses += not each.reached
            print(
                f"| {each.what:<40} | {each.peer:<49} | {1e3 * each.ours:7.2f} | {1e3 * each.peers:7.2f} |"
                f" {each.ratio:5.2f} | {each.target:<14} | {'yes' if each.reached else 'NO':<3} |",
                flush=True,
            )
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
