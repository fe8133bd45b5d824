"""Files with attention weights: what fits is read as it is, what does not is refused in a sentence."""

import contextlib
import io
import itertools
import json
import struct
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch

from attn_core import AttentionMaps, read_attention

Refuses = Callable[[str], AbstractContextManager[None]]


def weights(*shape: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).random(shape)
    result: np.ndarray = drawn / drawn.sum(axis=-1, keepdims=True)
    return result


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array: Any, **settings: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **settings)
    return file.getvalue()


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_what_is_saved_is_read_again(suffix: str, tmp_path: Path) -> None:
    saved = AttentionMaps(
        {f"{part} layer {i}": weights(2, 4, 4, seed=i).astype("f4") for part in "ba" for i in (2, 10)},
        tokens=("[CLS]", "naïve", "<b>", "猫"),
        special=(0,),
    )
    path = saved.save(tmp_path / f"maps{suffix}")
    read = read_attention(path.name, path.read_bytes())
    assert list(read.maps) == list(saved.maps)
    assert (read.tokens, read.special, read.notes) == (saved.tokens, saved.special, ())
    for name, each in saved.maps.items():
        np.testing.assert_array_equal(read.maps[name], each)


def test_every_form_of_weights_is_read() -> None:
    whole = weights(3, 2, 4, 5)
    for name, data in {
        "a.npy": npy(whole),
        "A.NPY": npy(np.asfortranarray(whole)),
        "a.npz": npz(weights=whole, other=np.ones(3)),
        "b.npz": npz(attn=whole),
        "a.safetensors": safetensors.numpy.save({"attn": whole}),
    }.items():
        read = read_attention(name, data)
        assert list(read.maps) == ["layer 0", "layer 1", "layer 2"]
        np.testing.assert_allclose(np.stack(list(read.maps.values())), whole, atol=1e-7)
        assert read.tokens is None
        assert read.names(3) == ["0", "1", "2"]
    layers = {f"l{i}": weights(1, 3, 3, seed=i) for i in range(12)}
    assert all(each.flags.writeable for each in read.maps.values())  # or torch.from_numpy would warn
    read = read_attention("c.npz", npz(**layers, tokens=list("abc")))
    assert list(read.maps) == [f"l{i}" for i in range(12)]
    assert read.tokens == ("a", "b", "c")
    half = torch.from_numpy(whole).to(torch.bfloat16)
    np.testing.assert_allclose(
        read_attention("h.safetensors", safetensors.torch.save({"w": half})).maps["layer 1"],
        whole[1],
        atol=1e-2,
    )


def test_weights_are_computed_from_queries_and_keys() -> None:
    rng = np.random.default_rng(1)
    q, k, v = rng.normal(size=(2, 3, 4, 8)), rng.normal(size=(2, 3, 5, 8)), rng.normal(size=(2, 3, 5, 2))
    for given in ({"Q": q, "K": k, "V": v}, {"Q": q, "K": k}):
        read = read_attention("a.npz", npz(**given))
        scores = np.einsum("lhid,lhjd->lhij", q, k) / np.sqrt(8)
        expected = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(np.stack(list(read.maps.values())), expected, atol=1e-6)
    single = read_attention("a.npz", npz(Q=q[0], K=k[0]))
    np.testing.assert_allclose(single.maps["layer 0"], expected[0], atol=1e-6)


def test_what_is_too_long_is_cut_and_that_is_said() -> None:
    long = weights(1, 1, 300, 300).astype("f4")
    read = read_attention("a.npz", npz(weights=long, tokens=[f"t{i}" for i in range(300)]))
    np.testing.assert_allclose(read.maps["layer 0"], long[0, :, :256, :256])
    assert read.tokens is not None
    assert len(read.tokens) == 256
    assert read.notes == (
        "The maps have 300 places; the first 256 are shown, and weight on others is left out.",
    )
    q = np.random.default_rng(2).normal(size=(1, 2000, 4))
    assert read_attention("a.npz", npz(Q=q, K=q)).notes == (
        "The sequence has 2000 places; the first 256 are used.",
    )
    many = read_attention("a.npz", npz(weights=weights(40, 8, 3, 3)))
    assert len(many.maps) == 32
    assert many.notes == ("The file has 320 heads; the first 256 are shown.",)


class Trap:
    """Says that it was unpickled."""

    sprung: ClassVar[list[int]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return Trap.sprung.append, (1,)


def test_objects_are_never_unpickled(refuses: Refuses) -> None:
    trapped = np.array([Trap()], dtype=object)
    for name, data in {"a.npz": npz(weights=trapped), "a.npy": npy(trapped)}.items():
        with refuses("an array of objects, which is a pickle and is never opened"):
            read_attention(name, data)
    assert Trap.sprung == []


FITS = weights(2, 3, 3)
HOLE = FITS.copy()
HOLE[1, 2, 0] = np.nan


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", b"1,2", r"must end in \.npz, \.safetensors, \.npy; got 'a\.csv'"),
        ("a.npz", b"\0" * 20_000_001, "at most 20 MB; got 20 MB"),
        ("a.npz", npy(FITS), "an .npz as numpy.savez writes it; it is none"),
        ("a.npz", npz(weights=FITS)[:300], "it is none"),
        ("a.npy", npz(weights=FITS), "header cannot be read"),
        ("a.npy", npy(FITS)[:-8], "takes; got"),
        ("a.npy", b"", "header cannot be read"),
        ("a.safetensors", npz(weights=FITS), "whole .safetensors; it is none"),
        ("a.safetensors", safetensors.numpy.save({"w": FITS})[:-8], "whole .safetensors; it is none"),
        ("a.npz", npz(weights=HOLE), "got nan in layer 0, head 1, query 2, key 0"),
        ("a.npz", npz(weights=FITS[0]), r"must have shape .* got \(3, 3\)"),
        ("a.npz", npz(attn=np.ones(4)), r"must hold weights of shape .* got attn \(4,\)"),
        ("a.npz", npz(), "got no array"),
        ("a.npz", npz(weights=np.ones((1, 0, 3))), r"none of them zero; got \(1, 0, 3\)"),
        ("a.npz", npz(weights=np.eye(3, dtype=int)[None]), "floating-point numbers; got int64"),
        ("a.npz", npz(weights=FITS * 3), "sums from 3 to 3 in layer 0$"),
        ("a.npz", npz(weights=FITS.swapaxes(1, 2)), "the columns sum to 1: swap the last two axes"),
        ("a.npz", npz(weights=FITS - 0.5), "numbers from -0.4"),
        ("a.npz", npz(weights=FITS, tokens=["a", "b"]), "as many as the maps have places, 3; got 2"),
        ("a.npz", npz(weights=FITS, tokens=[1, 2, 3]), "tokens must be a list of texts"),
        ("a.npz", npz(Q=FITS), r"must hold Q and K, .* got Q \(2, 3, 3\)"),
        ("a.npz", npz(Q=FITS, K=FITS[:1]), r"got Q \(2, 3, 3\), K \(1, 3, 3\)"),
        ("a.npz", npz(Q=FITS, K=FITS, V=FITS[:, :2]), r"n_key as in K; got .* V \(2, 2, 3\)"),
        ("a.npz", npz(Q=HOLE, K=FITS), "Q must hold finite numbers"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(
    name: str, data: bytes, said: str, refuses: Refuses
) -> None:
    with refuses(said):
        read_attention(name, data)


def test_no_damage_gets_through(tmp_path: Path) -> None:
    maps = AttentionMaps({"layer 0": FITS}, tokens=("a", "b", "c"))
    files = {"a.npy": npy(FITS)}
    files |= {name: maps.save(tmp_path / name).read_bytes() for name in ("a.npz", "a.safetensors")}
    for name, data in files.items():
        flips = itertools.product(range(len(data)), (1, 32, 255))
        damaged = [data[:i] + bytes([data[i] ^ flip]) + data[i + 1 :] for i, flip in flips]
        for each in damaged + [data[:i] for i in range(0, len(data), 7)]:
            with contextlib.suppress(ValueError):  # anything else would be a red box on the page
                read_attention(name, each)


def test_a_header_that_promises_too_much_takes_no_memory(refuses: Refuses) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 99999999, 99999999), }"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    with refuses("must hold the 79,999,998,400,000,008 bytes"):
        read_attention("a.npy", data)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", b"\0" * 50_000_000)
    assert len(file.getvalue()) < 100_000
    with refuses("unpack to at most 40 MB in 1,000 arrays; got 50 MB in 1"):
        read_attention("a.npz", file.getvalue())


def test_metadata_that_is_no_list(refuses: Refuses) -> None:
    for given, said in (("[", "must be a JSON list"), (json.dumps({"a": 1}), "must be a list of texts")):
        with refuses(said):
            read_attention("a.safetensors", safetensors.numpy.save({"w": FITS}, {"tokens": given}))


def test_another_extension_is_not_written(tmp_path: Path, refuses: Refuses) -> None:
    with refuses("must end in .npz or .safetensors; got maps.pkl"):
        AttentionMaps({"layer 0": FITS}).save(tmp_path / "maps.pkl")
