"""Take the pictures of the pages from a running app: `python -m docs.take_screenshots [ADDRESS]`.

Screenshots are for the README, the book and previews of links; browsers too old for the app show the
drawings.
"""

import re
import sys
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from attn_ui.base import navigation
from attn_ui.export import deck_files, slides
from attn_ui.lessons.link_list import read_list
from attn_ui.streamlit_inside.markup import READY

HERE = Path(__file__).resolve().parent

# With their defaults, as in the still picture that a page's HTML shows before the app.
PAGES = {page.address or page.folder: page.address for page in navigation.PAGES}
CHINESE = {"chinese": "single-head?mask=causal&lang=zh"}
DRAWN = ".live-figure[data-state=drawn]"
DRAWING = {"format": "svg", "shape": "16:9", "colours": "print"}
ON_THE_SCREEN = "single-head?text=to+be+or+not+to+be&projector=true"
ON_A_SLIDE = "positional-encoding  Positions tell one “the” from the other"
HOST = "https://lab.example.org"  # where the slide's link leads


def at_a_desk(page: Page, address: str, path: Path) -> None:
    """Save a screenshot of a page at the size of a small laptop."""
    page.goto(f"{address}/{(PAGES | CHINESE)[path.stem]}")
    page.wait_for_selector(READY)
    page.wait_for_function(slides.DRAWN)
    page.screenshot(path=path)


def on_a_projector(page: Page, address: str, path: Path) -> None:
    """Save a screenshot of a figure on the full screen of a small projector."""
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(f"{address}/{ON_THE_SCREEN}")
    page.wait_for_selector(".live-figure[data-projector][data-state=drawn]")
    page.wait_for_selector(READY)
    page.screenshot(path=path)


def on_a_slide(page: Page, address: str, path: Path) -> None:
    """Save a screenshot of a slide, as `make slides` prints it."""
    (line,), _ = read_list(ON_A_SLIDE)
    with tempfile.TemporaryDirectory() as folder:
        picture, deck = Path(folder, "picture"), Path(folder, "slides.pdf")
        url, public = (f"{host}/{line.path}" for host in (address, HOST))
        slide, _ = slides.save_slide(page, url, line, picture, "svg", public=public)
        deck_files.write_pdf([slide], deck, page)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.screenshot(path=path)


PICTURES: dict[str, Callable[[Page, str, Path], None]] = {
    **dict.fromkeys([*PAGES, *CHINESE], at_a_desk),
    "projector": on_a_projector,
    "slide": on_a_slide,
}


def take(browser: Browser, address: str, folder: Path, names: Collection[str] = PICTURES) -> None:
    """Save pictures as PNG in a folder, in light colours."""
    context = _at_rest(browser)
    for name in names:
        page = context.new_page()
        PICTURES[name](page, address, folder / f"{name}.png")
        page.close()
    context.close()


def draw(browser: Browser, address: str, folder: Path) -> None:
    """Save the first figure of each page with its defaults, as SVG, by the app's own save panel."""
    context = _at_rest(browser)
    for name, path in PAGES.items():
        page = context.new_page()
        page.goto(f"{address}/{path}")
        page.wait_for_selector(DRAWN)
        page.locator(DRAWN).first.get_by_role("button", name="Save", exact=True).click()
        panel = page.locator("dialog.save-panel")
        for setting, value in DRAWING.items():
            panel.locator(f'input[name={setting}][value="{value}"]').check()
        panel.locator("input[name=caption]").uncheck()  # it has this machine's address
        page.wait_for_selector("dialog[data-made=svg]")
        with page.expect_download() as download:
            panel.get_by_role("button", name="Save the file").click()
        drawing = download.value.path().read_text(encoding="utf-8")
        without_letters = re.sub(r"<style>@font-face.*?</style>", "", drawing)  # whoever shows it has them
        (folder / f"{name}.svg").write_text(without_letters, encoding="utf-8")
        page.close()
    context.close()


def _at_rest(browser: Browser) -> BrowserContext:
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="light", reduced_motion="reduce"
    )
    context.add_init_script("localStorage.setItem('live-figure-moved', 'true')")  # no invitation to drag
    return context


if __name__ == "__main__":
    with slides.chromium() as chromium:
        app = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501"
        take(chromium, app, HERE)
        draw(chromium, app, HERE)
