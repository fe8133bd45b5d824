"""Take the README's pictures from a running app: `python docs/take_screenshots.py [ADDRESS]`."""

import sys
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # run as a file, it sees its own folder alone

from attn_ui import deck_files, slides  # noqa: E402

PAGES = {
    "overview": "?t=0.5",
    "kernel-regression": "kernel-regression",
    "single-head": "single-head?mask=causal",
    "positional-encoding": "positional-encoding",
    "multi-head": "multi-head",
    "learned-heads": "learned-heads",
}
ON_THE_SCREEN = "single-head?text=to+be+or+not+to+be&projector=true"
ON_A_SLIDE = "positional-encoding  Positions tell one “the” from the other"
HOST = "https://lab.example.org"  # where the slide's link leads


def at_a_desk(page: Page, address: str, path: Path) -> None:
    """Take a page at the size of a small laptop."""
    page.goto(f"{address}/{PAGES[path.stem]}")
    page.wait_for_selector(slides.READY)
    page.wait_for_function(slides.DRAWN)
    page.screenshot(path=path)


def on_a_projector(page: Page, address: str, path: Path) -> None:
    """Take a figure on the full screen of a small projector."""
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(f"{address}/{ON_THE_SCREEN}")
    page.wait_for_selector(".live-figure[data-projector][data-state=drawn]")
    page.wait_for_selector(slides.READY)
    page.screenshot(path=path)


def on_a_slide(page: Page, address: str, path: Path) -> None:
    """Take one slide of a deck, as `make slides` prints it."""
    (line,), _ = slides.read_list(ON_A_SLIDE)
    with tempfile.TemporaryDirectory() as folder:
        picture, deck = Path(folder, "picture"), Path(folder, "slides.pdf")
        url, public = (f"{host}/{line.path}" for host in (address, HOST))
        slide, _ = slides.save_slide(page, url, line, picture, "svg", public=public)
        deck_files.write_pdf([slide], deck, page)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.screenshot(path=path)


PICTURES: dict[str, Callable[[Page, str, Path], None]] = {
    **dict.fromkeys(PAGES, at_a_desk),
    "projector": on_a_projector,
    "slide": on_a_slide,
}


def take(browser: Browser, address: str, folder: Path, names: Collection[str] = PICTURES) -> None:
    """Save pictures as PNG in a folder, in light colours."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="light", reduced_motion="reduce"
    )
    context.add_init_script("localStorage.setItem('live-figure-moved', 'true')")  # no invitation to drag
    for name in names:
        page = context.new_page()
        PICTURES[name](page, address, folder / f"{name}.png")
        page.close()
    context.close()


if __name__ == "__main__":
    with slides.chromium() as chromium:
        take(chromium, sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501", ROOT / "docs")
