"""Take the README's screenshots from a running app: `python docs/take_screenshots.py [ADDRESS]`."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
SHOTS = {
    "overview": "?t=0.5",
    "kernel-regression": "kernel-regression",
    "single-head": "single-head?mask=causal",
    "positional-encoding": "positional-encoding",
    "multi-head": "multi-head",
    "learned-heads": "learned-heads",
}


def main(address: str) -> None:
    """Save one picture a page, at the size of a small laptop."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script("localStorage.setItem('live-figure-moved', 'true')")  # no invitation to drag
        for name, path in SHOTS.items():
            page.goto(f"{address}/{path}")
            page.wait_for_selector(".live-figure[data-state=drawn]")
            page.wait_for_timeout(1000)
            page.screenshot(path=HERE / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501")
