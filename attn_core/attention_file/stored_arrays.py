"""The arrays of a file, whose shapes and sizes are known before any number is read."""

import io
import json
import lzma
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from tokenize import TokenError
from typing import IO, Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_safetensors

from attn_words import _, with_whole_letters

MAX_BYTES = 72_000_000
"""Bytes that the arrays of a file may take unpacked, and the parts kept of them: a head of 4,096 words."""
MAX_ARRAYS = 1_000
MAX_HEADER = 1_000_000
"""Bytes of a .safetensors file's header: its names, shapes and tokens."""
_NPY_HEADER = 1_000
_LETTERS = 60
_LONGEST_NUMBER = 100  # digits; a larger number of bytes is shown as a power of ten
_NUMPY_PRECISIONS = {2: "float16", 4: "float32"}
# What zipfile raises for damage, for a password or an unknown method, and for damage inside an array.
_NOT_A_ZIP = (
    zipfile.BadZipFile, OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, struct.error, IndexError,
    OverflowError, UnicodeError,
)  # fmt: skip
# What parsing a Python literal may raise: numpy's headers are Python literals.
_NOT_A_HEADER = (
    ValueError, EOFError, SyntaxError, TypeError, KeyError, TokenError, RecursionError, MemoryError,
    OverflowError, AttributeError,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class StoredArray:
    """One array of a file: its shape, kind (``f`` for floats) and format; ``read`` returns its numbers."""

    name: str
    shape: tuple[int, ...]
    kind: str
    format: str
    read: Callable[[], np.ndarray]

    @property
    def description(self) -> str:
        """Name and shape, shortened."""
        return f"{self.name[:40]} {shape_text(self.shape)}"


def shape_text(shape: tuple[Any, ...]) -> str:
    """Return a shape as text, shortened where it is long."""
    text = str(shape)
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…"


def from_npy(data: bytes) -> dict[str, StoredArray]:
    """Return the one array of an .npy file, under the name ""."""
    array = _npy(_("the array"), len(data), lambda: io.BytesIO(data))
    return {"": array}


def from_npz(data: bytes) -> dict[str, StoredArray]:
    """Return the arrays of an .npz file by name, whose total size is checked before any is unpacked."""
    if data.count(b"PK\x01\x02") > MAX_ARRAYS:  # starts each entry: counted before zipfile reads any
        raise ValueError(_("an .npz file must hold at most {most} arrays; got more", most=f"{MAX_ARRAYS:,}"))
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = archive.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > MAX_BYTES:
            raise ValueError(
                _(
                    "an .npz file must unpack to at most {most} MB; got {size} MB in {count} of its arrays",
                    most=MAX_BYTES // 1_000_000,
                    size=f"{size / 1e6:.0f}",
                    count=len(entries),
                )
            )
        arrays: dict[str, StoredArray] = {}
        for entry in entries:
            name = with_whole_letters(entry.filename.removesuffix(".npy"))
            if name in arrays:
                raise ValueError(
                    _(
                        "an .npz file must hold each array once; got two of the name {name}",
                        name=repr(name[:40]),
                    )
                )
            arrays[name] = _npy(name, entry.file_size, partial(archive.open, entry))
    except _NOT_A_ZIP as error:
        raise ValueError(_("the file must be a whole {kind}; it is none, or damaged", kind=".npz")) from error
    return arrays


def _npy(name: str, size: int, open_file: Callable[[], IO[bytes]]) -> StoredArray:
    """Return one array in numpy's own format; its header is checked before memory is taken."""
    label = name[:_LETTERS] or _("the array")
    with open_file() as file:
        head = io.BytesIO(file.read(_NPY_HEADER + 100))
    try:
        version = np.lib.format.read_magic(head)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"version {version} of the format")
        read_header = (
            np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read_header(head, max_header_size=_NPY_HEADER)
        if any(type(side) is not int or side < 0 for side in shape) or not dtype.itemsize:
            raise ValueError(f"shape {shape_text(shape)}")
    except _NOT_A_HEADER as error:
        raise ValueError(
            _("{array} must be a whole array as numpy.save writes it; it is none, or damaged", array=label)
        ) from error
    if dtype.hasobject:
        raise ValueError(
            _(
                "{array} must hold numbers; got an array of objects, which is a pickle and is never opened",
                array=label,
            )
        )
    start, size_needed = head.tell(), math.prod(shape) * dtype.itemsize
    if size_needed > min(size - start, MAX_BYTES):
        raise ValueError(_too_few(label, shape, size_needed, size - start))

    def numbers() -> np.ndarray:
        try:
            with open_file() as file:
                content = file.read(start + size_needed)[start:]
        except _NOT_A_ZIP as error:
            raise ValueError(
                _(
                    "{array} must be a whole array as numpy.save writes it; it is none, or damaged",
                    array=label,
                )
            ) from error
        if len(content) < size_needed:
            raise ValueError(_too_few(label, shape, size_needed, len(content)))
        return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if fortran else "C")

    floats = _NUMPY_PRECISIONS.get(dtype.itemsize, "float64")
    return StoredArray(
        name, shape, dtype.kind, floats if dtype.kind == "f" else str(dtype)[:_LETTERS], numbers
    )


def _too_few(label: str, shape: tuple[Any, ...], n_needed: int, n_present: int) -> str:
    size = f"{n_needed:,}" if n_needed < 10**_LONGEST_NUMBER else f"10^{n_needed.bit_length() * 0.30103:.0f}"
    return _(
        "{array} must hold the {wanted} bytes that its shape {shape} takes; got {got}",
        array=label,
        wanted=size,
        shape=shape_text(shape),
        got=f"{n_present:,}",
    )


def from_safetensors(data: bytes) -> tuple[dict[str, StoredArray], Mapping[str, Any]]:
    """Return the arrays of a .safetensors file by name, and the texts in its metadata."""
    length = int.from_bytes(data[:8], "little")
    if length > MAX_HEADER and length <= len(data):
        raise ValueError(
            _(
                "the header of a .safetensors must have at most {most} MB; got {size} MB",
                most=MAX_HEADER // 1_000_000,
                size=f"{length / 1e6:.0f}",
            )
        )
    try:
        header = json.loads(data[8 : 8 + length], object_pairs_hook=_once)
        metadata = header.get("__metadata__") or {}
        if not isinstance(metadata, dict):
            raise ValueError("metadata that is no object")
        if len(header) > MAX_ARRAYS:
            raise ValueError(f"{len(header)} arrays")
        tensors = load_safetensors(data)
    except (
        SafetensorError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        OverflowError,
    ) as error:
        raise ValueError(
            _("the file must be a whole {kind}; it is none, or damaged", kind=".safetensors")
        ) from error
    return {name: _tensor(with_whole_letters(name), each) for name, each in tensors.items()}, metadata


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name stands twice")
    return fields


def _tensor(name: str, tensor: torch.Tensor) -> StoredArray:
    exact = tensor.dtype in (torch.float16, torch.float32, torch.float64)

    def numbers() -> np.ndarray:
        array: np.ndarray = (tensor if exact else tensor.to(torch.float32)).numpy()
        return array

    kind = "f" if tensor.is_floating_point() else str(tensor.dtype).removeprefix("torch.")
    return StoredArray(name, tuple(tensor.shape), kind, str(tensor.dtype).removeprefix("torch."), numbers)
