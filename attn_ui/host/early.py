"""The picture before the app: what the HTML of a page shows until the page's live figure stands there.

`make stills` draws the pictures and measures where they are to stand. They are of pages as they open, so a
link that sets anything but its language or its tab is answered without one.
"""

import base64
import html
import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from attn_live.bundle import mark
from attn_ui.base.framing import LANG
from attn_ui.base.navigation import Listed
from attn_ui.screen.live_figure import PLOTLY_ROUTE
from attn_ui.streamlit_inside import early

STILLS = Path(__file__).parent / "stills"
PLACES = STILLS / "places.json"
# The letters that are needed of Streamlit's own two fonts, by the names of those. A title is bold.
FONT_FILES = {
    "sans": "SourceSansVF-Upright",
    "title": "SourceSerifVariable-Roman",
    "serif": "SourceSerifVariable-Roman",
}
ROUTE = f"{PLOTLY_ROUTE[1:]}/early/"
TYPES: Mapping[str, str] = {".svg": "image/svg+xml", ".woff2": "font/woff2"}
SCHEMES = ("light", "dark")
_OF_PAGE = {"sans": "Early Sans", "title": "Early Serif"}
_OF_PICTURES = {"sans": "Source Sans", "serif": "Source Serif"}
_COLOURS = {
    "paper": "theme.{}.backgroundColor",
    "side": "theme.{}.sidebar.backgroundColor",
    "line": "theme.{}.borderColor",
    "ink": "theme.{}.textColor",
    "query": "theme.{}.violetTextColor",
    "key": "theme.{}.orangeTextColor",
    "value": "theme.{}.greenTextColor",
}
_FACE = '@font-face{{font-family:"{}";font-weight:200 900;src:url({}) format("woff2")}}'
_CHANGE_NOTHING = (LANG.name, "tab")  # of the figure


def may_stand(page: Listed, query: str) -> bool:
    """Tell whether a link shows a page's figure as the page opens.

    >>> from attn_ui.base.navigation import PAGES
    >>> may_stand(PAGES[0], ""), may_stand(PAGES[0], "lang=zh"), may_stand(PAGES[0], "t=0.5")
    (True, True, False)
    """
    asked = [name for name, _ in parse_qsl(query, keep_blank_values=True)]
    if not query:
        return True
    enters = _places().get(_name(page), {}).get("enters", True)  # it opens otherwise where it has a link
    return bool(asked) and not enters and all(name in _CHANGE_NOTHING for name in asked)


def announcements() -> str:
    """Return the lines of the head that fetch the letters of the title and the sentence."""
    line = '<link rel="preload" as="font" type="font/woff2" crossorigin href="{}">'
    return "\n".join(line.format(_address(f"{name}.woff2")) for name in _OF_PAGE)


def ground() -> str:
    """Return what lays paper under the app in the head; "" where its colours are others."""
    if st.get_option("theme.base"):
        return ""
    return (
        f"<style>{_colours()}{early.style('ground')}</style>\n"
        f"<script>(() => {{\n{early.script('ground')}standOnPaper();\n}})();</script>"
    )


def skeleton(page: Listed, spoken: str) -> str:
    """Return what stands in the body before the app; "" where none was drawn, or its colours are others."""
    known = _places().get(_name(page), {})
    about = known.get(spoken)
    if not about or st.get_option("theme.base"):
        return ""
    places = {
        "side": known["side"],
        "tops": about["tops"],
        "screens": [
            {"width": width, "height": height, **_drawn(page, spoken, (width, height))}
            for width, height in about["screens"]
        ],
    }
    said = "".join(_run(*each) for each in about["about"])
    return (
        f"<style data-early>{_faces()}{early.style('early')}</style>\n"
        '<div class="early-grounds" data-early aria-hidden="true" hidden><div></div></div>\n'
        '<div class="early-room" data-early aria-hidden="true" hidden><div class="early-page"><div>'
        f'<h1>{html.escape(about["title"])}</h1><p>{said}</p><div class="early-picture"></div>'
        "</div></div></div>\n"
        f"<script data-early>(() => {{\n{early.script('early')}"
        f"standEarly({json.dumps(places)});\n}})();</script>"
    )


def placed(text: str, page: Listed, spoken: str) -> str:
    """Return Streamlit's HTML with the picture before the app in it, where there is one."""
    made = skeleton(page, spoken)
    if not made:
        return text
    with_fonts = early.held(text).replace("<title>", f"{announcements()}\n<title>", 1)
    return with_fonts.replace("<body>", f"<body>\n{made}", 1)


def file_name(page: str, spoken: str, size: tuple[int, int], scheme: str) -> str:
    """Return the name of the drawing of one arrangement; several may have one width.

    >>> file_name("multi-head", "zh", (930, 494), "dark")
    'multi-head.zh.930x494.dark.svg'
    """
    width, height = size
    return f"{page}.{spoken}.{width}x{height}.{scheme}.svg"


def named(path: str) -> str:
    """Return the file that an address names; "" where there is none of that name."""
    name = path.removeprefix(ROUTE)
    return name if name != path and name in _versions() else ""


def version(name: str) -> str:
    """Return a mark of a file, for its address."""
    return _versions()[name]


@lru_cache(maxsize=64)
def content(name: str) -> bytes | str:
    """Return a file as it is served: a drawing with its letters, for no page lends its fonts to a picture."""
    if name.endswith(".woff2"):
        return (STILLS / name).read_bytes()
    svg = (STILLS / name).read_text(encoding="utf-8")
    faces = "".join(
        _FACE.format(family, f"data:font/woff2;base64,{base64.b64encode(_font(font)).decode()}")
        for font, family in _OF_PICTURES.items()
        if family in svg
    )
    return svg.replace("><", f"><style>{faces}</style><", 1)


def _run(role: str, text: str) -> str:
    return f'<span class="{role}">{html.escape(text)}</span>' if role else html.escape(text)


def _name(page: Listed) -> str:
    return page.address or page.folder


@cache
def _places() -> dict[str, Any]:
    return json.loads(PLACES.read_text(encoding="utf-8")) if PLACES.is_file() else {}


@cache
def _font(name: str) -> bytes:
    return (STILLS / f"{name}.woff2").read_bytes()


@cache
def _versions() -> dict[str, str]:
    fonts = "".join(mark(_font(name).hex()) for name in FONT_FILES)
    return {
        name: mark(fonts + mark((STILLS / name).read_bytes().hex()))
        for name in (path.name for path in STILLS.glob("*") if path.suffix in TYPES)
    }


def _address(name: str) -> str:
    return f"./{ROUTE}{name}?v={version(name)}"


def _drawn(page: Listed, spoken: str, size: tuple[int, int]) -> dict[str, str]:
    names = {scheme: file_name(_name(page), spoken, size, scheme) for scheme in SCHEMES}
    return {scheme: _address(name) for scheme, name in names.items() if name in _versions()}


def _faces() -> str:
    return "".join(_FACE.format(family, _address(f"{name}.woff2")) for name, family in _OF_PAGE.items())


def _colours() -> str:
    of = (
        (
            scheme,
            "".join(
                f"--early-{part}:{st.get_option(name.format(scheme))};" for part, name in _COLOURS.items()
            ),
        )
        for scheme in SCHEMES
    )
    return "".join(f"[data-scheme={scheme}]{{color-scheme:{scheme};{parts}}}" for scheme, parts in of)
