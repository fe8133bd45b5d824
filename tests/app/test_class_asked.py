"""What `make run` and `deploy/class.py` say of numbers that they cannot serve, before anything is started."""

import contextlib
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run_class(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ROOT / "deploy" / "class.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("--processes", "0"), "wanted a whole number from 1 to 256, got '0'"),
        (("--processes=-2",), "wanted a whole number from 1 to 256, got '-2'"),
        (("--port", "70000"), "wanted a whole number from 1 to 65,535, got '70000'"),
        (("--port=-5",), "wanted a whole number from 1 to 65,535, got '-5'"),
        (("--port", "x"), "wanted a whole number from 1 to 65,535, got 'x'"),
    ],
)
def test_class_numbers_out_of_range_are_refused_at_once(words: tuple[str, ...], wanted: str) -> None:
    tried = _run_class(*words)
    assert tried.returncode == 2
    assert wanted in tried.stderr
    assert not tried.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("port", ["70000", "0", "-5", "", "x", "8501 8502"])
def test_make_run_with_an_invalid_port_names_it(port: str) -> None:
    command = ["make", "--no-print-directory", "--old-file=.venv/.app", "run", f"PORT={port}"]
    tried = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert tried.returncode == 2
    assert tried.stdout == f"PORT: wanted a whole number from 1 to 65535, got '{port}'\n"


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed; make browser installs it")
def test_class_port_in_use_is_reported_before_processes_start() -> None:
    with contextlib.closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        tried = _run_class("--processes", "1", "--port", str(port))
    assert tried.returncode == 1
    assert tried.stderr.startswith(f"port {port} is taken")
    assert not tried.stdout
