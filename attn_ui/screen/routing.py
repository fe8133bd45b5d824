"""One run of the app: chooses the page, and runs it when the run queue lets it (`run_queue.py`)."""

from base64 import b64encode
from copy import copy
from pathlib import Path

import streamlit as st

from attn_ui.base.link_options import LESSON
from attn_ui.base.navigation import PAGES
from attn_ui.host.run_queue import RUNS
from attn_ui.screen import language, palette_and_decimals, share, state, teach, teach_page
from attn_ui.screen.style import apply
from attn_ui.streamlit_inside import markup
from attn_words import _
from attn_words import language as current_language

_ROOT = Path(__file__).resolve().parents[2]
# Encoded as it is sent: a path would be read and encoded in every run.
_ICON = "data:image/svg+xml;base64," + b64encode((_ROOT / "attn_ui" / "icon.svg").read_bytes()).decode()


def run() -> None:
    """Run the page that the address names."""
    language.speak_here()
    palette_and_decimals.sync_with_address()
    apply()
    is_embedded = st.context.is_embedded
    if is_embedded:
        # In a course page the figure has no sidebar: its settings are the link's.
        st.html(f"<style>{markup.SIDEBAR} {{ display: none }}</style>")
    # Each run has its own copies: Streamlit writes into a page whether it may run, and a stopped run may be
    # in the queue together with the run that replaces it.
    pages = [copy(page) for page in _pages()]
    page = st.navigation(pages, position="hidden" if is_embedded else "top")
    # Without a session, as where the module is only imported, none of them is open.
    entry = next((entry for entry, one in zip(PAGES, pages, strict=False) if one is page), PAGES[0])
    st.set_page_config(
        page_title=entry.heading,
        page_icon=_ICON,
        layout="wide",
        # A lesson has chosen the settings: its panel and the figure need the room.
        initial_sidebar_state="collapsed" if LESSON.name in st.query_params else 264,
    )
    with RUNS:
        page.run()
        teach.fill()
        share.fill()
        state.finish()


def _pages() -> tuple[st.Page, ...]:
    """Return all pages and the guide, made once for each session and language: making them looks up files."""
    key = f"_pages_{current_language()}"
    if key not in st.session_state:
        entries = (
            st.Page(
                _ROOT / "pages" / page.folder / "page.py",
                title=_(page.title),
                url_path=page.address or None,
                default=page.is_default,
            )
            for page in PAGES
        )
        helps = st.Page(teach_page.show, title=_("Guide"), url_path="guide", visibility="hidden")
        st.session_state[key] = (*entries, helps)
    pages: tuple[st.Page, ...] = st.session_state[key]
    return pages
