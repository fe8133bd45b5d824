"""Reads attention weights from a file; each error names what does not fit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
import torch

from attn_core._softmax import softmax_rows
from attn_core.attention_file import metadata
from attn_core.attention_file.plan import (
    MAX_HEADS,
    MAX_PLACES,
    MapPlan,
    ProjectionPlan,
    affordable,
    natural,
    plan_projections,
    plan_weights,
)
from attn_core.attention_file.rows import check_weights, crop
from attn_core.attention_file.stored_arrays import (
    MAX_BYTES,
    StoredArray,
    from_npy,
    from_npz,
    from_safetensors,
)
from attn_core.attention_maps import (
    BEYOND,
    DECODER_TOKENS,
    KEYS,
    MAX_FILE_BYTES,
    NAMES,
    NOTES,
    PARTS,
    PRECISION,
    SPECIAL,
    TOKENS,
    WEIGHTS,
    AttentionMaps,
)
from attn_core.encoder_decoder import check_tokens, kinds_of
from attn_core.precision import coarsest, row_tolerance
from attn_words import _

__all__ = ["EXTENSIONS", "MAX_BYTES", "MAX_FILE_BYTES", "MAX_HEADS", "MAX_PLACES", "read_attention"]
EXTENSIONS = (".npz", ".safetensors", ".npy")
_SCORES_AT_ONCE = 2_000_000  # computed from Q and K together, to bound the memory in between
_MOST_UNREAD, _LETTERS = 4, 40
_METADATA = (NAMES, TOKENS, DECODER_TOKENS, SPECIAL, NOTES, PRECISION)


def read_attention(name: str, data: bytes) -> AttentionMaps:
    """Read attention weights from the bytes of an .npz, .safetensors or .npy file.

    The file holds one array of weights, (head, query, key) or (layer, head, query, key), of any name
    (``weights``, if there are others); or an array per layer, (head, query, key) or, as transformers returns
    it, (batch, head, query, key), which becomes a map per sequence; or Q and K, (layer?, head, n, d_k), from
    which weights are computed, optionally with V, (layer?, head, key, d_v). ``tokens`` are optional, and so
    are ``decoder_tokens`` of an encoder-decoder, or ``keys`` where ``tokens`` name the queries alone: an
    array of text in .npz, a JSON list in the metadata of .safetensors. ``AttentionMaps.save`` writes such a
    file. Other arrays are not read.

    At most 4,096 queries and keys of a map are kept (weights are cut after the softmax, Q and K before it),
    at most 256 heads, and at most 72 MB in all, as computed from the shapes before any number is read.
    ``beyond`` holds each row's weight on keys that were cut away; if a row sums to less than one without a
    cut, it holds the rest, as the weight of an attention sink. Where there are Q and K, a mask and any other
    array is ignored. ``notes`` of the result state whatever was cut, missing or ignored.

    ``precision`` is the coarser of the numbers' format and the format that the file states; or, where rows
    do not sum to one as exactly as that implies, a half precision in which every number is exact.

    Raises ValueError for another extension, a file or contents too large, a file that is not what its name
    says or is damaged, arrays of objects (which are pickles, and never opened), of whole numbers, or with
    NaN; shapes that do not fit; negative weights, and rows that sum to more than one.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in EXTENSIONS:
        raise ValueError(
            _(
                "the file must end in {endings}; got {name}",
                endings=", ".join(EXTENSIONS),
                name=repr(PurePath(name).name[-60:]),
            )
        )
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(
            _(
                "the file must have at most {most} MB; got {size} MB",
                most=MAX_FILE_BYTES // 1_000_000,
                size=f"{len(data) / 1e6:.1f}",
            )
        )
    arrays, texts = _open(suffix, data)
    notes = metadata.notes(texts.get(NOTES))
    plans = affordable(_plan_maps(arrays, metadata.order(texts.get(NAMES), MAX_HEADS)), notes)
    has_keys = KEYS in texts and DECODER_TOKENS not in texts
    source, target = (KEYS, TOKENS) if has_keys else (TOKENS, DECODER_TOKENS)
    lists = [name for name in texts if name not in (*_METADATA, source) and str(texts[name]).startswith("[")]
    if any(each.index and ", part " in each.name for each in plans):
        notes.append(_(PARTS))
    notes += _unread([*arrays, *lists], plans)
    longest = max(side for each in plans for side in each.sides)
    tokens, count = metadata.tokens(source, texts.get(source), longest, MAX_PLACES)
    of_decoder, decoder_count = metadata.tokens(target, texts.get(target), longest, MAX_PLACES)
    sides = {each.name: tuple(min(side, MAX_PLACES) for side in each.sides) for each in plans}
    kinds = kinds_of(sides, has_decoder_tokens=of_decoder is not None or has_keys)
    check_tokens({source: count, target: decoder_count}, sides, kinds)
    special = metadata.special(texts.get(SPECIAL), tokens)
    precisions = [metadata.precision(texts) or "float64"]
    maps: dict[str, np.ndarray] = {}
    beyond: dict[str, np.ndarray] = {}
    short: list[float] = []
    for layer, weights, outside_weights in _read(plans, arrays, notes):
        whole, precision = check_weights(
            layer.name, weights, outside_weights, coarsest([layer.array.format, precisions[0]])
        )
        maps[layer.name] = crop(weights, notes)
        sums = maps[layer.name].sum(axis=-1, dtype=np.float64)
        outside = (whole - sums).clip(0)
        is_short = outside.max() > row_tolerance(precision, weights.shape[-1])
        if outside_weights is not None or is_short:
            beyond[layer.name] = outside.astype(np.float32)
        if is_short and layer.sides[1] <= MAX_PLACES - (outside_weights is not None):  # cuts have notes
            short += [np.where(whole > 0.5, sums, 1.0).min(), sums.max()]
        precisions.append(precision)
    if short:
        notes.append(
            _(
                "Rows sum to {low} to {high}: the rest went to an attention sink, or to keys left out.",
                low=f"{min(short):.2f}",
                high=f"{max(short):.2f}",
            )
        )
    return AttentionMaps(
        maps,
        tokens,
        special,
        tuple(dict.fromkeys(notes)),
        beyond,
        coarsest(precisions[1:]),
        decoder_tokens=of_decoder,
        kinds=kinds,
    )


def _unread(names: Iterable[str], plans: Sequence[MapPlan]) -> Iterator[str]:
    """Yield notes on the arrays of the file that are not read, such as a mask."""
    is_projected = isinstance(plans[0], ProjectionPlan)
    read_names = {*"QKV"} if is_projected else {each.array.name for each in plans}
    others = {*filter(None, names)} - read_names  # the array of an .npy file has no name
    names = [name[:_LETTERS] for name in natural(others) if not name.startswith(BEYOND)]
    if is_projected and names:
        yield _("The weights are softmax(QKᵀ/√d) of Q and K alone.")
    if names:
        yield _(
            "What else the file holds is not read: {names}.",
            names=", ".join(names[:_MOST_UNREAD]) + (", …" if len(names) > _MOST_UNREAD else ""),
        )


def _open(suffix: str, data: bytes) -> tuple[dict[str, StoredArray], Mapping[str, Any]]:
    """Return the arrays of a file and its metadata."""
    if suffix == ".safetensors":
        return from_safetensors(data)
    arrays = from_npz(data) if suffix == ".npz" else from_npy(data)
    names: tuple[str, ...] = _METADATA
    if KEYS in arrays and arrays[KEYS].kind == "U" and DECODER_TOKENS not in arrays:  # not text: K
        names += (KEYS,)
    return arrays, {name: arrays.pop(name) for name in names if name in arrays}


def _plan_maps(arrays: Mapping[str, StoredArray], order: list[str] | None) -> list[MapPlan]:
    """Return the maps to read, whichever form the file has."""
    layers = {name.removeprefix(WEIGHTS): each for name, each in arrays.items() if name.startswith(WEIGHTS)}
    if "weights" in arrays:
        layers = {"": arrays["weights"]}
    elif "Q" in arrays or "K" in arrays:
        return plan_projections(arrays)
    elif not layers:
        layers = {name: each for name, each in arrays.items() if len(each.shape) in (3, 4, 5)}
        layers = layers or ({"": arrays[""]} if "" in arrays else {})
    if not layers:
        text = ", ".join(each.description for each in list(arrays.values())[:4])
        raise ValueError(
            _(
                "the file must hold weights of axes (head, query, key) or (layer, head, query, key), or Q "
                "and K; got {arrays}",
                arrays=text or _("no array"),
            )
        )
    return plan_weights({name: layers[name] for name in natural(layers)}, order)


def _read(
    plans: list[MapPlan], arrays: Mapping[str, StoredArray], notes: list[str]
) -> Iterator[tuple[MapPlan, np.ndarray, np.ndarray | None]]:
    """Yield each planned map, its weights, and its rows' weight on no key (or None), an array at a time."""
    array: tuple[StoredArray, np.ndarray] | None = None
    for each in plans:
        if isinstance(each, ProjectionPlan):
            yield each, _weights_of(each, notes), None
            continue
        if array is None or array[0] is not each.array:
            array = (each.array, each.array.read())
        weights = array[1][each.index][: each.heads]
        rest = arrays.get(BEYOND + each.array.name.removeprefix(WEIGHTS))
        beyond = None
        if rest is not None and rest.kind == "f" and rest.shape == each.array.shape[:-1]:
            beyond = rest.read()[each.index][: each.heads]
        yield each, weights, beyond


def _weights_of(layer: ProjectionPlan, notes: list[str]) -> np.ndarray:
    """Return the weights of a layer's Q and K, which are cut to ``MAX_PLACES`` first."""
    queries_and_keys = []
    for name, array in (("Q", layer.array), ("K", layer.keys)):
        each = array.read()[layer.index][: layer.heads]
        if not np.isfinite(each).all():
            raise ValueError(_("{name} must hold finite numbers; got NaN or infinity", name=name))
        if each.shape[1] > MAX_PLACES:
            notes.append(
                _(
                    "The sequence has {places} places; the first {most} are used.",
                    places=f"{each.shape[1]:,}",
                    most=f"{MAX_PLACES:,}",
                )
            )
        queries_and_keys.append(each[:, :MAX_PLACES])
    q, k = queries_and_keys
    weights = np.empty((layer.heads, q.shape[1], k.shape[1]), dtype=np.float32)
    n_query, n_key = weights.shape[1:]
    rows = min(n_query, max(1, _SCORES_AT_ONCE // n_key))
    heads = max(1, _SCORES_AT_ONCE // (rows * n_key))
    for head in range(0, layer.heads, heads):
        for row in range(0, n_query, rows):
            some = np.s_[head : head + heads, row : row + rows]
            query = torch.from_numpy(q[some].astype(np.float64))
            key = torch.from_numpy(k[head : head + heads].astype(np.float64))
            scores = query @ key.mT / query.shape[-1] ** 0.5
            weights[some] = softmax_rows(scores, None).numpy()
    return weights
