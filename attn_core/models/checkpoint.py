"""The tensors of a model's folder: found, reckoned before anything is read, checked as they are asked for."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

MAX_BYTES = 8_000_000_000
"""How many bytes the weights of a model may take in float32: two thousand million numbers."""

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_READ = {"F16", "BF16", "F32", "F64"}

Affine = tuple[Tensor, Tensor | None]
"""A weight (d_out, d_in) and a bias (d_out,), or None where there is none."""


class Checkpoint:
    """A folder's safetensors, open while it is used as a context; every tensor comes in float32.

    Raises ValueError, in one sentence, for weights that are pickled, missing, cut short, of another kind than
    floating-point numbers, not finite or of the wrong shape, and for a folder above ``MAX_BYTES``.
    """

    def __init__(self, folder: Path, progress: Callable[[float], None] = lambda _: None) -> None:
        """Read the headers of a folder's files; ``progress`` is told the share that has been read."""
        self._progress, self._read, self._prefix = progress, 0, ""
        self._open = ExitStack()
        self._held: dict[str, tuple[Path, Any]] = {}
        try:
            for path in _files(folder):
                file = self._open.enter_context(safe_open(path, framework="pt"))
                self._held |= dict.fromkeys(file.keys(), (path, file))
            sizes = {name: prod(self._slice(name).get_shape()) for name in self._held}
        except (SafetensorError, OSError) as error:
            self._open.close()
            raise ValueError(
                f"{path.name} must be a whole safetensors file; reading it failed: {error}"
            ) from error
        self._numbers = sum(sizes.values())
        if 4 * self._numbers > MAX_BYTES:
            self._open.close()
            raise ValueError(
                f"a model's weights must take at most {MAX_BYTES / 1e9:g} GB ({MAX_BYTES:,} bytes) in "
                f"float32; those of {folder.name} take {4 * self._numbers / 1e9:.1f} GB"
            )

    def __enter__(self) -> "Checkpoint":
        """Keep the files open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Close the files."""
        self._open.close()

    def below(self, known: str) -> None:
        """Find what stands before all names ("bert.", "transformer.") by a name that must be there."""
        found = [name for name in self._held if name == known or name.endswith(f".{known}")]
        if not found:
            some = ", ".join(sorted(self._held)[:3])
            raise ValueError(f"the weights must hold {known}; got {some or 'no tensor'}")
        self._prefix = min(found, key=len).removesuffix(known)

    def words(self, name: str, width: int, tied: tuple[str, ...]) -> Tensor:
        """Return the table of words; where it is stored once, for the output, that one."""
        held = f"{self._prefix}{name}.weight" in self._held
        other = next((each for each in tied if f"{each}.weight" in self._held), None)
        if not held and other:
            self._prefix, before = "", self._prefix
            found = self.table(other, width)
            self._prefix = before
            return found
        return self.table(name, width)

    def table(self, name: str, width: int) -> Tensor:
        """Return a table of vectors, (n, width)."""
        return self._get(f"{name}.weight", (None, width))

    def norm(self, name: str, width: int, *, offset: bool) -> Affine:
        """Return a norm's gain and, where it has one, its offset; early checkpoints say gamma and beta."""
        old = f"{self._prefix}{name}.gamma" in self._held
        gain, shift = ("gamma", "beta") if old else ("weight", "bias")
        found = self._get(f"{name}.{gain}", (width,))
        return found, self._get(f"{name}.{shift}", (width,)) if offset else None

    def linear(self, name: str, d_in: int, d_out: int | None, *, bias: bool, turned: bool = False) -> Affine:
        """Return a linear map's weight (d_out, d_in), which may be stored turned, and its bias."""
        weight = self._get(f"{name}.weight", (d_in, d_out) if turned else (d_out, d_in))
        weight = weight.mT.contiguous() if turned else weight
        return weight, self._get(f"{name}.bias", (weight.shape[0],)) if bias else None

    def _slice(self, name: str) -> Any:
        return self._held[name][1].get_slice(name)

    def _get(self, name: str, shape: tuple[int | None, ...]) -> Tensor:
        whole = self._prefix + name
        wanted = "(" + ", ".join("n" if side is None else str(side) for side in shape) + ")"
        if whole not in self._held:
            raise ValueError(f"the weights must hold {name} of shape {wanted}; it is missing")
        got, kind = tuple(self._slice(whole).get_shape()), str(self._slice(whole).get_dtype())
        if len(got) != len(shape) or any(
            side not in (None, each) for side, each in zip(shape, got, strict=True)
        ):
            raise ValueError(f"{name} must have shape {wanted}; got {got}")
        if kind not in _READ:
            raise ValueError(f"{name} must hold numbers of {', '.join(sorted(_READ))}; got {kind}")
        path, file = self._held[whole]
        try:
            tensor: Tensor = file.get_tensor(whole).to(torch.float32)
        except (SafetensorError, OSError) as error:
            raise ValueError(
                f"{path.name} must be a whole safetensors file; reading it failed: {error}"
            ) from error
        if not bool(tensor.isfinite().all()):
            raise ValueError(f"{name} must hold finite numbers; it does not")
        self._read += tensor.numel()
        self._progress(min(self._read / max(self._numbers, 1), 1.0))
        return tensor


def _files(folder: Path) -> list[Path]:
    """The files that hold a folder's weights: one, those that its index names, or all that there are."""
    if (folder / SINGLE).is_file():
        return [folder / SINGLE]
    if (folder / INDEX).is_file():
        return _indexed(folder)
    files = sorted(folder.glob("*.safetensors"))
    if files:
        return files
    if any(path for pattern in _PICKLED for path in folder.glob(pattern)):
        raise ValueError(
            "weights must be safetensors; got pickled weights, which are refused, because opening them "
            "can run any program (save_pretrained writes safetensors)"
        )
    raise ValueError(f"a model's folder must hold {SINGLE}; {folder.name} does not")


def _indexed(folder: Path) -> list[Path]:
    try:
        parts = json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"]
        names = sorted({Path(str(part)).name for part in parts.values()})
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{INDEX} must be JSON; reading it failed: {error}") from error
    except (KeyError, TypeError, AttributeError):
        raise ValueError(
            f"{INDEX} must hold a weight_map, from each tensor to its file; it does not"
        ) from None
    missing = [name for name in names if not (folder / name).is_file()]
    if missing or not names:
        raise ValueError(
            f"{INDEX} names {len(names)} files of weights; {folder.name} lacks {', '.join(missing) or 'them'}"
        )
    return [folder / name for name in names]
