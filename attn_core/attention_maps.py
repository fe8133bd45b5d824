"""Attention weights of a whole model, by layer, with their tokens; they can be saved to a file."""

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from safetensors.numpy import save_file

from attn_core.capture_manifest import Manifest
from attn_core.encoder_decoder import CROSS, DECODER, ENCODER, KINDS, OTHER, SOURCE, TARGET
from attn_core.precision import coarsest
from attn_core.tokens import readable_tokens
from attn_words import N_

TOKENS, DECODER_TOKENS, KEYS, SPECIAL = "tokens", "decoder_tokens", "keys", "special"
NAMES, NOTES, PRECISION = "names", "notes", "precision"
WEIGHTS, BEYOND = "weights.", "beyond."
PARTS = N_("Some maps are of parts, windows or images: no weight goes from one to another.")
MAX_FILE_BYTES = 8_000_000
"""The most bytes of a file with attention weights: above, ``save`` warns and ``read_attention`` refuses."""


@dataclass(frozen=True, eq=False)
class AttentionMaps:
    """Weights by layer, each (n_head, n_query, n_key), and the tokens of their axes.

    ``tokens`` are the words of the sequence, None where they are not known; they label each axis of a map
    that has their length. ``special`` are the positions of tokens that stand for no word, such as [CLS]. In
    an encoder-decoder both are the encoder's, ``decoder_tokens`` are the decoder's words, and ``kinds`` has
    "encoder", "decoder", "cross" or "other" for each map; it is empty for other models.
    ``notes`` are sentences on what was left out.

    ``beyond`` is, by layer, the weight of each row that lies on no key of its map, (n_head, n_query): on
    keys that were cut away, or on an attention sink; a layer that is not in it has none. ``precision`` is
    the coarsest format that the weights have gone through. ``manifest`` lists what ``capture`` recorded.

    Invariant: a row and its ``beyond`` sum to one, to within ``row_tolerance``, or to zero.
    """

    maps: Mapping[str, Float[np.ndarray, "..."]]
    tokens: tuple[str, ...] | None = None
    special: tuple[int, ...] = ()
    notes: tuple[str, ...] = field(default=())
    beyond: Mapping[str, Float[np.ndarray, "..."]] = field(default_factory=dict)
    precision: str = "float32"
    manifest: Manifest | None = None
    decoder_tokens: tuple[str, ...] | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def across(self) -> bool:
        """Whether queries and keys of every map are of two sequences, or may be."""
        return bool(self.kinds) and {*self.kinds.values()} <= {CROSS, OTHER}

    @cached_property
    def by_kind(self) -> Mapping[str, "AttentionMaps"]:
        """The maps of each kind of an encoder-decoder, with their tokens; empty for other models."""
        return {kind: self._of_kind(kind) for kind in KINDS if kind in self.kinds.values()}

    def _of_kind(self, kind: str) -> "AttentionMaps":
        maps = {name: weights for name, weights in self.maps.items() if self.kinds[name] == kind}
        return replace(
            self,
            maps=maps,
            tokens={DECODER: self.decoder_tokens, OTHER: None}.get(kind, self.tokens),
            special=self.special if kind in (ENCODER, CROSS) else (),
            beyond={name: outside for name, outside in self.beyond.items() if name in maps},
            decoder_tokens=self.decoder_tokens if kind == CROSS else None,
            kinds=dict.fromkeys(maps, kind) if kind in (CROSS, OTHER) else {},
        )

    def tokens_of(self, name: str) -> list[tuple[str, ...] | None]:
        """Return the tokens of a map's queries, and of its keys; None where they are not known."""
        kind = self.kinds.get(name)
        sides = []
        for axis, side in enumerate(self.maps[name].shape[1:]):
            tokens = self.tokens if kind is None or axis in SOURCE[kind] else None
            if kind is not None and axis in TARGET[kind]:
                tokens = self.decoder_tokens
            sides.append(tokens if tokens is not None and len(tokens) == side else None)
        return sides

    def names(self, name: str) -> list[list[str]]:
        """Return a label for each query and each key of a map: its readable token, or else its index."""
        sides = zip(self.tokens_of(name), self.maps[name].shape[1:], strict=True)
        return [list(map(str, range(n))) if each is None else readable_tokens(each) for each, n in sides]

    def without_special(self) -> "AttentionMaps":
        """Return the maps without special tokens, each row divided by its remaining weight.

        Invariant: rows sum to one again; a row that gave all its weight to special tokens is zero.

        Edge cases: an axis that is not as long as the tokens is left whole, and so is a sequence that holds
        special tokens only.

        >>> weights = np.array([[[0.5, 0.5, 0.0], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]])
        >>> words = AttentionMaps({"layer 0": weights}, ("[CLS]", "a", "b"), special=(0,)).without_special()
        >>> words.tokens, words.maps["layer 0"].tolist()
        (('a', 'b'), [[[0.5, 0.5], [0.0, 0.0]]])
        """
        n = 0 if self.tokens is None else len(self.tokens)
        positions = [place for place in range(n) if place not in self.special]
        if self.tokens is None or not self.special or not positions:
            return self
        maps = {}
        for name, weights in self.maps.items():
            part = weights
            for axis, tokens in enumerate(self.tokens_of(name), start=1):
                if tokens is self.tokens:
                    part = part.take(positions, axis=axis)
            total = part.sum(axis=-1, keepdims=True)
            maps[name] = np.divide(part, total, out=np.zeros_like(part), where=total > 0)
        return replace(
            self, maps=maps, tokens=tuple(self.tokens[place] for place in positions), special=(), beyond={}
        )

    def save(self, path: str | Path, *, dtype: str | None = None) -> Path:
        """Write the maps and tokens to an .npz or .safetensors file, which ``read_attention`` reads.

        ``dtype="float16"`` halves the file, and each weight is then exact to 1 in 2,000. A file of more than
        8 MB is written, with a UserWarning: neither ``read_attention`` nor the page takes it.

        Raises ValueError for another extension or dtype.
        """
        path = Path(path)
        if path.suffix not in {".npz", ".safetensors"}:
            raise ValueError(f"path must end in .npz or .safetensors; got {path.name}")
        if dtype not in {None, "float16", "float32", "float64"}:
            raise ValueError(f"dtype must be float16, float32 or float64; got {dtype!r}")
        arrays = {
            WEIGHTS + name: np.ascontiguousarray(weights, dtype=dtype) for name, weights in self.maps.items()
        }
        arrays |= {BEYOND + name: np.ascontiguousarray(outside) for name, outside in self.beyond.items()}
        formats = [self.precision, *(str(each.dtype) for each in arrays.values())]
        extra: dict[str, Any] = {NAMES: list(self.maps), SPECIAL: list(self.special), NOTES: list(self.notes)}
        extra[PRECISION] = [coarsest(formats)]
        for name, tokens in ((TOKENS, self.tokens), (DECODER_TOKENS, self.decoder_tokens)):
            if tokens is not None:
                extra[name] = list(tokens)
        if path.suffix == ".npz":
            texts = {
                name: np.array(values, dtype=np.int64 if name == SPECIAL else np.str_)
                for name, values in extra.items()
                if values or name != NOTES
            }
            np.savez_compressed(path, **arrays, **texts, allow_pickle=False)
        else:
            save_file(arrays, path, {name: json.dumps(values) for name, values in extra.items()})
        self._warn_of_size(path, arrays)
        return path

    def _warn_of_size(self, path: Path, arrays: Mapping[str, np.ndarray]) -> None:
        size = path.stat().st_size
        if size <= MAX_FILE_BYTES:
            return
        halves = not all(each.dtype == np.float16 for each in arrays.values())
        instead = "save(path, dtype='float16') takes half" if halves else "keep fewer layers, heads or tokens"
        warnings.warn(
            f"{path.name} has {size / 1e6:.1f} MB; read_attention and the page Learned heads take "
            f"{MAX_FILE_BYTES // 1_000_000} MB: {instead}",
            UserWarning,
            stacklevel=3,
        )
