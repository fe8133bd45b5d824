"""The script that Streamlit runs: chooses the page. Kept out of the folder of the pages on purpose.

With `pages/` beside the main script, an address that names a file there would run that file alone.
"""

import sys
from copy import copy
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from attn_ui.base.framing import LESSON  # noqa: E402  (found by the path above)
from attn_ui.base.navigation import PAGES  # noqa: E402  (found by the path above)
from attn_ui.host.turns import TURNS  # noqa: E402  (found by the path above)
from attn_ui.screen import language, palette, share  # noqa: E402  (found by the path above)
from attn_ui.screen.style import dress  # noqa: E402  (found by the path above)
from attn_ui.streamlit_inside import markup  # noqa: E402  (found by the path above)
from attn_words import _  # noqa: E402  (found by the path above)
from attn_words import language as spoken  # noqa: E402  (found by the path above)

language.speak_here()
palette.wear_here()
dress()
if st.context.is_embedded:
    # In a course page the figure stands alone: its settings are the link's.
    st.html(f"<style>{markup.SIDEBAR} {{ display: none }}</style>")
# Made once for a session and language: making them looks for their files, a twentieth of a rerun.
_KEPT = f"_pages_{spoken()}"
if _KEPT not in st.session_state:
    st.session_state[_KEPT] = tuple(
        st.Page(
            ROOT / "pages" / page.folder / "page.py",
            title=_(page.title),
            url_path=page.address or None,
            default=page.is_default,
        )
        for page in PAGES
    )
# Each run has its own copies: Streamlit writes into a page that it may be run once, and where somebody is
# quick, the run that is called off and the one that takes its place stand in line together.
made = [copy(page) for page in st.session_state[_KEPT]]
page = st.navigation(made, position="hidden" if st.context.is_embedded else "top")
# Without a session, as where the module is only imported, none of them is open.
listed = next((listed for listed, one in zip(PAGES, made, strict=True) if one is page), PAGES[0])
st.set_page_config(
    page_title=listed.heading,
    page_icon=ROOT / "attn_ui" / "icon.svg",
    layout="wide",
    # A lesson has chosen the settings: its panel and the figure need the room.
    initial_sidebar_state="collapsed" if LESSON.name in st.query_params else 264,
)
with TURNS:
    page.run()
    share.fill()
