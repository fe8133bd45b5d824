"""Undocumented parts of torch that the capture uses, each looked up by name, and optional.

Those that a version of torch lacks are in ``ABSENT``; a model is then captured as far as possible, and the
manifest lists the rest as missed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from threading import Lock
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

_PLAIN = "torch's encoder layers take their plain path while they are captured"
WITHOUT: Mapping[str, str] = {
    "_transformer_encoder_layer_fwd": "a fused encoder layer is told as one that cannot be seen",
    "_native_multi_head_attention": "a fused attention is told as one that cannot be seen",
    "_C._functorch.is_batchedtensor": "a model inside torch.vmap is captured as if it had one sequence",
    "overrides._get_current_function_mode": _PLAIN,
    "overrides._pop_mode_temporarily": _PLAIN,
}
"""The parts of ``torch`` in use, by dotted name, and what a capture does in a torch that lacks them."""

# The arguments of each fused function, in their order: these functions have no signature to inspect.
LAYER_TAKES = (
    "src", "embed_dim", "num_heads", "qkv_weight", "qkv_bias", "proj_weight", "proj_bias", "use_gelu",
    "norm_first", "eps", "norm_weight_1", "norm_bias_1", "norm_weight_2", "norm_bias_2", "ffn_weight_1",
    "ffn_bias_1", "ffn_weight_2", "ffn_bias_2", "mask", "mask_type",
)  # fmt: skip
HEADS_TAKE = (
    "query", "key", "value", "embed_dim", "num_heads", "qkv_weight", "qkv_bias", "proj_weight",
    "proj_bias", "mask", "need_weights", "average_attn_weights", "mask_type",
)  # fmt: skip
PADDING_ALONE = 1
"""The ``mask_type`` that a fused function takes for a mask (batch, n_key)."""

_PATCHING = Lock()


def _lookup(place: str) -> Any:
    try:
        return reduce(getattr, place.split("."), torch)
    except AttributeError:
        return None


ABSENT = tuple(place for place in WITHOUT if _lookup(place) is None)
"""The names in ``WITHOUT`` that this version of torch lacks."""
FUSED_LAYER: Callable[..., Tensor] | None = _lookup("_transformer_encoder_layer_fwd")
FUSED_HEADS: Callable[..., Tensor] | None = _lookup("_native_multi_head_attention")


def is_in_vmap(tensor: Tensor) -> bool:
    """Whether a tensor is batched by ``torch.vmap``."""
    is_batched = _lookup("_C._functorch.is_batchedtensor")
    return is_batched is not None and bool(is_batched(tensor))


@contextmanager
def fast_paths(mode: TorchFunctionMode) -> Iterator[None]:
    """Let torch's fused encoder layers run under our mode as they would without it.

    They call ``torch.overrides.has_torch_function``, which is true under any mode. It is replaced meanwhile
    by a function that ignores our mode, and returns what it did for every other mode, tensor and thread.
    """
    if any(place.startswith("overrides.") for place in ABSENT):
        yield
        return
    overrides: Any = torch.overrides

    def without_ours(arguments: Any) -> bool:
        if overrides._get_current_function_mode() is not mode:
            return bool(original(arguments))
        with overrides._pop_mode_temporarily():
            return bool(original(arguments))

    with _PATCHING:  # one at a time: each restores the function that it replaced
        original = overrides.has_torch_function
        overrides.has_torch_function = without_ours
        try:
            yield
        finally:
            overrides.has_torch_function = original
