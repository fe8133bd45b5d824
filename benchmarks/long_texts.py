"""Maps of long texts in a notebook, beside inspectus and BertViz in the same run.

    python -m benchmarks.long_texts [--words 512 1024 2048] [--heads 12] [--seconds 120] [--presses 20]

`attn_figures.show`, `inspectus.attention` and `bertviz.head_view` are given the same random weights. The page
that each gives to a notebook is opened in Chromium from a file, without a network; scripts that BertViz takes
from a CDN come from npm. The first picture runs from the call in Python to the first frame in which all is
drawn. A move is a press of an arrow key on a map that is zoomed in, from the event to the end of the frame
that shows it; the peers do not zoom, so theirs is a pointer that goes to another cell or word. The table has
medians. A contestant that takes more than `--seconds`, or breaks the browser, is reported.
"""

import argparse
import base64
import contextlib
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from numpy.typing import NDArray
from playwright.sync_api import Browser, Error, Page, Route, sync_playwright

from attn_figures import show
from benchmarks.interaction import FLAGS

SCRIPTS = {
    "require": ("requirejs@2.3.6", "requirejs/require.js"),
    "d3": ("d3@5.7.0", "d3/dist/d3.min.js"),
    "jquery": ("jquery@2.1.0", "jquery/dist/jquery.min.js"),
}
# What anywidget does, in a page of its own; tiles are requested from Python.
NOTEBOOK = """<!doctype html><meta charset="utf-8"><style>%(css)s</style><div id="cell"></div>
<script type="module">
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const { default: widget } = await import(`data:text/javascript;base64,%(esm)s`);
const state = { page: %(page)s, opening: bytes("%(opening)s") };
let answer;
const send = async (asked) => {
    for (const [said, tile] of await window.askPython(asked)) answer(said, [bytes(tile)]);
};
const model = { get: (name) => state[name], on: (_, call) => { answer = call; }, off: () => {}, send };
await widget.render({ model, el: document.querySelector("#cell") });
</script>"""
FRAME = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
TIMED = """
(event) => {
    window.moved = new Promise((done) => addEventListener(event, ({ timeStamp }) => {
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp)));
    }, { once: true, capture: true }));
}
"""


@dataclass
class Shown:
    """Measurements of one: seconds to the first picture and milliseconds of a move, or why there are none."""

    first: float = 0.0
    move: float = 0.0
    fault: str = ""

    def __str__(self) -> str:
        """A cell of the table."""
        return self.fault or f"{self.first:7.2f} s {self.move:7.1f} ms"


def ours(weights: NDArray[np.float32], words: list[str]) -> tuple[str, Any]:
    """Return the page of our widget, and the function that answers its requests."""
    widget: Any = show(weights, words)

    def answer(options: Any) -> list[tuple[Any, str]]:
        messages: list[tuple[Any, str]] = []
        widget.send = lambda content, tiles: messages.append((content, base64.b64encode(tiles[0]).decode()))
        widget._answer(None, options, [])
        return messages

    page = NOTEBOOK % {
        "css": widget._css,
        "esm": base64.b64encode(widget._esm.encode()).decode(),
        "page": json.dumps(widget.page),
        "opening": base64.b64encode(widget.opening).decode(),
    }
    return page, answer


def by_inspectus(weights: NDArray[np.float32], words: list[str]) -> tuple[str, Any]:
    """Return what inspectus displays."""
    import inspectus  # noqa: PLC0415  (a peer, which tests do without)
    import IPython.display  # noqa: PLC0415  (what inspectus shows by)

    pictures: list[Any] = []
    with patch.object(IPython.display, "display", pictures.append):
        inspectus.attention(weights[None], words)
    return "<!doctype html><meta charset='utf-8'>" + "".join(each.data for each in pictures), None


def by_bertviz(weights: NDArray[np.float32], words: list[str]) -> tuple[str, Any]:
    """Return BertViz's view of heads."""
    import bertviz  # noqa: PLC0415  (a peer, which tests do without)

    view = bertviz.head_view([torch.from_numpy(weights[None])], words, html_action="return")
    return f"<!doctype html><meta charset='utf-8'>{view.data}", None


Contestant = Callable[[NDArray[np.float32], list[str]], tuple[str, Any]]
CONTESTANTS: dict[str, tuple[Contestant, str]] = {
    "attn_figures.show": (ours, ".long-map[data-state=drawn]"),
    "inspectus": (by_inspectus, "svg rect"),
    "BertViz": (by_bertviz, "#vis svg"),
}


def measure(
    browser: Browser, name: str, weights: NDArray[np.float32], *, seconds: float, presses: int, scripts: Path
) -> Shown:
    """Open a contestant's page and move in it; return the measurements."""
    make, is_drawn = CONTESTANTS[name]
    words = [f"w{place + 1}" for place in range(weights.shape[-1])]
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.set_default_timeout(1000 * seconds)
    tab.route("https://**/*", lambda route: _from_npm(route, scripts))
    with tempfile.NamedTemporaryFile(suffix=".html", mode="w", encoding="utf-8") as file:
        start = time.perf_counter()
        try:
            page, answer = make(weights, words)
            if answer:
                tab.expose_function("askPython", answer)
            file.write(page)
            file.flush()
            tab.goto(f"file://{file.name}", wait_until="commit")
            tab.locator(is_drawn).first.wait_for(state="attached")
            tab.evaluate(FRAME)
            first = time.perf_counter() - start
            move = statistics.median(_keys(tab, presses) if answer else _pointer(tab, is_drawn, presses))
        except (Error, MemoryError) as error:
            late = "Timeout" in str(error)
            return Shown(fault=f"nothing after {seconds:.0f} s" if late else "breaks the browser")
        finally:
            with contextlib.suppress(Error):
                tab.close()
    return Shown(first, move)


def _from_npm(route: Route, scripts: Path) -> None:
    for name, (_, path) in SCRIPTS.items():
        if name in route.request.url:
            route.fulfill(path=scripts / "node_modules" / path, content_type="text/javascript")
            return
    route.abort()


def _keys(tab: Page, presses: int) -> list[float]:
    """Zoom in, and press the right arrow; return the milliseconds of each press."""
    tab.locator("canvas").focus()
    for _ in range(3):
        tab.keyboard.press("+")
    tab.locator(".long-map[data-state=drawn]").wait_for()
    return [_timed(tab, "keydown", partial(tab.keyboard.press, "ArrowRight")) for _ in range(presses)]


def _pointer(tab: Page, is_drawn: str, presses: int) -> list[float]:
    """Move the pointer to other cells or words; return the milliseconds of each move."""
    box = tab.locator(is_drawn.split(maxsplit=1)[0]).first.bounding_box() or {"x": 0, "y": 0}
    at = [(box["x"] + 20 + place, box["y"] + 40 + 15 * (place % 2)) for place in range(presses + 1)]
    tab.mouse.move(*at[0])
    return [_timed(tab, "pointermove", partial(tab.mouse.move, *each)) for each in at[1:]]


def _timed(tab: Page, event: str, move: Callable[[], None]) -> float:
    tab.evaluate(TIMED, event)
    move()
    return float(tab.evaluate("() => window.moved"))


def main() -> None:
    """Print one line for each length."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--words", type=int, nargs="+", default=[512, 1024, 2048])
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=120.0, help="that a first picture may take")
    parser.add_argument("--presses", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        packages = [package for package, _ in SCRIPTS.values()]
        subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", folder, *packages], check=True)
        for n in options.words:
            scores = np.random.default_rng(0).standard_normal((options.heads, n, n), dtype=np.float32)
            weights = np.exp(scores)
            weights /= weights.sum(axis=-1, keepdims=True)
            results: dict[str, Shown] = {}
            for name in CONTESTANTS:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=FLAGS
                )  # one may break
                results[name] = measure(
                    browser,
                    name,
                    weights,
                    seconds=options.seconds,
                    presses=options.presses,
                    scripts=Path(folder),
                )
                browser.close()
                print(f"{n:5} words, {options.heads} heads  {name:18} {results[name]}", flush=True)
            own = results["attn_figures.show"]
            for name, each in results.items():
                if each is not own and not each.fault and not own.fault:
                    times = each.first / own.first
                    print(f"{'':22}{name} takes {times:.0f} times as long to its first picture", flush=True)


if __name__ == "__main__":
    main()
