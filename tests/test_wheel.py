"""The mathematics and the pictures install by themselves, with pip, for a notebook; published figures too."""

import json
import os
import shutil
import subprocess
import sys
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("attn_core", "attn_figures", "attn_live", "attn_ui", "attn_words", "pages", "programs")
# Runs where nothing of the repository can be found but what was installed.
USE = """
import json, sys
import torch
import attn_core, attn_figures, attn_live, attn_words
from attn_core import scaled_dot_product_attention
weights = scaled_dot_product_attention(*torch.eye(3)[None].expand(3, 3, 3)).weights
shown = attn_figures.show(weights, list("abc"))
widget = attn_figures.live([shown, shown])
with attn_words.speaking("zh"):
    in_chinese = attn_figures.show(weights, list("abc")).to_dict()
print(json.dumps({
    "files": [part.__file__ for part in (attn_core, attn_figures, attn_live, attn_words)],
    "weights": shown.data[0].z.tolist(),
    "chinese": "键（被关注方）" in str(in_chinese),
    "module": "export default" in widget._esm and ".live-figure" in widget._css,
}))
assert "streamlit" not in sys.modules
from attn_ui.publish import __main__, sphinx
assert __main__.main(["single-head", "learned-heads", "--out", "made", "--no-stills"]) == 0
"""


def packages_on_disk() -> set[str]:
    return {
        str(found.parent.relative_to(ROOT)).replace(os.sep, ".")
        for part in PARTS
        for found in (ROOT / part).rglob("__init__.py")
    }


@pytest.mark.slow
def test_wheel_draws_without_the_app(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "installed"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for path in ROOT.glob("requirements*.txt"):
        shutil.copy(path, source)
    for part in PARTS:
        shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "locales" / "zh_CN", source / "locales" / "zh_CN")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run(
        [*install, "--no-build-isolation", "--target", str(target), str(source)], check=True, cwd=tmp_path
    )
    installed = {
        str(found.parent.relative_to(target)).replace(os.sep, ".") for found in target.rglob("__init__.py")
    }
    assert installed == packages_on_disk()
    assert all(
        (target / part / "py.typed").is_file() for part in PARTS if (ROOT / part / "py.typed").is_file()
    )
    ran = subprocess.run(
        [sys.executable, "-c", USE],
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
    )
    said = json.loads(ran.stdout.splitlines()[0])
    assert all(file.startswith(str(target)) for file in said["files"])
    assert [sum(row) for row in said["weights"]] == pytest.approx([1, 1, 1])
    assert said["module"] is True
    assert said["chinese"] is True
    (meta,) = target.glob("attention_lab-*.dist-info/METADATA")
    extras = Parser().parsestr(meta.read_text()).get_all("Provides-Extra")
    assert extras == ["app", "chinese", "models", "notebook", "publish", "slides", "dev"]
