"""Attention weights from a file: what is asked of it, and what is said of one that does not fit."""

import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import PurePath
from tokenize import TokenError
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_safetensors

from attn_core.attention import scaled_dot_product_attention
from attn_core.attention_maps import NAMES, SPECIAL, TOKENS, WEIGHTS, AttentionMaps

EXTENSIONS = (".npz", ".safetensors", ".npy")
MAX_FILE_BYTES = 20_000_000
MAX_BYTES = 40_000_000
"""Bounds of a file, and of what stands in it once it is unpacked."""
MAX_PLACES = 256
"""How many queries and keys of a map are kept."""
MAX_HEADS = 256

_TOLERANCE = 0.02  # of a row's sum: half precision, and 1,000 keys
_TOKEN_LETTERS = 40
# What zipfile says of damage, of a password or an unknown method, and of damage inside an array.
_NOT_A_ZIP = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, zlib.error)


def read_attention(name: str, data: bytes) -> AttentionMaps:
    """Read attention weights from the bytes of an .npz, .safetensors or .npy file.

    The file holds weights, (n_head, n_query, n_key) or (n_layer, n_head, n_query, n_key), as one array of any
    name (``weights``, where there are more) or one a layer; or Q and K, (n_layer?, n_head, n, d_k), from
    which weights are computed, with V of (n_layer?, n_head, n_key, d_v) if you like. ``tokens`` are optional:
    an array of text in .npz, a JSON list in the metadata of .safetensors.
    ``AttentionMaps.save`` writes such a file.

    Maps of more than 256 queries or keys are cut, weights as they are and Q and K before the softmax; so are
    more than 256 heads; the notes say so.

    Raises ValueError for another extension, a file or contents too large, a file that is not what its name
    says or is cut short, arrays of objects (which are pickles, and never opened), of whole numbers, or with
    NaN; shapes that do not fit; and rows that do not sum to one, or zero where a query sees nothing.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in EXTENSIONS:
        raise ValueError(f"the file must end in {', '.join(EXTENSIONS)}; got {PurePath(name).name[-60:]!r}")
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(
            f"the file must have at most {MAX_FILE_BYTES // 1_000_000} MB; got {len(data) / 1e6:.0f} MB"
        )
    if suffix == ".safetensors":
        arrays, told = _from_safetensors(data)
    else:
        arrays, told = _from_npz(data) if suffix == ".npz" else ({WEIGHTS: _from_npy(data)}, {})
    notes: list[str] = []
    maps = _maps(arrays, told.get(NAMES), notes)
    longest = max(side for weights in maps.values() for side in weights.shape[1:])
    for layer, weights in maps.items():
        _check_rows(layer, weights)
    maps = {
        layer: np.array(_shorter(weights, axes=(1, 2), notes=notes), dtype=np.float32)
        for layer, weights in maps.items()
    }
    tokens = _tokens(told.get(TOKENS), {side for each in maps.values() for side in each.shape[1:]}, longest)
    special = _special(told.get(SPECIAL), tokens)
    return AttentionMaps(maps, tokens, special, tuple(dict.fromkeys(notes)))


def _from_npy(data: bytes) -> np.ndarray:
    return _array("the array", io.BytesIO(data), len(data))


def _array(name: str, file: Any, size: int) -> np.ndarray:
    """One array in numpy's own format, its header checked before anything of its size is made."""
    try:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"version {version} of the format")
        read = np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(file)
    except (ValueError, EOFError, SyntaxError, TokenError) as error:  # a header is Python's own text
        raise ValueError(
            f"{name} must be an array as numpy.save writes it; its header cannot be read"
        ) from error
    if dtype.hasobject:
        raise ValueError(
            f"{name} must hold numbers; got an array of objects, which is a pickle and is never opened"
        )
    wanted = math.prod(shape) * dtype.itemsize
    if wanted > min(size, MAX_BYTES):
        raise ValueError(f"{name} must hold the {wanted:,} bytes that its shape {shape} takes; got {size:,}")
    held = file.read(wanted)
    if len(held) < wanted:
        raise ValueError(
            f"{name} must hold the {wanted:,} bytes that its shape {shape} takes; got {len(held):,}"
        )
    return np.frombuffer(held, dtype=dtype).reshape(shape, order="F" if fortran else "C")


def _from_npz(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            size = sum(entry.file_size for entry in entries)
            if size > MAX_BYTES or len(entries) > 1000:
                raise ValueError(
                    f"an .npz file must unpack to at most {MAX_BYTES // 1_000_000} MB in 1,000 arrays; "
                    f"got {size / 1e6:.0f} MB in {len(entries)}"
                )
            arrays = {}
            for entry in entries:
                name = entry.filename.removesuffix(".npy")
                with archive.open(entry) as file:
                    arrays[name] = _array(name[:60], file, entry.file_size)
    except _NOT_A_ZIP as error:
        raise ValueError("the file must be an .npz as numpy.savez writes it; it is none") from error
    told: dict[str, Any] = {}
    for name in (NAMES, TOKENS, SPECIAL):
        if name in arrays:
            told[name] = arrays.pop(name).tolist()
    return arrays, told


def _from_safetensors(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    try:
        tensors = load_safetensors(data)
        length = int.from_bytes(data[:8], "little")
        metadata = json.loads(data[8 : 8 + length]).get("__metadata__", {})
    except (SafetensorError, ValueError, KeyError) as error:
        raise ValueError("the file must be a whole .safetensors; it is none") from error
    arrays = {
        name: (each.to(torch.float32) if each.dtype == torch.bfloat16 else each).numpy()
        for name, each in tensors.items()
    }
    told: dict[str, Any] = {}
    for name in (NAMES, TOKENS, SPECIAL):
        if name in metadata:
            try:
                told[name] = json.loads(metadata[name])
            except ValueError as error:
                raise ValueError(f"{name} in the metadata must be a JSON list; it is none") from error
    return arrays, told


def _maps(arrays: Mapping[str, np.ndarray], order: Any, notes: list[str]) -> dict[str, np.ndarray]:
    """Layers by name, each (n_head, n_query, n_key), from whichever form the file has."""
    layers = {name.removeprefix(WEIGHTS): each for name, each in arrays.items() if name.startswith(WEIGHTS)}
    if "weights" in arrays:
        layers = {"": arrays["weights"]}
    elif "Q" in arrays or "K" in arrays:
        layers = _from_projections(arrays, notes)
    elif not layers:
        layers = {name: each for name, each in arrays.items() if each.ndim in (3, 4)}
    if not layers:
        held = ", ".join(f"{name[:40]} {each.shape}" for name, each in list(arrays.items())[:4])
        raise ValueError(
            "the file must hold weights of shape (n_head, n_query, n_key) or (n_layer, n_head, n_query, "
            f"n_key), or Q and K; got {held or 'no array'}"
        )
    names = _natural(layers)
    if isinstance(order, list) and sorted(map(str, order)) == sorted(layers):
        names = [str(name) for name in order]
    maps: dict[str, np.ndarray] = {}
    for name in names:
        weights = layers[name]
        _check_shape(name or "weights", weights)
        if weights.ndim == 3:
            maps[name[:60] or "layer 0"] = weights
        else:
            front = f"{name[:60]} " if name and len(names) > 1 else ""
            maps.update({f"{front}layer {layer}": each for layer, each in enumerate(weights)})
    return _fewer(maps, notes)


def _natural(layers: Mapping[str, np.ndarray]) -> list[str]:
    """Names in the order of their numbers: layer 2 before layer 10."""
    return sorted(
        layers,
        key=lambda name: [
            (len(part), part) if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)
        ],
    )


def _check_shape(name: str, weights: np.ndarray) -> None:
    if weights.ndim not in (3, 4) or not weights.size:
        raise ValueError(
            f"{name} must have shape (n_head, n_query, n_key) or (n_layer, n_head, n_query, n_key), none of "
            f"them zero; got {weights.shape}"
        )
    if weights.dtype.kind != "f":
        raise ValueError(f"{name} must hold floating-point numbers; got {weights.dtype}")


def _fewer(maps: dict[str, np.ndarray], notes: list[str]) -> dict[str, np.ndarray]:
    """Whole layers, as many as make at most ``MAX_HEADS`` heads; of the first, what fits."""
    kept: dict[str, np.ndarray] = {}
    room, heads = MAX_HEADS, sum(weights.shape[0] for weights in maps.values())
    for name, weights in maps.items():
        if room and (weights.shape[0] <= room or not kept):
            kept[name] = weights[:room]
            room -= kept[name].shape[0]
        else:
            break
    if room != MAX_HEADS - heads:
        notes.append(f"The file has {heads} heads; the first {MAX_HEADS - room} are shown.")
    return kept


def _from_projections(arrays: Mapping[str, np.ndarray], notes: list[str]) -> dict[str, np.ndarray]:
    """The weights of each layer's Q and K, which are cut first."""
    given = {}
    for name in "QKV":
        if name in arrays:
            _check_shape(name, arrays[name])
            each = arrays[name]
            given[name] = each[None] if each.ndim == 3 else each
    shapes = ", ".join(f"{name} {arrays[name].shape}" for name in given)
    q, k, v = (given.get(name) for name in "QKV")
    if q is None or k is None or q.shape[:2] != k.shape[:2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(
            "the file must hold Q and K, (n_layer?, n_head, n_query, d_k) and (n_layer?, n_head, n_key, d_k)"
            f"; got {shapes}"
        )
    if v is not None and v.shape[:3] != k.shape[:3]:
        raise ValueError(f"V must have shape (n_layer?, n_head, n_key, d_v), n_key as in K; got {shapes}")
    for name, each in (("Q", q), ("K", k)):
        if not np.isfinite(each).all():
            raise ValueError(f"{name} must hold finite numbers; got NaN or infinity")
    q, k = (_shorter(each, axes=(2,), notes=notes) for each in (q[:, :MAX_HEADS], k[:, :MAX_HEADS]))
    maps = {}
    for layer in range(min(len(q), MAX_HEADS)):
        query, key = (torch.from_numpy(each[layer].astype(np.float64)) for each in (q, k))
        maps[f"layer {layer}"] = scaled_dot_product_attention(query, key, key).weights.numpy()
    return maps


def _shorter(array: np.ndarray, *, axes: tuple[int, ...], notes: list[str]) -> np.ndarray:
    for axis in axes:
        if array.shape[axis] > MAX_PLACES:
            notes.append(
                f"The maps have {array.shape[axis]} places; the first {MAX_PLACES} are shown, and weight on "
                "others is left out."
                if len(axes) > 1
                else f"The sequence has {array.shape[axis]} places; the first {MAX_PLACES} are used."
            )
            array = array.take(range(MAX_PLACES), axis=axis)
    return array


def _check_rows(layer: str, weights: np.ndarray) -> None:
    bad = np.argwhere(~np.isfinite(weights))
    if len(bad):
        head, query, key = bad[0].tolist()
        raise ValueError(
            f"weights must be finite numbers; got {weights[head, query, key]} in {layer}, head {head}, "
            f"query {query}, key {key}"
        )
    total = weights.sum(axis=-1, dtype=np.float64)
    fits = (abs(total - 1) < _TOLERANCE) | (abs(total) < 1e-6)
    if not fits.all() or weights.min() < -1e-6:
        turned = (abs(weights.sum(axis=-2, dtype=np.float64) - 1) < _TOLERANCE).all()
        raise ValueError(
            "weights must be >= 0 and each row (query) sum to 1, or to 0 where a query sees nothing; got "
            f"numbers from {weights.min():.3g} and sums from {total.min():.3g} to {total.max():.3g} in "
            f"{layer}" + (" (the columns sum to 1: swap the last two axes)" if turned else "")
        )


def _tokens(given: Any, sides: set[int], longest: int) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(token, str) for token in given):
        raise ValueError("tokens must be a list of texts, one for each place; got something else")
    if longest > MAX_PLACES and len(given) >= MAX_PLACES:
        given = given[:MAX_PLACES]
    if len(given) not in sides:
        wanted = " or ".join(map(str, sorted(sides)))
        raise ValueError(f"tokens must be as many as the maps have places, {wanted}; got {len(given)}")
    return tuple(token[:_TOKEN_LETTERS] for token in given)


def _special(given: Any, tokens: tuple[str, ...] | None) -> tuple[int, ...]:
    if given is None or tokens is None:
        return ()
    if not isinstance(given, list) or not all(type(place) is int for place in given):
        raise ValueError("special must be a list of places, whole numbers from 0; got something else")
    return tuple(place for place in given if 0 <= place < len(tokens))
