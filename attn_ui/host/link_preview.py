"""The preview of a link in a chat: title, description and picture, written into the HTML of the page."""

import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from starlette.datastructures import Headers
from starlette.types import Scope

from attn_ui.base.navigation import PAGES, PageEntry
from attn_ui.screen import language
from attn_words import SOURCE, _
from attn_words import language as current_language

ICON = Path(__file__).parents[1] / "icon.svg"
_DOCS = Path(__file__).parents[2] / "docs"
# The README's own pictures of the pages, 1280 x 800, and of their figures, by address, if the files exist.
PICTURES: Mapping[str, Path] = {
    f"pictures/{path.name}": path
    for page in PAGES
    for kind in ("png", "svg")
    if (path := _DOCS / f"{page.address or page.folder}.{kind}").is_file()
}
CACHE = "public, max-age=86400"  # a day: a changed picture keeps its address
# A chat needs the full address of the picture. It is made of two headers, which any client can forge.
_ORIGIN = "{{ORIGIN}}"
_HOST = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?", re.IGNORECASE
)
_TITLE = re.compile(r"<title>[^<]*</title>")
_ICON_LINK = re.compile(r'<link rel="shortcut icon"[^>]*>')


def picture_of(page: PageEntry, kind: Literal["png", "svg"]) -> str:
    """Return the address of a page's picture, or of its figure's drawing; "" if there is no such file."""
    name = f"pictures/{page.address or page.folder}.{kind}"
    return name if name in PICTURES else ""


def origin(scope: Scope) -> str:
    """Return the address that a request was sent to, as the visitor wrote it; "" for an invalid host.

    >>> origin({"scheme": "http", "headers": [(b"host", b"lab.edu"), (b"x-forwarded-proto", b"https")]})
    'https://lab.edu'
    """
    headers = Headers(raw=scope["headers"])
    forwarded = headers.get("x-forwarded-proto", "").split(",")[0].strip().lower()
    scheme = forwarded if forwarded in ("http", "https") else scope["scheme"]
    host = headers.get("host", "")
    return f"{scheme}://{host}" if _HOST.fullmatch(host) else ""


def describe_page(text: str, page: PageEntry, base: str, icon: str) -> str:
    """Put a page's title, description, icon and picture into the head of Streamlit's HTML, and its language.

    The HTML then depends on the request only by a placeholder for the host.

    Args:
        text: the HTML.
        page: the page at the address.
        base: the path that every address of this server begins with.
        icon: the address of the icon.
    """
    title, about = html.escape(page.heading), html.escape(_(page.about))
    tags = {
        "og:type": "website",
        "og:site_name": _("Attention lab"),
        "og:title": title,
        "og:description": about,
    }
    if picture := picture_of(page, "png"):
        tags["og:image"] = f"{_ORIGIN}{html.escape(base)}{picture}"
        tags |= {"og:image:type": "image/png", "og:image:width": "1280", "og:image:height": "800"}
        tags["og:image:alt"] = html.escape(_("The page {page}", page=_(page.title)))
    lines = [
        f"<title>{title}</title>",
        f'<meta name="description" content="{about}">',
        *(f'<meta property="{name}" content="{content}">' for name, content in tags.items()),
        '<meta name="twitter:card" content="summary_large_image">',
    ]
    if current_language() != SOURCE:
        text = text.replace('<html lang="en">', f'<html lang="{current_language()}">', 1)
        lines.append(f"<script>{language.script()}</script>")
    text = _ICON_LINK.sub(lambda _old: f'<link rel="shortcut icon" href="{icon}">', text, count=1)
    return _TITLE.sub(lambda _old: "\n".join(lines), text, count=1)


def insert_host(text: str, where: str) -> str:
    """Write the host of a request (`origin`) into the HTML."""
    return text.replace(_ORIGIN, html.escape(where))
