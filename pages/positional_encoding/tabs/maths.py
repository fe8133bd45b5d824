"""What attends at the present settings; then every scheme's formula, sentence and source, its own first."""

import streamlit as st

from attn_core import SCHEMES
from pages.positional_encoding import formulas
from pages.positional_encoding.compute import Now

LETTERS = {
    "nothing": "The rows of $X$ are the words' vectors.",
    "vector": "The rows of $E$ are the words' vectors and those of $P$ the positions'; $X$ is what attends.",
    "rotation": "The rows of $X$ are the words' vectors, and $R$ turns each by an angle of its position.",
    "bias": "The rows of $X$ are the words' vectors; $B$ are the biases of the chosen head.",
}


def show(now: Now) -> None:
    """Show the formulas."""
    chosen = now.scheme_name
    told = "without positions" if chosen == "none" else f"with {chosen} positions"
    st.markdown(f"The words attend to one another {told}; rows, pairs and positions count from 0:")
    st.latex(formulas.attention(now))
    st.markdown(LETTERS[now.scheme().adds])
    for name in (chosen, *(other for other in SCHEMES if other != chosen)):
        scheme = SCHEMES[name]
        st.markdown(f"**{name}**. {scheme.sentence}")
        st.latex(formulas.of_scheme(now, name))
        st.caption(scheme.source)
