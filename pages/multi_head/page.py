"""Multi-head attention: several maps of the same words, joined into one output."""

from functools import partial

import streamlit as st

from attn_ui.frame import open_page, tabs
from attn_ui.live_figure import Slider, live_figure
from attn_ui.shared_settings import HEAD, KEY, QUERY
from attn_ui.state import value
from pages.multi_head import words
from pages.multi_head.numbers import Now, heads_slider, sequences
from pages.multi_head.settings import HEADS, TAB, ask_look, ask_setting, chosen_cell, read_link
from pages.multi_head.tabs import (
    adds_up,
    arithmetic,
    block,
    break_it,
    checks,
    code,
    data,
    maths,
    measures,
    shapes,
    shared_heads,
    spellings,
    token_by_token,
)
from pages.multi_head.views import packed, said

open_page(
    "multi-head",
    read_link(),
    "Multi-head attention",
    "Several heads look at the same words, each in its own way; their outputs are joined into one.",
)

with st.sidebar:
    setting = ask_setting()
    slider = heads_slider(setting)
    n_head = int(value(slider))
    n_query, n_key = sizes = sequences(setting).shape
    for note in words.notes(setting.mask, setting.reach, sizes, (setting.d_model, setting.d_memory)):
        st.caption(f":material/info: {note}")
    look = ask_look(n_head)
now = Now(setting, look, n_head, chosen_cell(n_query, n_key))
live_figure(
    packed(setting, look.drawn),
    key="maps",
    alt="One map of attention weights a head, and the output",
    name="multi-head attention",
    slider=Slider("Heads", slider),
    chosen={"query": QUERY, "key": KEY, "head": HEAD},
    says=said(setting, look.drawn),
)
wanted = int(value(HEADS))
if wanted != n_head:
    allowed = [int(heads) for heads in slider.values]
    why = words.other_heads(wanted, n_head, allowed, now.module.d_model, n_query)
    st.caption(f":material/edit: {why}")
st.caption(
    "The projections are drawn from the seed, not trained: what a head looks at here says nothing of grammar."
)

tabs(
    TAB,
    {
        name: partial(tab.show, now)
        for name, tab in zip(
            TAB.options,
            (
                *(adds_up, shapes, measures, block, shared_heads, token_by_token, spellings),
                *(arithmetic, maths, break_it, checks, data, code),
            ),
            strict=True,
        )
    },
)
