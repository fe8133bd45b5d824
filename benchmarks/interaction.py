"""Key press to changed picture, in a real Chromium, this product and its peers in one run.

    python -m benchmarks.interaction [--presses 33] [--only 64 8]

Every contestant draws the same weights. A time runs from the keydown event to the first animation frame
in which every map of the page has changed. Rounds alternate, so that a slow moment of the machine falls
on all. Medians and 95th percentiles over at least 30 presses.
"""

import argparse
import base64
import contextlib
import copy
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Error, Page, sync_playwright

from attn_figures.arrange import settle
from benchmarks.apps.maps import SIZES, figures

ROOT = Path(__file__).resolve().parent.parent
APPS = Path(__file__).resolve().parent / "apps"
MAPS = ".heatmaplayer image"
ROOM = (1200, 496)  # pixels that a figure has in a window of 1280 x 800
WORDS = "[data-testid=stMarkdown] p"
IMAGE = "[data-testid=stImage] img"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
PROBE = """
() => {
    window.sample = ({ selector, count }) => {
        const read = () => [...document.querySelectorAll(selector)].map(
            (e) => e.getAttribute('href') ?? e.getAttribute('xlink:href') ?? e.src ?? e.textContent);
        const before = new Set(read());
        let start;
        window.sampled = new Promise((resolve, reject) => {
            const once = { once: true, capture: true };
            document.addEventListener('keydown', () => { start = performance.now(); }, once);
            const look = () => {
                const now = read();
                const changed = now.filter((text) => text && !before.has(text)).length;
                if (start !== undefined && changed >= count) resolve(performance.now() - start);
                else requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
            setTimeout(() => reject(new Error('the picture did not change within 15 s')), 15000);
        });
    };
}
"""


@dataclass
class Contestant:
    """One page under test, and the milliseconds it took so far."""

    name: str
    url: str
    slider: str
    selector: str
    count: int
    key: str = "ArrowRight"
    milliseconds: list[float] = field(default_factory=list)
    page: Page | None = None

    @property
    def median(self) -> float:
        """The median over all presses."""
        return statistics.median(self.milliseconds)

    @property
    def p95(self) -> float:
        """The 95th percentile over all presses."""
        return float(np.percentile(self.milliseconds, 95))


def free_port() -> int:
    """Return a port that is free at this moment."""
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def running(command: Callable[[int], list[str]]) -> Iterator[str]:
    """Run a server on a free port until the end of the block."""
    port = free_port()
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command(port), cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2):
                break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def streamlit(script: str) -> Callable[[int], list[str]]:
    """Return the command that serves a Streamlit script."""
    run = [sys.executable, "-m", "streamlit", "run", script, "--server.headless=true"]
    return lambda port: [*run, f"--server.port={port}", "--server.address=127.0.0.1"]


def dash(n_token: int, n_head: int) -> Callable[[int], list[str]]:
    """Return the command that serves the Dash app of one size."""
    run = [sys.executable, "-m", "benchmarks.apps.dash_app"]
    return lambda port: [*run, str(port), str(n_token), str(n_head)]


@contextlib.contextmanager
def bare_pages() -> Iterator[str]:
    """Serve the bare page with its figures and Plotly's own file."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(APPS / "bare.html", folder)
        shutil.copy(str(files("plotly") / "package_data" / "plotly.min.js"), folder)
        for n_token, n_head in SIZES:
            # Settled as on the product's own page: the same pixels, the same labels.
            settled = [settle(copy.deepcopy(figure), *ROOM) for figure in figures(n_token, n_head)]
            text = json.dumps(settled, default=_encode)
            (Path(folder) / f"{n_token}-{n_head}.json").write_text(text)
        handler = partial(_Quiet, directory=folder)
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _encode(array: np.ndarray) -> dict[str, Any] | list[Any]:
    if array.dtype.kind in "UO":
        words: list[Any] = array.tolist()
        return words
    return {"f4": base64.b64encode(array.astype("<f4").tobytes()).decode(), "shape": array.shape}


def contestants(servers: dict[str, str], n_token: int, n_head: int) -> list[Contestant]:
    """List who runs at one size."""
    size = f"n={n_token}&heads={n_head}"
    native = "input[type=range]"
    plain = servers["streamlit"]
    bare = f"{servers['bare']}/bare.html?figures={n_token}-{n_head}.json"
    return [
        Contestant("this product", f"{servers['live']}/?{size}", native, MAPS, n_head),
        Contestant("bare Plotly.react", bare, native, MAPS, n_head),
        Contestant("Dash", servers[f"dash {n_token} {n_head}"], "[role=slider]", MAPS, n_head),
        Contestant("st.plotly_chart", f"{plain}/?way=plotly_chart&{size}", native, MAPS, n_head),
        Contestant(
            "seaborn, st.pyplot", f"{plain}/?way=pyplot&{size}", native, "[data-testid=stImage] img", 1
        ),
        Contestant("Streamlit's floor", f"{plain}/?way=floor", native, WORDS, 1),
    ]


AT_END = """
(e) => {
    const [now, low, high] = ['valuenow', 'valuemin', 'valuemax'].map((name, i) =>
        Number(e.getAttribute(`aria-${name}`) ?? [e.value, e.min, e.max][i]));
    return [now <= low, now >= high];
}
"""


def press(contestant: Contestant) -> None:
    """Press an arrow key once, to the end of the slider and back, and note how long the picture took."""
    page = contestant.page
    assert page is not None
    page.bring_to_front()
    slider = page.locator(contestant.slider).first
    slider.focus()
    at_start, at_end = slider.evaluate(AT_END)
    contestant.key = "ArrowRight" if at_start else "ArrowLeft" if at_end else contestant.key
    page.evaluate(
        "(what) => window.sample(what)", {"selector": contestant.selector, "count": contestant.count}
    )
    page.keyboard.press(contestant.key)
    try:
        contestant.milliseconds.append(page.evaluate("() => window.sampled"))
    except Error as error:
        raise RuntimeError(
            f"{contestant.name}, {contestant.key} after {contestant.milliseconds}: {error}"
        ) from error
    page.wait_for_timeout(250)  # a report to the server, where there is one, is over before the next press


def race(browser: Browser, rivals: list[Contestant], presses: int) -> None:
    """Open every page, press once to warm up, then take turns."""
    for rival in rivals:
        rival.page = browser.new_page(viewport={"width": 1280, "height": 800})
        rival.page.goto(rival.url)
        rival.page.locator(rival.slider).first.wait_for(timeout=60_000)
        rival.page.locator(rival.selector).first.wait_for(timeout=60_000, state="attached")
        rival.page.wait_for_timeout(1500)
        rival.page.evaluate(PROBE)
    for round_ in range(presses):
        for rival in rivals:
            press(rival)
            if round_ == 0:
                rival.milliseconds.clear()
    for rival in rivals:
        if rival.page:
            rival.page.close()


def report(rivals: list[Contestant], n_token: int, n_head: int) -> None:
    """Print one table of medians, percentiles and ratios to this product."""
    own = rivals[0]
    print(
        f"\n{n_head} map{'s' if n_head > 1 else ''} of {n_token} x {n_token}, {len(own.milliseconds)} presses"
    )
    print(f"{'':22}{'median':>9}{'p95':>9}{'median / this product':>25}")
    for rival in rivals:
        ratio = rival.median / own.median
        print(f"{rival.name:22}{rival.median:>6.0f} ms{rival.p95:>6.0f} ms{ratio:>25.2f}", flush=True)


PAGES = ("", "kernel-regression", "single-head", "positional-encoding", "multi-head")


def pages(server: str, floor: str) -> list[Contestant]:
    """List this product's pages as a visitor finds them, and Streamlit's floor beside them."""
    found = [
        Contestant(page or "overview", f"{server}/{page}", "input[data-live=step]", MAPS, 1) for page in PAGES
    ]
    return [*found, Contestant("Streamlit's floor", f"{floor}/?way=floor", "input[type=range]", WORDS, 1)]


def report_pages(rivals: list[Contestant]) -> None:
    """Print what a key press costs on each page."""
    print(f"\nthe pages at their defaults, {len(rivals[0].milliseconds)} presses")
    print(f"{'':22}{'median':>9}{'p95':>9}")
    for rival in rivals:
        print(f"{rival.name:22}{rival.median:>6.0f} ms{rival.p95:>6.0f} ms", flush=True)


def main() -> None:
    """Run all sizes, then the pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--presses", type=int, default=33, help="the first warms up")
    parser.add_argument("--only", type=int, nargs=2, metavar=("N_TOKEN", "N_HEAD"), help="one size")
    given = parser.parse_args()
    sizes = SIZES if given.only is None else (tuple(given.only),)
    with contextlib.ExitStack() as stack:
        servers = {
            "live": stack.enter_context(running(streamlit("benchmarks/apps/live_app.py"))),
            "streamlit": stack.enter_context(running(streamlit("benchmarks/apps/streamlit_script.py"))),
            "bare": stack.enter_context(bare_pages()),
        }
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for n_token, n_head in sizes:
            with running(dash(n_token, n_head)) as address:
                servers[f"dash {n_token} {n_head}"] = address
                rivals = contestants(servers, n_token, n_head)
                race(browser, rivals, given.presses)
                report(rivals, n_token, n_head)
        if given.only is None:
            with running(streamlit("app.py")) as address:
                rivals = pages(address, servers["streamlit"])
                race(browser, rivals, given.presses)
                report_pages(rivals)
        browser.close()


if __name__ == "__main__":
    main()
