"""What the sweep over widths and the cost of attention show, in sentences."""

from collections.abc import Sequence
from typing import Protocol


class Cost(Protocol):
    """What attention costs."""

    @property
    def pairs(self) -> int:
        """Pairs of query and key."""

    @property
    def flops(self) -> int:
        """Floating-point operations."""

    @property
    def bytes(self) -> int:
        """Bytes held."""


def cost_table(cost: Cost, full: Cost) -> str:
    """Compare what the mask leaves with full attention, as a markdown table."""
    rows = (
        ("pairs of query and key", cost.pairs, full.pairs),
        ("floating-point operations", cost.flops, full.flops),
        ("bytes, at 8 a number", cost.bytes, full.bytes),
    )
    lines = ["| | under this mask | full attention | share |", "|---|---:|---:|---:|"]
    lines += [f"| {name} | {one:,} | {all_:,} | {one / all_:.1%} |" for name, one, all_ in rows]
    return "\n".join(lines)


def cost_sentence(kind: str, longest: int, pairs: int) -> str:
    """Say how the cost grows under a mask."""
    if kind == "none":
        return (
            "Without a mask every pair is computed: twice the tokens, four times the cost. The dashed line "
            "marks the present number of tokens."
        )
    if kind == "own":
        return "A mask of single cells saves no more than those cells, however long the sentence grows."
    return (
        f"At {longest:,} tokens this mask leaves {pairs / longest**2:.1%} of the pairs. The saving is real "
        "only where the code skips masked pairs; plain softmax(QKᵀ) computes them all and discards them."
    )


def scale_sentence(
    width: int, variance: Sequence[float], largest: Sequence[float], gradient: Sequence[float]
) -> str:
    """Say what scaling does at one width; each pair is unscaled, then scaled."""
    if width == 1:
        return "At width 1 there is nothing to divide: √1 = 1, and both are the same."
    return (
        f"At d_k = {width} the scores have variance {variance[0]:.1f}, scaled {variance[1]:.2f}. Unscaled, "
        f"the largest of 16 weights is {largest[0]:.2f} on average and the gradient {gradient[0]:.3f}; "
        f"scaled, {largest[1]:.2f} and {gradient[1]:.3f}."
    )
