"""A real Chromium on the real server: one of each for the whole run, and a fresh page for each test."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    Error,
    Frame,
    Page,
    Playwright,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.browser.app_page import TIMEOUT, AppPage

ROOT = Path(__file__).resolve().parents[2]
# Scripts that servers run: whoever imports them as a module, to look for doctests, has their app.
collect_ignore_glob = ["*_app.py", "*_script.py"]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # what one page compiled, the next one has
]
START_SECONDS = 120
SAID = ROOT / "build" / "servers"
expect.set_options(timeout=TIMEOUT)


@pytest.hookimpl(tryfirst=True)  # before -m chooses among them
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that drive a browser, so that they and the others can run side by side."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@contextlib.contextmanager
def serving(
    script: str, *options: str, base: str = "", cwd: Path = ROOT, to: str = "127.0.0.1", **environment: str
) -> Iterator[str]:
    """Start `streamlit run` on a free port, as a newcomer would; yield its address.

    It listens to this machine alone, or where `to` says. What it prints is in build/servers.
    """
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless=true", *options]
    SAID.mkdir(parents=True, exist_ok=True)
    said = SAID / f"{os.getpid()}-{port}.log"
    with said.open("w") as log:  # a pipe that nobody reads is full one day, and the server waits
        process = subprocess.Popen(
            [*command, f"--server.port={port}", f"--server.address={to}"],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}{base}/_stcore/health", process, said)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The product."""
    with serving("app.py") as address:
        yield address


@pytest.fixture(scope="session")
def live_server() -> Iterator[str]:
    """A small script of two live figures."""
    with serving("tests/browser/live_app.py") as address:
        yield address


def wait_for(url: str, process: subprocess.Popen[Any], said: Path | None = None) -> None:
    """Wait until a server answers; fail where its process ended, with what it said."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped: {said.read_text() if said else ''}")
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2) as answer:
            if answer.status == 200:
                return
        time.sleep(0.1)  # the server starts meanwhile
    raise RuntimeError(f"the server did not answer within {START_SECONDS} s")


# The system's Chromium where there is one, else Playwright's own.
CHROMIUM: dict[str, Any] = {"executable_path": shutil.which("chromium"), "args": FLAGS}


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives the browsers."""
    with sync_playwright() as made:
        yield made


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium for tests that need contexts of their own."""
    chromium = playwright.chromium.launch(**CHROMIUM)
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def context(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """One browser profile on disk for the run: the front end is fetched once, and compiled once."""
    profile = tmp_path_factory.mktemp("profile")
    made = playwright.chromium.launch_persistent_context(
        profile, viewport={"width": 1280, "height": 800}, **CHROMIUM
    )
    yield made
    made.close()


# What outlasts a document: a tab of which a test asked for one of these is closed behind it.
LASTING = ("add_init_script", "route", "route_web_socket", "expose_function", "expose_binding")
WINDOW: ViewportSize = {"width": 1280, "height": 800}


class Tab:
    """A tab that one test after another may have: what a page runs was compiled for the first of them."""

    def __init__(self, context: BrowserContext) -> None:
        self.page = context.new_page()
        self.session = context.new_cdp_session(self.page)
        self.heard: list[tuple[str, Callable[..., Any]]] = []
        self.lasting = False
        for name in LASTING:
            setattr(self.page, name, self._noting(getattr(self.page, name)))
        inspect = context.new_cdp_session

        def inspected(page: Page | Frame) -> CDPSession:
            self.lasting |= page is self.page
            return inspect(page)

        context.new_cdp_session = inspected  # type: ignore[method-assign]  # noted and passed on
        self._on = self.page.on
        self.page.on = self._hear  # type: ignore[method-assign, assignment]  # noted and passed on

    def _noting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any, **named: Any) -> Any:
            self.lasting = True
            return call(*given, **named)

        return noted

    def _hear(self, event: Any, listener: Callable[..., Any]) -> None:
        self.heard.append((event, listener))
        self._on(event, listener)

    def open(self, *, film: bool) -> Page:
        """Hand it over as if it were new, at the size of a small laptop."""
        if self.page.viewport_size != WINDOW:
            self.page.set_viewport_size(WINDOW)
        self.page.emulate_media(
            media="null",
            color_scheme="light",
            reduced_motion="no-preference" if film else "reduce",
            forced_colors="none",
        )
        return self.page

    def leave(self) -> None:
        """Forget all that a test did in it."""
        with contextlib.suppress(Error):
            self.page.evaluate("sessionStorage.clear()")
        for event, listener in self.heard:
            self.page.remove_listener(event, listener)
        self.heard.clear()
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.session.send("Page.resetNavigationHistory")  # it holds fifty addresses and no more


@pytest.fixture(scope="session")
def kept() -> list[Tab]:
    """The tab that is handed on, where there is one."""
    return []


@pytest.fixture
def tab(context: BrowserContext, kept: list[Tab], request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page at the size of a small laptop; motion is reduced unless the test is marked as `film`."""
    failed = request.session.testsfailed
    made = kept.pop() if kept else Tab(context)
    yield made.open(film=request.node.get_closest_marker("film") is not None)
    if made.lasting or made.page.is_closed() or request.session.testsfailed > failed:
        made.page.close()
    else:
        made.leave()
        kept.append(made)


@pytest.fixture
def touch(context: BrowserContext) -> Iterator[Callable[[int, int], Page]]:
    """Opens a page of some size on a screen that is touched."""
    pages: list[Page] = []

    def opened(width: int, height: int) -> Page:
        page = context.new_page()
        pages.append(page)
        page.emulate_media(reduced_motion="reduce")
        session = context.new_cdp_session(page)
        session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        size = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
        session.send("Emulation.setDeviceMetricsOverride", {**size, "deviceScaleFactor": 1, "mobile": True})
        return page

    yield opened
    for page in pages:
        page.close()


@pytest.fixture
def app(tab: Page, server: str) -> Iterator[AppPage]:
    """The app in a fresh page; at the end, no error may stand in the browser's console."""
    page = AppPage(tab, server)
    yield page
    assert page.errors == []


@pytest.fixture
def live(tab: Page, live_server: str) -> Iterator[AppPage]:
    """The script of two live figures in a fresh page."""
    page = AppPage(tab, live_server)
    yield page
    assert page.errors == []
