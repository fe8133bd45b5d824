"""Where the system is not Linux: what is POSIX alone is taken away, and the app is started without it."""

import ast
import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.student import Student
from tests.browser.conftest import wait_for

ROOT = Path(__file__).resolve().parents[2]
# As on Windows: no fork, no process groups, few signals, no C library by no name, no /proc, no uvloop.
# Libraries are imported before, for they ask the system's name; what is taken away is missed by ours alone.
WITHOUT = """
import asyncio, builtins, ctypes, io, os, signal, sys, multiprocessing
import pandas, torch, streamlit.web.cli, uvicorn, websockets, multiprocessing.connection
for module, names in ((os, ("fork", "forkpty", "setpgid", "setsid", "getpgid", "sysconf", "getuid", "geteuid",
                            "nice", "setpriority", "killpg", "getloadavg", "register_at_fork")),
                      (signal, ("SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGCHLD", "alarm", "setitimer"))):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
for name in ("uvloop", "resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
library, opened = ctypes.CDLL, io.open
def named(name, *rest, **more):
    if name is None:
        raise TypeError("argument of type 'NoneType' is not iterable")
    return library(name, *rest, **more)
def without_proc(file, *rest, **more):
    if str(file).startswith(("/proc", "/sys")):
        raise FileNotFoundError(file)
    return opened(file, *rest, **more)
ctypes.CDLL = named
io.open = builtins.open = without_proc
"""


@contextlib.contextmanager
def _served_without() -> Iterator[str]:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--server.headless=true", "--server.address=127.0.0.1", f"--server.port={port}"]
    code = f"{WITHOUT}\nstreamlit.web.cli.main({['run', 'app.py', *options]})"
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.slow
def test_app_starts_and_answers_without_posix_only_modules() -> None:
    async def visit(server: str) -> Student:
        async with Student(server) as student:
            await student.run()
            await student.run("single-head")
            return student

    with _served_without() as server:
        student = asyncio.run(visit(server))
    assert student.errors == []
    assert student.figures


@pytest.mark.slow
def test_class_without_process_signals_says_what_it_needs() -> None:
    run = "import runpy; sys.argv = ['class.py']; runpy.run_path('deploy/class.py', run_name='__main__')"
    code = f"{WITHOUT}\n{run}"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    (sentence,) = said.stderr.splitlines()
    assert "Linux or macOS" in sentence
    assert "streamlit run app.py" in sentence


SHIPPED = ("attn_core", "attn_figures", "attn_live", "attn_ui", "attn_words", "pages", "deploy")


def _texts_without_an_encoding(path: Path) -> list[int]:
    """List the lines whose text is in the encoding that the system prefers: not UTF-8 on Windows."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or any(each.arg in ("encoding", None) for each in node.keywords):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        of_path = isinstance(called, ast.Attribute) and name in ("read_text", "write_text")
        if of_path or (isinstance(called, ast.Name) and name == "open"):
            found.append(node.lineno)
    return found


@pytest.mark.slow
def test_text_files_are_utf_8_under_any_system_encoding() -> None:
    files = [path for folder in SHIPPED for path in (ROOT / folder).rglob("*.py")]
    found = {
        str(path.relative_to(ROOT)): lines for path in files if (lines := _texts_without_an_encoding(path))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("path.read_text()", [1]),
        ("path.write_text('x')", [1]),
        ("open('x')", [1]),
        ("path.read_text(encoding='utf-8')", []),
        ("archive.open('x')", []),
    ],
)
def test_text_calls_without_an_encoding_are_detected(line: str, found: list[int], tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(line, encoding="utf-8")
    assert _texts_without_an_encoding(path) == found
