"""Selects the weights of one sequence from those of a batch."""

import inspect
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attn_core.capturing.layouts import arrange_axes
from attn_core.capturing.torch_inside import is_in_vmap
from attn_core.precision import row_tolerance

_BATCHED = ("input_ids", "input_values", "past_values")  # (batch, n), of ids or of numbers
_FIRST = (*_BATCHED, "inputs_embeds", "pixel_values", "input_features")


@dataclass(frozen=True, eq=False)
class SequenceWeights:
    """The maps of one sequence, (n_head, n_query, n_key), one for each of its parts (windows, images).

    ``shared_by`` is the number of input sequences where one map of an attention serves all of them, else 1.
    """

    parts: list[np.ndarray]
    shape: tuple[int, ...]
    precision: str
    shared_by: int = 1


class OutsideBatchError(ValueError):
    """The sequence is outside the batch of an attention, whose size is ``batch``."""

    def __init__(self, batch: int) -> None:
        """State the size of the batch."""
        super().__init__(f"has {batch} sequence{'s' if batch > 1 else ''}, not the one asked for")
        self.batch = batch


@dataclass(frozen=True, eq=False)
class SequenceChoice:
    """Selects one sequence of a batch from weights with any order of axes.

    ``batches`` are the sizes that the batch may have, by the model's inputs, the likeliest first.
    ``rows`` is the number of rows of an input that may be one sequence or a batch; None where it is clear.
    ``heads_first`` is whether heads come first in an axis of batch and heads; None where it is unknown.
    """

    sequence: int
    batches: tuple[int, ...]
    rows: int | None = None
    heads_first: bool | None = None

    def __call__(self, weights: Tensor, n_heads: Collection[int] = ()) -> SequenceWeights:
        """Return the weights of the sequence.

        ``n_heads`` are the numbers of heads that the module states. Axes before (head, query, key) are the
        batch. Where they hold more than the inputs' batch, the parts of each sequence (windows, images) are
        adjacent, as in Swin; a batch of one serves all sequences. Heads on another axis are found by their
        number. Of three axes, the first is batch and heads; weights of two axes are one head of one
        sequence.

        Raises ValueError where no reading of the axes fits or several do, for rows that hold NaN or sum to
        more than one, for weights inside ``torch.vmap``, and for weights on the meta device.
        """
        if weights.is_meta:
            raise ValueError("runs on the meta device, where there are no numbers")
        if is_in_vmap(weights):
            raise ValueError("runs inside torch.vmap, where one sequence stands for all")
        batches = self._batches(weights)
        if weights.ndim == 2 and 1 < len(weights) in batches[:1]:
            raise ValueError(
                f"makes one row of weights for each of {len(weights)} sequences, no map of places"
            )
        weights, batch = arrange_axes(weights, batches, n_heads, self.heads_first)
        shape = tuple(weights.shape)
        is_shared = batch == 1 < batches[0]
        if self.sequence >= (batches[0] if is_shared else batch):
            raise OutsideBatchError(batch)
        parts = shape[0] // batch
        start = 0 if is_shared else self.sequence * parts
        maps = [_array(each) for each in weights[start : start + parts]]
        precision = str(weights.dtype).removeprefix("torch.")
        if any(np.isnan(each).any() for each in maps):
            raise ValueError("makes weights that are NaN, in rows that are not masked whole")
        most = max(float(each.sum(axis=-1, dtype=np.float64).max(initial=0)) for each in maps)
        if most > 1 + row_tolerance(precision, shape[-1]):
            raise ValueError(f"makes weights whose rows sum to up to {most:.3g}, more than one")
        return SequenceWeights(maps, shape, precision, batches[0] if is_shared else 1)

    def _batches(self, weights: Tensor) -> tuple[int, ...]:
        """Return the possible batch sizes, ``rows`` first unless it is the number of queries or of keys."""
        if self.rows is None or self.rows in weights.shape[-2:]:
            return self.batches
        return (self.rows, *(size for size in self.batches if size != self.rows))


def choose_sequence(
    model: nn.Module, sequence: int, args: tuple[Any, ...], inputs: Mapping[str, Any]
) -> SequenceChoice:
    """Return the selector of one sequence, with the batch sizes that a model's inputs allow."""
    by_name = _inputs_by_name(model, args, inputs)
    first = [by_name[name] for name in _FIRST if name in by_name]
    batched_ids = {id(by_name[name]) for name in _BATCHED if name in by_name}
    arrays = [each for each in tensors((*first, *args, *inputs.values())) if each.ndim > 1 and len(each)]
    sequences = [each for each in arrays if each.ndim > 2 or id(each) in batched_ids or _is_of_ids(each)]
    if not sequences:  # (n, d): one sequence of n tokens, or n sequences of d numbers
        rows = [len(each) for each in arrays]
        return SequenceChoice(sequence, tuple(dict.fromkeys((1, *rows))), rows=rows[0] if rows else None)
    sizes = [len(each) for each in sequences]
    mha = [module for module in model.modules() if isinstance(module, nn.MultiheadAttention)]
    if mha and not mha[0].batch_first:  # the inputs are (n, batch, d); ids may be (n, batch)
        floats = [each for each in sequences if id(each) not in batched_ids]
        sizes = [each.shape[1] for each in floats if each.ndim == 3] + sizes
        sizes += [each.shape[1] for each in floats if each.ndim == 2]
    return SequenceChoice(sequence, tuple(dict.fromkeys(sizes)))


def _inputs_by_name(model: nn.Module, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a model's inputs by the names of its ``forward``."""
    try:
        bound = inspect.signature(model.forward).bind_partial(*args)
    except (TypeError, ValueError):  # too many, or no signature: the model itself will raise
        return inputs
    return {**bound.arguments, **inputs}


def _is_of_ids(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() and tensor.dtype != torch.bool


def tensors(nest: Any) -> Iterator[Tensor]:
    """Yield the tensors in nested lists, tuples and mappings."""
    if isinstance(nest, Tensor):
        yield nest
    elif isinstance(nest, Mapping):
        yield from tensors(tuple(nest.values()))
    elif isinstance(nest, list | tuple):
        for each in nest:
            yield from tensors(each)


def _array(weights: Tensor) -> np.ndarray:
    weights = weights.detach().cpu()
    exact = weights if weights.dtype in (torch.float32, torch.float64) else weights.to(torch.float32)
    array: np.ndarray = exact.numpy().copy()
    return array
