"""Damaged and hostile files, drawn at random: each is read, or refused in a sentence, within bounds.

    python -m tests.fuzz_files --files 2000

Every kind of file that a page takes has its turn: weights as .npz, .safetensors and .npy, a table as CSV,
settings as JSON, and projections as .npz, JSON and CSV. A process of its own, whose address space is limited,
reads them one after another; one that takes too long, too much memory, or raises anything but a sentence,
ends it with its number and its seed.
"""

import argparse
import io
import json
import os
import random
import resource
import struct
import subprocess
import sys
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attn_core import AttentionMaps, read_attention
from attn_core.attention_file import MAX_BYTES, MAX_HEADS, MAX_PLACES
from attn_core.precision import row_tolerance
from attn_ui.base.bounds import MAX_CSV_BYTES, MAX_CSV_ROWS
from attn_ui.base.hand_weight_settings import TABLES, Weight
from attn_ui.screen import settings_file
from attn_ui.screen.weights_tab import texts_in_file
from pages.kernel_regression.own_table import TableError, pair, read_table
from pages.learned_heads.ranked_heads import RankedHeads
from pages.single_head.settings import SETTINGS

ROOM_MEGABYTES = 350
"""What reading any one file may take beyond what the imports have texts_in_file."""
MOST_SECONDS = 6.0
"""Processor time for one file."""

Draw = random.Random
PROJECTIONS = [Weight(name, (4, 4), "d_model × d_k") for name in ("W_q", "W_k")]
Case = tuple[str, bytes]


# ---- what is right, and gets damaged ----


def weights(draw: Draw, *shape: int, dtype: str = "<f4") -> np.ndarray:
    """Draw weights whose rows sum to one."""
    numbers = np.random.default_rng(draw.randrange(2**32)).random(shape)
    drawn: np.ndarray = (numbers / numbers.sum(axis=-1, keepdims=True)).astype(dtype)
    return drawn


def npy(header: str, body: bytes, version: int = 1) -> bytes:
    """Write an array in numpy's format, its header as it is given."""
    text = header.encode("latin1", "replace") + b"\n"
    size = struct.pack("<H", len(text) % 65536) if version == 1 else struct.pack("<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + body


def header(descr: str, shape: str, fortran: str = "False") -> str:
    """Write what stands in such a header."""
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"


def npz(draw: Draw, members: list[tuple[str, bytes]]) -> bytes:
    """Pack members, of equal names too, by any method."""
    file = io.BytesIO()
    method = draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", method) as archive:
        warnings.simplefilter("ignore")  # of equal names
        for name, data in members:
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def safetensors(given: Any, body: bytes, length: int | None = None) -> bytes:
    """Write a .safetensors, its header as it is given."""
    text = given if isinstance(given, bytes) else json.dumps(given).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


# ---- what it is damaged by ----

SHAPES = (
    "(2, 4, 4)", "(True, 4, 4)", "(-1, 4, 4)", "(2, 4, 4.0)", "(2**70, 4, 4)", "()", "(2,)", "(4, 4)",
    "(1, 300, 300)", "(0, 4, 4)", "(2, 4, None)", "(1000000, 1000000, 1000000)", "(2, 2, 2, 4, 4)",
    "'ab'", "(-2, -4, 4)", "(" + "9" * 400 + ", 4, 4)", "(" + "1, " * 70 + ")", "(2, 4, 4, 0)", "(8, 4)",
)  # fmt: skip
DTYPES = (
    "'<f4'", "'<f8'", "'>f4'", "'<f2'", "'|O'", "'<U4'", "'|S3'", "'<i8'", "'<c8'", "'|b1'", "'<U0'", "'|V0'",
    "'<M8[s]'", "[('a', '<f4')]", "[('a', '<f8', (1000000, 1000))]", "'<f16'", "'f'", "None", "3",
    "'<f4, <f4'", "'O'", "'<U999999999'", "'<m8'", "[('weights', 'O')]", "('<f4', (3,))", "'<f4\x00'",
)  # fmt: skip
TEXTS = (
    "", "-" * 900, "-" * 9_000, "[" * 900, "(" * 60_000, "{", "{}", "\x00" * 64, "1" * 900, "'" * 99,
    "__import__('os')", "{'descr': '<f4'}", "{'shape': (2, 4, 4)}", "{" + "'a': 1, " * 90 + "}",
)  # fmt: skip
KINDS: tuple[Any, ...] = (
    "F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F4", "I64", "BOOL", "U8", "C64", "", None,
)  # fmt: skip
SIDES: tuple[Any, ...] = (
    [2, 4, 4], [True, 4, 4], [-1, 4, 4], [2.0, 4, 4], [10**30, 4], [], [0, 4, 4], "ab", None, [[2], 4, 4],
    [1, 300, 300], [2**40, 2**40],
)  # fmt: skip
PLACES: tuple[Any, ...] = ([0, 10**19], [-1, 4], [128, 0], [0], None, [0, 64])
DEEP = "[" * 100_000 + "]" * 100_000
LISTS: tuple[Any, ...] = (
    '["a", "b", "c", "d"]', "[", DEEP, "null", "{}", "[1, 2, 3, 4]", '["\\ud800", "\\u0000", "<b>", "*"]',
    "3", json.dumps(["x" * 5_000] * 4), json.dumps(["a"] * 100_000), "[1e999, -1, 0]", None, 5, ["a"], {},
    "", '"a"', "[" + "9" * 5_000 + "]", '["float8_e5m2"]', '["bfloat16"]', "[NaN]", "[true, false]", "[[[]]]",
)  # fmt: skip
NAMES = (
    "weights", "weights.a", "weights.b", "Q", "K", "V", "beyond.a", "tokens", "special", "names", "precision",
    "notes", "x", "", "a" * 300, "é\ud800", "W_q", "W_k", "W_q", "b_q",
)  # fmt: skip


def one_npy(draw: Draw) -> bytes:
    """Draw an array: right, of a strange shape or type, or with a header that is none."""
    body = weights(draw, 2, 4, 4, dtype=draw.choice(["<f4", ">f4", "<f2", "<f8"])).tobytes()
    choice = draw.random()
    if choice < 0.25:
        return saved(draw, any_array(draw))
    if choice < 0.4:
        return npy(draw.choice(TEXTS), body, draw.choice([1, 1, 2, 3]))
    if draw.random() < 0.1:
        body = b"\0" * draw.randrange(3_000_000)
    fortran = draw.choice(["False", "True", "None", "3"])
    return npy(header(draw.choice(DTYPES), draw.choice(SHAPES), fortran), body, draw.choice([1, 1, 1, 2]))


def any_array(draw: Draw) -> np.ndarray:
    """Draw an array that numpy itself would write."""
    side = draw.choice([1, 3, 4, 4, 4, 40, 260])
    made: list[Callable[[], np.ndarray]] = [
        lambda: weights(draw, 2, side, side, dtype=draw.choice(["<f4", ">f8", "<f2", "<f8"])),
        lambda: np.asfortranarray(weights(draw, 3, 2, side, side)),
        lambda: np.zeros((draw.choice([1, 12, 4_000]), draw.choice([1, 256]), side, 1), dtype="<f2"),
        lambda: np.ones((draw.choice([1, 2]), draw.choice([256, 300_000]), 1), dtype="<f2"),
        lambda: np.full((1, side, side), draw.choice([np.nan, np.inf, -1.0, 1e300, 1e-320])),
        lambda: np.array([{"a": 1}], dtype=object),
        lambda: np.array(["a", "b", "c", "d", "\ud800"][: draw.randrange(6)], dtype=np.str_),
        lambda: np.arange(draw.choice([0, 4, 100_000])),
        lambda: np.array(draw.choice(["bfloat16", "float8_e4m3fn", "no", ""])),
        lambda: np.array([draw.choice(["bfloat16", "float8_e4m3fn", "no", ""])]),
        lambda: weights(draw, 2, side),
    ]
    return draw.choice(made)()


def saved(draw: Draw, array: np.ndarray) -> bytes:
    """Write an array as numpy does."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def one_npz(draw: Draw) -> bytes:
    """Draw an archive of any arrays, with names that mean something, and some twice."""
    members = [
        (draw.choice(NAMES).encode("utf-8", "replace").decode(), one_npy(draw))
        for _ in range(draw.randrange(5))
    ]
    if draw.random() < 0.5:
        array = any_array(draw)
        members += [("Q", saved(draw, array)), ("K", saved(draw, array))]
    if draw.random() < 0.05:
        members.append(("weights", npy(header("'<f4'", "(1, 3000, 3000)"), b"\0" * 36_000_000)))
    return npz(draw, members)


def one_safetensors(draw: Draw) -> bytes:
    """Draw a header of strange kinds, shapes, places and metadata."""
    body = weights(draw, 2, 4, 4).tobytes()
    given: dict[str, Any] = {}
    for name in draw.sample(NAMES, draw.randrange(1, 4)):
        right = {"dtype": "F32", "shape": [2, 4, 4], "data_offsets": [0, 128]}
        if draw.random() < 0.5:
            kind, bits = draw.choice([("F8_E4M3", 8), ("F8_E5M2", 8), ("BF16", 16), ("F16", 16), ("F64", 64)])
            right = {
                "dtype": kind,
                "shape": [2, 1024 // bits // 4, 2],
                "data_offsets": [0, 128 * 8 // bits * bits // 8],
            }
        if draw.random() < 0.4:
            right |= {"shape": draw.choice(SIDES)}
        if draw.random() < 0.2:
            right |= {"dtype": draw.choice(KINDS)}
        if draw.random() < 0.2:
            right |= {"data_offsets": draw.choice(PLACES)}
        given[name] = right
    if draw.random() < 0.6:
        told = {
            name: draw.choice(LISTS)
            for name in draw.sample(["tokens", "special", "names", "notes", "precision"], 2)
        }
        strange: list[Any] = [told, told, told, None, [], "a", 3, {"tokens": None}]
        given["__metadata__"] = draw.choice(strange)
    if draw.random() < 0.1:
        text = json.dumps(given).encode()
        return safetensors(
            draw.choice([b"-" * 9_000, b"[" * 90_000, b"{", text[:-1] + b"," + text[1:], DEEP.encode()]), body
        )
    length = draw.choice([None, None, None, None, 2**63, 0, 7])
    return safetensors(given, body, length)


def one_table(draw: Draw) -> bytes:
    """Draw a table of strange cells."""
    cells = (
        "1", "2.5", "-3", "1e308", "1e999", "nan", "2024-01-31", "31/12/2024", "a", '"', '""', "'", "\0",
        "\ud800", "", "9" * 5_000, "1,5", "=1+1", "<b>", "\u202e", "0x10", "\u0661", "1_000", " ",
    )  # fmt: skip
    rows = draw.choice([0, 1, 3, 30, 300, 6_000])
    columns, between = (
        draw.choice([1, 2, 2, 2, 5, 3_000 if rows < 30 else 3]),
        draw.choice([",", ";", "\t", "|"]),
    )
    few = [*draw.sample(cells, draw.randrange(1, 6)), "1", "2"]
    text = "\n".join(between.join(draw.choice(few) for _ in range(columns)) for _ in range(rows + 1))
    return text.encode(draw.choice(["utf-8", "utf-16", "utf-8-sig", "cp1252"]), "replace")


def one_settings(draw: Draw) -> bytes:
    """Draw settings of a page, some of them such as no page has."""
    values: list[Any] = [
        "0.5",
        "",
        "x" * 50_000,
        3,
        None,
        [],
        ["a"] * 1_000,
        {"a": {}},
        "1;2\n3;4",
        "9" * 400,
        "\ud800",
        "nan",
    ]
    chosen = draw.sample([setting.name for setting in SETTINGS], 3)
    given = {
        "attention lab": draw.choice([1, 1, 1, 2, "x"]),
        "page": draw.choice(["single-head"] * 4 + ["x", 3]),
    }
    settings: Any = (
        {name: draw.choice(values) for name in chosen} if draw.random() < 0.9 else draw.choice([[], 3, None])
    )
    text = json.dumps(given | {"settings": settings})
    return draw.choice([text, text, text, text[:-3], DEEP, "-" * 9_000, "[" * 90_000]).encode(
        "utf-8", "surrogatepass"
    )


def one_json(draw: Draw) -> bytes:
    """Draw projections as JSON, some of them such as are none."""
    strange: list[Any] = [
        [[1, 2], [3]],
        [[]],
        [],
        3,
        None,
        "x",
        [["1"]],
        [[10**400, 1]],
        [[True]],
        [[[1.0]]],
        {},
    ]
    right = weights(draw, 4, 4, dtype="<f8").tolist()
    given: Any = {name: draw.choice([right, right, *strange]) for name in draw.sample(NAMES, 4)}
    text = json.dumps(draw.choice([given, given, given, [given], None, right]))
    return draw.choice([text, text, text, text[:-3], DEEP, "-" * 9_000, '{"W_q": [[NaN, Infinity]]}']).encode(
        "utf-8", "surrogatepass"
    )


def flipped(draw: Draw, data: bytes) -> bytes:
    """Damage a file: bytes changed, cut off, or moved."""
    damaged = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 8])):
        if damaged:
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
    if draw.random() < 0.3 and damaged:
        at = draw.randrange(len(damaged))
        damaged = damaged[:at] + (damaged[at // 2 :] if draw.random() < 0.5 else b"")
    return bytes(damaged)


MAKERS: Mapping[str, Callable[[Draw], bytes]] = {
    "maps.npz": one_npz,
    "maps.safetensors": one_safetensors,
    "maps.npy": one_npy,
    "table.csv": one_table,
    "settings.json": one_settings,
    "projections.npz": one_npz,
    "projections.json": one_json,
    "W_q.csv": one_table,
}


def known_files() -> Iterator[Case]:
    """Files that once broke something, by hand."""
    draw = Draw(0)
    body = weights(draw, 2, 4, 4).tobytes()
    whole = {"w": {"dtype": "F32", "shape": [2, 4, 4], "data_offsets": [0, 128]}}
    zeros = saved(draw, np.zeros((12, 256, 256, 1), dtype="<f2"))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Q.npy", zeros)
        archive.writestr("K.npy", zeros)
    yield "maps.npz", file.getvalue()
    for sides, number in (
        ((1, 19_000_000, 1), 1.0),
        ((1, 19_000_000, 1), 1.0009765625),
        ((1, 1, 19_000_000), 0.0),
        ((1, 1, 19_000_000), np.nan),
    ):  # a few kB that unpack to rows or keys by the million
        file = io.BytesIO()
        np.savez_compressed(file, weights=np.full(sides, number, dtype="<f2"))
        yield "maps.npz", file.getvalue()
    eight = {"w": {"dtype": "F8_E4M3", "shape": [8, 4, 4], "data_offsets": [0, 128]}}
    yield "maps.safetensors", safetensors(eight, np.full(128, 0x28, dtype="u1").tobytes())  # 0.25 each
    yield "maps.safetensors", safetensors(whole | {"__metadata__": None}, body)
    yield "maps.safetensors", safetensors(whole | {"__metadata__": {"tokens": DEEP}}, body)
    for minus in (900, 9_000):
        yield "maps.npy", npy("-" * minus, body)
        yield "maps.npy", npy(header("'<f4'", "-" * minus + "1"), body)
    for shape in ("(True, 4, 4)", "(-1, 4, 4)"):
        yield "maps.npy", npy(header("'<f4'", shape), body)
    many = np.array(["a"], dtype="<U1").repeat(9_000_000)
    file = io.BytesIO()
    np.savez_compressed(file, weights=weights(draw, 2, 4, 4), tokens=many)
    yield "maps.npz", file.getvalue()
    yield "maps.safetensors", safetensors(b'{"a":' + b"[]," * 2_000_000, b"")


def random_files(files: int, seed: int) -> Iterator[Case]:
    """Draw files of each kind in turn, every third one damaged besides."""
    yield from known_files()
    kinds = list(MAKERS)
    for number in range(files):
        draw = Draw(f"{seed}-{number}")
        name = kinds[number % len(kinds)]
        data = MAKERS[name](draw)
        yield name, flipped(draw, data) if draw.random() < 0.35 else data


# ---- what must hold ----


def take(name: str, data: bytes) -> bool:
    """Read a file as its page does, and use it; say whether it was texts_in_file.

    Raises AssertionError where something that was read breaks a promise, or a refusal is no sentence.
    """
    try:
        if name.startswith("maps"):
            _hold(read_attention(name, data))
        elif name.startswith(("projections", "W_q")):
            for text in texts_in_file(name, data, PROJECTIONS).values():
                assert np.isfinite(TABLES["W_q"].rows(text)).all()
        elif name.endswith(".csv"):
            columns = [
                each
                for each in read_table(data, most_bytes=MAX_CSV_BYTES, most_rows=MAX_CSV_ROWS).columns
                if each.is_numeric
            ]
            pair(columns[0], columns[1])
        else:
            settings_file.read(data, "single-head", SETTINGS)
    except (ValueError, TableError) as error:
        refused = error
    else:
        return True
    said = str(refused)
    said.encode()
    assert 10 < len(said) < 700, f"no sentence: {said[:900]!r}"
    assert type(refused) in {ValueError, TableError}, f"{type(refused).__name__} is no refusal: {said}"
    return False


def _hold(maps: AttentionMaps) -> None:
    assert sum(len(each) for each in maps.maps.values()) <= MAX_HEADS
    assert sum(each.nbytes for each in maps.maps.values()) <= MAX_BYTES
    for name, each in maps.maps.items():
        name.encode()
        assert max(each.shape[1:]) <= MAX_PLACES
        assert np.isfinite(each).all()
        sums = each.sum(axis=-1, dtype=np.float64) + maps.beyond.get(name, 0.0)
        allowed = max(0.02, row_tolerance(maps.precision, 100_000))
        assert np.where(sums > 0.5, abs(sums - 1), sums).max() <= allowed + 1e-6
    "".join((*(maps.tokens or ()), *maps.notes)).encode()
    whole = RankedHeads(maps, "entropy")
    assert len(whole.order) == whole.n_head
    assert whole.model.name(0)


def run(files: int, seed: int) -> str:
    """Read all files in this process, its memory limited from now on."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ROOM_MEGABYTES * 1_000_000
    cases = random_files(files, seed)
    texts_in_file, slowest, count = 0, (0.0, ""), 0
    for number, (name, data) in enumerate(cases):
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        start = time.process_time()
        try:
            texts_in_file += take(name, data)
        except BaseException as error:
            raise SystemExit(
                f"file {number} ({name}, {len(data):,} bytes), seed {seed}: {error!r}"
            ) from error
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        spent = time.process_time() - start
        slowest = max(slowest, (spent, f"file {number} ({name})"))
        if spent > MOST_SECONDS:
            raise SystemExit(f"file {number} ({name}), seed {seed}: took {spent:.1f} s")
        count += 1
    return (
        f"{count} files: {texts_in_file} texts_in_file, {count - texts_in_file} refused in a sentence; "
        f"slowest {slowest[0]:.2f} s, {slowest[1]}"
    )


def main() -> None:
    """Start a process that reads them, and pass on how it ends."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--here", action="store_true", help="read them in this process")
    asked = parser.parse_args()
    if asked.here:
        print(run(asked.files, asked.seed))
        return
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz_files", "--here"]
    command += ["--files", str(asked.files), "--seed", str(asked.seed)]
    quiet = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    raise SystemExit(subprocess.run(command, env=os.environ | quiet, check=False).returncode)


if __name__ == "__main__":
    main()
