"""The tab "Code": programs that print the numbers on the page, and their formula."""

import streamlit as st

from attn_core.toys import SHIPPED
from attn_ui import programs_tab
from attn_ui.programs import Programs
from pages.learned_heads.numbers import Now
from pages.learned_heads.snippet import by_hand, formula, snippet


def show(now: Now) -> None:
    """Hand over the programs; a training of one's own has no file, so its program trains again."""
    if now.recipe not in SHIPPED:
        st.markdown(
            "These lines repeat the training. They print the weights of all heads, and what the model says "
            "at every place."
        )
        st.code(snippet(now), language="python")
        return
    programs_tab.show(
        Programs(
            lambda: by_hand(now),
            lambda: snippet(now),
            lambda: formula(now),
            numpy=lambda: by_hand(now, numpy=True),
            prints="the weights of all heads, and what the model says at every place",
            package="safetensors",
        )
    )
