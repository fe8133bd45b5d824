"""First visit to first picture, cold cache: each page against Streamlit's floor, in one run.

    python -m benchmarks.first_picture [--visits 5] [--plotly-js build/plotly-js]

The floor is an app of one slider and one line of text, served by plain `streamlit run`; its time ends when
the slider stands, ours when a figure has drawn its marks. Rounds alternate, so that a slow moment of the
machine falls on all. Unthrottled, and at 10 Mbit/s with 40 ms. Medians.
"""

import argparse
import contextlib
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.interaction import FLAGS
from tests.browser.conftest import ROOT, serving

PAGES = ("", "kernel-regression", "single-head", "positional-encoding", "multi-head", "learned-heads")
FLOOR = "import streamlit as st\nvalue = st.slider('x', 0, 100, 20)\nst.write(value)\n"
SLIDER = "() => document.querySelector('[data-testid=stSlider]')"
MARKS = """() => document.querySelector(
    '.js-plotly-plot image, .js-plotly-plot .scatterlayer path, .js-plotly-plot .barlayer path')"""
NETWORKS = {"unthrottled": None, "10 Mbit/s, 40 ms": 10}


def visit(browser: Browser, url: str, ready: str, megabits: int | None) -> float:
    """Open an address with nothing in the cache; return the seconds until `ready`."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    if megabits is not None:
        tools = context.new_cdp_session(page)
        tools.send("Network.enable")
        speed = megabits * 125_000
        line = {"offline": False, "latency": 40, "downloadThroughput": speed, "uploadThroughput": speed}
        tools.send("Network.emulateNetworkConditions", line)
    start = time.perf_counter()
    page.goto(url, wait_until="commit", timeout=120_000)
    page.wait_for_function(ready, timeout=120_000)
    seconds = time.perf_counter() - start
    context.close()
    return seconds


def main() -> None:
    """Measure and print the table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--visits", type=int, default=5)
    asked.add_argument("--plotly-js", help="a folder with another bundle of plotly.js")
    chosen = asked.parse_args()
    environment = {"ATTENTION_LAB_PLOTLY_JS": os.path.abspath(chosen.plotly_js)} if chosen.plotly_js else {}
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "floor.py").write_text(FLOOR)
        floor = stack.enter_context(serving(str(folder / "floor.py"), cwd=folder))
        ours = stack.enter_context(serving("app.py", cwd=ROOT, **environment))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        contestants = [(floor, SLIDER), *((f"{ours}/{page}", MARKS) for page in PAGES)]
        print("| page | " + " | ".join(f"{name}: seconds | times the floor" for name in NETWORKS) + " |")
        print("|---|" + "---:|" * 2 * len(NETWORKS))
        columns = []
        for megabits in NETWORKS.values():
            times: list[list[float]] = [[] for _ in contestants]
            for turn in range(chosen.visits + 1):
                for found, (url, ready) in zip(times, contestants, strict=True):
                    seconds = visit(browser, url, ready, megabits)
                    if turn:  # the first warms the server
                        found.append(seconds)
            columns.append([statistics.median(found) for found in times])
        for i, name in enumerate(("floor", *(page or "overview" for page in PAGES))):
            print(f"| {name} | " + " | ".join(f"{c[i]:.2f} | {c[i] / c[0]:.2f}" for c in columns) + " |")
        browser.close()


if __name__ == "__main__":
    main()
