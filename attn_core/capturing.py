"""The attention of any PyTorch model, taken while it runs: nothing stays on the model afterwards."""

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attn_core import _require
from attn_core.attention_maps import AttentionMaps

_OUTPUTS = {
    "attentions": "",
    "encoder_attentions": "encoder ",
    "decoder_attentions": "decoder ",
    "cross_attentions": "cross ",
}
_SIGNATURE = inspect.signature(nn.MultiheadAttention.forward)


def capture(
    model: nn.Module,
    /,
    *args: Any,
    tokens: Sequence[str] | None = None,
    sequence: int = 0,
    **inputs: Any,
) -> AttentionMaps:
    """Run a model and return the attention of every ``nn.MultiheadAttention`` and transformers model in it.

    ``args`` and ``inputs`` go to the model as they are. ``tokens`` name the places of the sequence, and
    ``sequence`` is which of a batch is kept. Each map is (n_head, n_query, n_key), named after its module
    (``layers.0.self_attn``) or, in a transformers model, after its layer (``layer 0``, ``cross layer 0``);
    a module that runs more than once has a map for each time.

    The model runs without gradients and as in ``model.eval()``: nothing is dropped, so these are the weights
    of its answers. Its outputs, mode and settings are what they were before. Hooks stand for this call only,
    and so does the slow path of ``nn.TransformerEncoder``, whose fast one keeps no weights; that switch is
    torch's and the same for all threads.

    Raises ValueError where no attention ran that can be taken, and for a sequence outside the batch. What
    the model itself raises is passed on.

    >>> layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> maps = capture(nn.TransformerEncoder(layer, 3), torch.zeros(1, 4, 8), tokens="a b c d".split())
    >>> [(name, weights.shape) for name, weights in maps.maps.items()][0]
    ('layers.0.self_attn', (2, 4, 4))
    """
    sequence = _require.whole("sequence", sequence, least=0)
    taken: dict[str, np.ndarray] = {}

    def take(name: str, weights: object) -> None:
        if not isinstance(weights, Tensor) or weights.ndim not in (3, 4):
            return
        if weights.ndim == 4:
            if sequence >= weights.shape[0]:
                raise ValueError(
                    f"sequence must be one of the batch, from 0 to {weights.shape[0] - 1}; got {sequence}"
                )
            weights = weights[sequence]
        again = sum(1 for known in taken if known == name or known.startswith(f"{name} ("))
        taken[f"{name} ({again + 1})" if again else name] = _array(weights)

    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(_in_eval_mode(model))
        stack.enter_context(_no_fast_path())
        for name, module in model.named_modules():
            if isinstance(module, nn.MultiheadAttention):
                stack.enter_context(_torch_weights(name or "attention", module, take))
        for name, module in _transformers_models(model):
            stack.enter_context(_transformers_weights(f"{name} " if name else "", module, take))
        model(*args, **inputs)
    if not taken:
        raise ValueError(
            "model must run an nn.MultiheadAttention or a transformers model that gives its attentions; "
            f"got {type(model).__name__}, which ran none"
        )
    return AttentionMaps(taken, None if tokens is None else tuple(tokens))


def _array(weights: Tensor) -> np.ndarray:
    weights = weights.detach().cpu()
    kept = weights if weights.dtype in (torch.float32, torch.float64) else weights.to(torch.float32)
    array: np.ndarray = kept.numpy().copy()
    return array


@contextmanager
def _in_eval_mode(model: nn.Module) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


@contextmanager
def _no_fast_path() -> Iterator[None]:
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


@contextmanager
def _torch_weights(
    name: str, module: nn.MultiheadAttention, take: Callable[[str, object], None]
) -> Iterator[None]:
    """Have one module give the weights of each head, and its caller what it asked for."""
    asked: list[tuple[bool, bool]] = []

    def before(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call = _SIGNATURE.bind(module, *args, **kwargs)
        call.apply_defaults()
        given = call.arguments
        asked.append((given["need_weights"], given["average_attn_weights"]))
        given.update(need_weights=True, average_attn_weights=False)
        given.pop("self")
        return (), given

    def after(module: nn.Module, args: Any, output: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor | None]:
        result, weights = output
        take(name, weights)
        need, average = asked.pop()
        if not need:
            return result, None
        return result, weights.mean(dim=-3) if average else weights

    hooks = (
        module.register_forward_pre_hook(before, with_kwargs=True),
        module.register_forward_hook(after, prepend=True),
    )
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _transformers_models(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """The outermost transformers models, by name; there is none where transformers was never imported."""
    transformers = sys.modules.get("transformers")
    if transformers is None:
        return
    found: list[str] = []
    for name, module in model.named_modules():
        inside = any(not outer or name.startswith(f"{outer}.") for outer in found)
        if isinstance(module, transformers.PreTrainedModel) and not inside:
            found.append(name)
            yield name, module


@contextmanager
def _transformers_weights(prefix: str, module: Any, take: Callable[[str, object], None]) -> Iterator[None]:
    """Have one transformers model compute its weights in the open, and give them."""

    def before(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return args, {**kwargs, "output_attentions": True, "return_dict": True}

    def after(module: nn.Module, args: Any, output: Any) -> None:
        for kind, word in _OUTPUTS.items():
            for layer, weights in enumerate(getattr(output, kind, None) or ()):
                take(f"{prefix}{word}layer {layer}", weights)

    configs = {id(each.config): each.config for each in module.modules() if hasattr(each, "config")}
    settings = [
        (config, config._attn_implementation)
        for config in configs.values()
        if hasattr(config, "_attn_implementation")
    ]
    hooks = (
        module.register_forward_pre_hook(before, with_kwargs=True),
        module.register_forward_hook(after, prepend=True),
    )
    try:
        module.set_attn_implementation("eager")
        yield
    finally:
        for hook in hooks:
            hook.remove()
        for config, setting in settings:  # the outer ones first, which set those inside them too
            config._attn_implementation = setting
