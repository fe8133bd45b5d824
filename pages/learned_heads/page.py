"""Heads that have learned: what attention becomes once something is asked of it."""

import streamlit as st

from attn_ui import controls
from attn_ui.frame import open_page
from pages.learned_heads.settings import SETTINGS, SOURCE, TOY
from pages.learned_heads.views import toy

open_page(
    "learned-heads",
    SETTINGS,
    "Learned heads",
    "Nobody told these heads where to look. Drag the training step and see them find out.",
)

VIEWS = {TOY: toy.show}

with st.sidebar:
    source = controls.choose(SOURCE, "Heads of")
VIEWS[source]()
