"""Checks of arguments; every error states what is required and what was passed."""

import math
from collections.abc import Iterable
from numbers import Integral, Real

import numpy as np
import torch
from torch import Tensor


def positive(name: str, value: object) -> float | Tensor:
    """Return a positive finite number as a float; return a tensor of such numbers unchanged."""
    if isinstance(value, Tensor):
        if not value.is_floating_point():
            raise ValueError(f"{name} must be a floating-point tensor; got dtype {value.dtype}")
        if not bool((value.isfinite() & (value > 0)).all()):
            raise ValueError(f"{name} must hold finite numbers > 0; got {value.tolist()}")
        return value
    number = finite(name, value, requirement="a finite number > 0")
    if number <= 0:
        raise ValueError(f"{name} must be a finite number > 0; got {value!r}")
    return number


def finite(name: str, value: object, *, requirement: str = "a finite number") -> float:
    """Return a finite number as a float."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ValueError(f"{name} must be {requirement}; got {value!r}")
    return float(value)


def integer(name: str, value: object, *, least: int, most: int | None = None) -> int:
    """Return an integer within its bounds, both included."""
    bounds = f">= {least}" if most is None else f"from {least} to {most}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name} must be a whole number {bounds}; got {value!r}")
    number = int(value)
    if number < least or (most is not None and number > most):
        raise ValueError(f"{name} must be a whole number {bounds}; got {number}")
    return number


def kv_heads(num_heads: int, num_kv_heads: object) -> int:
    """Return num_kv_heads, which must divide num_heads; num_heads if it is None."""
    if num_kv_heads is None:
        return num_heads
    number = integer("num_kv_heads", num_kv_heads, least=1)
    if num_heads % number:
        divisors = [n for n in range(1, num_heads + 1) if num_heads % n == 0]
        raise ValueError(
            f"num_kv_heads must divide num_heads; got num_heads = {num_heads} and num_kv_heads = {number}; "
            f"these divide: {', '.join(map(str, divisors))}"
        )
    return number


def one_of(name: str, value: object, options: Iterable[str]) -> None:
    """Refuse a value that is not one of the options."""
    names = list(options)
    if value not in names:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, names))}; got {value!r}")


def same_dtype(**tensors: Tensor) -> None:
    """Refuse tensors that are not all of one floating-point dtype."""
    dtypes = {tensor.dtype for tensor in tensors.values()}
    if len(dtypes) > 1 or not next(iter(dtypes)).is_floating_point:
        came = ", ".join(f"{name} {tensor.dtype}" for name, tensor in tensors.items())
        raise ValueError(f"{', '.join(tensors)} must share one floating-point dtype; got {came}")


def broadcasts(name: str, tensor: Tensor, scores: torch.Size) -> None:
    """Refuse a tensor that does not broadcast against the scores, or would stretch their last two axes."""
    together = broadcast_shape(tensor.shape, scores)
    if together is None or together[-2:] != scores[-2:]:
        raise ValueError(
            f"{name} must broadcast against the scores (*batch, n_query, n_key) = {tuple(scores)}; "
            f"got shape {tuple(tensor.shape)}"
        )


def broadcast_shape(*shapes: torch.Size) -> torch.Size | None:
    """Return the shape that several shapes broadcast to; None if they do not."""
    if all(shape == shapes[0] for shape in shapes):
        return shapes[0]
    try:
        # torch.broadcast_shapes imports sympy when it is first called: 0.6 s and 35 MB
        return torch.Size(np.broadcast_shapes(*shapes))
    except ValueError:
        return None
