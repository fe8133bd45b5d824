"""Finds composed softmaxes: exp of log_softmax or of scores less their logsumexp, exp divided by its sum."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

SOFTMAX = {torch.softmax, F.softmax, Tensor.softmax, torch.special.softmax}
_OF_OTHERS = {F.softmin, F.gumbel_softmax}  # softmax of negated scores, or of noisy ones
_LOG_SOFTMAX = {
    torch.log_softmax, F.log_softmax, Tensor.log_softmax, torch.special.log_softmax,
}  # fmt: skip
_EXP = {"exp", "exp_", "exp2", "exp2_", "__rpow__"}
DIVIDES = {"div", "__truediv__", "true_divide", "divide", "div_", "__itruediv__"}
_TAKES = {"sub", "__sub__", "subtract", "sub_", "__isub__"}
_MULTIPLIES = {"mul", "__mul__", "__rmul__", "multiply", "mul_", "__imul__"}
_INVERTS = {"reciprocal", "__rtruediv__", "__rdiv__"}
# What powers may pass through before they are summed: a mask, another precision.
_POWERS_PASS = _MULTIPLIES | {
    "masked_fill", "masked_fill_", "where", "tril", "triu", "to", "type", "type_as", "float", "double",
    "contiguous", "clone", "detach", "nan_to_num",
}  # fmt: skip
# What a sum may pass through before it divides: the axis that it had, and what keeps it from zero.
_SUMS_PASS = {
    "unsqueeze", "__getitem__", "view", "reshape", "add", "__add__", "__radd__", "add_", "__iadd__", "clamp",
    "clamp_", "clamp_min", "clamp_min_", "clip", "to", "type", "type_as", "float", "double",
}  # fmt: skip


class WeakTensorDict:
    """A dictionary whose keys are tensors, by identity; an entry is removed with its tensor."""

    def __init__(self) -> None:
        """Start empty."""
        self._entries: dict[int, tuple[weakref.ref[Tensor], Any]] = {}

    def set(self, tensor: Tensor, what: Any) -> None:
        """Store a value for a tensor."""
        key = id(tensor)
        self._entries[key] = (weakref.ref(tensor, lambda _: self._entries.pop(key, None)), what)

    def get(self, tensor: Any) -> Any:
        """Return the value of a tensor; None where there is none."""
        reference, what = self._entries.get(id(tensor), (None, None))
        return what if reference is not None and reference() is tensor else None


@dataclass(eq=False)
class Powers:
    """The result of an exp of scores, and whether its rows have been summed."""

    shape: torch.Size
    is_summed: bool = False


@dataclass(frozen=True, eq=False)
class _Sum:
    """A sum of exps of scores over axes, a logsumexp of scores, or the inverse of such a sum of exps."""

    of: Any
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    """The shape that it must have to be subtracted from all scores, or to divide all powers."""


@dataclass(eq=False)
class ComposedSoftmaxes:
    """Follows log_softmax, logsumexp and exp until a softmax is complete."""

    _logs: WeakTensorDict = field(default_factory=WeakTensorDict)  # log_softmax: its axes
    _log_sums: WeakTensorDict = field(default_factory=WeakTensorDict)
    _powers: WeakTensorDict = field(default_factory=WeakTensorDict)
    _sums: WeakTensorDict = field(default_factory=WeakTensorDict)
    _inverse: WeakTensorDict = field(default_factory=WeakTensorDict)  # one over a sum

    def axes(
        self, function: Callable[..., Any], name: str, args: Any, kwargs: Any, output: Tensor
    ) -> tuple[int, ...] | None:
        """Return the axes of the softmax that this call completed; None where it completed none."""
        first = args[0] if args else kwargs.get("input")
        if not isinstance(first, Tensor):
            return None
        if (axes := self._library_axes(function, first, args, kwargs)) is not None:
            return axes
        if function in _LOG_SOFTMAX:
            self._logs.set(output, _axes(first, args, kwargs))
        elif name == "logsumexp":
            self._log_sums.set(output, _sum(weakref.ref(first), first, args, kwargs))
        elif name in _TAKES and len(args) > 1 and (total := self._log_sums.get(args[1])):
            if total.of() is first and args[1].shape == total.shape:
                self._logs.set(output, total.axes)
        elif name in _EXP:
            if (of_log := self._logs.get(first)) is not None and name in {"exp", "exp_"}:
                return tuple(of_log)
            self._powers.set(output, Powers(output.shape))
        elif name == "sum" and (powers := self._powers.get(first)):
            total = _sum(powers, first, args, kwargs)
            powers.is_summed |= total.axes == (first.ndim - 1,)
            self._sums.set(output, total)
        elif (axes := self._quotient_axes(name, args)) is not None:
            return axes
        else:
            self._pass_on(name, args, output)
        return None

    def _library_axes(
        self, function: Callable[..., Any], first: Tensor, args: Any, kwargs: Any
    ) -> tuple[int, ...] | None:
        """Return the axes of a softmax that one function of torch computes; None for other functions."""
        if function in SOFTMAX:
            return _axes(first, args, kwargs)
        if function in _OF_OTHERS:
            return _axes(first, (first, *args[4 if function is F.gumbel_softmax else 1 :]), kwargs)
        if function is F.normalize and self._powers.get(first):
            order, axis = (*args[1:], *(2.0, 1)[len(args) - 1 :])[:2]
            is_by_sum = kwargs.get("p", order) == 1
            return _axes(first, (first, kwargs.get("dim", axis)), {}) if is_by_sum else None
        return None

    def powers(self, tensor: Any) -> Powers | None:
        """Return the powers that a tensor holds, if they are not divided yet."""
        powers: Powers | None = self._powers.get(tensor)
        return powers

    def _quotient_axes(self, name: str, args: Any) -> tuple[int, ...] | None:
        """Return the axes of a softmax that is completed by dividing powers by their sum."""
        if len(args) < 2 or name not in DIVIDES | _MULTIPLIES:
            return None
        totals = self._sums if name in DIVIDES else self._inverse
        for each, other in ((args[0], args[1]), (args[1], args[0]))[: 1 if name in DIVIDES else 2]:
            powers, total = self._powers.get(each), totals.get(other)
            if powers and total and total.of is powers and other.shape == total.shape:
                axes: tuple[int, ...] = total.axes
                return axes
        return None

    def _pass_on(self, name: str, args: Any, output: Tensor) -> None:
        for each in args[:3]:
            if not isinstance(each, Tensor):
                continue
            if name in _POWERS_PASS and self._powers.get(each) and output.shape == each.shape:
                self._powers.set(output, Powers(output.shape))
            if name in _SUMS_PASS:
                for sums in (self._sums, self._log_sums):
                    if total := sums.get(each):
                        sums.set(output, total)
            if total := self._sums.get(each) if name in _INVERTS else None:
                self._inverse.set(output, total)


def _axes(first: Tensor, args: Any, kwargs: Any) -> tuple[int, ...]:
    axes = kwargs.get("dim", args[1] if len(args) > 1 else None)
    axes = -1 if axes is None else axes
    every = axes if isinstance(axes, list | tuple) else [axes]
    return tuple(sorted(axis % first.ndim for axis in every if isinstance(axis, int)))


def _sum(of: Any, first: Tensor, args: Any, kwargs: Any) -> _Sum:
    axes = _axes(first, args, kwargs)
    return _Sum(of, axes, tuple(1 if axis in axes else size for axis, size in enumerate(first.shape)))
