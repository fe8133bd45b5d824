"""The tab "Code": a program that prints the weights on screen."""

import streamlit as st

from pages.applications.state import State
from pages.applications.view import View


def show(view: View, now: State) -> None:
    """Hand the program over."""
    st.markdown(
        "Attention written out in PyTorch; what goes in is this app's own: `pip install .` in its folder. "
        f"It prints {view.prints}."
    )
    st.code(view.program(now), language="python")
