"""Arrays of a message to the browser: each stored once, as narrow as its values allow, and compressed.

A body is what a message holds besides its prefix:

    header's length, count of words       two unsigned 32-bit numbers
    header                                JSON
    words                                 in four planes: the lowest byte of each word, then the next, ...
    bytes                                 arrays of single bytes, one after the other

All numbers are little-endian. A word is 32 bits of an array, taken as a whole number; what is stored is its
second difference from the word `above` words before: the row before in the last axis, or the word before if
there is one axis. The sign goes to the lowest bit (0, -1, 1, -2, ... become 0, 1, 2, 3, ...), so that smooth
numbers leave planes of zeros. Nothing is rounded: the sums give every bit back.

A stack of maps, one per step, may be another stack with each row times a factor: weights are exponentials
over their sum, scores at one temperature are multiples of those at another. Such an array is stored as `of`
(another stack, or its own first map), `times` (a factor for each row), and by how many units in the last
place each number is off, mostly 0. Server and browser multiply alike, so this too gives every bit back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORD = 4
_CROWDED = 1e4  # numbers so much larger than their spread keep float64
_MOST = float(np.finfo("f4").max)
_LARGE = 4096  # numbers in a stack, above which multiples of other stacks are looked for


@dataclass(frozen=True)
class CrossedLabels:
    """Words for each cell of a matrix: those of its row, then those of its column.

    Stored and sent as the two lists: a matrix of 64 x 2,048 cells would hold 13 MB of words.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]

    def tolist(self) -> list[list[str]]:
        """Return the words cell by cell.

        >>> CrossedLabels(("row 1, ", "row 2, "), ("column 1",)).tolist()
        [['row 1, column 1'], ['row 2, column 1']]
        """
        return [[row + column for column in self.columns] for row in self.rows]


@dataclass(frozen=True, eq=False)
class IndexedItems:
    """One of several items at each step and row; an item that recurs is stored and sent once.

    ``items`` are an array (n_items, ...) or a list of words; ``at`` (n_steps, n_rows) holds indices into it.
    """

    items: NDArray[Any] | list[str]
    at: NDArray[np.integer]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the items step by step and row by row.

        >>> np.asarray(IndexedItems(["cat", "mat"], np.array([[0, 1, 0]]))).tolist()
        [['cat', 'mat', 'cat']]
        """
        del copy
        every: NDArray[Any] = np.asarray(self.items, dtype=dtype)[self.at]
        return every


class Arrays:
    """Arrays by content: `add` returns an array's index; equal arrays are stored once."""

    def __init__(self) -> None:
        """Start empty."""
        self.descriptions: list[dict[str, Any]] = []
        self._words: list[NDArray[np.int32]] = []
        self._bytes: list[bytes] = []
        self._n_words = 0
        self._n_bytes = 0
        self._numbers: dict[tuple[str, tuple[int, ...], bytes], int] = {}
        self._places: dict[tuple[int, bytes], tuple[int, int]] = {}  # by raw words, whatever their shape
        self._by_identity: dict[int, tuple[Any, int]] = {}  # holding the array keeps its id from being reused
        self._labels: dict[CrossedLabels, int] = {}
        self._stacks: list[NDArray[Any]] = []  # later stacks may be multiples of these

    def add(self, array: NDArray[Any] | CrossedLabels) -> int:
        """Store an array of numbers or of words and return its index.

        Raises:
            ValueError: if it holds anything else.
        """
        if isinstance(array, CrossedLabels):
            if array not in self._labels:
                self._labels[array] = self._describe({"rows": array.rows, "columns": array.columns})
            return self._labels[array]
        entry = self._by_identity.get(id(array))
        if entry is not None:
            return entry[1]
        if array.dtype.kind in "UO":
            index = self._describe({"text": _words(array)})
        else:
            narrowed = narrow(array)
            key = (narrowed.dtype.str, narrowed.shape, narrowed.tobytes())
            if key not in self._numbers:
                self._numbers[key] = self._store(narrowed, key[2])
            index = self._numbers[key]
        self._by_identity[id(array)] = (array, index)
        return index

    def body(self, header: bytes) -> bytes:
        """Return the body of a message: the header, as JSON, and all arrays."""
        words = np.concatenate(self._words) if self._words else np.zeros(0, np.int32)
        planes = np.ascontiguousarray(words.astype("<i4", copy=False).view("u1").reshape(-1, _WORD).T)
        sizes = len(header).to_bytes(4, "little") + len(words).to_bytes(4, "little")
        return b"".join((sizes, header, planes.tobytes(), *self._bytes))

    def _store(self, narrow: NDArray[Any], raw: bytes) -> int:
        description: dict[str, Any] = {"type": narrow.dtype.str[1:], "shape": narrow.shape}
        if narrow.dtype.itemsize == 1:
            description["at"] = self._n_bytes
            self._bytes.append(raw)
            self._n_bytes += len(raw)
            return self._describe(description)
        if narrow.dtype == np.float32 and narrow.ndim == 3 and len(narrow) > 1 and narrow.size >= _LARGE:
            return self._store_stack(narrow, description)
        return self._store_words(narrow, raw, description)

    def _store_stack(self, stack: NDArray[Any], description: dict[str, Any]) -> int:
        """Store a stack of maps as a multiple of another, or of its first map; else by its own words."""
        bases = [base for base in self._stacks if base.shape == stack.shape]
        self._stacks.append(stack)
        for base in (*bases, stack[0]):
            if not _is_near(stack, base):
                continue
            factors = _factors(stack, base)
            off = stack.view("<i4") - _multiple(base, factors)
            description |= {"of": self.add(base), "times": self.add(factors)}
            description["at"], description["above"] = self._store_folded(off.reshape(-1)), stack.size
            return self._describe(description)
        return self._store_words(stack, stack.tobytes(), description)

    def _store_words(self, narrow: NDArray[Any], raw: bytes, description: dict[str, Any]) -> int:
        place = self._places.get((narrow.dtype.itemsize, raw))
        if place is None:
            place = self._places[narrow.dtype.itemsize, raw] = self._fold(narrow)
        description["at"], description["above"] = place
        return self._describe(description)

    def _fold(self, narrow: NDArray[Any]) -> tuple[int, int]:
        """Store the words of an array; return where they start and how far each is from the one above it."""
        per_number = narrow.dtype.itemsize // _WORD
        above = per_number * (narrow.shape[-1] if narrow.ndim > 1 else 1) or 1
        padding = self._n_words % per_number
        words = narrow.reshape(-1).view("<i4")
        self._words.append(np.zeros(padding, np.int32))
        self._n_words += padding
        return self._store_folded(_difference(_difference(words, above), above)), above

    def _store_folded(self, words: NDArray[np.int32]) -> int:
        """Store words with their signs in the lowest bit; return where they start."""
        start = self._n_words
        self._words.append((words << 1) ^ (words >> 31))
        self._n_words += len(words)
        return start

    def _describe(self, description: dict[str, Any]) -> int:
        self.descriptions.append(description)
        return len(self.descriptions) - 1


def _is_near(stack: NDArray[Any], base: NDArray[Any]) -> bool:
    """Whether, at the middle step, a multiple of the base leaves less than half the bits of differences."""
    middle = len(stack) // 2
    here, there = stack[middle : middle + 1], base if base.ndim < stack.ndim else base[middle : middle + 1]
    words, columns = here.view("<i4").reshape(-1), here.shape[-1]
    off = words - _multiple(there, _factors(here, there)).reshape(-1)
    return _bits(off) < _bits(_difference(_difference(words, columns), columns)) / 2


def _bits(words: NDArray[np.int32]) -> float:
    return float(np.log2(1 + abs(words.astype("f8"))).sum())


def _factors(stack: NDArray[Any], base: NDArray[Any]) -> NDArray[np.float32]:
    """Return for each row of a stack the factor that brings the base's row nearest to it, (n_step, n_row)."""
    finite = np.isfinite(stack) & np.isfinite(base)
    one, other = (np.where(finite, each, 0).astype("f8") for each in (stack, base))
    squares = np.einsum("sij,sij->si", other, other)
    products = np.einsum("sij,sij->si", one, other)
    factors = np.divide(products, squares, where=squares > 0, out=np.zeros_like(squares))
    return np.where(abs(factors) < _MOST, factors, 0).astype("<f4")


def _multiple(base: NDArray[Any], factors: NDArray[Any]) -> NDArray[np.int32]:
    """Return as words a base, one map or one per step, with each row times its factor; gaps stay."""
    with np.errstate(over="ignore", invalid="ignore"):
        times = (base.astype("f8") * factors[..., None]).astype("<f4")
    words: NDArray[np.int32] = np.where(np.isfinite(base), times.view("<i4"), base.view("<i4"))
    return words


def _difference(words: NDArray[np.int32], above: int) -> NDArray[np.int32]:
    differences = words.copy()
    differences[above:] -= words[:-above]
    return differences


def _words(array: NDArray[Any]) -> Any:
    """Return an array of words as lists."""
    objects = array.flat if array.dtype.kind == "O" else ()
    if strangers := [word for word in objects if not isinstance(word, str | None)]:
        raise ValueError(f"an array of objects must hold words, got {strangers[0]!r}")
    return array.tolist()


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array in the narrowest type that keeps the digits a hover shows: mostly float32, or integers.

    Numbers that lie close together far from zero, like points in time, stay float64, and so do the largest.
    """
    if array.dtype == np.float32:  # it has no more digits to keep
        return np.ascontiguousarray(array, dtype="<f4")
    if array.dtype.kind == "f":
        needs_all = array.size and _needs_float64(array.reshape(1, -1))[0]
        return np.ascontiguousarray(array, dtype="<f8" if needs_all else "<f4")
    if array.dtype.kind == "b":
        return np.ascontiguousarray(array, dtype="u1")
    if array.dtype.kind in "iu":
        return np.ascontiguousarray(array, dtype="<i4")
    raise ValueError(f"a figure's arrays must hold numbers, got dtype {array.dtype}")


def narrow_each(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Narrow every array; where all are of one shape, all at once."""
    first = arrays[0]
    one_kind = all(a.shape == first.shape and a.dtype == first.dtype for a in arrays)
    if first.dtype.kind != "f" or not first.size or not one_kind:
        return [narrow(array) for array in arrays]
    stack = np.stack(arrays)
    with np.errstate(over="ignore"):  # `_needs_float64` finds what is too large
        result = list(np.ascontiguousarray(stack, dtype="<f4"))
    for index in np.flatnonzero(_needs_float64(stack.reshape(len(arrays), -1))):
        result[index] = np.ascontiguousarray(stack[index], dtype="<f8")
    return result


def _needs_float64(rows: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows (n_rows, n) are crowded or too large for float32, by their finite numbers."""
    finite = np.isfinite(rows)
    low = rows.min(axis=1, initial=np.inf, where=finite)
    high = rows.max(axis=1, initial=-np.inf, where=finite)
    largest = np.maximum(np.maximum(high, -low), 0)
    with np.errstate(over="ignore"):  # an infinite spread is not crowded
        spread = high - low
    needs: NDArray[np.bool_] = ((largest / _CROWDED > spread) & (spread > 0)) | (largest > _MOST)
    return needs
