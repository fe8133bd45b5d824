"""Attention that a model writes out: a softmax over keys whose result, on its way, multiplies the values."""

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from attn_core.capturing.choosing import tensors
from attn_core.capturing.torch_inside import is_in_vmap

_SOFTMAX = {torch.softmax, torch.nn.functional.softmax, Tensor.softmax, torch.special.softmax}
# What a weight may pass through and stay the same weight: (…, query, key) in, (…, query, key) out.
_PASSES = {
    "to", "type", "type_as", "float", "half", "bfloat16", "double", "contiguous", "clone", "detach", "view",
    "reshape", "unsqueeze", "squeeze", "expand", "expand_as", "__getitem__", "narrow", "flatten", "unflatten",
    "masked_fill", "masked_fill_", "nan_to_num", "mul", "__mul__", "mul_", "__imul__", "view_as",
}  # fmt: skip
_DROPS = {"dropout", "dropout_", "alpha_dropout"}
_PRODUCTS = {"matmul", "bmm", "__matmul__"}
# A softmax by another name: exp(log_softmax), and exp divided by its sum.
_LOG_SOFTMAX = {
    torch.log_softmax, torch.nn.functional.log_softmax, Tensor.log_softmax, torch.special.log_softmax,
}  # fmt: skip
_DIVIDES = {"div", "__truediv__", "true_divide", "divide", "div_", "__itruediv__"}
_TURNS = {"transpose", "permute", "movedim", "swapaxes", "swapdims"}
_WRITES = {
    "__setitem__", "index_put", "index_put_", "index_copy", "index_copy_", "index_add", "index_add_",
    "scatter", "scatter_", "scatter_add", "scatter_add_", "masked_scatter", "masked_scatter_",
}  # fmt: skip
_JOINS = {"cat", "concat", "concatenate", "stack"}


class _Remembered:
    """Something about tensors, for as long as each lives."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[weakref.ref[Tensor], Any]] = {}

    def put(self, tensor: Tensor, what: Any) -> None:
        key = id(tensor)
        self._held[key] = (weakref.ref(tensor, lambda _: self._held.pop(key, None)), what)

    def get(self, tensor: Any) -> Any:
        reference, what = self._held.get(id(tensor), (None, None))
        return what if reference is not None and reference() is tensor else None


@dataclass(eq=False)
class Softmax:
    """One softmax over the last axis: what became of it.

    ``unread`` are its products with values in which queries cannot be told, ``is_factor`` whether it is
    multiplied with a softmax, ``is_spread`` whether what it made of values is one part of a larger result.
    """

    shape: tuple[int, ...]
    uses: int = 0
    unread: int = 0
    cuts: int = 0
    is_piece: bool = False
    is_factor: bool = False
    is_spread: bool = False
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
        if self.is_factor:
            return f"multiplies its softmax of shape {self.shape} with another, as a factor of its weights"
        if self.is_spread:
            return f"uses its softmax of shape {self.shape} for a part of its places or sequences"
        if self.is_piece or (self.cuts and self.uses + self.unread > 1):
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
    _derived: _Remembered = field(default_factory=_Remembered)  # of a softmax, and no weights any more
    _results: _Remembered = field(default_factory=_Remembered)  # values that a softmax multiplied
    _logs: _Remembered = field(default_factory=_Remembered)  # log_softmax: its axis
    _powers: _Remembered = field(default_factory=_Remembered)  # exp: a mark of its own
    _sums: _Remembered = field(default_factory=_Remembered)  # of exp over an axis: its mark, and the axis

    def see(self, function: Callable[..., Any], args: Any, kwargs: Any, output: Any, made: Made) -> None:
        """Follow one call of torch's; what begins with it is added to ``made``."""
        name = getattr(function, "__name__", "")
        first = args[0] if args else kwargs.get("input")
        if name in _WRITES or name in _JOINS:
            self._spread(name, args, kwargs)
        if not isinstance(output, Tensor):
            return
        if (axis := self._softmax_axis(function, name, args, kwargs, output)) is not None:
            self._begin(axis, output, _zero_where_blind(function, first, output), made)
        elif name == "einsum":
            self._einsum(args, output)
        elif name in _PRODUCTS:
            if id(first) in self.alive:
                self._use(
                    first, args[1] if len(args) > 1 else kwargs.get("other", kwargs.get("mat2")), output
                )
        elif id(first) in self.alive and (name in _PASSES or name in _DROPS):
            self._pass_on(function, first, args, kwargs, output)
        else:
            self._derive(name, args, output)

    def fused(self, weights: Tensor, output: Any) -> Softmax:
        """Follow what a function of torch's made of values: weights that are used, for a part or for all."""
        softmax = Softmax(tuple(weights.shape), uses=1)
        if isinstance(output, Tensor):
            self._results.put(output, softmax)
        return softmax

    def _softmax_axis(
        self, function: Callable[..., Any], name: str, args: Any, kwargs: Any, output: Tensor
    ) -> Any:
        """The axis of a softmax that has just been computed, in whichever way; None where none was."""
        first = args[0] if args else kwargs.get("input")
        axis = kwargs.get("dim", args[1] if len(args) > 1 else -1)
        if function in _SOFTMAX:
            return axis
        if function in _LOG_SOFTMAX:
            self._logs.put(output, axis)
        elif name in {"exp", "exp_"}:
            if (of_log := self._logs.get(first)) is not None:
                return of_log
            self._powers.put(output, object())
        elif name == "sum" and (mark := self._powers.get(first)) is not None:
            is_one = isinstance(axis, int) and output.ndim == first.ndim and len(args) + len(kwargs) > 1
            if is_one and output.shape[axis] == 1:
                self._sums.put(output, (mark, axis))
        elif name in _DIVIDES and (mark := self._powers.get(first)) is not None and len(args) > 1:
            of_sum, axis = self._sums.get(args[1]) or (None, None)
            return axis if of_sum is mark else None
        return None

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

    def _begin(self, axis: Any, output: Tensor, clean: Tensor, made: Made) -> None:
        if output.ndim < 3 or not isinstance(axis, int):
            return
        if axis % output.ndim != output.ndim - 1:
            made.others.append(f"takes its softmax over axis {axis % output.ndim} of {output.ndim}")
            if axis % output.ndim == output.ndim - 2:
                made.over_places.append(tuple(output.shape))
            return
        softmax = Softmax(tuple(output.shape))
        made.softmaxes.append(softmax)
        self.alive[id(output)] = (output, clean, softmax)

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

    def _use(self, first: Tensor, other: Any, output: Tensor, queries: int = -2) -> None:
        if _is_learned(other):  # a table, such as that of experts or of embeddings: no values of places
            return
        _, clean, made = self.alive[id(first)]
        made.uses += 1
        made.taken = clean.clone().movedim(queries, -2)  # as it is now: a model may write over it afterwards
        self._results.put(output, made)
        if (factor := self._softmax_of(other)) is not None:
            made.is_factor = factor.is_factor = True

    def _softmax_of(self, tensor: Any) -> Softmax | None:
        """The softmax that a tensor is, or is derived of."""
        found: Softmax | None = self._derived.get(tensor)
        return self.alive[id(tensor)][2] if id(tensor) in self.alive else found

    def _derive(self, name: str, args: Any, output: Tensor) -> None:
        """Remember what has become of a softmax, as long as its sides are the same; and of what it made."""
        if args and name in _PASSES | _DROPS | _TURNS and (made := self._results.get(args[0])):
            self._results.put(output, made)
        for each in args:
            softmax = self._softmax_of(each) if isinstance(each, Tensor) else None
            if softmax and sorted(output.shape[-2:]) == sorted(each.shape[-2:]):
                self._derived.put(output, softmax)

    def _spread(self, name: str, args: Any, kwargs: Any) -> None:
        """Note where what a softmax made of values is written into, or joined to, something larger."""
        if name in _JOINS:
            joined = list(tensors(args[:1] or kwargs.get("tensors")))
            axis = kwargs.get("dim", args[1] if len(args) > 1 else 0)
            found = [made for each in joined if (made := self._results.get(each))]
            ndim = joined[0].ndim + (name == "stack") if joined else 1
            of_more = {0} if name == "stack" else {0, ndim - 2}  # axes of sequences, or of places
            is_larger = len(set(found)) > 1 and axis % ndim in of_more
        else:
            found = [made for each in tensors((args[1:], kwargs)) if (made := self._results.get(each))]
            value = args[-1] if found else None
            is_whole = name == "__setitem__" and next(tensors(args[1:2]), None) is None
            is_larger = not (is_whole and isinstance(value, Tensor) and args[0].shape == value.shape)
        for made in found:
            made.is_spread |= is_larger

    def _einsum(self, args: Any, output: Tensor) -> None:
        if len(args) < 2 or not isinstance(args[0], str):
            return
        operands = list(args[1]) if isinstance(args[1], list | tuple) else list(args[1:])
        letters = args[0].replace(" ", "")
        if "->" not in letters or len(operands) != 2:
            return
        left, out = letters.split("->")
        both = list(zip(left.split(","), operands, strict=False))
        for (axes, operand), (other, values) in zip(both, reversed(both), strict=True):
            queries = [axis for axis in axes[:-1] if axis in out and axis not in other]
            # The softmax's axis is summed over; the query's is in the result and not in the values.
            is_product = axes[-1] not in out and axes[-1] in other
            if id(operand) not in self.alive or "..." in axes or not is_product:
                continue
            if len(queries) == 1:
                self._use(operand, values, output, axes.index(queries[0]))
            elif not _is_learned(values):
                self.alive[id(operand)][2].unread += 1


def _zero_where_blind(function: Any, scores: Any, weights: Tensor) -> Tensor:
    """Zero in the rows that see nothing, which a softmax makes NaN: all scores -inf, or their powers zero.

    What is NaN for another reason, such as scores that are, stays so.
    """
    if not isinstance(scores, Tensor) or weights.is_meta or is_in_vmap(weights) or not weights.isnan().any():
        return weights
    nothing = -torch.inf if function in _SOFTMAX else 0.0
    return weights.masked_fill((scores == nothing).all(dim=-1, keepdim=True), 0.0)


def _is_learned(values: Any) -> bool:
    return isinstance(values, nn.Parameter) or isinstance(getattr(values, "_base", None), nn.Parameter)
