"""Positional encoding: what order does to attention."""

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_ui import controls
from attn_ui.frame import open_page
from attn_ui.parameters import PICTURE
from pages.parts import positional_maps as maps
from pages.parts import positional_views as views
from pages.parts.positional_setup import Setup, choose_setup
from pages.parts.positional_tabs import show_tabs

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
    "Positional encoding",
    "Attention by itself cannot tell the order of words. Here is what telling it does.",
)
with st.sidebar:
    setup, room = choose_setup()
picture = controls.segment(PICTURE, "Picture", label_visibility="collapsed")
PICTURES[picture](setup, room)
show_tabs(setup)
