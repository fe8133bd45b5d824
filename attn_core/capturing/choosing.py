"""Which part of a batch belongs to the sequence asked for."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attn_core.precision import row_tolerance

_FIRST = ("input_ids", "inputs_embeds", "pixel_values", "input_features", "input_values")


@dataclass(frozen=True, eq=False)
class Kept:
    """The maps of one sequence from one attention, (n_head, n_query, n_key), one a part of the sequence."""

    parts: list[np.ndarray]
    shape: tuple[int, ...]
    precision: str


class OutsideBatchError(ValueError):
    """The sequence asked for is beyond those of an attention; ``batch`` is how many it has."""

    def __init__(self, batch: int) -> None:
        """Say how many there are."""
        super().__init__(f"has {batch} sequence{'s' if batch > 1 else ''}, not the one asked for")
        self.batch = batch


@dataclass(frozen=True, eq=False)
class Choice:
    """One sequence of a batch, whatever axes a model puts its batch into.

    ``batches`` are the sizes that the batch may have, by the model's inputs, the likeliest first.
    """

    sequence: int
    batches: tuple[int, ...]

    def __call__(self, weights: Tensor) -> Kept:
        """Return what belongs to the sequence.

        Axes before (head, query, key) are the batch. Where they hold more than the inputs' batch, its
        sequences come first and the parts of each (windows, images) follow one another, as Swin lays
        them; a batch of one serves all. Of three axes, the first is the batch with its heads.

        Raises ValueError where neither fits, for rows of more than one, and for what is computed inside
        ``torch.vmap``, where one sequence stands for all.
        """
        if torch._C._functorch.is_batchedtensor(weights):
            raise ValueError("runs inside torch.vmap, where one sequence stands for all")
        if weights.ndim < 4:
            count = 1 if weights.ndim < 3 else weights.shape[0]
            likeliest = self.batches[0] if count % self.batches[0] == 0 else self._batch_of(count)
            weights = weights.reshape(likeliest or 1, -1, *weights.shape[-2:])
        shape = (math.prod(weights.shape[:-3]), *weights.shape[-3:])
        weights = weights.reshape(shape)
        batch = 1 if shape[0] == 1 else self._batch_of(shape[0])
        if batch is None:
            raise ValueError(
                f"has a batch of {shape[0]} where the inputs have {self.batches[0]}, which does not divide it"
            )
        is_shared = batch == 1 < self.batches[0]
        if self.sequence >= (self.batches[0] if is_shared else batch):
            raise OutsideBatchError(batch)
        parts = shape[0] // batch
        start = 0 if is_shared else self.sequence * parts
        kept = [_array(each) for each in weights[start : start + parts]]
        precision = str(weights.dtype).removeprefix("torch.")
        most = max(float(each.sum(axis=-1, dtype=np.float64).max(initial=0)) for each in kept)
        if most > 1 + row_tolerance(precision, shape[-1]):
            raise ValueError(f"makes weights whose rows sum to up to {most:.3g}, more than one")
        return Kept(kept, shape, precision)

    def _batch_of(self, size: int) -> int | None:
        """The size that the inputs have too, or the likeliest that divides it."""
        if size in self.batches:
            return size
        return next((batch for batch in self.batches if size % batch == 0), None)


def batches(model: nn.Module, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the sizes that a model's batch may have, by its inputs, the likeliest first."""
    named = [inputs[name] for name in _FIRST if name in inputs]
    given = [each for each in tensors((*named, *args, *inputs.values())) if each.ndim > 1 and len(each)]
    sequences = [each for each in given if each.ndim > 2 or not (each.is_floating_point() or _is_mask(each))]
    if not sequences:  # (n, d), one sequence without a batch; or else rows of numbers, a sequence each
        return tuple(dict.fromkeys((1, *(len(each) for each in given))))
    mha = [module for module in model.modules() if isinstance(module, nn.MultiheadAttention)]
    axes = (1, 0) if mha and not mha[0].batch_first else (0,)  # torch's own order is (n, batch, d)
    sizes = [each.shape[axis] for axis in axes for each in sequences if axis == 0 or each.ndim == 3]
    return tuple(dict.fromkeys(sizes))


def _is_mask(given: Tensor) -> bool:
    return given.dtype == torch.bool


def tensors(given: Any) -> Iterator[Tensor]:
    """All tensors in what a model is given."""
    if isinstance(given, Tensor):
        yield given
    elif isinstance(given, Mapping):
        yield from tensors(tuple(given.values()))
    elif isinstance(given, list | tuple):
        for each in given:
            yield from tensors(each)


def _array(weights: Tensor) -> np.ndarray:
    weights = weights.detach().cpu()
    kept = weights if weights.dtype in (torch.float32, torch.float64) else weights.to(torch.float32)
    array: np.ndarray = kept.numpy().copy()
    return array
