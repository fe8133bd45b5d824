"""Which layers see a window of the nearest tokens alone, by what config.json says of it."""

from collections.abc import Callable, Mapping
from typing import Any

from attn_core import _require

Windows = Callable[[Mapping[str, Any], int], list[int | None]]
"""From the settings and the number of layers to each layer's window, None where it sees all."""
SLIDING, FULL = "sliding_attention", "full_attention"


def no_window(config: Mapping[str, Any], n_layer: int) -> list[int | None]:
    """Return no window for any layer."""
    return [None] * n_layer


def every_layer(config: Mapping[str, Any], n_layer: int) -> list[int | None]:
    """Return one window for all layers, where there is one (Mistral)."""
    return [_width(config)] * n_layer


def by_layer_type(config: Mapping[str, Any], n_layer: int) -> list[int | None]:
    """Return windows by ``layer_types``, else from ``max_window_layers`` on where they are used (Qwen)."""
    window = _width(config) if config.get("use_sliding_window", False) else None
    whole = n_layer
    if window is not None:
        whole = _require.whole("max_window_layers", config.get("max_window_layers", 28), least=0)
    return _typed(config, window, [FULL if layer < whole else SLIDING for layer in range(n_layer)])


def alternate(config: Mapping[str, Any], n_layer: int) -> list[int | None]:
    """Return windows by ``layer_types``, else for every other layer from the first (Gemma 2)."""
    usual = [FULL if layer % 2 else SLIDING for layer in range(n_layer)]
    return _typed(config, _width({"sliding_window": 4096, **config}), usual)


def _typed(config: Mapping[str, Any], window: int | None, usual: list[str]) -> list[int | None]:
    types = config.get("layer_types")
    types = usual if types is None else types
    if not isinstance(types, list) or len(types) != len(usual) or not {*map(str, types)} <= {SLIDING, FULL}:
        raise ValueError(
            f"layer_types must name {SLIDING} or {FULL} for each of {len(usual)} layers; got "
            f"{str(types)[:80]}"
        )
    if SLIDING in types and window is None:
        raise ValueError(f"layers of {SLIDING} need a sliding_window; config.json has none that is used")
    return [window if each == SLIDING else None for each in types]


def _width(config: Mapping[str, Any]) -> int | None:
    window = config.get("sliding_window")
    return None if window is None else _require.whole("sliding_window", window, least=1)
