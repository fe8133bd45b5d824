"""First picture of a long map in JupyterLab, from the keys that run its cell until it is drawn.

    python -m benchmarks.in_jupyter [--words 2048] [--kernels 3]

Twelve heads, whose weights exist before; it is the first map of the kernel. The times of the peers are in
`benchmarks.long_texts`, without JupyterLab around them.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.jupyter import jupyter_lab

CELLS = (
    """
import numpy as np
from attn_figures import show

weights = np.random.default_rng(5).random((12, {words}, {words}), dtype=np.float32)
weights /= weights.sum(axis=-1, keepdims=True)
words = [f"w{{place + 1}}" for place in range({words})]
print("made")
""",
    "show(weights, words)",
)
AGAIN = 3
FORGET = "() => document.querySelectorAll('[data-level]').forEach((each) => { each.dataset.old = 1; })"
DRAWN = "() => document.querySelector('[data-level][data-state=drawn]:not([data-old])') !== null"


def first_picture(page: Page) -> float:
    """Run the cell that shows the map; return the seconds until it is drawn."""
    page.locator(".jp-Notebook-cell").nth(1).locator(".cm-content").click()
    page.evaluate(FORGET)
    start = time.monotonic()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(DRAWN, polling="raf")
    return time.monotonic() - start


def main() -> None:
    """Print the seconds of each kernel's first map, and of repetitions."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--words", type=int, default=2048)
    parser.add_argument("--kernels", type=int, default=3)
    options = parser.parse_args()
    cells = [cell.format(words=options.words) if "{" in cell else cell for cell in CELLS]
    for kernel in range(options.kernels):
        with (
            tempfile.TemporaryDirectory() as home,
            jupyter_lab(Path(home), cells) as lab,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(60_000)
            page.goto(f"{lab}/lab/tree/n.ipynb?reset")
            expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
            page.locator(".jp-Notebook-cell").first.locator(".cm-content").click()
            page.keyboard.press("Control+Enter")
            expect(page.locator(".jp-OutputArea-output").first).to_contain_text("made")
            seconds = [first_picture(page) for _ in range(1 + AGAIN)]
            again = ", ".join(f"{each:.2f}" for each in seconds[1:])
            print(f"kernel {kernel + 1}: {seconds[0]:.2f} s, again {again} s", flush=True)
            browser.close()


if __name__ == "__main__":
    main()
