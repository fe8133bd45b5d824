"""Attention that a model writes out: a softmax over keys whose result, on its way, multiplies the values."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

_SOFTMAX = {torch.softmax, torch.nn.functional.softmax, Tensor.softmax, torch.special.softmax}
# What a weight may pass through and stay the same weight: (…, query, key) in, (…, query, key) out.
_PASSES = {
    "to", "type", "type_as", "float", "half", "bfloat16", "double", "contiguous", "clone", "detach", "view",
    "reshape", "unsqueeze", "squeeze", "expand", "expand_as", "__getitem__", "narrow", "flatten", "unflatten",
    "masked_fill", "masked_fill_", "nan_to_num", "mul", "__mul__", "mul_", "__imul__", "view_as",
}  # fmt: skip
_DROPS = {"dropout", "dropout_", "alpha_dropout"}
_PRODUCTS = {"matmul", "bmm", "__matmul__"}


@dataclass(eq=False)
class Softmax:
    """One softmax over the last axis: what became of it."""

    shape: tuple[int, ...]
    uses: int = 0
    cuts: int = 0
    is_piece: bool = False
    taken: Tensor | None = None

    @property
    def is_like_attention(self) -> bool:
        """Whether its shape is that of weights: with heads, or as many queries as keys."""
        return len(self.shape) > 3 or self.shape[-1] == self.shape[-2]

    @property
    def missed(self) -> str:
        """Why its weights cannot be shown as queries over keys; empty where they can."""
        if not self.uses:
            return f"takes a softmax of shape {self.shape} that no plain product with values follows"
        if self.is_piece or (self.cuts and self.uses > 1):
            return f"uses its softmax of shape {self.shape} in pieces, such as blocks or a local band"
        return ""


@dataclass(eq=False)
class Made:
    """What one running module made: softmaxes over its last axis, and words on those over another.

    ``over_places`` are the shapes of those over the last axis but one.
    """

    softmaxes: list[Softmax] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    over_places: list[tuple[int, ...]] = field(default_factory=list)

    def is_linear(self, softmax: Softmax) -> bool:
        """Whether it is that over features in linear attention, softmax(Q) (softmax(K)^T V)."""
        same = (len(softmax.shape), softmax.shape[-1])
        return any((len(shape), shape[-1]) == same for shape in self.over_places)


@dataclass(eq=False)
class Products:
    """All softmaxes whose modules still run, each followed until its product with values.

    ``alive`` holds the tensors that stand for a softmax's result now, by id, with the weights that they are
    without dropout.
    """

    alive: dict[int, tuple[Tensor, Tensor, Softmax]] = field(default_factory=dict)

    def see(self, function: Callable[..., Any], args: Any, kwargs: Any, output: Any, made: Made) -> None:
        """Follow one call of torch's; what begins with it is added to ``made``."""
        name = getattr(function, "__name__", "")
        first = args[0] if args else kwargs.get("input")
        if function in _SOFTMAX and isinstance(output, Tensor):
            self._begin(kwargs.get("dim", args[1] if len(args) > 1 else -1), output, made)
        elif name == "einsum":
            self._einsum(args)
        elif not isinstance(first, Tensor) or id(first) not in self.alive:
            return
        elif name in _PRODUCTS:
            self._use(first)
        elif (name in _PASSES or name in _DROPS) and isinstance(output, Tensor):
            self._pass_on(function, first, args, kwargs, output)

    def end(self, made: Made, given: Iterable[Tensor], outer: Made) -> bool:
        """End a module: what it gives, unused, is its caller's; the rest is dropped. Say if it gave any."""
        given_ids = {id(each) for each in given}
        handed = {each[2] for key, each in self.alive.items() if key in given_ids and not each[2].uses}
        handed &= set(made.softmaxes)
        outer.softmaxes += [each for each in made.softmaxes if each in handed]
        made.softmaxes = [each for each in made.softmaxes if each not in handed]
        ended = set(made.softmaxes)
        self.alive = {key: each for key, each in self.alive.items() if each[2] not in ended}
        return bool(handed)

    def _begin(self, axis: Any, output: Tensor, made: Made) -> None:
        if output.ndim < 3 or not isinstance(axis, int):
            return
        if axis % output.ndim != output.ndim - 1:
            made.others.append(f"takes its softmax over axis {axis % output.ndim} of {output.ndim}")
            if axis % output.ndim == output.ndim - 2:
                made.over_places.append(tuple(output.shape))
            return
        softmax = Softmax(tuple(output.shape))
        made.softmaxes.append(softmax)
        self.alive[id(output)] = (output, output, softmax)

    def _pass_on(
        self, function: Callable[..., Any], first: Tensor, args: Any, kwargs: Any, output: Tensor
    ) -> None:
        name = function.__name__
        _, clean, made = self.alive[id(first)]
        if output.ndim < 3:
            return
        same = output.shape[-2:] == first.shape[-2:]
        if not same and name not in {"__getitem__", "narrow"}:
            return
        if output is not first and name not in _DROPS:
            clean = output if clean is first else function(clean, *args[1:], **kwargs)
        elif output is first and name not in _DROPS:
            clean = output
        made.cuts += not same
        made.is_piece |= output.shape[-2] != first.shape[-2]
        self.alive[id(output)] = (output, clean, made)

    def _use(self, first: Tensor) -> None:
        _, clean, made = self.alive[id(first)]
        made.uses += 1
        made.taken = clean.clone()  # as it is now: a model may write over it afterwards

    def _einsum(self, args: Any) -> None:
        if len(args) < 2 or not isinstance(args[0], str):
            return
        operands = list(args[1]) if isinstance(args[1], list | tuple) else list(args[1:])
        letters = args[0].replace(" ", "")
        if "->" not in letters or len(operands) != 2:
            return
        left, out = letters.split("->")
        for axes, operand, other in zip(left.split(","), operands, reversed(left.split(",")), strict=False):
            if id(operand) in self.alive and "..." not in axes:
                self._use_letters(operand, axes, other, out)

    def _use_letters(self, operand: Tensor, axes: str, other: str, out: str) -> None:
        """The softmax's axis is summed over; the query's is in the result and not in the values."""
        queries = [axis for axis in axes[:-1] if axis in out and axis not in other]
        if axes[-1] in out or axes[-1] not in other or len(queries) != 1:
            return
        self._use(operand)
        made = self.alive[id(operand)][2]
        assert made.taken is not None
        made.taken = made.taken.movedim(axes.index(queries[0]), -2)
