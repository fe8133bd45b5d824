"""The glossary: the parts of a head by their names, and every term with the place that shows it."""

import streamlit as st

from attn_ui import controls
from attn_ui.frame import open_page
from attn_ui.live_figure import Slider, live_figure
from pages.glossary import parts
from pages.glossary.settings import EVERY, GROUP, PART, SETTINGS
from pages.glossary.terms import TERMS
from pages.glossary.words import listed

open_page(
    "glossary",
    SETTINGS,
    "Glossary",
    "What the parts of attention are called, in words, in papers and in code, and where to see each.",
)
figures, said = parts.drawn()
live_figure(
    figures,
    key="parts",
    alt="One attention head as a block diagram, one of its parts marked",
    name="the parts of a head",
    slider=Slider("Part", PART, names=[term.name for term in parts.terms()]),
    says=said,
)
group = controls.segment(GROUP, "Terms of")
with st.container(key="terms"):
    for name in TERMS if group == EVERY else (group,):
        st.header(name.capitalize(), anchor=False)
        st.markdown(listed(TERMS[name]))
