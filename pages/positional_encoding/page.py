"""Positional encoding: what order does to attention."""

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_ui import controls
from attn_ui.frame import open_page
from pages.positional_encoding.settings import PICTURE, SETTINGS
from pages.positional_encoding.setup import Setup, choose_setup
from pages.positional_encoding.tabs.text import show_tabs
from pages.positional_encoding.views import maps
from pages.positional_encoding.views import trials as views

PICTURES: Mapping[str, Callable[[Setup, DeltaGenerator], None]] = {
    "attention": views.show_attention,
    "shuffle test": views.show_shuffle,
    "shift test": views.show_shift,
    "encoding": maps.show_encoding,
    "similarity": maps.show_similarity,
    "compare": views.show_compare,
    "past training": maps.show_past,
}

open_page(
    "positional-encoding",
    SETTINGS,
    "Positional encoding",
    "Attention by itself cannot tell the order of words. Here is what telling it does.",
)
with st.sidebar:
    setup, room = choose_setup()
picture = controls.segment(PICTURE, "Picture", label_visibility="collapsed")
PICTURES[picture](setup, room)
show_tabs(setup)
