"""The tab Code: a page's programs and its formula, of which the chosen one is made and shown."""

import streamlit as st

from attn_ui.base.programs import OneProgram, Programs
from attn_ui.base.shared_settings import CODE
from attn_ui.screen import controls
from attn_words import _


def show(programs: Programs | OneProgram) -> None:
    """Offer the programs; only the one that is open is made."""
    if isinstance(programs, OneProgram):
        st.markdown(programs.says)
        st.code(programs.text(), language="python")
        return
    kind = controls.segment(CODE, _("Program"), label_visibility="collapsed")
    text = programs.text(kind)
    st.markdown(programs.says(kind, text))
    if kind == "LaTeX":
        st.latex(text)
        st.code(text, language="latex")
        return
    st.code(text, language="python")
