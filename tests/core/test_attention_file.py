"""Files with attention weights: what fits is read as it is, what does not is refused in a sentence."""

import contextlib
import io
import itertools
import json
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch

from attn_core import AttentionMaps, read_attention
from attn_core.attention_file import MAX_BYTES, MAX_FILE_BYTES
from attn_core.attention_maps import PARTS
from attn_ui.base.bounds import MAX_MAPS_BYTES
from attn_words import speaking
from pages.learned_heads.ranked_heads import RankedHeads
from tests import fuzz_files
from tests.core.kinds import Refuses


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
def test_read_attention_reads_saved_maps(suffix: str, tmp_path: Path) -> None:
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
        assert read.names("layer 0") == [list("0123"), list("01234")]
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


def test_read_attention_computes_weights_of_queries_and_keys() -> None:
    rng = np.random.default_rng(1)
    q, k, v = rng.normal(size=(2, 3, 4, 8)), rng.normal(size=(2, 3, 5, 8)), rng.normal(size=(2, 3, 5, 2))
    for given in ({"Q": q, "K": k, "V": v}, {"Q": q, "K": k}):
        read = read_attention("a.npz", npz(**given))
        scores = np.einsum("lhid,lhjd->lhij", q, k) / np.sqrt(8)
        expected = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(np.stack(list(read.maps.values())), expected, atol=1e-6)
    single = read_attention("a.npz", npz(Q=q[0], K=k[0]))
    np.testing.assert_allclose(single.maps["layer 0"], expected[0], atol=1e-6)


def test_notes_name_arrays_not_read() -> None:
    """A mask, or the weights that the model had under it: what is computed of Q and K knows of neither."""
    q = np.random.default_rng(1).normal(size=(2, 4, 8))
    alone, says = (
        "The weights are softmax(QKᵀ/√d) of Q and K alone.",
        "What else the file holds is not read: ",
    )
    tokens = {"tokens": list("abcd")}
    mask = {"mask": np.tri(4, dtype=bool)}
    assert read_attention("a.npz", npz(Q=q, K=q, V=q, **tokens)).notes == ()
    assert read_attention("a.npz", npz(Q=q, K=q, **mask, **tokens)).notes == (alone, f"{says}mask.")
    data = safetensors.numpy.save({"K": q, "Q": q, "attn": weights(2, 4, 4), "scale": np.ones(())})
    assert read_attention("a.safetensors", data).notes == (alone, f"{says}attn, scale.")
    many = {f"{i}" * 60: q for i in range(6)}
    notes = read_attention("a.npz", npz(Q=q, K=q, **many)).notes
    assert notes == (alone, says + ", ".join(f"{i}" * 40 for i in range(4)) + ", ….")
    attn = weights(2, 4, 4)
    assert read_attention("a.npz", npz(attn=attn, labels=list("abcd"))).notes == (f"{says}labels.",)
    assert read_attention("a.npy", npy(attn)).notes == ()
    data = safetensors.numpy.save({"attn": attn}, {"labels": '["a"]', "format": "np"})
    assert read_attention("a.safetensors", data).notes == (f"{says}labels.",)


def test_layers_with_different_batches_are_windows() -> None:
    swin = npz(a=weights(4, 2, 3, 3), b=weights(1, 2, 3, 3))
    read = read_attention("a.npz", swin)
    assert list(read.maps) == [*(f"a, part {i}" for i in range(4)), "b"]
    assert read.notes == (PARTS,)


def test_long_maps_are_cut_with_a_note() -> None:
    long = weights(1, 1, 4, 4100).astype("f4")
    read = read_attention("a.npz", npz(weights=long, tokens=[f"t{i}" for i in range(4100)]))
    np.testing.assert_allclose(read.maps["layer 0"], long[0, :, :, :4096])
    assert read.tokens is not None
    assert len(read.tokens) == 4096
    assert read.notes == (
        "The maps have 4,100 places; the first 4,096 are shown, and weight on others is left out.",
    )
    q = np.random.default_rng(2).normal(size=(1, 5000, 4))
    read = read_attention("a.npz", npz(Q=q, K=q[:, :3]))
    assert read.maps["layer 0"].shape == (1, 4096, 3)
    assert read.notes == ("The sequence has 5,000 places; the first 4,096 are used.",)
    many = read_attention("a.npz", npz(weights=weights(40, 8, 3, 3)))
    assert len(many.maps) == 32
    assert many.notes == ("The file has 320 heads; the first 256 are shown.",)


def test_weight_beyond_the_keys_is_read(tmp_path: Path) -> None:
    long = weights(1, 1, 5, 6000)
    read = read_attention("a.npz", npz(weights=long))
    np.testing.assert_allclose(read.beyond["layer 0"], long[0, :, :, 4096:].sum(axis=-1), atol=1e-6)
    for name in ("b.npz", "b.safetensors"):  # cut rows are whole with it, when they are saved and read again
        again = read_attention(name, read.save(tmp_path / name).read_bytes())
        np.testing.assert_allclose(again.beyond["layer 0"], read.beyond["layer 0"], atol=1e-6)
        assert again.notes == read.notes
    bare = read_attention("c.npz", npz(weights=read.maps["layer 0"]))
    np.testing.assert_allclose(bare.beyond["layer 0"], read.beyond["layer 0"], atol=1e-6)


def test_keys_name_the_columns_and_tokens_the_rows_alone(tmp_path: Path) -> None:
    rows, columns = ("le", "chat"), ("the", "cat", "sat")
    whole = weights(2, 2, 3)
    for name, data in {
        "a.npz": npz(weights=whole, tokens=rows, keys=columns),
        "a.safetensors": safetensors.numpy.save(
            {"weights": whole}, {"tokens": json.dumps(rows), "keys": json.dumps(columns)}
        ),
    }.items():
        read = read_attention(name, data)
        assert read.names("layer 0") == [list(rows), list(columns)]
        assert (read.across, read.notes) == (True, ())
        again = read_attention("b.npz", read.save(tmp_path / "b.npz").read_bytes())
        assert again.names("layer 0") == read.names("layer 0")
    square = read_attention("a.npz", npz(weights=weights(2, 3, 3), keys=columns))
    assert square.names("layer 0") == [list("012"), list(columns)]
    many = read_attention("a.npz", npz(weights=whole, keys=np.ones((2, 3, 4))))  # numbers are no words
    assert any("keys" in note for note in many.notes)
    both = read_attention("a.npz", npz(weights=whole, tokens=columns, decoder_tokens=rows, keys=columns))
    assert any("keys" in note for note in both.notes)


def test_rows_that_sum_to_less_than_one_went_to_a_sink(tmp_path: Path) -> None:
    scores = np.random.default_rng(3).normal(size=(2, 4, 5))
    logits = np.concatenate([scores, np.full((2, 4, 1), 1.5)], axis=-1)  # the last is the sink, as in gpt-oss
    whole = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    kept = whole[..., :-1].copy()
    kept[1, 2] = 0  # a row that sees nothing
    for dtype in ("f2", "f4", "f8"):
        read = read_attention("a.npz", npz(weights=kept.astype(dtype)))
        expected = np.where(kept.any(axis=-1), whole[..., -1], 0)
        np.testing.assert_allclose(read.beyond["layer 0"], expected, atol=1e-6 if dtype != "f2" else 2e-3)
        sums = kept.sum(axis=-1)[kept.any(axis=-1)]
        (note,) = read.notes
        assert f"{sums.min():.2f}" in note
        assert f"{sums.max():.2f}" in note
    again = read_attention("b.npz", read.save(tmp_path / "b.npz").read_bytes())
    np.testing.assert_array_equal(again.beyond["layer 0"], read.beyond["layer 0"])
    assert again.notes == read.notes
    # What is measured over keys does not hang on how much the sink took.
    divided = kept / kept.sum(axis=-1, keepdims=True).clip(1e-9)
    for measure in ("entropy", "distance"):
        ours = RankedHeads(read, measure).scores
        theirs = RankedHeads(AttentionMaps({"a": divided}), measure).scores
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_precision_is_that_of_the_numbers(tmp_path: Path) -> None:
    whole = torch.from_numpy(weights(2, 3, 50, 50))
    given: dict[str, dict[str, bytes]] = {}
    for name in ("float64", "float32", "float16", "bfloat16", "float8_e5m2"):
        tensor = whole.to(getattr(torch, name))
        given[name] = {"a.safetensors": safetensors.torch.save({"w": tensor})}
        if name in {"float16", "bfloat16"}:  # half precision that someone widened
            given[name]["a.npz"] = npz(w=tensor.float().numpy())
    for name, files in given.items():
        for file, data in files.items():
            read = read_attention(file, data)
            assert read.precision == name
            exact = whole.to(getattr(torch, name)).to(torch.float32)
            np.testing.assert_array_equal(np.stack(list(read.maps.values())), exact.numpy())
    told = AttentionMaps({"a": np.eye(3, dtype="f4")[None]}, precision="bfloat16")
    for name in ("b.npz", "b.safetensors"):
        assert read_attention(name, told.save(tmp_path / name).read_bytes()).precision == "bfloat16"


def test_arrays_of_a_layer_each_have_their_batch_in_front() -> None:
    """As transformers gives them; one array of four axes is a stack of layers."""
    batch = weights(2, 3, 4, 4)
    one = read_attention("a.npz", npz(**{f"l{layer}": batch[:1] for layer in range(2)}))
    assert list(one.maps) == ["l0", "l1"]
    two = read_attention("a.npz", npz(**{f"l{layer}": batch for layer in range(2)}))
    assert list(two.maps) == ["l0, sequence 0", "l0, sequence 1", "l1, sequence 0", "l1, sequence 1"]
    np.testing.assert_allclose(two.maps["l1, sequence 1"], batch[1], atol=1e-7)
    stacked = read_attention("a.npy", npy(np.stack([batch, batch[::-1]])))
    assert list(stacked.maps)[2:] == ["layer 1, sequence 0", "layer 1, sequence 1"]
    np.testing.assert_allclose(stacked.maps["layer 1, sequence 0"], batch[1], atol=1e-7)


def test_long_names_are_told_apart() -> None:
    names = [f"{'model.' * 30}{layer}.attention" for layer in range(3)] + ["x" * 200 + "y" * 120, "y" * 120]
    read = read_attention("a.npz", npz(**{name: weights(1, 3, 3) for name in names}))
    assert len(read.maps) == len(names)
    assert all(len(name) < 130 for name in read.maps)


def test_one_limit_of_size_that_save_tells(tmp_path: Path) -> None:
    assert MAX_FILE_BYTES == MAX_MAPS_BYTES  # the page's
    large = AttentionMaps({f"layer {i}": weights(12, 200, 200, seed=i).astype("f4") for i in range(12)})
    with pytest.warns(
        UserWarning, match=r"has \d+\.\d MB; .* take 8 MB: save\(path, dtype='float16'\) takes half"
    ):
        path = large.save(tmp_path / "large.safetensors")
    with pytest.raises(ValueError, match="at most 8 MB; got 23"):
        read_attention(path.name, path.read_bytes())
    some = AttentionMaps(dict(list(large.maps.items())[:8]))
    half = some.save(tmp_path / "half.safetensors", dtype="float16")
    read = read_attention(half.name, half.read_bytes())
    assert read.precision == "float16"
    for name, each in some.maps.items():
        np.testing.assert_allclose(read.maps[name], each, rtol=2**-10, atol=1e-7)


def test_cost_is_checked_before_reading() -> None:
    """3.5 kB whose weights would be 800 MB; a member that says less than it holds; a promise of tokens."""
    zeros = np.zeros((12, 256, 256, 1), dtype="f2")
    file = io.BytesIO()
    np.savez_compressed(file, Q=zeros, K=zeros)
    assert len(file.getvalue()) < 5_000
    tracemalloc.start()
    read = read_attention("a.npz", file.getvalue())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(each.nbytes for each in read.maps.values()) <= MAX_BYTES
    assert peak < 3 * MAX_BYTES
    assert read.notes == ("The file has 3,072 heads; the first 256 are shown.",)


def test_long_queries_and_keys_equal_weights_row_by_row() -> None:
    """Computed some rows at a time, they are what one product and one softmax are."""
    q, k = (np.random.default_rng(seed).normal(size=(2, 2000, 8)).astype("f4") for seed in (3, 4))
    read = read_attention("a.npz", npz(Q=q, K=k)).maps["layer 0"]
    for head in range(2):
        scores = q[head].astype("f8") @ k[head].T.astype("f8") / np.sqrt(8)
        expected = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(read[head], expected, rtol=1e-5)


def test_each_of_100000_rows_is_checked(refuses: Refuses) -> None:
    rows = weights(2, 300_000, 2).astype(np.float32)
    rows[0, 7] = 0
    (kept,) = read_attention("w.npy", npy(rows)).maps.values()
    np.testing.assert_array_equal(kept, rows[:, :4096])
    for number, says in (
        (np.nan, "got nan in layer 0, head 1, query 299999, key 1"),
        (3.0, "sums from 0 to 3"),
    ):
        rows[1, -1] = (0, number)
        with refuses(says):
            read_attention("w.npy", npy(rows))


@pytest.mark.parametrize(("name", "data"), list(fuzz_files.known_files()))
def test_files_that_once_broke_something(name: str, data: bytes) -> None:
    fuzz_files.take(name, data)


@pytest.mark.slow
def test_any_file_is_read_or_refused_in_bounds() -> None:
    """A sample of ``python -m tests.fuzz_files``, in a process of its own under a limit."""
    command = [sys.executable, "-m", "tests.fuzz_files", "--files", "150", "--seed", "7"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "refused in a sentence" in ended.stdout


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
        ("a.npz", b"\0" * 8_000_001, "at most 8 MB; got 8.0 MB"),
        ("a.npz", npy(FITS), "whole .npz; it is none"),
        ("a.npz", npz(weights=FITS)[:300], "it is none"),
        ("a.npy", npz(weights=FITS), "whole array as numpy.save writes it"),
        ("a.npy", npy(FITS)[:-8], "takes; got"),
        ("a.npy", b"", "whole array as numpy.save writes it"),
        ("a.safetensors", npz(weights=FITS), "whole .safetensors; it is none"),
        ("a.safetensors", safetensors.numpy.save({"w": FITS})[:-8], "whole .safetensors; it is none"),
        ("a.npz", npz(weights=HOLE), "got nan in layer 0, head 1, query 2, key 0"),
        ("a.npz", npz(weights=FITS[0]), r"must have axes \(head, query, key\) .* got weights \(3, 3\)"),
        ("a.npz", npz(attn=np.ones(4)), r"must hold weights of axes .* got attn \(4,\)"),
        ("a.npz", npz(), "got no array"),
        ("a.npz", npz(weights=np.ones((1, 0, 3))), r"must have axes .* got weights \(1, 0, 3\)"),
        ("a.npz", npz(weights=np.eye(3, dtype=int)[None]), "floating-point numbers; got int64"),
        ("a.npz", npz(weights=FITS * 3), "sums from 3 to 3 in layer 0$"),
        ("a.npz", npz(weights=FITS.swapaxes(1, 2)), "the columns sum to 1: the axis of keys is wanted last"),
        ("a.npz", npz(weights=FITS - 0.5), "numbers from -0.4"),
        ("a.npz", npz(weights=FITS * 0.6, **{"beyond.weights": FITS[..., 0] * 0}), r"sums from 0\.6 to 0\.6"),
        ("a.npz", npz(weights=FITS, tokens=["a", "b"]), "as many as the maps have places, 3; got 2"),
        ("a.npz", npz(weights=FITS, tokens=["a", "b"], keys=["x", "y"]), "keys must be as many .* 3; got 2"),
        ("a.npz", npz(cross=FITS, decoder_tokens=["a"]), "decoder_tokens must be as many .* 3; got 1"),
        (
            "a.npz",
            npz(encoder=FITS, decoder_tokens=["a"]),
            "decoder_tokens must name queries or keys; no map",
        ),
        ("a.npz", npz(weights=FITS, tokens=[1, 2, 3]), "tokens must be a list of texts"),
        ("a.npz", npz(Q=FITS), r"Q, K must have axes .* got Q \(2, 3, 3\)"),
        ("a.npz", npz(Q=FITS, K=FITS[:1]), r"got Q \(2, 3, 3\), K \(1, 3, 3\)"),
        ("a.npz", npz(Q=FITS, K=FITS, V=FITS[:, :2]), r"V must have axes .* got .* V \(2, 2, 3\)"),
        ("a.npz", npz(Q=HOLE, K=FITS), "Q must hold finite numbers"),
    ],
)
def test_read_attention_refuses_misfits(name: str, data: bytes, said: str, refuses: Refuses) -> None:
    with refuses(said):
        read_attention(name, data)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.txt", b"", "文件名须以 .npz, .safetensors, .npy 结尾；得到的是 'a.txt'"),
        ("a.npy", npy(FITS)[:-8], r"“数组”须含有它的形状 \(2, 3, 3\) 所需的 144 个字节；得到 136 个"),
        ("a.npz", npz(weights=np.swapaxes(FITS, 1, 2)), "各列之和为 1：键的轴须在最后"),
    ],
)
def test_read_attention_errors_are_translated(name: str, data: bytes, said: str, refuses: Refuses) -> None:
    with speaking("zh"), refuses(said):
        read_attention(name, data)


@pytest.mark.slow
def test_damaged_files_are_refused(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    masks = (1, 32, 255) if request.config.getoption("--wide") else (255,)
    maps = AttentionMaps({"layer 0": FITS}, tokens=("a", "b", "c"))
    files = {"a.npy": npy(FITS)}
    files |= {name: maps.save(tmp_path / name).read_bytes() for name in ("a.npz", "a.safetensors")}
    for name, data in files.items():
        flips = itertools.product(range(len(data)), masks)
        damaged = [data[:i] + bytes([data[i] ^ flip]) + data[i + 1 :] for i, flip in flips]
        for each in damaged + [data[:i] for i in range(0, len(data), 7)]:
            with contextlib.suppress(ValueError):  # anything else would be a red box on the page
                read_attention(name, each)


def test_header_of_a_huge_array_takes_no_memory(refuses: Refuses) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 99999999, 99999999), }"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    with refuses("must hold the 79,999,998,400,000,008 bytes"):
        read_attention("a.npy", data)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", b"\0" * 80_000_000)
    assert len(file.getvalue()) < 100_000
    with refuses("unpack to at most 72 MB; got 80 MB in 1 of its arrays"):
        read_attention("a.npz", file.getvalue())


def test_metadata_that_is_no_list(refuses: Refuses) -> None:
    for given, said in (
        ("[", "must be a list of texts, as an array or in JSON"),
        (json.dumps({"a": 1}), "must be a list of texts"),
    ):
        with refuses(said):
            read_attention("a.safetensors", safetensors.numpy.save({"w": FITS}, {"tokens": given}))


def test_another_extension_is_not_written(tmp_path: Path, refuses: Refuses) -> None:
    with refuses("must end in .npz or .safetensors; got maps.pkl"):
        AttentionMaps({"layer 0": FITS}).save(tmp_path / "maps.pkl")
