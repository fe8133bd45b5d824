"""What attends at the present settings; then every scheme's formula, sentence and source, its own first."""

import streamlit as st

from attn_core import SCHEMES
from pages.positional_encoding import formulas
from pages.positional_encoding.compute import Now


def show(now: Now) -> None:
    """Show the formulas."""
    chosen = now.scheme_name
    told = "without positions" if chosen == "none" else f"with {chosen} positions"
    st.markdown(f"The words attend to one another {told}; rows, pairs and positions count from 0:")
    st.latex(formulas.attention(now))
    for name in (chosen, *(other for other in SCHEMES if other != chosen)):
        scheme = SCHEMES[name]
        st.markdown(f"**{name}**. {scheme.sentence}")
        st.latex(formulas.of_scheme(now, name))
        st.caption(scheme.source)
