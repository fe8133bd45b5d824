"""Multi-head attention: several maps of the same words, joined into one output."""

from functools import partial

import streamlit as st

from attn_core import effective_keys
from attn_ui.frame import coloured, open_page, tabs, what_you_see
from attn_ui.live_figure import Cell, Slider, live_figure
from attn_ui.positions import move, value
from attn_ui.shared_settings import HEAD, KEY, QUERY
from pages.multi_head import words
from pages.multi_head.maps import Now, chosen_heads, packed
from pages.multi_head.numbers import heads_slider
from pages.multi_head.settings import HEADS, SETTINGS, TAB
from pages.multi_head.sidebar import ask_look, ask_setting
from pages.multi_head.tabs import adds_up, arithmetic, block, checks, measures, shapes

open_page(
    "multi-head",
    SETTINGS,
    "Multi-head attention",
    "Several heads look at the same words, each in its own way; their outputs are joined into one.",
)

with st.sidebar:
    setting = ask_setting()
    slider = heads_slider(setting)
    n_head = int(value(slider))
    look = ask_look(setting, n_head)
now = Now(setting, look, n_head)


def choose_cell(cell: Cell) -> None:
    """Take over a clicked cell as the chosen head, query and key."""
    if cell.trace == "output":
        return
    if cell.trace.startswith("head "):
        move(HEAD, int(cell.trace.split()[1]))
    move(QUERY, cell.row)
    move(KEY, cell.column)


def sentence() -> str:
    """Say what the picture shows."""
    weights = now.result.weights
    if look.view == "mean and max":
        chosen = chosen_heads(n_head, look.off)
        maps = weights[chosen]
        largest, smallest = maps.amax(dim=0), maps.amin(dim=0)
        return words.combined(chosen, float(largest.sum(dim=-1).max()), float((largest - smallest).max()))
    if look.view == "two heads":
        difference = weights[look.head] - weights[look.against]
        query, key = divmod(int(difference.abs().argmax()), difference.shape[-1])
        return words.against(
            look.head,
            look.against,
            float(difference[query, key]),
            coloured("query", now.tokens.queries[query]),
            coloured("key", now.tokens.keys[key]),
        )
    spread = effective_keys(weights).mean(dim=-1).tolist()
    return words.maps(spread, len(now.tokens.keys), now.module.d_head, now.module.d_model)


live_figure(
    packed(setting, look),
    key="maps",
    alt="One map of attention weights a head, and the output",
    name="multi-head attention",
    slider=Slider("Heads", slider),
    on_cell=choose_cell,
)
wanted = int(value(HEADS))
if wanted not in slider.values:
    allowed = [int(heads) for heads in slider.values]
    d_model = now.module.d_model
    said = (
        words.does_not_divide(wanted, d_model, allowed, n_head)
        if setting.d_head is None and d_model % wanted
        else words.too_many_numbers(wanted, len(now.tokens.queries), allowed, n_head)
    )
    st.caption(f":material/edit: {said}")
what_you_see(sentence())
st.caption(
    "The projections are drawn from the seed, not trained: what a head looks at here says nothing of grammar."
)

tabs(
    TAB,
    {
        "Heads add up": partial(adds_up.show, now),
        "Shapes": partial(shapes.show, now),
        "Measures": partial(measures.show, now),
        "Block": partial(block.show, now),
        "Arithmetic": partial(arithmetic.show, now),
        "Maths": partial(arithmetic.maths, now),
        "Break it": partial(checks.break_it, now),
        "Checks": partial(checks.show, now),
        "Data": partial(arithmetic.data, now),
        "Code": partial(arithmetic.code, now),
    },
)
