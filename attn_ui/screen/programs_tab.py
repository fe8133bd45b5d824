"""The tab Code: a page's programs and its formula, of which the chosen one is made and shown."""

import streamlit as st

from attn_ui.base.programs import OneProgram, Programs
from attn_ui.base.shared_settings import CODE
from attn_ui.screen import controls

_SAYS = {
    "PyTorch": "Runs as it is, with {needs} alone.",
    "NumPy": "Runs as it is, with NumPy{package} alone; what PyTorch's generator draws is drawn again.",
    "attn_core": "The short one, with the packages of this app: `pip install .` in its folder.",
    "LaTeX": "The formula with the numbers on this page, for a text or a slide.",
}


def show(programs: Programs | OneProgram) -> None:
    """Offer the programs; only the one that is open is made."""
    if isinstance(programs, OneProgram):
        st.markdown(programs.says)
        st.code(programs.text(), language="python")
        return
    kind = controls.segment(CODE, "Program", label_visibility="collapsed")
    more = f" and the package `{programs.package}`" if programs.package else ""
    told = _SAYS[kind].format(needs=f"PyTorch{more}", package=more)
    text = programs.text(kind)
    if kind == "LaTeX":
        st.markdown(told)
        st.latex(text)
        st.code(text, language="latex")
        return
    st.markdown(f"{told} It prints {programs.prints}.")
    st.code(text, language="python")
