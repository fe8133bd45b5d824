"""Key press to changed picture, in a real Chromium, this product and its peers in one run.

    python -m benchmarks.interaction [--presses 33] [--only 64 8 | --pages [LINK ...]]

It first measures maps of several sizes, drawn in six ways; then the product's own pages with their defaults:
the figures of all steps are read from the page and given to bare Plotly.react and to Dash, and all are
pressed and dragged, at full speed and with the processor slowed four times.

Every contestant draws the same weights. A time runs from the keydown event to the first animation frame in
which every map of the page has changed. Rounds alternate, so that a slow moment of the machine falls on all.
The tables have medians and 95th percentiles over at least 30 presses.
"""

import argparse
import contextlib
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

from benchmarks.apps.bare import settled_figures
from benchmarks.apps.maps import SIZES
from tests.browser.app_page import wait_for_rest

ROOT = Path(__file__).resolve().parent.parent
APPS = Path(__file__).resolve().parent / "apps"
MAPS = ".heatmaplayer image"
POINTS = ".scatterlayer path"  # where a page draws no map
SHOWN = ".live-plot image, .live-mark"  # the real figure's maps, and the mark of the film's frame over them
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
    window.drawn = (e) => e.getAttribute('href') ?? e.getAttribute('xlink:href') ?? e.dataset.step ?? e.src
        ?? (e.tagName === 'path' ? ['d', 'style', 'transform'].map((name) => e.getAttribute(name)).join()
            : e.textContent);
    window.sample = ({ selector, count }) => {
        const read = () => [...document.querySelectorAll(selector)].map(window.drawn);
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
            time.sleep(0.1)  # the server starts meanwhile
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def streamlit(script: str) -> Callable[[int], list[str]]:
    """Return the command that serves a Streamlit script."""
    run = [sys.executable, "-m", "streamlit", "run", script, "--server.headless=true"]
    return lambda port: [*run, f"--server.port={port}", "--server.address=127.0.0.1"]


def dash(*what: object) -> Callable[[int], list[str]]:
    """Return the command that serves the Dash app of one size, or of the steps in a file."""
    run = [sys.executable, "-m", "benchmarks.apps.dash_app"]
    return lambda port: [*run, str(port), *map(str, what)]


@contextlib.contextmanager
def bare_pages() -> Iterator[tuple[str, Path]]:
    """Serve the bare page with its figures and Plotly's own file; yield its address and its folder."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(APPS / "bare.html", folder)
        shutil.copy(str(files("plotly") / "package_data" / "plotly.min.js"), folder)
        for n_token, n_head in SIZES:
            (Path(folder) / f"{n_token}-{n_head}.json").write_text(settled_figures(n_token, n_head))
        handler = partial(_Quiet, directory=folder)
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", Path(folder)
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def contestants(servers: dict[str, str], n_token: int, n_head: int) -> list[Contestant]:
    """Return the contestants at one size."""
    size = f"n={n_token}&heads={n_head}"
    native = "input[type=range]"
    plain = servers["streamlit"]
    bare = f"{servers['bare']}/bare.html?figures={n_token}-{n_head}.json"
    return [
        Contestant("this product", f"{servers['live']}/?{size}", native, SHOWN, 1),
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


FILM = ".live-figure:has(input[data-live=step]) .live-film[data-film=ready]"
PAGES = ("", "kernel-regression", "single-head", "positional-encoding", "multi-head", "learned-heads")
RATES = (1, 4)  # how many times the processor is slowed
DRAG_SECONDS = 2.0
# The pointer moves as a USB mouse reports it, a little faster than the screen draws: every frame has a step
# of its own to show. (One that moves exactly as often as the screen draws loses up to a third of the frames
# to the beat of the two: two moves in one frame, none in the next.)
MOVES_A_SECOND = 125
STEPS_A_SECOND = 66
# Records the figure of every step as the page itself passes it to Plotly.
RECORD = """
(() => {
    window.steps = {};
    const encode = (v) => {
        if (ArrayBuffer.isView(v)) {
            const bytes = new Uint8Array(v.buffer, v.byteOffset, v.byteLength);
            const kind = { Float32Array: 'f4', Float64Array: 'f8', Int32Array: 'i4', Uint8Array: 'u1' };
            return { bytes: btoa(String.fromCharCode(...bytes)), kind: kind[v.constructor.name] };
        }
        if (Array.isArray(v)) return v.map(encode);
        if (v && typeof v === 'object')
            return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, encode(x)]));
        return v;
    };
    const stepped = () => document.querySelector('.live-figure:has(input[data-live=step])');
    const at = (name) => stepped()?.querySelector(`input[data-live=${name}]`)?.value ?? '0';
    const react = (node, data, layout, config) => {
        const aside = node.classList.contains('live-studio');
        const [step, row] = aside ? [node.dataset.step, node.dataset.row] : [at('step'), at('row')];
        if (stepped()?.contains(node) && row === at('row')) window.steps[step] ??= encode({ data, layout });
        return library.react(node, data, layout, config);
    };
    let library;
    const shown = () => new Proxy(library, { get: (all, name) => (name === 'react' ? react : all[name]) });
    Object.defineProperty(window, 'Plotly', {
        configurable: true, get: () => library && shown(), set: (value) => { library = value; },
    });
})();
"""
WATCH = """
(selector) => {
    const read = () => [...document.querySelectorAll(selector)].map(window.drawn).join();
    let last = read();
    window.changes = [];
    window.watching = true;
    const look = () => {
        const now = read();
        if (now !== last) window.changes.push(performance.now());
        last = now;
        if (window.watching) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}
"""


@dataclass
class Moved:
    """Measurements of one contestant on one page at one speed of the processor."""

    press: list[float]
    pictures: float = 0.0  # a second, while dragged
    gap: float = 0.0  # the longest time without a new picture, in milliseconds


def read_steps(browser: Browser, url: str) -> tuple[list[Any], float]:
    """Open one of the product's pages; return the figures of all its steps and the film's seconds."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(RECORD)
    page.goto(url)
    page.wait_for_selector(".live-figure[data-state=drawn]", timeout=120_000)
    page.locator("input[data-live=step]").first.scroll_into_view_if_needed()  # a film is made where one looks
    start = time.monotonic()
    page.wait_for_selector(FILM, timeout=240_000, state="attached")
    seconds = time.monotonic() - start
    steps = page.evaluate("() => window.steps")
    last = int(page.locator("input[data-live=step]").first.get_attribute("max") or 0)
    page.close()
    return [steps[str(step)] for step in range(last + 1)], seconds


def drag(page: Page, slider: str, selector: str) -> tuple[float, float]:
    """Drag a slider to and fro; return pictures a second and the longest gap in milliseconds.

    The pointer moves whether or not the page keeps up, as a hand does: Playwright's own mouse waits for the
    page after each move, which would slow the hand down.
    """
    range_ = page.locator(slider).first
    range_.scroll_into_view_if_needed()
    box = range_.bounding_box()
    assert box is not None
    steps = int(range_.get_attribute("max") or 0)
    middle = box["y"] + box["height"] / 2
    left, width = box["x"] + 8, box["width"] - 16
    session = page.context.new_cdp_session(page)
    moves: list[Any] = []
    page.mouse.move(left, middle)
    page.mouse.down()
    page.wait_for_timeout(400)
    page.evaluate(WATCH, selector)
    start = time.monotonic()
    while (now := time.monotonic() - start) < DRAG_SECONDS:
        for move in range(len(moves), int(now * MOVES_A_SECOND)):
            way = move * STEPS_A_SECOND / MOVES_A_SECOND % (2 * steps)
            x = left + width * min(way, 2 * steps - way) / steps
            event = {"type": "mouseMoved", "button": "left", "buttons": 1, "x": x, "y": middle}
            moves.append(
                session._loop.create_task(session._impl_obj.send("Input.dispatchMouseEvent", event, None))
            )
        page.wait_for_timeout(4)
    while not all(move.done() for move in moves):
        page.wait_for_timeout(4)
    seconds = time.monotonic() - start
    page.mouse.up()
    changes = page.evaluate("() => { window.watching = false; return window.changes; }")
    page.wait_for_timeout(1000)
    gaps = np.diff(changes) if len(changes) > 1 else np.array([1000 * seconds])
    return len(changes) / seconds, float(gaps.max())


@contextlib.contextmanager
def slowed(page: Page, rate: int) -> Iterator[None]:
    """Slow the processor for one page while it is measured.

    A slowed page takes the processor even while it waits, so no other page is slowed at the same time.
    """
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    yield
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.detach()


def race_page(browser: Browser, rivals: list[Contestant], presses: int) -> dict[tuple[str, int], Moved]:
    """Let the rivals of one page take turns at pressing, then at dragging, at each speed."""
    for rival in rivals:
        rival.page = browser.new_page(viewport={"width": 1280, "height": 900})
        rival.page.goto(rival.url)
        rival.page.locator(rival.slider).first.wait_for(timeout=120_000)
        rival.page.locator(f"{MAPS}, {POINTS}").first.wait_for(timeout=120_000, state="attached")
        if rival is rivals[0]:
            rival.page.locator(rival.slider).first.scroll_into_view_if_needed()
            rival.page.wait_for_selector(FILM, timeout=240_000, state="attached")
        rival.page.evaluate(PROBE)
    results = {}
    for rate in RATES:
        for rival in rivals:
            rival.milliseconds.clear()
        for round_ in range(presses):
            for rival in rivals:
                assert rival.page is not None
                with slowed(rival.page, rate):
                    press(rival)
                if round_ == 0:
                    rival.milliseconds.clear()
        for rival in rivals:
            movement = results[rival.name, rate] = Moved(list(rival.milliseconds))
            if rival.page is not None and rival.slider != "[role=slider]":
                rival.page.bring_to_front()
                if rival is rivals[0]:
                    wait_for_rest(rival.page)
                with slowed(rival.page, rate):
                    movement.pictures, movement.gap = drag(rival.page, rival.slider, rival.selector)
    for rival in rivals:
        if rival.page:
            rival.page.close()
    return results


def report_page(name: str, seconds: float, results: dict[tuple[str, int], Moved]) -> None:
    """Print the rows of one page: press to picture, its ratio to bare Plotly, and the drag."""
    for (rival, rate), movement in results.items():
        bare = results["bare Plotly.react", rate].press
        median, p95 = statistics.median(movement.press), float(np.percentile(movement.press, 95))
        ratios = f"{median / statistics.median(bare):.2f} ({p95 / float(np.percentile(bare, 95)):.2f})"
        dragged = f"{movement.pictures:.0f} | {movement.gap:.0f} ms" if movement.pictures else "– | –"
        film = f"{seconds:.1f} s" if rival == "this product" and rate == 1 else ""
        cells = f"{name} | {rate}x | {rival} | {median:.0f} ms | {p95:.0f} ms | {ratios} | {dragged} | {film}"
        print(f"| {cells} |", flush=True)


HEAD = (
    "| page | CPU slowed | | press, median | p95 | / bare Plotly (p95) | pictures a second, dragged "
    "| longest gap | film made in |\n|---|---|---|---|---|---|---|---|---|"
)


def measure_link(browser: Browser, url: str, file: Path, bare: str, presses: int) -> None:
    """Measure a link of the product as it opens against its own figures in bare Plotly and in Dash."""
    recorded, seconds = read_steps(browser, url)
    file.write_text(json.dumps(recorded))
    has_map = any(trace["type"] == "heatmap" for trace in recorded[0]["data"])
    arrays = MAPS if has_map else POINTS
    native = "input[type=range]"
    with running(dash("steps", str(file))) as address:
        rivals = [
            Contestant("this product", url, "input[data-live=step]", SHOWN, 1),
            Contestant("bare Plotly.react", f"{bare}/bare.html?figures={file.name}", native, arrays, 1),
            Contestant("Dash", address, "[role=slider]", arrays, 1),
        ]
        report_page(url.rsplit("/", 1)[-1] or "overview", seconds, race_page(browser, rivals, presses))


def main() -> None:
    """Measure maps of all sizes, then the product's pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--presses", type=int, default=33, help="the first warms up")
    parser.add_argument("--only", type=int, nargs=2, metavar=("N_TOKEN", "N_HEAD"), help="one size")
    parser.add_argument(
        "--pages", nargs="*", metavar="LINK", help="links of the product, or its pages; no made-up sizes"
    )
    options = parser.parse_args()
    sizes = SIZES if options.only is None else (tuple(options.only),)
    with contextlib.ExitStack() as stack:
        bare, folder = stack.enter_context(bare_pages())
        servers = {
            "bare": bare,
            "live": stack.enter_context(running(streamlit("benchmarks/apps/live_app.py"))),
            "streamlit": stack.enter_context(running(streamlit("benchmarks/apps/streamlit_script.py"))),
        }
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for n_token, n_head in () if options.pages is not None else sizes:
            with running(dash(n_token, n_head)) as address:
                servers[f"dash {n_token} {n_head}"] = address
                rivals = contestants(servers, n_token, n_head)
                race(browser, rivals, options.presses)
                report(rivals, n_token, n_head)
        if options.only is None:
            with running(streamlit("app.py")) as address:
                print(f"\n{options.presses - 1} presses\n\n{HEAD}", flush=True)
                for number, link in enumerate(options.pages or PAGES):
                    file = folder / f"page-{number}.json"
                    measure_link(browser, f"{address}/{link}", file, bare, options.presses)
        browser.close()


if __name__ == "__main__":
    main()
