"""The app's font for published figures, cut to the letters that they use, as WOFF2."""

import base64
import io
import logging
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from attn_ui.streamlit_inside import front_end

if TYPE_CHECKING:
    from playwright.sync_api import Page

_FONT = "SourceSansVF-Upright"
# What figures write: Latin, Greek, marks above letters, arrows and the signs of mathematics.
_RANGES = (
    (0x20, 0x24F),
    (0x2B0, 0x3FF),
    (0x1D00, 0x1DBF),
    (0x2000, 0x20CF),
    (0x2100, 0x22FF),
    (0x2500, 0x25FF),
)


@cache
def site_font() -> bytes:
    """Return the font with all letters that figures write; uncut where fontTools is not installed.

    An app's server does not have it installed.
    """
    try:
        return font_of_text("".join(chr(code) for first, last in _RANGES for code in range(first, last + 1)))
    except ImportError:
        return front_end.font(_FONT).read_bytes()


def face(font: bytes) -> str:
    """Return the CSS rule that loads the font."""
    source = f"url(data:font/woff2;base64,{base64.b64encode(font).decode()})"
    return f'@font-face{{font-family:"Source Sans";font-weight:200 900;src:{source}}}'


def write_page(page: "Page", html: str, font: bytes = b"") -> None:
    """Fill a browser tab with a document in the font; nothing is fetched."""
    page.set_content(html)
    page.add_style_tag(content=face(font or front_end.font(_FONT).read_bytes()))
    page.evaluate("() => Promise.all([document.fonts.load('14px \"Source Sans\"'), document.fonts.ready])")


@lru_cache(maxsize=512)
def font_of_text(text: str) -> bytes:
    """Return the font with the letters of a text, as far as it has them.

    Raises:
        LookupError: Streamlit has no such font any more; ImportError: fontTools is not installed.
    """
    from fontTools.subset import Options, Subsetter, load_font, save_font  # noqa: PLC0415  (only sites need it)

    logging.getLogger("fontTools").setLevel(logging.WARNING)  # some themes print what any package logs
    options = Options(flavor="woff2", layout_features=["kern", "mark", "mkmk", "ccmp", "tnum"])
    subsetter = Subsetter(options)
    subsetter.populate(text=text)
    file = io.BytesIO()
    with load_font(str(front_end.font(_FONT)), options) as font:
        subsetter.subset(font)
        save_font(font, file, options)
    return file.getvalue()
