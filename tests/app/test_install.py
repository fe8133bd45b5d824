"""What a host installs: torch without CUDA, asked for alone, and everything else as the lock has it."""

import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.install import CPU_BUILDS, UNREACHED, torch_wanted

ROOT = Path(__file__).resolve().parents[2]
OF_CUDA = re.compile(r"nvidia|cuda|triton")
WANTED = [
    Requirement(line)
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def _version(wanted: Requirement) -> str:
    (pinned,) = wanted.specifier
    assert pinned.operator == "=="
    return pinned.version


def _wheel(folder: Path, name: str, version: str, *needs: str) -> None:
    """Write a package that holds nothing and needs others."""
    folder = folder / canonicalize_name(name)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name.replace('-', '_')}-{version}"
    meta = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    meta += "".join(f"Requires-Dist: {each}\n" for each in needs)
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for file, text in (("METADATA", meta), ("WHEEL", tags), ("RECORD", "")):
            wheel.writestr(f"{stem}.dist-info/{file}", text)


@contextmanager
def _indexes(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve the usual index, whose torch needs CUDA, and torch's own; yield the address and what is asked."""
    usual, own = folder / "usual", folder / "own"
    for each in WANTED:
        needs = ("nvidia-cublas==13.1", "triton==3.7") if each.name == "torch" else ()
        _wheel(usual, each.name, _version(each), *needs)
    _wheel(usual, "nvidia-cublas", "13.1")
    _wheel(usual, "triton", "3.7")
    _wheel(own, "torch", f"{_version(next(each for each in WANTED if each.name == 'torch'))}+cpu")
    asked: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(folder))  # type: ignore[arg-type]  # as the library calls it

        def log_message(self, *_: object) -> None:
            asked.append(self.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python of its own with nothing but pip, to be copied."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    venv.create(folder, with_pip=True, symlinks=True)
    return folder


def _installed(empty: Path, folder: Path, address: str, torch_index: str) -> tuple[set[str], str]:
    """Run the installer in a Python of its own; return what is there, and what was said."""
    shutil.copytree(empty, folder, symlinks=True)
    python = str(folder / "bin" / "python")
    plain = {name: text for name, text in os.environ.items() if not name.startswith("PIP_")}
    said = subprocess.run(
        [python, str(ROOT / "deploy" / "install.py"), "--torch-index", torch_index],
        env={**plain, "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": f"{address}/usual"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    found = {path.name.partition("-")[0] for path in folder.rglob("*.dist-info")}
    return found, said.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the usual index's torch has no CUDA")
def test_torch_is_installed_from_its_own_index_without_cuda(empty: Path, tmp_path: Path) -> None:
    with _indexes(tmp_path / "indexes") as (address, asked):
        found, said = _installed(empty, tmp_path / "venv", address, f"{address}/own")
    assert not {name for name in found if OF_CUDA.search(name)}
    assert {canonicalize_name(each.name) for each in WANTED} <= {canonicalize_name(name) for name in found}
    assert said == ""
    assert {
        path for path in asked if path.startswith("/own/") and not path.startswith("/own/torch/")
    } == set()
    assert not [path for path in asked if path.startswith("/usual/torch/")]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the usual index's torch has no CUDA")
def test_install_without_torchs_index_uses_the_usual_one(empty: Path, tmp_path: Path) -> None:
    with _indexes(tmp_path / "indexes") as (address, _):
        found, said = _installed(empty, tmp_path / "venv", address, "http://127.0.0.1:9/whl/cpu")
    assert said.splitlines() == [UNREACHED]
    assert "torch" in found
    assert {name for name in found if OF_CUDA.search(name)}  # which is what the sentence says


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_install_commands_all_take_torch_from_its_index_first() -> None:
    assert "deploy/install.py" in _text("Makefile")
    assert "deploy/install.py --locked" in _text("deploy/Dockerfile")
    guides = ("README.md", "README.zh.md", "docs/book/install.md")
    for guide in guides:
        text = _text(guide)
        first = text.index(f"pip install --no-deps --index-url {CPU_BUILDS} {torch_wanted()}")
        assert first < text.index("pip install -r requirements.txt")
    assert _text("docs/book/install.md").count("deploy/install.py") == 1
    commands = "\n".join(
        _text(name) for name in (*guides, "deploy/README.md", "deploy/Dockerfile", "Makefile")
    )
    assert not re.search(r"extra.index", commands, re.IGNORECASE)
    for path in ROOT.glob("requirements*.txt"):
        assert "index-url" not in path.read_text(encoding="utf-8")


def test_cloud_requirements_name_torchs_address_for_each_python() -> None:
    lines = _text("deploy/cloud/requirements.txt").splitlines()
    named = [Requirement(line) for line in lines if line.startswith("torch @")]
    version = torch_wanted().removeprefix("torch==")
    for python in PYTHONS:
        (line,) = [each for each in named if each.marker and each.marker.evaluate({"python_version": python})]
        tag = f"cp{python.replace('.', '')}"
        assert line.url == f"{CPU_BUILDS}/torch-{version}%2Bcpu-{tag}-{tag}-manylinux_2_28_x86_64.whl"
    assert len(named) == len(PYTHONS)
    assert lines[-1] == "-r ../../requirements.txt"
    assert "main script `deploy/cloud/attention_lab.py`" in _text("deploy/README.md")


LOCKED = {
    (canonicalize_name(one.name), _version(one)): one
    for line in _text("requirements-lock.txt").splitlines()
    if line and line[0] not in "# "
    for one in [Requirement(line.removesuffix("\\").strip())]
}


def test_lock_file_has_all_requirements_with_hashes() -> None:
    names = {name for name, _ in LOCKED}
    assert not [name for name in names if OF_CUDA.search(name)]
    assert "torch" not in names
    blocks = re.split(r"\n(?=\w)", _text("requirements-lock.txt").partition("make lock\n")[2])
    assert len(blocks) == len(LOCKED)
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", block) for block in blocks)
    for wanted in WANTED:
        if wanted.name != "torch":
            assert (canonicalize_name(wanted.name), _version(wanted)) in LOCKED
    missing, waiting, seen = set(), [each.name for each in WANTED], set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        if name != "torch" and name not in names:
            missing.add(name)
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for need in map(Requirement, needs):
            if not OF_CUDA.search(need.name) and (need.marker is None or need.marker.evaluate({"extra": ""})):
                waiting.append(need.name)
                versions = [version for locked, version in LOCKED if locked == canonicalize_name(need.name)]
                assert not versions or any(need.specifier.contains(each) for each in versions), (name, need)
    assert not missing


def test_library_version_ranges_include_the_apps_pins() -> None:
    library = {
        canonicalize_name(one.name): one
        for one in map(Requirement, tomllib.loads(_text("pyproject.toml"))["project"]["dependencies"])
    }
    assert library
    pinned = {canonicalize_name(each.name): _version(each) for each in WANTED}
    for name, wanted in library.items():
        assert all(each.operator != "==" for each in wanted.specifier), name
        assert wanted.specifier.contains(pinned[name])
