"""Finds attention computed in single operations: a softmax whose result multiplies the values."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from attn_core.capturing.composed_softmax import DIVIDES, SOFTMAX, ComposedSoftmaxes, Powers, WeakTensorDict
from attn_core.capturing.sequence_choice import tensors
from attn_core.capturing.torch_inside import is_in_vmap

# What a weight may pass through and stay the same weight: (…, query, key) in, (…, query, key) out.
_PASSES = {
    "to", "type", "type_as", "float", "half", "bfloat16", "double", "contiguous", "clone", "detach", "view",
    "reshape", "unsqueeze", "squeeze", "expand", "expand_as", "__getitem__", "narrow", "flatten", "unflatten",
    "masked_fill", "masked_fill_", "nan_to_num", "mul", "__mul__", "mul_", "__imul__", "view_as",
}  # fmt: skip
_DROPS = {"dropout", "dropout_", "alpha_dropout"}
_PRODUCTS = {"matmul", "bmm", "__matmul__"}
_TURNS = {"transpose", "permute", "movedim", "swapaxes", "swapdims"}
_WRITES = {
    "__setitem__", "index_put", "index_put_", "index_copy", "index_copy_", "index_add", "index_add_",
    "scatter", "scatter_", "scatter_add", "scatter_add_", "masked_scatter", "masked_scatter_",
}  # fmt: skip
_JOINS = {"cat", "concat", "concatenate", "stack"}
_ADDS = {"add", "__add__", "__radd__", "add_", "__iadd__"}
_PARTS_AXES = {"view", "reshape", "view_as", "unflatten"}


@dataclass(eq=False)
class Softmax:
    """One softmax over the last axis, and how its result is used.

    ``unread`` counts products with values whose query axis is not clear, ``is_factor`` is whether it is
    multiplied with another softmax, ``is_spread`` whether its output is one part of a larger result,
    ``is_of_more`` whether its axis is several axes in one.
    """

    shape: tuple[int, ...]
    uses: int = 0
    unread: int = 0
    cuts: int = 0
    is_piece: bool = False
    is_factor: bool = False
    is_spread: bool = False
    is_of_more: bool = False
    values: Tensor | None = None
    weights: Tensor | None = None

    @property
    def is_like_attention(self) -> bool:
        """Whether its shape is that of weights: with heads, or a square for each sequence."""
        return len(self.shape) > 3 or (len(self.shape) == 3 and self.shape[-1] == self.shape[-2])

    @property
    def reason(self) -> str:
        """Why its weights cannot be shown as queries over keys; empty where they can."""
        if not self.uses:
            return f"takes a softmax of shape {self.shape} that no plain product with values follows"
        if self.is_factor:
            return f"multiplies its softmax of shape {self.shape} with another, as a factor of its weights"
        if self.is_spread:
            return f"uses its softmax of shape {self.shape} for a part of its places or sequences"
        if self.is_piece or (self.cuts and self.uses + self.unread > 1):
            return f"uses its softmax of shape {self.shape} in pieces, such as blocks or a local band"
        if self.is_of_more:
            return f"takes its softmax of shape {self.shape} over several axes at once, not over keys alone"
        return ""


@dataclass(eq=False)
class ModuleSoftmaxes:
    """The softmaxes of one running module: those over the last axis, and why others are no weights.

    ``over_places`` are the shapes of softmaxes over the last axis but one, ``powers`` are exps of scores that
    multiplied values before the division by their sum.
    """

    softmaxes: list[Softmax] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    over_places: list[tuple[int, ...]] = field(default_factory=list)
    powers: list[Powers] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        """Why the module has no weights that are a softmax over the last axis."""
        late = "divides by the sum of exp after the product with values, and makes no weights before"
        return self.others + [late for powers in self.powers if powers.is_summed]

    def is_linear(self, softmax: Softmax) -> bool:
        """Whether a softmax is over features, as in linear attention softmax(Q) (softmax(K)^T V)."""
        same = (len(softmax.shape), softmax.shape[-1])
        return any((len(shape), shape[-1]) == same for shape in self.over_places)


@dataclass(eq=False)
class SoftmaxTracker:
    """Follows the softmaxes of all running modules until their products with values.

    ``alive`` holds the tensors that are the result of a softmax, by id, with their weights before dropout.
    """

    alive: dict[int, tuple[Tensor, Tensor, Softmax]] = field(default_factory=dict)
    _derived: WeakTensorDict = field(default_factory=WeakTensorDict)  # from a softmax, no longer weights
    _results: WeakTensorDict = field(default_factory=WeakTensorDict)  # values that a softmax multiplied
    _totals: WeakTensorDict = field(
        default_factory=WeakTensorDict
    )  # sums with values that a softmax multiplied
    _by_hand: ComposedSoftmaxes = field(default_factory=ComposedSoftmaxes)

    def follow(
        self, function: Callable[..., Any], args: Any, kwargs: Any, output: Any, record: ModuleSoftmaxes
    ) -> None:
        """Follow one call of a torch function; a softmax that it starts is added to ``record``."""
        name = getattr(function, "__name__", "")
        first = args[0] if args else kwargs.get("input")
        if name in _WRITES or name in _JOINS:
            self._note_parts(name, args, kwargs)
        if not isinstance(output, Tensor):
            return
        if name in _ADDS:
            self._add(args, output)
        if (axes := self._by_hand.axes(function, name, args, kwargs, output)) is not None:
            self._begin(axes, output, _zero_where_blind(function, first, output), record)
        elif name == "einsum":
            record.powers += filter(None, map(self._by_hand.powers, tensors(args)))
            self._follow_einsum(args, output)
        elif name in _PRODUCTS:
            record.powers += filter(None, [self._by_hand.powers(first)])
            if id(first) in self.alive:
                self._use(
                    first, args[1] if len(args) > 1 else kwargs.get("other", kwargs.get("mat2")), output
                )
        elif id(first) in self.alive and (name in _PASSES or name in _DROPS):
            self._pass_on(function, first, args, kwargs, output)
        else:
            self._derive(name, args, output)

    def follow_fused(self, weights: Tensor, values: Any, output: Any) -> Softmax:
        """Follow the output of a fused attention function, which may be a part of a larger result."""
        softmax = Softmax(tuple(weights.shape), uses=1, values=values)
        if isinstance(output, Tensor):
            self._results.set(output, softmax)
        return softmax

    def end(self, record: ModuleSoftmaxes, outputs: Iterable[Tensor], outer: ModuleSoftmaxes) -> bool:
        """End a module: move returned unused softmaxes to ``outer``, drop the others; return if any moved."""
        output_ids = {id(each) for each in outputs}
        outgoing = {each[2] for key, each in self.alive.items() if key in output_ids and not each[2].uses}
        outgoing &= set(record.softmaxes)
        outer.softmaxes += [each for each in record.softmaxes if each in outgoing]
        record.softmaxes = [each for each in record.softmaxes if each not in outgoing]
        finished = set(record.softmaxes)
        self.alive = {key: each for key, each in self.alive.items() if each[2] not in finished}
        return bool(outgoing)

    def _begin(self, axes: tuple[int, ...], output: Tensor, clean: Tensor, record: ModuleSoftmaxes) -> None:
        if output.ndim < 2 or not axes or (output.ndim == 2 and axes != (1,)):
            return
        if axes != (output.ndim - 1,):
            over = f"axis {axes[0]}" if len(axes) == 1 else f"axes {axes} at once"
            record.others.append(
                f"takes its softmax over {over} of {output.ndim}, not over the last one as keys stand"
            )
            if axes == (output.ndim - 2,):
                record.over_places.append(tuple(output.shape))
            return
        softmax = Softmax(tuple(output.shape))
        record.softmaxes.append(softmax)
        self.alive[id(output)] = (output, clean, softmax)

    def _pass_on(
        self, function: Callable[..., Any], first: Tensor, args: Any, kwargs: Any, output: Tensor
    ) -> None:
        name = function.__name__
        _, clean, softmax = self.alive[id(first)]
        if output.ndim < 2:
            return
        if name in _PARTS_AXES and output.shape[-2:].numel() == first.shape[-1] > output.shape[-1] > 1:
            softmax.is_of_more = True
            self.alive[id(output)] = (output, output, softmax)
            return
        same = output.shape[-2:] == first.shape[-2:]
        if not same and name not in {"__getitem__", "narrow"}:
            return
        if output is not first and name not in _DROPS:
            clean = output if clean is first else function(clean, *args[1:], **kwargs)
        elif output is first and name not in _DROPS:
            clean = output
        softmax.cuts += not same
        softmax.is_piece |= output.shape[-2] != first.shape[-2]
        self.alive[id(output)] = (output, clean, softmax)

    def _use(self, first: Tensor, other: Any, output: Tensor, queries: int = -2) -> None:
        if _is_learned(other):  # a learned table, of experts or embeddings: not values of tokens
            return
        _, clean, softmax = self.alive[id(first)]
        softmax.uses += 1
        softmax.values = other if isinstance(other, Tensor) else None
        softmax.weights = clean.clone().movedim(queries, -2)  # a copy: the model may overwrite the tensor
        self._results.set(output, softmax)
        if (factor := self._softmax_of(other)) is not None:
            softmax.is_factor = factor.is_factor = True

    def _softmax_of(self, tensor: Any) -> Softmax | None:
        """Return the softmax that a tensor is, or is derived from."""
        source: Softmax | None = self._derived.get(tensor)
        return self.alive[id(tensor)][2] if id(tensor) in self.alive else source

    def _derive(self, name: str, args: Any, output: Tensor) -> None:
        """Follow tensors derived from a softmax's output, and from a softmax while its last sizes stay."""
        if args and name in _PASSES | _DROPS | _TURNS | DIVIDES and (softmax := self._results.get(args[0])):
            self._results.set(output, softmax)
        for each in args:
            softmax = self._softmax_of(each) if isinstance(each, Tensor) else None
            if softmax and sorted(output.shape[-2:]) == sorted(each.shape[-2:]):
                self._derived.set(output, softmax)

    def _add(self, args: Any, output: Tensor) -> None:
        """Note where the outputs of softmaxes over parts of the keys are added."""
        softmaxes = [
            softmax for each in args if (softmax := self._results.get(each) or self._totals.get(each))
        ]
        for one, other in pairwise(softmaxes):
            if one is not other and _are_of_one(one.values, other.values):
                one.is_spread = other.is_spread = True
        if softmaxes:
            self._totals.set(output, softmaxes[-1])

    def _note_parts(self, name: str, args: Any, kwargs: Any) -> None:
        """Note where the output of a softmax becomes a part of a larger tensor."""
        if name in _JOINS:
            parts = list(tensors(args[:1] or kwargs.get("tensors")))
            axis = kwargs.get("dim", args[1] if len(args) > 1 else 0)
            softmaxes = [softmax for each in parts if (softmax := self._results.get(each))]
            ndim = parts[0].ndim + (name == "stack") if parts else 1
            of_more = {0} if name == "stack" else {0, ndim - 2}  # the axis of sequences, or of positions
            is_larger = len(set(softmaxes)) > 1 and axis % ndim in of_more
        else:
            softmaxes = [
                softmax for each in tensors((args[1:], kwargs)) if (softmax := self._results.get(each))
            ]
            value = args[-1] if softmaxes else None
            is_whole = name == "__setitem__" and next(tensors(args[1:2]), None) is None
            is_larger = not (is_whole and isinstance(value, Tensor) and args[0].shape == value.shape)
        for softmax in softmaxes:
            softmax.is_spread |= is_larger

    def _follow_einsum(self, args: Any, output: Tensor) -> None:
        if len(args) < 2 or not isinstance(args[0], str):
            return
        operands = list(args[1]) if isinstance(args[1], list | tuple) else list(args[1:])
        letters = args[0].replace(" ", "")
        if "->" not in letters or len(operands) != 2:
            return
        inputs, out = _spelt_out(letters, operands).split("->")
        both = list(zip(inputs.split(","), operands, strict=False))
        for (axes, operand), (other, values) in zip(both, reversed(both), strict=True):
            queries = [axis for axis in axes[:-1] if axis in out and axis not in other]
            # The softmax's axis is summed over; the query's is in the result and not in the values.
            is_product = axes[-1] not in out and axes[-1] in other
            if id(operand) not in self.alive or not is_product:
                continue
            if len(queries) == 1:
                self._use(operand, values, output, axes.index(queries[0]))
            elif not _is_learned(values):
                self.alive[id(operand)][2].unread += 1


def _zero_where_blind(function: Any, scores: Any, weights: Tensor) -> Tensor:
    """Return weights with zeros in fully masked rows, which a softmax makes NaN.

    NaN of another origin stays.
    """
    if not isinstance(scores, Tensor) or weights.is_meta or is_in_vmap(weights) or not weights.isnan().any():
        return weights
    nothing = -torch.inf if function in SOFTMAX else 0.0
    return weights.masked_fill((scores == nothing).all(dim=-1, keepdim=True), 0.0)


def _is_learned(values: Any) -> bool:
    return isinstance(values, nn.Parameter) or isinstance(getattr(values, "_base", None), nn.Parameter)


def _spelt_out(letters: str, operands: list[Any]) -> str:
    """Replace the "..." of an einsum equation by letters."""
    terms, out = letters.split("->")
    free = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in letters]
    counts = [
        each.ndim - len(term) + len("...") if "..." in term else 0
        for term, each in zip(terms.split(","), operands, strict=False)
    ]
    spelt = [
        term.replace("...", "".join(free[len(free) - count :]))
        for term, count in zip(terms.split(","), counts, strict=False)
    ]
    return f"{','.join(spelt)}->{out.replace('...', ''.join(free[len(free) - max(counts) :]))}"


def _are_of_one(one: Tensor | None, other: Tensor | None) -> bool:
    """Whether two tensors are views of disjoint rows of one tensor."""
    if one is None or other is None or one.ndim != other.ndim or one.stride() != other.stride():
        return False
    try:
        same = one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
        apart = abs(int(one.storage_offset()) - int(other.storage_offset()))
    except RuntimeError:  # without a storage, such as on the meta device
        return False
    places = min(one.shape[-2], other.shape[-2]) * one.stride(-2)
    return same and 0 < places <= apart and apart % one.stride(-2) == 0
