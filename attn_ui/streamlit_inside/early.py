"""The layout of Streamlit's page, for the background and the still picture that are shown first."""

import re
from functools import cache
from pathlib import Path

from attn_live.bundle import join_scripts
from attn_ui.streamlit_inside import markup

READY = markup.READY
MEASURE = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [head, about, stage] = [".st-key-page-head h1", ".st-key-page-about p", ".live-stage"].map(box);
  const parts = [head.top, stage.width - head.width, about.top, stage.top, stage.width];
  done(parts.map((part) => Math.round(100 * part) / 100));
})))"""
"""Measures, in pixels: the title's top, the width left beside it, the top of the sentence under it, the top
of the figure and its width."""
SIDE = """() => document.querySelector(".stSidebar")?.getBoundingClientRect().width ?? 0"""
"""The width of the sidebar in a window that has room for it."""
_HERE = Path(__file__).parent


_FETCHES = re.compile(
    r'(?:<script type="module"[^>]*></script>|'
    r'<link\s[^>]*\brel="(?:modulepreload|preload|stylesheet)"[^>]*>)\n?'
)


def defer_fetches(html: str) -> str:
    """Return the HTML with the app's scripts in a template at its end, which `startApp` opens.

    So the picture is painted first: else some sixty scripts would be requested and run before it.
    """
    fetches = "".join(_FETCHES.findall(html))
    later = f"<template data-later>\n{fetches}</template>"
    return _FETCHES.sub("", html).replace("</body>", f"{later}\n</body>", 1)


@cache
def style(name: str) -> str:
    """Return a style sheet used before the app: "ground", the background, or "early", the picture."""
    return (_HERE / f"{name}.css").read_text(encoding="utf-8")


@cache
def script(name: str) -> str:
    """Return the script that places the picture, and removes it when the app's own is drawn."""
    return join_scripts(_HERE / f"{name}.js")
