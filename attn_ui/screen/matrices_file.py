"""Named matrices in a file: CSV, JSON or NPZ to arrays and back; an error explains bad content."""

import csv
import io
import json
import lzma
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_ui.base.markdown import either, quoted
from attn_words import _

Numbers = NDArray[np.float64]
KINDS = ("csv", "json", "npz")
MOST_BYTES = 1_000_000  # of a file, and of each array in it
# What unpacking raises at damaged bytes, and numpy at a bad header.
_NOT_A_ZIP = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error, lzma.LZMAError,
    struct.error, IndexError, OverflowError, UnicodeError,
)  # fmt: skip
_NOT_A_HEADER = (
    ValueError, EOFError, SyntaxError, TypeError, KeyError, TokenError, RecursionError, MemoryError,
    OverflowError, AttributeError,
)  # fmt: skip
_SHOWN = 24  # characters of foreign text that a sentence repeats


def read_matrices(name: str, content: bytes, names: Sequence[str]) -> dict[str, Numbers]:
    r"""Return the matrices of a file by their names, two axes each; all others are left out.

    NPZ and JSON hold arrays under their names; a bias may have one axis. CSV holds one row in each line,
    after the matrix's name, or one matrix that the file is named for.

    Args:
        name: of the file; content: its bytes.
        names: of the matrices that may be in it.

    Raises:
        ValueError: the file cannot be read or has none of these; the message says what was wanted.

    >>> read_matrices("weights.csv", b"W_q,1,0\nW_q,0,1\nb_q,0.5,2\n", ["W_q", "b_q"])["W_q"].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> read_matrices("W_k.csv", b"3;0,5\n", ["W_q", "W_k"])["W_k"].tolist()
    [[3.0, 0.5]]
    """
    kind = name.rpartition(".")[2].lower()
    readers = {"npz": _npz, "json": _json, "csv": _csv}
    if kind not in readers:
        kinds = _(", ").join(each.upper() for each in KINDS)
        raise ValueError(_("Wanted a file of {kinds}; got {name}.", kinds=kinds, name=quoted(name, _SHOWN)))
    if len(content) > MOST_BYTES:
        raise ValueError(_too_large(len(content)))
    matrices = readers[kind](name, content, names)
    if not matrices:
        raise ValueError(_("Wanted {names} in the file; it holds none of these.", names=either(names)))
    return matrices


def csv_of(matrices: Mapping[str, Numbers]) -> bytes:
    """Write matrices as CSV: one row in each line, after the matrix's name, with all digits.

    >>> csv_of({"W_q": np.array([[1.0, 0.25]])})
    b'W_q,1.0,0.25\\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for name, numbers in matrices.items():
        writer.writerows([name, *row] for row in numbers.tolist())
    return text.getvalue().encode()


def npz_of(matrices: Mapping[str, Numbers]) -> bytes:
    """Write matrices as NPZ, one array for each."""
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {name: np.asarray(numbers) for name, numbers in matrices.items()}
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _npz(name: str, content: bytes, names: Sequence[str]) -> dict[str, Numbers]:
    del name
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            there = {
                each: archive.getinfo(f"{each}.npy") for each in names if f"{each}.npy" in archive.namelist()
            }
            if any(info.file_size > MOST_BYTES for info in there.values()):
                raise ValueError(_too_large(max(info.file_size for info in there.values())))
            unpacked = {each: archive.read(info) for each, info in there.items()}
    except _NOT_A_ZIP as error:
        raise ValueError(_unreadable("NPZ")) from error
    return {each: _array(each, array) for each, array in unpacked.items()}


def _array(name: str, content: bytes) -> Numbers:
    """Read an array in numpy's own format; its header is checked before its size is allocated."""
    buffer = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(buffer)
        read_header = (
            np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
        )
        shape, is_fortran, dtype = read_header(buffer)
    except _NOT_A_HEADER as error:
        raise ValueError(_no_matrix(name)) from error
    is_shape = len(shape) <= 2 and all(type(side) is int and side >= 1 for side in shape)
    if not is_shape or dtype.kind not in "fiu":
        raise ValueError(_no_matrix(name))
    if math.prod(shape) * dtype.itemsize != len(content) - buffer.tell():
        raise ValueError(_no_matrix(name))
    numbers = np.frombuffer(content, dtype, offset=buffer.tell()).reshape(
        shape, order="F" if is_fortran else "C"
    )
    return _matrix(name, numbers.astype(np.float64))


def _json(name: str, content: bytes, names: Sequence[str]) -> dict[str, Numbers]:
    del name
    try:
        content_json = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(_unreadable("JSON")) from error
    if not isinstance(content_json, dict):
        raise ValueError(_unreadable('JSON, {"W_q": [[1, 0], [0, 1]]}'))
    return {each: _nested(each, content_json[each]) for each in names if each in content_json}


def _nested(name: str, value: object) -> Numbers:
    rows = value if isinstance(value, list) else []
    rows = rows if any(isinstance(row, list) for row in rows) else [rows]
    cells = [cell for row in rows for cell in (row if isinstance(row, list) else [None])]
    if not cells or not all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells):
        raise ValueError(_no_matrix(name))
    return _joined(name, [[float(min(max(cell, -1e300), 1e300)) for cell in row] for row in rows])


def _csv(name: str, content: bytes, names: Sequence[str]) -> dict[str, Numbers]:
    try:
        text = content.decode("utf-8-sig")
        separator = ";" if ";" in text else "\t" if "\t" in text else ","
        lines = [line for line in csv.reader(io.StringIO(text), delimiter=separator) if any(line)]
    except (UnicodeError, csv.Error) as error:
        raise ValueError(_unreadable("CSV, UTF-8")) from error
    if separator != ",":
        lines = [[cell.replace(",", ".") for cell in line] for line in lines]
    lines = [[cell.strip() for cell in line] for line in lines]
    if any(line[0] in names for line in lines):
        rows_by_name: dict[str, list[list[str]]] = {}
        for line in lines:
            rows_by_name.setdefault(line[0], []).append(line[1:])
        return {each: _numbers(each, rows) for each, rows in rows_by_name.items() if each in names}
    match = re.match(r"[Wb]_[a-z](?![a-z])", name)
    if match is None or match[0] not in names:
        raise ValueError(
            _(
                "Wanted {names} in front of each row, or as the file's name; got {name}.",
                names=either(names),
                name=quoted(name, _SHOWN),
            )
        )
    if lines and lines[0][0] in (
        "",
        "row",
    ):  # as a table on this page is saved: numbers above, names in front
        lines = [line[1:] for line in lines[1:]]
    return {match[0]: _numbers(match[0], lines)}


def _numbers(name: str, rows: Sequence[Sequence[str]]) -> Numbers:
    numbers = []
    for at, row in enumerate(rows, start=1):
        try:
            numbers.append([_number(cell) for cell in row])
        except ValueError:
            raise ValueError(no_number(name, at)) from None
    return _joined(name, numbers)


def _number(cell: str) -> float:
    if "_" in cell:  # Python takes 1_000 for a number
        raise ValueError(cell)
    return float(cell)


def _joined(name: str, rows: Sequence[Sequence[float]]) -> Numbers:
    widths = sorted({len(row) for row in rows})
    if len(widths) != 1 or not widths[0]:
        raise ValueError(uneven(name, widths))
    return _matrix(name, np.array(rows, dtype=np.float64))


def _matrix(name: str, numbers: Numbers) -> Numbers:
    numbers = numbers[None] if numbers.ndim == 1 else numbers
    if numbers.ndim != 2 or not numbers.size:
        raise ValueError(_no_matrix(name))
    return numbers


def _too_large(count: int) -> str:
    most = f"{MOST_BYTES:,}"
    return _("Wanted at most {most} bytes; there are {count}.", most=most, count=f"{count:,}")


def _unreadable(kind: str) -> str:
    return _("Wanted {kind}; this is none, or was cut off.", kind=kind)


def _no_matrix(name: str) -> str:
    return _("Wanted rows and columns of numbers under {name}.", name=name)


def no_number(name: str, row: int) -> str:
    """Return a sentence on the row in which a matrix has something else than numbers."""
    return _("Row {row} of {name} holds something that is not a number.", row=row, name=name)


def uneven(name: str, widths: Sequence[int]) -> str:
    """Return a sentence on rows of a matrix that are not equally long."""
    counts = _(", ").join(map(str, widths))
    return _("The rows of {name} hold {counts} numbers: all need as many.", name=name, counts=counts)
