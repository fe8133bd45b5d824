"""Finds by their sizes which axes of weights are the batch and which the heads; refuses where two fit."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from torch import Tensor


class UnclearAxesError(ValueError):
    """The axes before (query, key) can be read in no way, or in more than one."""


@dataclass(frozen=True)
class _Reading:
    """One reading of the axes before (query, key): the axes of heads, and the axis and size of the batch."""

    heads: tuple[int, ...]
    batch_axis: int
    batch: int


def arrange_axes(
    weights: Tensor, batches: Sequence[int], n_heads: Collection[int], heads_first: bool | None = None
) -> tuple[Tensor, int]:
    """Return weights as (batch and parts, head, query, key), and the size of the batch.

    ``batches`` are the sizes that the batch may have, the likeliest first; ``n_heads`` the numbers of heads
    that the module states, if any. The parts of a sequence (windows, images) are adjacent. Where one axis
    holds batch and heads, sizes do not show which comes first: ``heads_first`` sets it.

    Raises UnclearAxesError where no reading of the axes fits these sizes, or several do.
    """
    front = tuple(weights.shape[:-2])
    if len(front) < 2:
        batch, n_head = _of_one_axis(front[0], batches, n_heads) if front else (1, 1)
        if min(batch, n_head) > 1 and heads_first is None:
            raise UnclearAxesError(
                f"has one axis of {front[0]} for {batch} sequences and {n_head} heads: say with heads_first "
                "which comes first, or capture each sequence alone"
            )
        if heads_first:
            return weights.reshape(n_head, -1, *weights.shape[-2:]).transpose(0, 1), batch
        return weights.reshape(-1, n_head, *weights.shape[-2:]), batch
    reading = _only(front, batches, n_heads)
    others = [axis for axis in range(len(front)) if axis not in reading.heads]
    others.sort(key=lambda axis: (axis != reading.batch_axis, axis))
    weights = weights.permute(*others, *reading.heads, -2, -1)
    n_head = math.prod(front[axis] for axis in reading.heads)
    return weights.reshape(-1, n_head, *weights.shape[-2:]), reading.batch


def _only(front: tuple[int, ...], batches: Sequence[int], n_heads: Collection[int]) -> _Reading:
    """Return the only reading of several axes; one with the whole batch as its first axis has precedence."""
    unlike = {
        (tuple(axis for axis in reading.heads if front[axis] > 1), reading.batch_axis, reading.batch): reading
        for reading in _readings(front, batches, n_heads)
    }
    is_usual = front[0] in batches
    readings = [
        each for each in unlike.values() if is_usual and (each.batch_axis, each.batch) == (0, front[0])
    ]
    readings = readings or list(unlike.values())
    if not readings and len(front) == 2 and (is_usual or front[0] == 1):  # the number is of other heads
        readings = [_Reading((1,), 0, front[0])]
    if len(readings) != 1:
        why = "may be read in two ways" if readings else "fit no reading"
        raise UnclearAxesError(
            f"has axes {front} before (query, key), which {why}: {_describe_sizes(batches, n_heads)}"
        )
    return readings[0]


def _readings(front: tuple[int, ...], batches: Sequence[int], n_heads: Collection[int]) -> Iterator[_Reading]:
    """Yield all readings: neighbouring axes with the known number of heads, or else any one axis."""
    axes = range(len(front))
    for first in axes:
        for end in range(first + 1, len(front) + 1):
            own = tuple(axes[first:end])
            rest = tuple(axis for axis in axes if axis not in own)
            n_head = math.prod(front[axis] for axis in own)
            if not rest or (n_head not in n_heads if n_heads else len(own) > 1):
                continue
            for axis, batch in _batches(front, rest, batches):
                if first > 0 or front[axis] == batch:  # heads come first only beside a whole batch
                    yield _Reading(own, axis, batch)


def _batches(front: tuple[int, ...], rest: tuple[int, ...], batches: Sequence[int]) -> list[tuple[int, int]]:
    """Return each axis that can be the batch, and the batch size; only the first axis may hold parts too."""
    first, *others = [axis for axis in rest if front[axis] > 1] or rest[:1]
    if front[first] == 1:
        return [(first, 1)]
    if front[first] in batches:
        return [(first, front[first])]
    several = [batch for batch in batches if batch > 1]
    batch_axes = [(first, batch) for batch in several if front[first] % batch == 0]
    batch_axes += [(axis, front[axis]) for axis in others if front[axis] in several]
    return batch_axes or ([(first, 1)] if 1 in batches else [])


def _of_one_axis(size: int, batches: Sequence[int], n_heads: Collection[int]) -> tuple[int, int]:
    """Return the sizes of batch and heads in one axis that holds both, and perhaps parts of sequences."""
    fits = {
        (batch, n_head): size // (batch * n_head)
        for batch in batches
        for n_head in n_heads
        if size % (batch * n_head) == 0
    }
    whole = [pair for pair, parts in fits.items() if parts == 1]
    readings = whole or [pair for pair in fits if pair[0] > 1] or list(fits)
    if not readings and size in batches:
        readings = [(size, 1)]
    elif not readings and n_heads:
        readings = [(1, size)] if size in n_heads else []
    elif not readings:
        several = [(batch, size // batch) for batch in batches if batch > 1 and size % batch == 0]
        readings = several or ([(1, size)] if 1 in batches else [])
    if len(readings) != 1:
        why = "may be read in two ways" if readings else "fits no reading"
        raise UnclearAxesError(
            f"has an axis of {size} for batch and heads, which {why}: {_describe_sizes(batches, n_heads)}"
        )
    return readings[0]


def _describe_sizes(batches: Sequence[int], n_heads: Collection[int]) -> str:
    batch = " or ".join(map(str, batches))
    n_head = " or ".join(map(str, sorted(n_heads))) or "an unknown number of"
    return f"the inputs have a batch of {batch}, the module {n_head} heads"
