"""What the server survives, and what a visitor is told when a page fails."""

import contextlib
import os
import random
import socket
import string
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.browser.conftest import ROOT, serving, wait_for


@contextlib.contextmanager
def _uvicorn(app: str, log: Path, **environment: str) -> Iterator[str]:
    """Start the container's own command, its output kept in a file."""
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", app, "--host", "127.0.0.1", "--port", str(port)]
    with log.open("w") as lines:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=lines, stderr=lines, text=True, env={**os.environ, **environment}
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/_stcore/health", process)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.mark.essential
def test_fault_is_a_sentence_with_the_link_and_logged_without_it(tab: Page, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with _uvicorn("tests.browser.fault_app:app", log) as address:
        tab.set_default_navigation_timeout(180_000)
        tab.goto(f"{address}/?word=my+secret&more=a%26b")
        tab.wait_for_selector("text=a fault of the app, not yours", timeout=180_000)
        shown = tab.locator("[data-testid=stCode]").inner_text()
        assert shown.strip() == f"{address}?word=my+secret&more=a%26b"
        text = tab.locator("[data-testid=stApp]").inner_text()
        assert "before" in text
        assert "after" not in text
        assert "ValueError" not in text
        assert "Google" not in text
        # What steers Streamlit itself is no fault.
        tab.goto(f"{address}/?word=rerun")
        tab.wait_for_selector("text=after", timeout=180_000)
        assert "fault of the app" not in tab.locator("[data-testid=stApp]").inner_text()
    written = log.read_text()
    assert "secret" not in written
    assert "builtins.ValueError" in written
    assert '"GET / HTTP/1.1" 200' in written


@pytest.mark.essential
def test_hostile_links_frames_and_uploads_do_no_harm(tmp_path: Path) -> None:
    draw = random.Random(0)
    odd = string.printable + "\x00é漢🙂<script>\"'`$%"
    with _uvicorn("app:app", tmp_path / "log", ATTENTION_LAB_CHANGES="1000") as address:
        for _ in range(500):
            noise = "".join(draw.choices(odd, k=draw.randint(0, 300)))
            page = draw.choice(
                ["", "single-head", "multi-head", "..%2f..%2fetc/passwd", "static/../app.py", "%00"]
            )
            request = urllib.request.Request(f"{address}/{page}?text={urllib.parse.quote(noise)}")
            request.add_header("Accept", draw.choice(["text/html", "*/*"]))
            with (
                contextlib.suppress(urllib.error.HTTPError),
                urllib.request.urlopen(request, timeout=60) as answer,
            ):
                body = answer.read()
                assert b"root:" not in body
                assert b"import torch" not in body
        stream = f"{address.replace('http', 'ws')}/_stcore/stream"
        for i in range(200):
            with (
                contextlib.suppress(ConnectionClosed, InvalidStatus, TimeoutError),
                connect(stream, subprotocols=[Subprotocol("streamlit")]) as socket,
            ):
                noise = "x" * draw.randint(0, 2000)
                socket.send(noise if i % 4 == 0 else draw.randbytes(draw.randint(0, 4000)))
                socket.recv(timeout=0.01)
        upload = f"{address}/_stcore/upload_file/some/file"
        with pytest.raises(urllib.error.URLError) as refused:
            urllib.request.urlopen(
                urllib.request.Request(upload, data=bytes(50 * 1024**2), method="PUT"), timeout=60
            )
        assert "413" in str(refused.value) or isinstance(refused.value.reason, OSError)
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=60) as answer:
            assert answer.read() == b"ok"
    assert "<script>" not in (tmp_path / "log").read_text()


@pytest.mark.parametrize("page", ["single-head", "kernel-regression"])
def test_embedded_page_shows_its_figure_without_navigation_and_sidebar(
    tab: Page, server: str, page: str
) -> None:
    tab.set_default_navigation_timeout(180_000)
    tab.goto(f"{server}/{page}?embed=true")
    tab.wait_for_selector(".live-figure[data-state=drawn]", timeout=180_000)
    for part in ("stSidebar", "stTopNavLink", "stExpandSidebarButton", "stToolbar"):
        assert not tab.locator(f"[data-testid^={part}]:visible").count(), part


def test_full_server_tells_the_visitor(tab: Page) -> None:
    with serving("tests/browser/fault_app.py", ATTENTION_LAB_SESSIONS="1") as address:
        tab.goto(address)
        tab.wait_for_selector("text=after", timeout=180_000)
        second = tab.context.new_page()
        second.goto(address)
        second.wait_for_selector("text=Every place is taken", timeout=60_000)
        second.close()
