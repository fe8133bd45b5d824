"""Watches a running model for attention: torch's own functions, and softmaxes that multiply values."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attn_core.capturing import recomputing
from attn_core.capturing.composed_attention import ModuleSoftmaxes, Softmax, SoftmaxTracker
from attn_core.capturing.sequence_choice import tensors
from attn_core.capturing.torch_inside import FUSED_HEADS, FUSED_LAYER

_TORCH: Mapping[Any, tuple[str, Callable[[Any, Any], Tensor]]] = {
    F.scaled_dot_product_attention: ("scaled_dot_product_attention", recomputing.recompute_sdpa),
    F.multi_head_attention_forward: ("multi_head_attention_forward", recomputing.recompute_mha),
    FUSED_LAYER: ("fused encoder layer", recomputing.recompute_fused_layer),
    FUSED_HEADS: ("fused attention", recomputing.recompute_fused_heads),
}
WRITTEN_OUT = "softmax and product"
_ATTENTION = re.compile(r"(attention|attn|multi_?head|multi_?query)(?!.*norm)", re.IGNORECASE)
_BESIDE = re.compile(
    r"att(entio)?n(output|adapter(layer)?|\w*projection|bias|mlp|loss|residual)$", re.IGNORECASE
)
MIXER = re.compile(
    r"(DeltaNet|(?<!Feature)Mixer(Block)?|Mamba2?(Layer)?|Retention|RecurrentBlock|Hyena|FourierTransform"
    r"|ShortConv(olution)?)$"
)
_HEADS = ("num_heads", "num_attention_heads", "n_head", "n_heads", "nhead")


@dataclass(frozen=True, eq=False)
class AttentionCall:
    """One attention that ran, or a module that ran and whose attention cannot be read.

    ``weights`` are those of one sequence, ``reason`` is why there are none. ``outside`` is the size of the
    batch where the sequence is not in it. ``softmax`` shows how the output of torch's own functions is used.
    """

    module: nn.Module
    name: str
    computed_by: str = ""
    shape: tuple[int, ...] | None = None
    weights: Any = None
    reason: str = ""
    outside: int = 0
    softmax: Softmax | None = None


@dataclass(eq=False)
class _Frame:
    """One module that is running."""

    module: nn.Module
    name: str
    record: ModuleSoftmaxes = field(default_factory=ModuleSoftmaxes)
    calls: list[AttentionCall] = field(default_factory=list)


class Watch(TorchFunctionMode):
    """A mode that records every attention that a model computes, with its module, and changes nothing.

    ``keep`` is called with the weights of one call, (*batch, n_head, n_query, n_key), and the numbers of
    heads that its module may have; it returns what to keep, or raises ValueError with the reason.
    """

    def __init__(self, model: nn.Module, keep: Callable[[Tensor, Collection[int]], Any]) -> None:
        """Watch the modules of one model."""
        super().__init__()
        self.keep = keep
        self.names = {id(module): name for name, module in model.named_modules()}
        self.frames = [_Frame(model, "")]
        self.tracker = SoftmaxTracker()

    @property
    def calls(self) -> list[AttentionCall]:
        """All recorded calls, in the order in which they were computed."""
        return self.frames[0].calls

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one torch function unchanged, and record its arguments and output."""
        kwargs = kwargs or {}
        output = func(*args, **kwargs)
        if func in _TORCH:
            computed_by, compute = _TORCH[func]
            with torch.no_grad():
                weights = _unpack_heads(compute(args, kwargs), self.frames[-1].module)
                is_plain = func is not F.scaled_dot_product_attention  # whose axes need not include heads
                self._add(self.frames[-1], computed_by, weights, {weights.shape[-3]} if is_plain else None)
                values = None if is_plain else kwargs.get("value", args[2] if len(args) > 2 else None)
                # Follows whether the function's output becomes a part of a larger tensor.
                softmax = self.tracker.follow_fused(weights, values, output)
                calls = self.frames[-1].calls
                calls[-1] = replace(calls[-1], softmax=softmax)
        elif getattr(func, "__name__", "") in {"flex_attention", "flex_attention_backward"}:
            self._record_miss("computes its attention by flex_attention, whose weights never exist")
        else:
            with torch.no_grad():
                self.tracker.follow(func, args, kwargs, output, self.frames[-1].record)
        return output

    def enter(self, module: nn.Module) -> None:
        """Note that a module starts."""
        kind = type(module).__name__
        name = self.names.get(id(module))
        if name is None:  # not a module of the model: named after its caller and its class
            name = ".".join(filter(None, (self.frames[-1].name, kind)))
        self.frames.append(_Frame(module, name))

    def leave(self, module: nn.Module, output: Any) -> None:
        """Record the attention of a module that ends; softmaxes that it returns pass to its caller."""
        if len(self.frames) < 2 or self.frames[-1].module is not module:
            return
        frame = self.frames.pop()
        outer = self.frames[-1]
        is_handed = self.tracker.end(frame.record, tensors(output), outer.record)
        self._judge(frame, is_handed=is_handed)
        outer.calls += frame.calls

    def finish(self) -> None:
        """Record what was computed outside every module, and check how torch's outputs were used."""
        frame = self.frames[0]
        self._judge(frame, is_handed=False)
        for place, each in enumerate(frame.calls):
            if each.softmax is not None and each.softmax.reason and not each.reason:
                frame.calls[place] = replace(each, weights=None, reason=each.softmax.reason)

    def _judge(self, frame: _Frame, *, is_handed: bool) -> None:
        kind = type(frame.module).__name__
        is_attention = bool(_ATTENTION.search(kind)) and not _BESIDE.search(kind)
        # A softmax of two axes without a product with values gives probabilities of classes or experts.
        softmaxes = [each for each in frame.record.softmaxes if len(each.shape) > 2 or each.uses]
        tracker = [each for each in softmaxes if each.uses]
        reasons = [each.reason for each in softmaxes if each.reason]
        if any(frame.record.is_linear(each) for each in tracker):
            reasons.append("takes one softmax over features and one over places, as linear attention does")
        if reasons and (tracker or is_attention or any(each.is_like_attention for each in softmaxes)):
            frame.calls.append(AttentionCall(frame.module, frame.name, WRITTEN_OUT, reason=reasons[0]))
        else:
            for each in tracker:
                assert each.weights is not None
                self._add(frame, WRITTEN_OUT, each.weights)
        if frame.calls or is_handed:
            return
        if isinstance(frame.module, torch.jit.ScriptModule):
            self._record_miss("is TorchScript, inside which nothing can be seen", frame)
        elif reasons := frame.record.reasons:
            self._record_miss(reasons[0], frame)
        elif is_attention:
            self._record_miss("ran without a product of queries and keys that can be seen", frame)
        elif MIXER.search(kind):
            self._record_miss("mixes places without weights of queries over keys", frame)

    def _heads(self, frame: _Frame) -> set[int]:
        """The numbers of heads of the innermost running module that states them."""
        modules = [frame.module, *(each.module for each in reversed(self.frames))]
        return next(filter(None, map(_heads_of, modules)), set())

    def _record_miss(self, why: str, frame: _Frame | None = None) -> None:
        frame = frame or self.frames[-1]
        frame.calls.append(AttentionCall(frame.module, frame.name, reason=why))

    def _add(
        self, frame: _Frame, computed_by: str, weights: Tensor, heads: Collection[int] | None = None
    ) -> None:
        heads = self._heads(frame) if heads is None else heads
        choice, reason, outside = None, "", 0
        try:
            choice = self.keep(weights, heads)
        except ValueError as why:
            reason, outside = str(why), getattr(why, "batch", 0)
        shape = tuple(weights.shape)
        frame.calls.append(
            AttentionCall(frame.module, frame.name, computed_by, shape, choice, reason, outside)
        )


def _heads_of(module: nn.Module) -> set[int]:
    """Return the numbers of heads that a module or its config states, one per stage."""
    for holder in (module, getattr(module, "config", None)):
        numbers = [getattr(holder, name, None) for name in _HEADS]
        each = [one for some in numbers for one in (some if isinstance(some, list | tuple) else [some])]
        if counts := {one for one in each if type(one) is int and one > 0}:
            return counts
    return set()


def _unpack_heads(weights: Tensor, module: nn.Module) -> Tensor:
    """Undo transformers' packing of a single query, with the heads that share a key on the query axis."""
    n_shared = getattr(module, "num_key_value_groups", 1)
    heads = getattr(getattr(module, "config", None), "num_attention_heads", None)
    is_packed = (
        n_shared > 1 and heads and weights.ndim == 4 and weights.shape[1:3] == (heads // n_shared, n_shared)
    )
    return weights.flatten(1, 2).unsqueeze(2) if is_packed else weights
