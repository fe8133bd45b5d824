"""Positional encoding: what order does to attention."""

import streamlit as st

from attn_ui import controls
from attn_ui.frame import open_page
from attn_ui.parameters import PICTURE
from pages.parts.positional_setup import choose_setup
from pages.parts.positional_views import VIEWS

open_page(
    "positional-encoding",
    "Positional encoding",
    "Attention by itself cannot tell the order of words. Here is what telling it does.",
)
with st.sidebar:
    setup = choose_setup()
picture = controls.segment(PICTURE, "Picture", label_visibility="collapsed", format_func=str.capitalize)
VIEWS[picture](setup)
