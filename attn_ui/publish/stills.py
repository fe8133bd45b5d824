"""Still pictures of figures: where no script runs, on paper, and until the live figures are drawn.

A Chromium draws them with the live figure's own modules (`attn_live/js/still.js`), so there is no second
renderer. Each is an SVG with the letters that it needs, because a page's fonts do not apply inside a picture.
"""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attn_live.bundle import bundle
from attn_ui.export.slides import chromium
from attn_ui.publish import letters
from attn_ui.publish.element import COLOURS, still_name, still_names
from attn_ui.publish.figure import WIDTHS
from attn_ui.publish.files import plotly_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

_TEXT = re.compile(r">([^<>]+)<")
_MESSAGE = re.compile(r'= "([A-Za-z0-9+/=]+)";\s*$')
_FIGURE = re.compile(r"[0-9a-f]{16}\.js")


def draw_stills(folder: Path, chromium_path: str | None = None) -> int:
    """Draw the pictures that figures of a folder lack; return how many.

    Args:
        folder: of a `files.Site` that was written; chromium_path: the browser's program, where it is not
            found by itself.

    Raises:
        SlidesError: there is no Chromium, or no Playwright to drive it.
    """
    figures = [path.stem for path in sorted(folder.glob("*.js")) if _FIGURE.fullmatch(path.name)]
    lacking = [name for name in figures if not all((folder / each).is_file() for each in still_names(name))]
    if not lacking:
        return 0
    # While the browser draws one figure, the font of the last is cut to its letters.
    with chromium(chromium_path) as browser, ThreadPoolExecutor(max_workers=1) as beside:
        page = browser.new_page()
        _prepare(page, plotly_of(folder))
        tasks = [beside.submit(_write, folder, name, _draw(page, folder / f"{name}.js")) for name in lacking]
        page.close()
        for each in tasks:
            each.result()
    return len(lacking) * len(WIDTHS) * len(COLOURS)


def embed_letters(svgs: Sequence[str]) -> list[str]:
    """Return the drawings of one figure with their font embedded, cut to the letters in them."""
    text = "".join(
        sorted({letter for svg in svgs for piece in _TEXT.findall(svg) for letter in unescape(piece)})
    )
    if not text.strip():
        return list(svgs)
    face = letters.face(letters.font_of_text(text))
    return [re.sub(r"(<svg[^>]*>)", rf"\1<style>{face}</style>", svg, count=1) for svg in svgs]


def _prepare(page: "Page", plotly: str) -> None:
    """Load the scripts that draw into a browser tab; nothing is fetched."""
    letters.write_page(page, "<!doctype html><title>stills</title>", letters.site_font())
    page.add_script_tag(content=plotly)
    page.add_script_tag(content=f"(() => {{\n{bundle('stills.js')}}})();")


def _draw(page: "Page", path: Path) -> list[dict[str, Any]]:
    match = _MESSAGE.search(path.read_text(encoding="utf-8"))
    assert match is not None, f"{path} holds no message"
    drawings: list[dict[str, Any]] = page.evaluate(
        "([message, widths, colours]) => window.labStills(message, widths, colours)",
        [match[1], list(WIDTHS), list(COLOURS)],
    )
    return drawings


def _write(folder: Path, name: str, drawings: Sequence[dict[str, Any]]) -> None:
    lettered = embed_letters([each["svg"] for each in drawings])
    for each, svg in zip(drawings, lettered, strict=True):
        (folder / still_name(name, each["room"], each["colours"])).write_text(svg, encoding="utf-8")
