"""A step of writing against what a device can do: operations, bytes moved, and which of them it waits for."""

from collections.abc import Mapping
from dataclasses import dataclass

from attn_core import _require
from attn_core.kv_cache import decoding_cost


@dataclass(frozen=True)
class Device:
    """What a device can do at best: operations a second in 16-bit numbers, and bytes a second from memory."""

    name: str
    flops: float
    bandwidth: float

    @property
    def ridge(self) -> float:
        """The intensity, in operations a byte, below which it waits for memory."""
        return self.flops / self.bandwidth

    def attainable(self, intensity: float) -> float:
        r"""Return the operations a second that an intensity allows: $\min(\pi,\ \beta I)$.

        >>> DEVICES["A100"].attainable(1.0), DEVICES["A100"].attainable(1e6)
        (2039000000000.0, 312000000000000.0)
        """
        return min(self.flops, self.bandwidth * intensity)


DEVICES: Mapping[str, Device] = {
    "A100": Device("NVIDIA A100 SXM 80 GB", 312e12, 2039e9),
    "H100": Device("NVIDIA H100 SXM", 989.4e12, 3350e9),
}
"""Dense bfloat16 operations and memory bandwidth by NVIDIA's data sheets of 2021 and 2023."""


@dataclass(frozen=True)
class StepCost:
    """What one step of writing takes: operations, and bytes of weights and of cache that are moved."""

    flops: int
    weight_bytes: int
    cache_bytes: int

    @property
    def bytes(self) -> int:
        """All bytes moved."""
        return self.weight_bytes + self.cache_bytes

    @property
    def intensity(self) -> float:
        """Operations a byte."""
        return self.flops / self.bytes


def step_cost(
    keys: int, d_model: int, num_heads: int, d_head: int, *, texts: int = 1, bytes_per_number: int = 2
) -> StepCost:
    r"""Count what attention of one layer takes to write one token of each of some texts, from a cache.

    $$\mathrm{FLOPs} = B\,(8 d_{model} H d + H t (4d + 5)), \qquad
      \mathrm{bytes} = b\,(4 d_{model} H d + B\,2 H d t), \qquad I = \mathrm{FLOPs} / \mathrm{bytes}$$

    t ``keys`` are read of each of B ``texts``, the new one among them. The weights of the projections are
    read once for all texts; each has a cache of its own. Vectors between these stay on the chip.

    Invariant: more texts raise the intensity; with ever more keys it tends to (4d + 5) / (2bd).

    Raises ValueError for sizes below one.

    Source: Williams, Waterman and Patterson (2009), Roofline: An Insightful Visual Performance Model;
    operations as by ``decoding_cost``.

    >>> step_cost(13, 32, 2, 16)
    StepCost(flops=9986, weight_bytes=8192, cache_bytes=1664)
    """
    keys = _require.whole("keys", keys, least=1)
    texts = _require.whole("texts", texts, least=1)
    width = _require.whole("bytes_per_number", bytes_per_number, least=1)
    cost = decoding_cost(keys - 1, d_model, num_heads, d_head)
    weights = 4 * d_model * num_heads * d_head
    return StepCost(texts * cost.cached_flops, width * weights, width * texts * cost.cache_numbers)
