"""Every scheme's formula, sentence and source, the chosen one first."""

import streamlit as st

from attn_core import SCHEMES
from pages.positional_encoding.numbers import Numbers


def show(numbers: Numbers) -> None:
    """Show the formulas."""
    chosen = numbers.scheme_name
    for name in (chosen, *(other for other in SCHEMES if other != chosen)):
        scheme = SCHEMES[name]
        st.markdown(f"**{name}**. {scheme.sentence}")
        st.latex(scheme.formula)
        st.caption(scheme.source)
