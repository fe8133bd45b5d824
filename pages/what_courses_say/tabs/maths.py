"""The tab "Maths": the measures as a formula and in words."""

import streamlit as st

from attn_words import _
from pages.what_courses_say.compute import State
from pages.what_courses_say.vocabulary import translate_formula


def show(state: State) -> None:
    """Show the claim's formula and the meaning of its letters."""
    st.latex(translate_formula(state.claim.formula))
    st.markdown(_(state.claim.in_words))
