"""What attends at the present settings; then every scheme's formula, sentence and source, its own first."""

import streamlit as st

from attn_core import SCHEMES
from pages.positional_encoding import formulas
from pages.positional_encoding.numbers import Numbers


def show(numbers: Numbers) -> None:
    """Show the formulas."""
    chosen = numbers.scheme_name
    told = "without positions" if chosen == "none" else f"with {chosen} positions"
    st.markdown(f"The words attend to one another {told}; rows, pairs and positions count from 0:")
    st.latex(formulas.attention(numbers))
    for name in (chosen, *(other for other in SCHEMES if other != chosen)):
        scheme = SCHEMES[name]
        st.markdown(f"**{name}**. {scheme.sentence}")
        st.latex(formulas.of_scheme(numbers, name))
        st.caption(scheme.source)
