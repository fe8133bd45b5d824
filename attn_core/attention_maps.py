"""Attention weights of a whole model: maps by layer, with their tokens; some hidden, all kept in a file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float
from safetensors.numpy import save_file

TOKENS, SPECIAL, NAMES, WEIGHTS = "tokens", "special", "names", "weights."


@dataclass(frozen=True, eq=False)
class AttentionMaps:
    """Weights by layer, each (n_head, n_query, n_key), rows (query, key); and what the places stand for.

    ``tokens`` are the words of the sequence, None where they are not known; they name an axis of a map that
    is as long as they are. ``special`` are the places of tokens that stand for no word, such as [CLS].
    ``notes`` are sentences on what was left out.
    """

    maps: Mapping[str, Float[np.ndarray, "..."]]
    tokens: tuple[str, ...] | None = None
    special: tuple[int, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def names(self, length: int) -> list[str]:
        """Return a name for each place of an axis: the tokens where they fit, else numbers from 0."""
        if self.tokens is not None and len(self.tokens) == length:
            return list(self.tokens)
        return [str(place) for place in range(length)]

    def without_special(self) -> "AttentionMaps":
        """Leave out special tokens, as queries and as keys, and divide each row by what it still has.

        Invariant: rows sum to one again; a row that gave all its weight to special tokens is zero.

        Edge cases: an axis that is not as long as the tokens is left whole, and so is a sequence that holds
        special tokens only.

        >>> weights = np.array([[[0.5, 0.5, 0.0], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]])
        >>> kept = AttentionMaps({"layer 0": weights}, ("[CLS]", "a", "b"), special=(0,)).without_special()
        >>> kept.tokens, kept.maps["layer 0"].tolist()
        (('a', 'b'), [[[0.5, 0.5], [0.0, 0.0]]])
        """
        n = 0 if self.tokens is None else len(self.tokens)
        kept = [place for place in range(n) if place not in self.special]
        if self.tokens is None or not self.special or not kept:
            return self
        maps = {}
        for name, weights in self.maps.items():
            shown = weights
            for axis in (1, 2):
                if weights.shape[axis] == n:
                    shown = shown.take(kept, axis=axis)
            total = shown.sum(axis=-1, keepdims=True)
            maps[name] = np.divide(shown, total, out=np.zeros_like(shown), where=total > 0)
        return replace(self, maps=maps, tokens=tuple(self.tokens[place] for place in kept), special=())

    def save(self, path: str | Path) -> Path:
        """Write the maps and tokens to an .npz or .safetensors file, which ``read_attention`` reads.

        Raises ValueError for another extension.
        """
        path = Path(path)
        arrays = {WEIGHTS + name: np.ascontiguousarray(weights) for name, weights in self.maps.items()}
        if path.suffix == ".npz":
            extra = {NAMES: np.array(list(self.maps)), SPECIAL: np.array(self.special, dtype=np.int64)}
            if self.tokens is not None:
                extra[TOKENS] = np.array(self.tokens, dtype=np.str_)
            np.savez_compressed(path, **arrays, **extra, allow_pickle=False)
        elif path.suffix == ".safetensors":
            told = {NAMES: list(self.maps), SPECIAL: list(self.special), TOKENS: self.tokens}
            save_file(arrays, path, {name: json.dumps(value) for name, value in told.items()})
        else:
            raise ValueError(f"path must end in .npz or .safetensors; got {path.name}")
        return path
