"""The still picture that a page's HTML shows until the live figure is drawn.

`make stills` draws the pictures and measures their places. They show pages with all settings at their
defaults, so a link that sets anything but its language or its tab is answered without one.
"""

import html
import json
import math
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from attn_live.bundle import content_hash
from attn_ui.base.link_options import LANG
from attn_ui.base.navigation import PageEntry
from attn_ui.screen.live_figure import PLOTLY_ROUTE
from attn_ui.streamlit_inside import early
from attn_words import LANGUAGES

STILLS = Path(__file__).parent / "stills"
PLACES = STILLS / "places.json"
# Files with the needed letters of Streamlit's two fonts, and the names of these fonts. A title is bold.
FONT_FILES = {
    "sans": "SourceSansVF-Upright",
    "title": "SourceSerifVariable-Roman",
    "serif": "SourceSerifVariable-Roman",
}
ROUTE = f"{PLOTLY_ROUTE[1:]}/early/"
TYPES: Mapping[str, str] = {".svg": "image/svg+xml", ".woff2": "font/woff2"}
SCHEMES = ("light", "dark")
_FACES = {"sans": ("Early Sans", "200 900"), "title": ("Early Serif", "700"), "serif": ("Early Serif", "400")}
_COLOURS = {
    "paper": "theme.{}.backgroundColor",
    "side": "theme.{}.sidebar.backgroundColor",
    "line": "theme.{}.borderColor",
    "ink": "theme.{}.textColor",
    "query": "theme.{}.violetTextColor",
    "key": "theme.{}.orangeTextColor",
    "value": "theme.{}.greenTextColor",
}
_FACE = '@font-face{{font-family:"{}";font-weight:{};src:url({}) format("woff2")}}'
# How much a drawing may differ in aspect ratio and size from the figure that it replaces, in logarithms.
ANOTHER_FORM, ANOTHER_SIZE = 0.09, 0.3
_CHANGE_NOTHING = (LANG.name, "tab")  # of the figure


def shows_first_figure(query: str) -> bool:
    """Whether a link opens the page with its default figure.

    >>> shows_first_figure(""), shows_first_figure("lang=zh"), shows_first_figure("t=0.5")
    (True, True, False)
    """
    return all(name in _CHANGE_NOTHING for name, _ in parse_qsl(query, keep_blank_values=True))


def announcements() -> str:
    """Return the lines of the HTML head that fetch the fonts of the title and the sentence."""
    line = '<link rel="preload" as="font" type="font/woff2" crossorigin href="{}">'
    return "\n".join(line.format(_address(f"{name}.woff2")) for name in ("sans", "title"))


def background() -> str:
    """Return the HTML of the head that paints the first background; "" if the host sets a theme."""
    if st.get_option("theme.base"):
        return ""
    return (
        f"<style>{_colours()}{early.style('ground')}</style>\n"
        f"<script>(() => {{\n{early.script('ground')}standOnPaper();\n}})();</script>"
    )


def skeleton(page: PageEntry, language: str) -> str:
    """Return the HTML that the body shows before the app is there; "" without a still picture."""
    entry = _places().get(_name(page), {})
    about = entry.get(language)
    if not about or st.get_option("theme.base"):
        return ""
    places = {
        "side": entry["side"],
        "tops": about["tops"],
        "screens": [
            {"width": width, "height": height, "svg": _drawing(page, language, width / height, width)}
            for width, height in about["screens"]
        ],
    }
    sentence = "".join(_span(*each) for each in about["about"])
    return (
        f"<style data-early>{_faces()}{early.style('early')}</style>\n"
        '<div class="early-grounds" data-early aria-hidden="true" hidden><div></div></div>\n'
        '<div class="early-room" data-early aria-hidden="true" hidden><div class="early-page"><div>'
        f'<h1>{html.escape(about["title"])}</h1><p>{sentence}</p><div class="early-picture"></div>'
        "</div></div></div>\n"
        f"<script data-early>(() => {{\n{early.script('early')}"
        f"standEarly({json.dumps(places)});\n}})();</script>"
    )


def insert_picture(text: str, page: PageEntry, language: str) -> str:
    """Return Streamlit's HTML with the still picture in it, if there is one."""
    picture = skeleton(page, language)
    if not picture:
        return text
    with_fonts = early.defer_fetches(text).replace("<title>", f"{announcements()}\n<title>", 1)
    return with_fonts.replace("<body>", f"<body>\n{picture}", 1)


def file_at(path: str) -> str:
    """Return the file that an address names; "" where there is none of that name."""
    name = path.removeprefix(ROUTE)
    return name if name != path and name in _versions() else ""


def version(name: str) -> str:
    """Return a mark of a file, for its address."""
    return _versions()[name]


@lru_cache(maxsize=64)
def content(name: str) -> bytes | str:
    """Return a file as it is served: "multi-head.930x494.zh.svg" is a drawing with its words in Chinese."""
    if name.endswith(".woff2"):
        return (STILLS / name).read_bytes()
    *drawing, language, suffix = name.split(".")
    return fill_drawing(".".join((*drawing, suffix)), language)


def fill_drawing(drawing: str, language: str, places: Mapping[str, Any] | None = None) -> str:
    """Return a drawing filled with a language's words, in the fonts that come with the page."""
    page, size, _suffix = drawing.split(".")
    words = (places or _places())[page][language]["words"][size]
    svg = (STILLS / drawing).read_text(encoding="utf-8")
    text = re.sub(r"<\?word (\d+)\?>", lambda place: words[int(place[1])], svg)
    return re.sub(r"(&quot;|['\"])Source (Sans|Serif)\1", r"\1Early \2\1, \g<0>", text)


def _span(role: str, text: str) -> str:
    return f'<span class="{role}">{html.escape(text)}</span>' if role else html.escape(text)


def _name(page: PageEntry) -> str:
    return page.address or page.folder


@cache
def _places() -> dict[str, Any]:
    return json.loads(PLACES.read_text(encoding="utf-8")) if PLACES.is_file() else {}


@cache
def _versions() -> dict[str, str]:
    files = {
        f"{page}.{size}.{language}.svg": f"{page}.{size}.svg"
        for page, about in _places().items()
        for language in LANGUAGES
        for size in about[language].get("words", {})
    }
    marks = {name: content_hash(fill_drawing(drawing, name.split(".")[2])) for name, drawing in files.items()}
    fonts = [f"{name}.woff2" for name in FONT_FILES]
    return marks | {name: content_hash((STILLS / name).read_bytes().hex()) for name in fonts}


def _drawing(page: PageEntry, language: str, form: float, width: int) -> str:
    """Return the address of an arrangement's drawing: its own, or one of nearly the same aspect ratio.

    "" if there is none, or none of nearly the same size.
    """
    sizes = (tuple(map(int, size.split("x"))) for size in _places()[_name(page)][language].get("words", {}))
    scales = {
        (across, down): abs(math.log(across / width))
        for across, down in sizes
        if abs(math.log(across / down / form)) < ANOTHER_FORM
    }
    nearest = min(scales, key=scales.__getitem__, default=None)
    if nearest is None or scales[nearest] > ANOTHER_SIZE:
        return ""
    return _address(f"{_name(page)}.{nearest[0]}x{nearest[1]}.{language}.svg")


def _address(name: str) -> str:
    return f"./{ROUTE}{name}?v={version(name)}"


def _faces() -> str:
    return "".join(_FACE.format(*face, _address(f"{name}.woff2")) for name, face in _FACES.items())


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
