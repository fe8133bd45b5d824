"""The mathematics and the pictures install by themselves, with pip, for a notebook."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("attn_core", "attn_figures", "attn_live")
# Runs where nothing of the repository can be found but what was installed.
USE = """
import json, sys
import torch
import attn_core, attn_figures
from attn_core import scaled_dot_product_attention
weights = scaled_dot_product_attention(*torch.eye(3)[None].expand(3, 3, 3)).weights
print(json.dumps([attn_core.__file__, attn_figures.__file__, torch.allclose(weights.sum(-1), torch.ones(3))]))
assert "streamlit" not in sys.modules
"""


def packages_on_disk() -> set[str]:
    return {
        str(found.parent.relative_to(ROOT)).replace(os.sep, ".")
        for part in PARTS
        for found in (ROOT / part).rglob("__init__.py")
    }


def test_what_pip_installs_draws_without_the_app(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "installed"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "requirements.txt", "requirements-models.txt"):
        shutil.copy(ROOT / name, source)
    for part in PARTS:
        shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run(
        [*install, "--no-build-isolation", "--target", str(target), str(source)], check=True, cwd=tmp_path
    )
    installed = {
        str(found.parent.relative_to(target)).replace(os.sep, ".") for found in target.rglob("__init__.py")
    }
    assert installed == packages_on_disk()
    assert all((target / part / "py.typed").is_file() for part in PARTS)
    ran = subprocess.run(
        [sys.executable, "-c", USE],
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
    )
    assert str(target) in ran.stdout
    assert json.loads(ran.stdout)[-1] is True
