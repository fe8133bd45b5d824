"""The tab "Maths": what is computed, as a formula and in words."""

import streamlit as st

from attn_ui.base.latex import allow_breaks
from attn_words import _
from pages.applications.state import State
from pages.applications.views import VIEWS


def show(state: State) -> None:
    """Show the formula and the meaning of its letters."""
    view = VIEWS[state.use]
    st.latex(allow_breaks(view.formula(state)))
    st.markdown(_(view.IN_WORDS))
