"""The style of the page and of its live figures: one file, announced in the HTML and fetched once."""

import json
from functools import cache
from pathlib import Path

import streamlit as st

from attn_live import bundle
from attn_ui.screen.live_figure import PLOTLY_ROUTE
from attn_ui.streamlit_inside import markup
from attn_words import _


@cache
def sheet() -> str:
    """Return the style sheet."""
    here = Path(__file__).parent
    sheets = ("page.css", "search.css", "lesson.css", "terms.css")
    own = "".join((here / name).read_text(encoding="utf-8") for name in sheets)
    return markup.style() + own + bundle.style() + bundle.long_style()


def address() -> str:
    """Return where the style sheet is served, relative to a page."""
    return f".{PLOTLY_ROUTE}/page.css?v={bundle.content_hash(sheet())}"


def apply() -> None:
    """Load the style sheet, also where a host serves an HTML of its own."""
    name = json.dumps(_("Attention lab"), ensure_ascii=False)
    st.html(f'<style>@import url("{address()}");</style><style>:root {{ --product: {name}; }}</style>')
