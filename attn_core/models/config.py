"""What config.json says of a model, read strictly into numbers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import _require
from attn_core.models.families import FAMILIES, Family
from attn_core.models.rotary import rotary_frequencies

_TANH = partial(F.gelu, approximate="tanh")
ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_python": F.gelu,
    "gelu_new": _TANH,
    "gelu_fast": _TANH,
    "gelu_pytorch_tanh": _TANH,
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "relu": F.relu,
    "silu": F.silu,
    "swish": F.silu,
}


@dataclass(frozen=True, eq=False)
class Config:
    """The numbers of one model; ``scales`` and ``windows`` are by layer, ``limit`` is how long it can see."""

    family: Family
    d_model: int
    n_layer: int
    n_head: int
    n_key_head: int
    d_head: int
    activation: Callable[[Tensor], Tensor]
    epsilon: float
    is_causal: bool
    scales: tuple[float, ...]
    windows: tuple[int | None, ...]
    softcap: float | None
    frequencies: Tensor | None
    limit: int | None
    padding: int
    biased: frozenset[str]


def read_config(folder: Path) -> Config:
    """Read a folder's config.json.

    Raises ValueError where it is missing or no JSON, names no family that is known, or says what is not
    supported.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"a model's folder must hold config.json; {folder.name} does not")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"config.json must be JSON; reading it failed: {error}") from error
    if not isinstance(config, dict):
        raise ValueError(f"config.json must hold an object; got {type(config).__name__}")
    return resolve(config)


def resolve(config: Mapping[str, Any]) -> Config:
    """Return the numbers that the settings of a model stand for."""
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise ValueError(
            f"config.json must name a model_type that is supported ({', '.join(FAMILIES)}); got {kind!r}"
        )
    family = FAMILIES[kind]
    _refuse_unsupported(config)
    d_model, n_layer, n_head = (_whole(config, name) for name in (family.width, family.layers, family.heads))
    d_head = family.d_head if config.get("head_dim") is None else _whole(config, "head_dim")
    if d_head is None or family.key_heads is None:
        if d_model % n_head:
            raise ValueError(
                f"{family.heads} must divide {family.width}; got {n_head} heads and width {d_model}"
            )
        d_head = d_model // n_head
    n_key_head = _require.kv_heads(n_head, config.get(family.key_heads) if family.key_heads else None)
    name = config.get(family.activation) or family.default_activation
    _require.one_of("the activation", name, ACTIVATIONS)
    return Config(
        family,
        d_model,
        n_layer,
        n_head,
        n_key_head,
        d_head,
        ACTIVATIONS[family.activations.get(name, name)],
        _require.finite(family.epsilon, config.get(family.epsilon, family.default_epsilon)),
        family.causal or bool(config.get("is_decoder", False)),
        _scales(config, family, d_head, n_layer),
        tuple(family.windows(config, n_layer)),
        _softcap(config, family),
        None if family.places else rotary_frequencies(config, d_head),
        None if family.places else _longest(config, family),
        _require.whole("pad_token_id", config.get("pad_token_id") or 0, least=0),
        frozenset(family.biased).union(
            *(parts for setting, parts in family.biased_where.items() if config.get(setting, False))
        ),
    )


def _longest(config: Mapping[str, Any], family: Family) -> int:
    name = "max_position_embeddings"
    return _require.whole(name, config.get(name, family.longest), least=1)


def _whole(config: Mapping[str, Any], name: str) -> int:
    if name not in config:
        raise ValueError(f"config.json must hold {name}; it is missing")
    return _require.whole(name, config[name], least=1)


def _refuse_unsupported(config: Mapping[str, Any]) -> None:
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise ValueError(
            "position_embedding_type must be 'absolute' (a vector for each place, added to the words); "
            f"got {config['position_embedding_type']!r}"
        )
    if config.get("quantization_config") is not None:
        raise ValueError(
            "weights must be floating-point numbers; config.json names a quantization_config, which is not "
            "supported"
        )
    if config.get("use_bidirectional_attention"):
        raise ValueError(
            "use_bidirectional_attention must be false (a token sees those before it); got "
            f"{config['use_bidirectional_attention']!r}, which is not supported"
        )


def _scales(config: Mapping[str, Any], family: Family, d_head: int, n_layer: int) -> tuple[float, ...]:
    """What each layer multiplies its scores by; GPT-2 may leave it out, or divide by the layer's number."""
    under_root: float | Tensor = d_head
    if family.score_width:
        name, usual = family.score_width
        under_root = _require.positive(name, config.get(name, usual))
    scale = float(under_root) ** -0.5 if config.get("scale_attn_weights", True) else 1.0
    by_layer = config.get("scale_attn_by_inverse_layer_idx", False)
    return tuple(scale / (layer + 1 if by_layer else 1) for layer in range(n_layer))


def _softcap(config: Mapping[str, Any], family: Family) -> float | None:
    if family.softcap is None:
        return None
    name, usual = family.softcap
    cap = config.get(name, usual)
    return None if cap is None else float(_require.positive(name, cap))
