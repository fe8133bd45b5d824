"""One head's map of a long text, of which only parts are computed and in memory at a time."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

AT_ONCE_BYTES = 16_000_000
"""Bytes that the scores of all heads may take, for the queries that are computed together."""
AT_HAND_BYTES = 1_000_000
"""Bytes that the scores of one head may take, for a block of rows: few enough for a processor's cache."""


def rows_at_once(n_head: int, n_key: int) -> int:
    """Return how many rows of all heads' maps are computed at once.

    >>> rows_at_once(12, 4096), rows_at_once(1, 10_000_000)
    (81, 1)
    """
    return max(1, AT_ONCE_BYTES // (4 * n_head * n_key))


def band_mask(
    rows: range, keys: range, *, window: int | None, is_causal: bool
) -> Bool[Tensor, "n_row n_key"] | None:
    """Return the part of a causal or window mask for some rows and keys; None without a mask.

    >>> band_mask(range(2, 4), range(4), window=2, is_causal=True).int().tolist()
    [[0, 1, 1, 0], [0, 0, 1, 1]]
    """
    if window is None and not is_causal:
        return None
    query, key = (torch.arange(each.start, each.stop, dtype=torch.int32) for each in (rows, keys))
    if window is None:
        return query[:, None] >= key
    before = query[:, None] - key  # how far a key is before a query
    near = before.abs() < window
    return near & (before >= 0) if is_causal else near


@dataclass(frozen=True)
class LazyMask:
    """A causal or window mask, (n, n), whose parts are computed when they are read."""

    n: int
    window: int | None
    is_causal: bool

    @property
    def shape(self) -> tuple[int, int]:
        """The shape, (n, n)."""
        return self.n, self.n

    def __getitem__(self, part: tuple[slice, slice]) -> NDArray[np.bool_]:
        """Return a part."""
        rows, keys = (range(self.n)[each] for each in part)
        mask = band_mask(rows, keys, window=self.window, is_causal=self.is_causal)
        assert mask is not None
        return mask.numpy()


@dataclass(frozen=True, eq=False)
class HeadMap:
    r"""One head's weights, (n, n), whose parts are computed when they are read.

    $$w_{ij} = \exp(s_{ij} - m_i) / t_i, \qquad m_i = \max_j s_{ij}, \qquad t_i = \sum_j \exp(s_{ij} - m_i)$$

    It holds 2 n (d_head + 1) numbers, and a part that is read takes one number per cell. To make the map, the
    scores of ``AT_HAND_BYTES`` at a time are computed.

    Attributes:
        query, key: (n, d_head), rotated by their positions where there is a rotation.
        highest, total: m and t of each row, (n,).

    Invariant: rows sum to one.

    >>> query = torch.tensor([[0.0], [1.0]])
    >>> HeadMap.of(query, query, scale=1.0, is_causal=True)[0:2, 0:2]
    tensor([[1.0000, 0.0000],
            [0.2689, 0.7311]])
    """

    query: Float[Tensor, "n d_head"]
    key: Float[Tensor, "n d_head"]
    scale: float
    softcap: float | None
    window: int | None
    is_causal: bool
    highest: Float[Tensor, " n"] = field(repr=False)
    total: Float[Tensor, " n"] = field(repr=False)

    @classmethod
    def of(
        cls,
        query: Float[Tensor, "n d_head"],
        key: Float[Tensor, "n d_head"],
        *,
        scale: float,
        softcap: float | None = None,
        window: int | None = None,
        is_causal: bool = False,
    ) -> "HeadMap":
        """Return the map of queries and keys, with each row's largest score and sum computed."""
        highest, total = query.new_zeros(len(query)), query.new_ones(len(query))
        head_map = cls(query, key, scale, softcap, window, is_causal, highest, total)
        for rows in head_map.blocks():
            scores = head_map._scores(rows, range(rows.stop if is_causal else len(key)))
            part = slice(rows.start, rows.stop)
            highest[part] = scores.amax(dim=-1)
            total[part] = scores.sub_(highest[part, None]).exp_().sum(dim=-1)
        return head_map

    @property
    def shape(self) -> tuple[int, int]:
        """The shape, (n, n)."""
        return len(self.query), len(self.key)

    @property
    def ndim(self) -> int:
        """The number of axes, 2."""
        return 2

    @property
    def may(self) -> LazyMask | None:
        """The mask, (n, n), True = may attend; None without one."""
        if self.window is None and not self.is_causal:
            return None
        return LazyMask(len(self.query), self.window, self.is_causal)

    def blocks(self) -> Iterator[range]:
        """Yield ranges of rows that cover the map, each of at most ``AT_HAND_BYTES`` of scores."""
        n = len(self.query)
        some = max(1, AT_HAND_BYTES // (4 * n))
        return (range(first, min(n, first + some)) for first in range(0, n, some))

    def __getitem__(self, part: tuple[slice, slice]) -> Float[Tensor, "n_row n_column"]:
        """Return the weights of a part, a slice of queries and a slice of keys."""
        rows, keys = range(len(self.query))[part[0]], range(len(self.key))[part[1]]
        here, reach = slice(rows.start, rows.stop), min(keys.stop, rows.stop) if self.is_causal else keys.stop
        scores = self._scores(rows, range(keys.start, max(keys.start, reach)))
        weights = scores.sub_(self.highest[here, None]).exp_().div_(self.total[here, None])
        return F.pad(weights, (0, len(keys) - weights.shape[1]))  # later keys have weight 0

    def before(self, offset: int) -> Float[Tensor, " n_query"]:
        """Return each query's weight on the key ``offset`` positions before it, for queries that have one.

        >>> query = torch.tensor([[0.0], [1.0]])
        >>> HeadMap.of(query, query, scale=1.0).before(1)
        tensor([0.2689])
        """
        n = len(self.query)
        scores = self._bent((self.query[offset:] * self.key[: n - offset]).sum(dim=-1))
        weights = scores.sub_(self.highest[offset:]).exp_().div_(self.total[offset:])
        return weights.zero_() if self.window is not None and offset >= self.window else weights

    def _scores(self, rows: range, keys: range) -> Tensor:
        scores = self._bent(self.query[rows.start : rows.stop] @ self.key[keys.start : keys.stop].mT)
        # Without a window, no key before the first row is masked.
        among = keys if self.window is not None else keys[max(0, rows.start - keys.start) :]
        mask = band_mask(rows, among, window=self.window, is_causal=self.is_causal)
        if mask is not None:
            scores[:, len(keys) - len(among) :].masked_fill_(~mask, -torch.inf)
        return scores

    def _bent(self, products: Tensor) -> Tensor:
        scores = products.mul_(self.scale)
        return scores if self.softcap is None else scores.div_(self.softcap).tanh_().mul_(self.softcap)
