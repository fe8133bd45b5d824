"""First visit to first picture, cold cache: each page against Streamlit's floor, in one run.

    python -m benchmarks.first_picture [--visits 5] [--plotly-js build/plotly-js] [--watched]

The floor is an app of one slider and one line of text, served by plain `streamlit run`; its time ends when
the slider is there. A visit to a page of ours has two times: the first ends in the frame after the still
picture is in the page, the second when the live figure has drawn its marks. Rounds alternate, so that a slow
moment of the machine falls on all. The table has medians, unthrottled and at 10 Mbit/s with 40 ms.

Chromium is driven by its protocol alone. Under Playwright or with open developer tools, V8 records the calls
behind each error; plotly.js throws and catches six errors as it starts, inside functions of 4.8 MB, which V8
then reads again: this takes 0.4 s, which other visitors do not wait. `--watched` measures with Playwright all
the same.
"""

import argparse
import contextlib
import itertools
import json
import math
import os
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, sync_playwright
from websockets.sync.client import ClientConnection, connect

from benchmarks.interaction import FLAGS, free_port
from tests.browser.conftest import ROOT, serving, wait_for

PAGES = ("", "kernel-regression", "single-head", "positional-encoding", "multi-head", "learned-heads")
FLOOR = "import streamlit as st\nvalue = st.slider('x', 0, 100, 20)\nst.write(value)\n"
SLIDER = "() => document.querySelector('[data-testid=stSlider]')"
MARKS = """() => document.querySelector(
    '.js-plotly-plot image, .js-plotly-plot .scatterlayer path, .js-plotly-plot .barlayer path')"""
PAINTED = """() => {
    if (!document.querySelector('.early-picture > svg')) return false;
    return window.wasThere || !(window.wasThere = true); // it is painted by the frame after
}"""
NETWORKS = {"unthrottled": None, "10 Mbit/s, 40 ms": 10}
SIZE = {"width": 1280, "height": 900}
VISIT_SECONDS = 120

Visit = Callable[[str, Sequence[str], int | None], list[float]]
"""Takes an address, conditions to wait for in turn, and a speed of the line; returns the seconds of each."""


def line_of(megabits: int) -> dict[str, Any]:
    """Return the protocol's settings of a line of this speed, with 40 ms of latency."""
    speed = megabits * 125_000
    return {"offline": False, "latency": 40, "downloadThroughput": speed, "uploadThroughput": speed}


class Protocol:
    """Chromium's DevTools protocol over its websocket, one command after another."""

    def __init__(self, socket: ClientConnection) -> None:
        """Use an open connection to the browser."""
        self._socket = socket
        self._numbers = itertools.count(1)

    def send(self, method: str, params: dict[str, Any] | None = None, session: str = "") -> dict[str, Any]:
        """Send a command, to a page's session or the browser; return its answer.

        Raises:
            RuntimeError: the browser refuses it.
            TimeoutError: no answer within `VISIT_SECONDS`.
        """
        number = next(self._numbers)
        command: dict[str, Any] = {"id": number, "method": method, "params": params or {}}
        self._socket.send(json.dumps(command | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self._socket.recv(timeout=VISIT_SECONDS))
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])


@contextlib.contextmanager
def chromium() -> Iterator[Protocol]:
    """Yield a Chromium with no listener to its scripts' errors."""
    port = free_port()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        options = ["--headless", f"--remote-debugging-port={port}", f"--user-data-dir={folder}", *FLAGS]
        browser = subprocess.Popen(
            ["chromium", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
        )
        stack.callback(browser.wait)
        stack.callback(browser.terminate)
        about = f"http://127.0.0.1:{port}/json/version"
        wait_for(about, browser)
        with urllib.request.urlopen(about) as answer:
            address = json.load(answer)["webSocketDebuggerUrl"]
        socket = stack.enter_context(connect(address, max_size=None))
        yield Protocol(socket)


@contextlib.contextmanager
def unwatched() -> Iterator[Visit]:
    """Yield a `Visit` that uses the protocol alone."""
    with chromium() as browser:
        yield partial(visit, browser)


@contextlib.contextmanager
def blank(browser: Protocol, megabits: int | None) -> Iterator[str]:
    """Yield the session of an empty page with nothing in the cache, on a line of this speed."""
    context = browser.send("Target.createBrowserContext")
    target = browser.send("Target.createTarget", {"url": "about:blank", **context})
    page = browser.send("Target.attachToTarget", {**target, "flatten": True})["sessionId"]
    metrics = {**SIZE, "deviceScaleFactor": 1, "mobile": False}
    browser.send("Emulation.setDeviceMetricsOverride", metrics, page)
    browser.send("Emulation.setFocusEmulationEnabled", {"enabled": True}, page)  # in front, as a visitor's is
    browser.send("Network.enable", session=page)
    if megabits is not None:
        browser.send("Network.emulateNetworkConditions", line_of(megabits), page)
    yield page
    browser.send("Target.disposeBrowserContext", context)


def until(browser: Protocol, page: str, ready: str) -> None:
    """Wait until a condition holds on a page; it is checked before each frame, as Playwright does."""
    look = f"const look = () => ({ready})() ? done() : requestAnimationFrame(look); look();"
    parameters = {"expression": f"new Promise((done) => {{ {look} }})", "awaitPromise": True}
    browser.send("Runtime.evaluate", parameters, page)


def visit(browser: Protocol, url: str, awaited: Sequence[str], megabits: int | None) -> list[float]:
    """Open an address with nothing in the cache; return the seconds until each condition."""
    with blank(browser, megabits) as page:
        start = time.perf_counter()
        browser.send("Page.navigate", {"url": url}, page)
        seconds = []
        for ready in awaited:
            until(browser, page, ready)
            seconds.append(time.perf_counter() - start)
        return seconds


@contextlib.contextmanager
def watched() -> Iterator[Visit]:
    """Yield a `Visit` that uses Playwright."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield partial(watched_visit, browser)
        browser.close()


def watched_visit(browser: Browser, url: str, awaited: Sequence[str], megabits: int | None) -> list[float]:
    """Open an address with nothing in the cache; return the seconds until each condition."""
    context = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]})
    page = context.new_page()
    if megabits is not None:
        tools: CDPSession = context.new_cdp_session(page)
        tools.send("Network.enable")
        tools.send("Network.emulateNetworkConditions", line_of(megabits))
    start = time.perf_counter()
    page.goto(url, wait_until="commit", timeout=VISIT_SECONDS * 1000)
    seconds = []
    for ready in awaited:
        page.wait_for_function(ready, timeout=VISIT_SECONDS * 1000)
        seconds.append(time.perf_counter() - start)
    context.close()
    return seconds


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--plotly-js", help="a folder with another bundle of plotly.js")
    parser.add_argument("--watched", action="store_true", help="with Playwright")
    options = parser.parse_args()
    environment = {"ATTENTION_LAB_PLOTLY_JS": os.path.abspath(options.plotly_js)} if options.plotly_js else {}
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "floor.py").write_text(FLOOR)
        floor = stack.enter_context(serving(str(folder / "floor.py"), cwd=folder))
        ours = stack.enter_context(serving("app.py", cwd=ROOT, **environment))
        open_page = stack.enter_context(watched() if options.watched else unwatched())
        contestants = [(floor, [SLIDER]), *((f"{ours}/{page}", [PAINTED, MARKS]) for page in PAGES)]
        titles = (f"{name}: still | times the floor | live | times the floor" for name in NETWORKS)
        print("| page | " + " | ".join(titles) + " |")
        print("|---|" + "---:|" * 4 * len(NETWORKS))
        columns = []
        for megabits in NETWORKS.values():
            times: list[list[list[float]]] = [[] for _ in contestants]
            for turn in range(options.visits + 1):
                for runs, (url, awaited) in zip(times, contestants, strict=True):
                    seconds = open_page(url, awaited, megabits)
                    if turn:  # the first warms the server
                        runs.append(seconds)
            columns.append([[statistics.median(each) for each in zip(*runs, strict=True)] for runs in times])
        for i, name in enumerate(("floor", *(page or "overview" for page in PAGES))):
            cells = [
                f"{seconds:.2f} | {seconds / column[0][0]:.2f}"
                for column in columns
                for seconds in (column[i] if i else [math.nan, *column[i]])
            ]
            print(f"| {name} | " + " | ".join(cells).replace("nan | nan", " | ") + " |", flush=True)


if __name__ == "__main__":
    main()
