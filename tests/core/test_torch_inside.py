"""What torch does not document stands in one module, is looked for, and may be missing."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from attn_core import capture
from attn_core.capturing import torch_inside

ROOT = Path(__file__).resolve().parents[2]
DOOR = ROOT / "attn_core/capturing/torch_inside.py"
WITHOUT_ALL = """
import torch
for place in {places}:
    *path, name = place.split(".")
    holder = torch
    for each in path:
        holder = getattr(holder, each)
    delattr(holder, name)
from attn_core import capture
from attn_core.capturing import torch_inside
assert sorted(torch_inside.ABSENT) == sorted({places}), torch_inside.ABSENT
torch.manual_seed(0)
model, x = torch.nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(1, 5, 8)
maps = capture(model, x, x, x)
expected = model(x, x, x, need_weights=True, average_attn_weights=False)[1][0]
assert torch.allclose(torch.from_numpy(next(iter(maps.maps.values()))), expected)
print("captured")
"""


def undocumented(source: str) -> list[str]:
    """List the private names of torch's in a module."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and ast.unparse(node).startswith(("torch.", "F.", "overrides.", "all_modules."))
    ]


def test_torch_internals_are_named_in_one_module() -> None:
    packages = ("attn_core", "attn_figures", "attn_live", "attn_ui", "pages")
    sources = {path: path.read_text() for name in packages for path in (ROOT / name).rglob("*.py")}
    named = {path for path, source in sources.items() if undocumented(source)}
    assert named == {DOOR}
    assert undocumented("torch._C._functorch.is_batchedtensor(x)")


def test_this_torch_has_all_of_it() -> None:
    assert torch_inside.ABSENT == ()
    assert all(torch_inside.WITHOUT.values())


def test_capture_without_torch_internals_works() -> None:
    ours = [place for place in torch_inside.WITHOUT if not place.startswith("overrides.")]  # torch's own need
    source = WITHOUT_ALL.format(places=ours)
    ran = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() == "captured", ran.stderr


def test_plain_path_equals_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    model, x = nn.TransformerEncoder(layer, 2).eval().requires_grad_(False), torch.randn(1, 6, 16)
    fast = capture(model, x)
    monkeypatch.setattr(torch_inside, "ABSENT", ("overrides._pop_mode_temporarily",))
    plain = capture(model, x)
    assert fast.manifest is not None
    assert plain.manifest is not None
    by = [{each.computed_by for each in maps.manifest.entries} for maps in (fast, plain) if maps.manifest]
    assert by == [{"fused encoder layer"}, {"multi_head_attention_forward"}]
    for ours, theirs in zip(fast.maps.values(), plain.maps.values(), strict=True):
        torch.testing.assert_close(torch.from_numpy(ours), torch.from_numpy(theirs))
