"""Take the pictures of the pages from a running app: `python docs/take_screenshots.py [ADDRESS]`.

Screenshots are the README's, and what a link unfolds to; a browser that is too old shows the drawings.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).resolve().parent
SHOTS = {
    "overview": "?t=0.5",
    "kernel-regression": "kernel-regression",
    "single-head": "single-head?mask=causal",
    "positional-encoding": "positional-encoding",
    "multi-head": "multi-head",
    "learned-heads": "learned-heads",
}
DRAWN = ".live-figure[data-state=drawn]"
DRAWING = {"format": "svg", "shape": "16:9", "colours": "print"}


def save_drawing(page: Page, path: Path) -> None:
    """Save the first figure of a page as it opens, by the app's own panel."""
    page.locator(DRAWN).first.get_by_role("button", name="Save", exact=True).click()
    panel = page.locator("dialog.live-kit")
    for name, value in DRAWING.items():
        panel.locator(f'input[name={name}][value="{value}"]').check()
    panel.locator("input[name=caption]").uncheck()  # it has this machine's address
    page.wait_for_selector("dialog[data-made=svg]")
    with page.expect_download() as download:
        panel.get_by_role("button", name="Save the file").click()
    download.value.save_as(path)


def main(address: str) -> None:
    """Save two pictures a page: as it is on a small laptop, and its figure alone."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script("localStorage.setItem('live-figure-moved', 'true')")  # no invitation to drag
        for name, path in SHOTS.items():
            page.goto(f"{address}/{path}")
            page.wait_for_selector(DRAWN)
            page.wait_for_timeout(1000)
            page.screenshot(path=HERE / f"{name}.png")
            page.goto(f"{address}/{path.split('?')[0]}")
            page.wait_for_selector(DRAWN)
            save_drawing(page, HERE / f"{name}.svg")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501")
