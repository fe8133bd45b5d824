"""The tab "Maths": what is computed, as a formula and in words."""

import streamlit as st

from pages.applications.state import State
from pages.applications.view import View


def show(view: View, now: State) -> None:
    """Write the formula, and say what its letters are here."""
    st.latex(view.formula(now))
    st.markdown(view.in_words)
