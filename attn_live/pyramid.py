"""A map of any size as an image pyramid: each level halves both sides, so a cell stands for a block."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Keep = Literal["max", "mean"]
KEEPS: tuple[Keep, ...] = ("max", "mean")
TILE = 256
"""Cells per side of a tile, the part of a level that is sent at once."""
TOP = 64
"""The last level's sides have at most this many cells."""
MOST_PLACES = 4096
"""The most queries, and the most keys, of one map."""
MOST_BYTES = MOST_PLACES**2 * 4 // 3
"""Bytes of the levels above a map, at most: 22 MB; while they are computed, ``MOST_MAKING``."""
STRIPE = 128
"""Rows of a map that are joined at once, an even number; with 4,096 keys they fit a processor's cache."""
MOST_MAKING = 3 * MOST_BYTES
"""Bytes beside the map, if it is masked and blocks are averaged; less in other cases."""


class CellSource(Protocol):
    """A map or a mask, as an array, or as an object that computes each part when it is read."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of queries and of keys."""

    def __getitem__(self, part: tuple[slice, slice]) -> Any:
        """Return a part."""


@dataclass(frozen=True, eq=False)
class Pyramid:
    r"""One map at every scale.

    $$L^k_{ij} = \max_{a,b < 2^k} w_{2^k i + a,\; 2^k j + b} \quad\text{or their mean}$$

    Level 0 is the map itself, (n_query, n_key); level k is (ceil(n_query / 2^k), ceil(n_key / 2^k)). A block
    at the edge is smaller. The largest weight keeps thin lines visible, such as a sink's column and the
    diagonal; the mean keeps how much weight there is.

    Attributes:
        weights: (n_query, n_key); not copied, and read in stripes of rows.
        keep: what a cell holds of its block, its largest weight or the mean.
        may: True where a query may attend, (n_query, n_key); None where everywhere. A masked cell is NaN, and
            a block is joined from its other cells; if all are masked, the block is NaN.
        levels: the levels above the map, if they are known already; see `above`.

    Raises ValueError for another number of axes, an empty side or one of more than ``MOST_PLACES``, a mask of
    another shape, and another ``keep``.

    Source: Williams (1983), Pyramidal Parametrics.

    >>> [Pyramid(np.eye(128), keep).level(1).diagonal()[:3].tolist() for keep in KEEPS]
    [[1.0, 1.0, 1.0], [0.5, 0.5, 0.5]]
    """

    weights: CellSource
    keep: Keep = "max"
    may: CellSource | None = None
    levels: Sequence[NDArray[np.float32]] | None = None

    def __post_init__(self) -> None:
        """Check the map, its mask and `keep`."""
        shape = tuple(self.weights.shape)
        if len(shape) != 2 or not all(1 <= side <= MOST_PLACES for side in shape):
            raise ValueError(f"a map must have two axes of 1 to {MOST_PLACES:,} places, got shape {shape}")
        if self.may is not None and tuple(self.may.shape) != shape:
            raise ValueError(f"the mask must be {shape}, as the weights, got {tuple(self.may.shape)}")
        if self.keep not in KEEPS:
            raise ValueError(f"keep must be one of {', '.join(KEEPS)}, got {self.keep!r}")

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """The shape of each level, the map's first."""
        n_query, n_key = self.weights.shape
        return level_sizes(n_query, n_key)

    @property
    def n_bytes(self) -> int:
        """The bytes of the levels above the map, in float32."""
        return sum(4 * rows * columns for rows, columns in self.sizes[1:])

    def level(self, number: int) -> NDArray[np.floating[Any]]:
        """Return one level."""
        return self._whole() if number == 0 else self.above[number - 1]

    def tile(self, level: int, row: int, column: int) -> bytes:
        """Return ``TILE`` x ``TILE`` cells of a level, fewer at its edges, as float32, row after row.

        Raises ValueError where there is no such tile.
        """
        if not 0 <= level < len(self.sizes):
            raise ValueError(f"level must be from 0 to {len(self.sizes) - 1}, got {level}")
        rows, columns = self.sizes[level]
        if not (0 <= row * TILE < rows and 0 <= column * TILE < columns):
            raise ValueError(f"level {level} of {rows} x {columns} cells has no tile ({row}, {column})")
        part = np.s_[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]
        cells = (self._whole(part) if level == 0 else self.above[level - 1][part]).astype("<f4")
        return cells.tobytes()

    def tiles(self, first: int = 0) -> bytes:
        """Return all tiles from a level on, level after level, row after row."""
        return b"".join(
            self.tile(level, row, column)
            for level, (rows, columns) in enumerate(self.sizes)
            if level >= first
            for row in range(-(-rows // TILE))
            for column in range(-(-columns // TILE))
        )

    def _whole(self, part: tuple[slice, slice] = np.s_[:, :]) -> NDArray[np.floating[Any]]:
        weights = np.asarray(self.weights[part])
        return weights if self.may is None else np.where(self.may[part], weights, np.nan)

    @cached_property
    def above(self) -> Sequence[NDArray[np.float32]]:
        """The levels above the map, in their order; computed when they are first needed."""
        if self.levels is not None:
            return self.levels
        times = len(self.sizes) - 1
        if not times:
            return []
        if self.keep == "max":
            return _halve(self._first(np.fmax, self._largest), times - 1, np.fmax)
        sums = _halve(self._first(np.add, self._sums), times - 1, np.add)
        counts = _halve(self._first(np.add, self._counts), times - 1, np.add)
        for each, count in zip(sums, counts, strict=True):
            np.divide(each, count, out=each, where=count > 0)
            each[count == 0] = np.nan
        return sums

    def _first(
        self, join: np.ufunc, read_part: Callable[[tuple[slice, slice]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """Return the first level above the map, computed stripe by stripe."""
        level = np.empty(self.sizes[1], dtype=np.float32)
        for first in range(0, self.sizes[0][0], STRIPE):
            cells = read_part(np.s_[first : first + STRIPE, :])
            level[first // 2 : (first + STRIPE) // 2] = _halve(cells, 1, join)[1]
        return level

    def _largest(self, part: tuple[slice, slice]) -> NDArray[np.float32]:
        return self._whole(part).astype(np.float32, copy=False)

    def _sums(self, part: tuple[slice, slice]) -> NDArray[np.float32]:
        weights = np.asarray(self.weights[part]).astype(np.float32, copy=False)
        return weights if self.may is None else np.where(self.may[part], weights, np.float32(0))

    def _counts(self, part: tuple[slice, slice]) -> NDArray[np.float32]:
        rows, columns = (len(range(side)[each]) for side, each in zip(self.sizes[0], part, strict=True))
        if self.may is None:
            return np.ones((rows, columns), dtype=np.float32)
        return np.asarray(self.may[part]).astype(np.float32)


def level_sizes(n_query: int, n_key: int) -> list[tuple[int, int]]:
    """Return the shape of each level of a map.

    >>> level_sizes(300, 5)
    [(300, 5), (150, 3), (75, 2), (38, 1)]
    """
    sizes = [(n_query, n_key)]
    while max(sizes[-1]) > TOP:
        rows, columns = sizes[-1]
        sizes.append(((rows + 1) // 2, (columns + 1) // 2))
    return sizes


def _halve(cells: NDArray[np.float32], times: int, join: np.ufunc) -> list[NDArray[np.float32]]:
    """Return cells, and the levels from joining them in pairs along both axes, ``times`` times."""
    levels = [cells]
    for _ in range(times):
        for axis in (0, 1):
            n = cells.shape[axis]
            half = np.empty_like(cells, shape=[(n + 1) // 2 if a == axis else cells.shape[a] for a in (0, 1)])
            parts = (np.s_[: n // 2], np.s_[n // 2 :], np.s_[: n - 1 : 2], np.s_[1::2], np.s_[n - 1 :])
            pairs, odd, first, second, last = ((slice(None),) * axis + (each,) for each in parts)
            join(cells[first], cells[second], out=half[pairs])
            if n % 2:
                half[odd] = cells[last]
            cells = half
        levels.append(cells)
    return levels
