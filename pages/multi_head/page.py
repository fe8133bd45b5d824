"""Multi-head attention: several maps of the same words, joined into one output."""

from functools import partial

import streamlit as st

from attn_ui import controls
from attn_ui.following import follow
from attn_ui.frame import open_page, tabs
from attn_ui.live_figure import live_figure
from attn_ui.shared_settings import HEAD, KEY, QUERY
from attn_ui.state import value
from pages.multi_head import words
from pages.multi_head.ask_weights import ask_weights
from pages.multi_head.numbers import by_hand, heads_slider, sequences, sizes_of
from pages.multi_head.settings import (
    HEADS,
    TAB,
    VIEW,
    ask_look,
    ask_setting,
    block_or_free,
    chosen_cell,
    read_link,
    with_heads,
)
from pages.multi_head.sliders import ask_moving
from pages.multi_head.tabs import (
    adds_up,
    arithmetic,
    batch,
    block,
    break_it,
    checks,
    code,
    cost,
    data,
    maths,
    measures,
    one_or_many,
    shapes,
    shared_heads,
    spellings,
    token_by_token,
)
from pages.multi_head.views import packed, said
from pages.multi_head.views.conditions import notes_on
from pages.multi_head.views.diagram import open_box
from pages.multi_head.weights import weights

settings = read_link()
open_page(
    "multi-head",
    settings,
    "Multi-head attention",
    "Several heads look at the same words, each in its own way; their outputs are joined into one.",
)

view = controls.segment(VIEW, "Picture", label_visibility="collapsed")
with st.sidebar:
    setting, say_of_example = ask_setting()
    setting = ask_weights(setting)
    moving = ask_moving(setting)
    say_of_example(moving.n_head)
    asked = ask_look(view, lambda: moving.heads)

ALTS = {
    "diagram": "Multi-head attention as a block diagram: boxes, and the shapes of what goes between",
    "every head": "One map of attention weights a head, and the output",
    "mean and max": "The mean of all heads' maps, the largest weight of any head, and how far they are apart",
    "two heads": "The maps of two heads and their difference",
    "one or many": "Parameters, FLOPs, entropy and ranks against the number of heads; distances over layers",
}
TABS = {
    "Heads add up": adds_up,
    "Shapes": shapes,
    "Arithmetic": arithmetic,
    "Maths": maths,
    "Measures": measures,
    "Break it": break_it,
    "Block": block,
    "Shared heads": shared_heads,
    "Token by token": token_by_token,
    "Batch": batch,
    "One or many": one_or_many,
    "Cost": cost,
    "Checks": checks,
    "Data": data,
    "Code": code,
    "Spellings": spellings,
}


def show() -> None:
    """Draw the maps, say what newcomers may stumble over, and lay the tabs under it."""
    slider = moving.slider
    picture = st.container()
    with st.container(key="under-picture"):
        look = with_heads(asked, moving.heads)
    n_query, n_key = sizes = sequences(moving.setting).shape
    now = moving.at(value(slider.steps), look, chosen_cell(n_query, n_key))
    heard = block_or_free if now.setting.mask == "own" else None
    if look.view == "diagram":
        heard = open_box
    with picture:
        live_figure(
            packed(moving.still, look.drawn),
            key="maps",
            alt=ALTS[look.view],
            name="multi-head attention",
            slider=slider,
            chosen={"query": QUERY, "key": KEY, "head": HEAD},
            on_cell=heard,
            says=said(moving.still, look.drawn),
            says_what_is_chosen=look.view == "two heads",
        )
    for note in notes_on(now):
        st.caption(f":material/info: {note}")
    wanted = int(value(HEADS))
    if wanted != now.n_head:
        offered = [int(heads) for heads in heads_slider(now.setting).values]
        why = words.other_heads(
            wanted, now.n_head, offered, now.module.d_model, n_query, turned=now.module.rotation is not None
        )
        st.caption(f":material/edit: {why}")
    if moving.thinned:
        why = words.other_values(slider.label, slider.texts(), max(sizes), now.n_head)
        st.caption(f":material/edit: {why}")
    st.caption(words.made(weights(sizes_of(now.setting, now.n_head)), by_hand(now.setting, now.n_head)))
    tabs(TAB, {name: partial(tab.show, now) for name, tab in TABS.items()})


follow(show, settings)
