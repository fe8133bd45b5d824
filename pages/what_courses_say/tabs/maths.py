"""The tab "Maths": what is measured, as a formula and in words."""

import streamlit as st

from pages.what_courses_say.compute import State


def show(state: State) -> None:
    """Write the claim's formula, and say what its letters stand for."""
    st.latex(state.claim.formula)
    st.markdown(state.claim.in_words)
