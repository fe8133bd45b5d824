"""The tab "Code": a program that prints the numbers on the page."""

import streamlit as st

from pages.learned_heads.numbers import Now
from pages.learned_heads.snippet import snippet


def show(now: Now) -> None:
    """Hand over the program."""
    st.markdown("These lines read the training, or repeat it, and print what the model says at every place.")
    st.code(snippet(now), language="python")
