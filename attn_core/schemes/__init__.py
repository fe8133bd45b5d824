"""Positional schemes with one interface, so that they can be compared."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from attn_core import _require
from attn_core.schemes.additive import Learned, Ramp, Sinusoidal, VectorScheme
from attn_core.schemes.bias import Alibi, BiasScheme, RelativeBuckets
from attn_core.schemes.rotary import Rotary, RotationScheme
from attn_core.schemes.scheme import NoPositions, Scheme
from attn_core.schemes.trials import (
    attention_shift_difference,
    by_offset,
    shift_difference,
    shuffle_difference,
)

__all__ = [
    "SCHEMES",
    "Alibi",
    "BiasScheme",
    "Learned",
    "NoPositions",
    "Ramp",
    "RelativeBuckets",
    "Rotary",
    "RotationScheme",
    "Scheme",
    "Sinusoidal",
    "VectorScheme",
    "attention_shift_difference",
    "by_offset",
    "make_scheme",
    "shift_difference",
    "shuffle_difference",
]

SCHEMES: Mapping[str, type[Scheme]] = MappingProxyType(
    {each.name: each for each in (NoPositions, Ramp, Sinusoidal, Learned, Rotary, Alibi, RelativeBuckets)}
)
"""The schemes by name, read-only.

>>> SCHEMES["rotary"].adds
'rotation'
"""


def make_scheme(name: str, **settings: Any) -> Scheme:
    """Make a scheme by its name, with those of the settings that it has.

    Raises ValueError for an unknown name, and where the scheme refuses a setting.

    >>> make_scheme("ALiBi", head=2, base=100.0).bias(1, 2)
    tensor([[-0.0000, -0.1250]], dtype=torch.float64)
    """
    _require.one_of("scheme", name, SCHEMES)
    scheme = SCHEMES[name]
    return scheme(**{each: settings[each] for each in scheme.settings() & settings.keys()})
