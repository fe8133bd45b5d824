"""Recomputes the attention weights of a call of a torch function from its arguments."""

import inspect
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attn_core._softmax import softmax_rows
from attn_core.attention import share_heads
from attn_core.capturing.torch_inside import HEADS_TAKE, LAYER_TAKES, PADDING_ALONE
from attn_core.masks import causal_mask

_MHA = inspect.signature(F.multi_head_attention_forward)
_SDPA = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")


def recompute_sdpa(args: Any, kwargs: Any) -> Tensor:
    """Return the weights of ``F.scaled_dot_product_attention``, (*batch, n_query, n_key), before dropout."""
    inputs = dict(zip(_SDPA, args, strict=False)) | kwargs
    key: Tensor = inputs["key"]
    if inputs.get("enable_gqa"):
        key = share_heads(inputs["query"], key)
    scale = inputs.get("scale")
    return _weights(
        inputs["query"],
        key,
        inputs.get("attn_mask"),
        scale=None if scale is None else float(scale),
        is_causal=bool(inputs.get("is_causal")),
    )


def recompute_mha(args: Any, kwargs: Any) -> Tensor:
    """Return the weights of ``F.multi_head_attention_forward``, (batch, n_head, n_query, n_key)."""
    call = _MHA.bind(*args, **kwargs)
    call.apply_defaults()
    inputs = call.arguments
    if inputs["is_causal"] and not inputs["need_weights"] and inputs["key_padding_mask"] is None:
        # In this case torch follows is_causal and ignores the mask.
        sides = (inputs["query"].shape[0], inputs["key"].shape[0])
        inputs["attn_mask"] = ~causal_mask(*sides).to(inputs["query"].device)
    inputs |= {"need_weights": True, "average_attn_weights": False, "training": False, "is_causal": False}
    weights = F.multi_head_attention_forward(**inputs)[1]
    assert weights is not None  # as need_weights is True
    weights = weights if weights.ndim == 4 else weights[None]
    return weights.masked_fill(_hides_all(inputs, weights.shape), 0.0)  # where torch's own are NaN


def _hides_all(inputs: dict[str, Any], shape: torch.Size) -> Tensor:
    """Return True for each row, (batch, n_head, n_query, 1), in which a call's masks hide every key."""
    masks = [inputs[name] for name in ("attn_mask", "key_padding_mask")]
    hides, pads = (
        None if each is None else each if each.dtype == torch.bool else each == -torch.inf for each in masks
    )
    is_hidden = torch.zeros(shape, dtype=torch.bool, device=inputs["query"].device)
    if hides is not None:  # (n_query, n_key), or a mask for each sequence and head
        n_key = hides.shape[-1]
        is_hidden[..., :n_key] |= hides.reshape(-1, shape[1] if hides.ndim == 3 else 1, *hides.shape[-2:])
    if pads is not None:
        n_key = pads.shape[-1]
        is_hidden[..., :n_key] |= pads.reshape(-1, 1, 1, n_key)
    return is_hidden.all(dim=-1, keepdim=True)  # no mask hides keys that torch adds


def recompute_fused_layer(args: Any, kwargs: Any) -> Tensor:
    """Return the weights of a fused encoder layer, which returns none itself."""
    inputs = dict(zip(LAYER_TAKES, args, strict=False)) | kwargs
    x: Tensor = inputs["src"]
    if inputs["norm_first"]:
        x = F.layer_norm(x, x.shape[-1:], inputs["norm_weight_1"], inputs["norm_bias_1"], inputs["eps"])
    return _of_projected(x, inputs)


def recompute_fused_heads(args: Any, kwargs: Any) -> Tensor:
    """Return the weights of a fused self-attention of a batch."""
    inputs = dict(zip(HEADS_TAKE, args, strict=False)) | kwargs
    return _of_projected(inputs["query"], inputs)


def _of_projected(x: Tensor, inputs: dict[str, Any]) -> Tensor:
    mask, n_head = inputs.get("mask"), inputs["num_heads"]
    if x.is_nested:  # padding is neither query nor key; a nested input has no mask
        lengths = torch.tensor([len(each) for each in x.unbind()])
        x = x.to_padded_tensor(0.0)
        inside = torch.arange(x.shape[1]) < lengths[:, None]
        mask = (inside[:, :, None] & inside[:, None])[:, None].to(x.device)
    elif mask is not None:  # nonzero is masked; a mask of padding alone is (batch, n_key)
        mask = ~(mask[:, None, None] if inputs.get("mask_type") == PADDING_ALONE else mask).bool()
    query, key, _ = F.linear(x, inputs["qkv_weight"], inputs["qkv_bias"]).chunk(3, dim=-1)
    query, key = (each.unflatten(-1, (n_head, -1)).transpose(-2, -3) for each in (query, key))
    return _weights(query, key, mask)


def _weights(
    query: Tensor,
    key: Tensor,
    mask: Tensor | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
) -> Tensor:
    """Return softmax(scale QK^T + mask) in at least single precision; a fully masked row is zero."""
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    query, key = query.to(wide), key.to(wide)
    scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(~causal_mask(*scores.shape[-2:]).to(scores.device), -torch.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask.to(wide)
    return softmax_rows(scores, (scores == -torch.inf).all(dim=-1, keepdim=True))
