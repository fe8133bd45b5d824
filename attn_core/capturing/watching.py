"""Attention seen where it is computed: torch's own functions, and softmaxes that multiply values."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attn_core.capturing import recomputing
from attn_core.capturing.products import Made, Products, Softmax
from attn_core.capturing.torch_inside import FUSED_HEADS, FUSED_LAYER

_TORCH: Mapping[Any, tuple[str, Callable[[Any, Any], Tensor]]] = {
    F.scaled_dot_product_attention: ("scaled_dot_product_attention", recomputing.of_sdpa),
    F.multi_head_attention_forward: ("multi_head_attention_forward", recomputing.of_mha),
    FUSED_LAYER: ("fused encoder layer", recomputing.of_fused_layer),
    FUSED_HEADS: ("fused attention", recomputing.of_fused_heads),
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
class Seen:
    """One attention that ran, or a module that ran without one that can be seen."""

    module: nn.Module
    name: str
    computed_by: str = ""
    shape: tuple[int, ...] | None = None
    kept: Any = None
    missed: str = ""
    outside: int = 0
    """The sequences that it has, where the one asked for is none of them."""
    made: Softmax | None = None
    """What became of a function's weights after it, where torch computed them."""


@dataclass(eq=False)
class _Frame:
    """One module that is running."""

    module: nn.Module
    name: str
    made: Made = field(default_factory=Made)
    seen: list[Seen] = field(default_factory=list)


class Watch(TorchFunctionMode):
    """See every attention that a model computes, and who computes it; change nothing.

    ``keep`` takes from the weights of one call, (*batch, n_head, n_query, n_key), and the numbers of heads
    that its module tells, what is to be kept, and raises ValueError with the reason where that is nothing.
    """

    def __init__(self, model: nn.Module, keep: Callable[[Tensor, Collection[int]], Any]) -> None:
        """Watch the modules of one model."""
        super().__init__()
        self.keep = keep
        self.names = {id(module): name for name, module in model.named_modules()}
        self.frames = [_Frame(model, "")]
        self.products = Products()

    @property
    def seen(self) -> list[Seen]:
        """All that was seen, in the order in which it was computed."""
        return self.frames[0].seen

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one function of torch's as it is, and look at what it was given and gave."""
        kwargs = kwargs or {}
        output = func(*args, **kwargs)
        if func in _TORCH:
            computed_by, weights = _TORCH[func]
            with torch.no_grad():
                taken = _unpacked(weights(args, kwargs), self.frames[-1].module)
                is_plain = func is not F.scaled_dot_product_attention  # which knows of no heads
                self._add(self.frames[-1], computed_by, taken, {taken.shape[-3]} if is_plain else None)
                value = kwargs.get("value", args[2] if len(args) > 2 else None)
                self._follow(taken, None if is_plain else value, output)
        elif getattr(func, "__name__", "") in {"flex_attention", "flex_attention_backward"}:
            self._miss("computes its attention by flex_attention, whose weights never exist")
        else:
            with torch.no_grad():
                self.products.see(func, args, kwargs, output, self.frames[-1].made)
        return output

    def enter(self, module: nn.Module) -> None:
        """Note that a module starts."""
        kind = type(module).__name__
        name = self.names.get(id(module))
        if name is None:  # none of the model's own modules: named after its class, within who runs it
            name = ".".join(filter(None, (self.frames[-1].name, kind)))
        self.frames.append(_Frame(module, name))

    def leave(self, module: nn.Module, output: Any) -> None:
        """Judge what a module computed, now that it ends; its softmaxes that it returns live on."""
        if len(self.frames) < 2 or self.frames[-1].module is not module:
            return
        frame = self.frames.pop()
        outer = self.frames[-1]
        is_handed = self.products.end(frame.made, _tensors(output), outer.made)
        self._judge(frame, is_handed=is_handed)
        outer.seen += frame.seen

    def _follow(self, weights: Tensor, values: Any, output: Any) -> None:
        """See whether what torch's function gives becomes a part of something larger."""
        seen = self.frames[-1].seen
        seen[-1] = replace(seen[-1], made=self.products.fused(weights, values, output))

    def finish(self) -> None:
        """Judge what was computed outside every module, and what became of what torch gave."""
        frame = self.frames[0]
        self._judge(frame, is_handed=False)
        for place, each in enumerate(frame.seen):
            if each.made is not None and each.made.missed and not each.missed:
                frame.seen[place] = replace(each, kept=None, missed=each.made.missed)

    def _judge(self, frame: _Frame, *, is_handed: bool) -> None:
        kind = type(frame.module).__name__
        is_attention = bool(_ATTENTION.search(kind)) and not _BESIDE.search(kind)
        # Two axes that no product with values follows are probabilities, of classes or of experts.
        softmaxes = [each for each in frame.made.softmaxes if len(each.shape) > 2 or each.uses]
        used = [each for each in softmaxes if each.uses]
        reasons = [each.missed for each in softmaxes if each.missed]
        if any(frame.made.is_linear(each) for each in used):
            reasons.append("takes one softmax over features and one over places, as linear attention does")
        if reasons and (used or is_attention or any(each.is_like_attention for each in softmaxes)):
            frame.seen.append(Seen(frame.module, frame.name, WRITTEN_OUT, missed=reasons[0]))
        else:
            for each in used:
                assert each.taken is not None
                self._add(frame, WRITTEN_OUT, each.taken)
        if frame.seen or is_handed:
            return
        if isinstance(frame.module, torch.jit.ScriptModule):
            self._miss("is TorchScript, inside which nothing can be seen", frame)
        elif reasons := frame.made.reasons:
            self._miss(reasons[0], frame)
        elif is_attention:
            self._miss("ran without a product of queries and keys that can be seen", frame)
        elif MIXER.search(kind):
            self._miss("mixes places without weights of queries over keys", frame)

    def _heads(self, frame: _Frame) -> set[int]:
        """The numbers of heads that the innermost module tells of those that run."""
        modules = [frame.module, *(each.module for each in reversed(self.frames))]
        return next(filter(None, map(_heads_of, modules)), set())

    def _miss(self, why: str, frame: _Frame | None = None) -> None:
        frame = frame or self.frames[-1]
        frame.seen.append(Seen(frame.module, frame.name, missed=why))

    def _add(
        self, frame: _Frame, computed_by: str, weights: Tensor, heads: Collection[int] | None = None
    ) -> None:
        heads = self._heads(frame) if heads is None else heads
        kept, missed, outside = None, "", 0
        try:
            kept = self.keep(weights, heads)
        except ValueError as why:
            missed, outside = str(why), getattr(why, "batch", 0)
        shape = tuple(weights.shape)
        frame.seen.append(Seen(frame.module, frame.name, computed_by, shape, kept, missed, outside))


def _heads_of(module: nn.Module) -> set[int]:
    """The numbers of heads that a module or its config tells, one a stage where there are several."""
    for holder in (module, getattr(module, "config", None)):
        told = [getattr(holder, name, None) for name in _HEADS]
        each = [one for some in told for one in (some if isinstance(some, list | tuple) else [some])]
        if found := {one for one in each if type(one) is int and one > 0}:
            return found
    return set()


def _unpacked(weights: Tensor, module: nn.Module) -> Tensor:
    """Undo what transformers does for one query: its heads that share a key stand where queries stand."""
    shared = getattr(module, "num_key_value_groups", 1)
    heads = getattr(getattr(module, "config", None), "num_attention_heads", None)
    is_packed = shared > 1 and heads and weights.ndim == 4 and weights.shape[1:3] == (heads // shared, shared)
    return weights.flatten(1, 2).unsqueeze(2) if is_packed else weights


def _tensors(output: Any) -> Iterator[Tensor]:
    if isinstance(output, Tensor):
        yield output
    elif isinstance(output, Mapping):
        for each in output.values():
            yield from _tensors(each)
    elif isinstance(output, list | tuple):
        for each in output:
            yield from _tensors(each)
