"""How fast each pair of dimensions of a head turns, by what config.json says of rotary positions."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require

KINDS = ("default", "linear", "llama3")


def rotary_frequencies(config: Mapping[str, Any], d_head: int) -> Float[Tensor, " n_pair"]:
    r"""Return the angle by which each pair of dimensions turns from one position to the next, (d_head / 2,).

    $$\omega_i = \mathrm{base}^{-2i/d_{head}}$$

    "linear" divides all by ``factor``. "llama3" divides those whose wavelength is above the trained length
    over ``low_freq_factor``, leaves those below that length over ``high_freq_factor``, and goes from one to
    the other in between. Both forms of config.json are read: ``rope_parameters``, and ``rope_theta`` with
    ``rope_scaling``.

    Raises ValueError for a kind of scaling that is not supported, by its name, an odd d_head, and numbers
    that cannot be.

    Source: Su et al. (2021), RoFormer; Chen et al. (2023), Extending Context Window by Position
    Interpolation; Dubey et al. (2024), The Llama 3 Herd of Models, and its program.

    >>> rotary_frequencies({"rope_theta": 100.0}, 4).tolist()
    [1.0, 0.1]
    """
    told: dict[str, Any] = {"rope_theta": 10000.0}
    for each in (
        {"rope_theta": config.get("rope_theta")},
        config.get("rope_scaling"),
        config.get("rope_parameters"),
    ):
        if not isinstance(each, Mapping | None):
            raise ValueError(f"the settings of rotary positions must be an object; got {each!r}")
        told |= {name: value for name, value in (each or {}).items() if value is not None}
    kind = told.get("rope_type", told.get("type", "default"))
    if kind not in KINDS:
        raise ValueError(
            f"rotary positions must be scaled by one of {', '.join(KINDS)}; got rope_type {kind!r}, "
            "which is not supported"
        )
    share = told.get("partial_rotary_factor", config.get("partial_rotary_factor", 1.0))
    if share != 1.0:
        raise ValueError(f"partial_rotary_factor must be 1 (a head is turned as a whole); got {share!r}")
    if d_head % 2:
        raise ValueError(f"rotary positions turn pairs of dimensions; got head_dim {d_head}, which is odd")
    frequencies = _number(told, "rope_theta") ** -(torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
    if kind == "default":
        return frequencies
    slowed = frequencies / _number(told, "factor")
    if kind == "linear":
        return slowed
    told.setdefault("original_max_position_embeddings", config.get("max_position_embeddings"))
    low, high = _number(told, "low_freq_factor"), _number(told, "high_freq_factor")
    if low >= high:
        raise ValueError(f"low_freq_factor must be below high_freq_factor; got {low:g} and {high:g}")
    # How many times a pair turns round within the trained length, from 0 (slowed) to 1 (as it was).
    turns = _number(told, "original_max_position_embeddings") * frequencies / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return (1 - kept) * slowed + kept * frequencies


def _number(told: Mapping[str, Any], name: str) -> float:
    return float(_require.positive(name, told.get(name)))
