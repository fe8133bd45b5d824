"""Multi-head attention: several maps of one sentence, joined into one output."""

import streamlit as st

from attn_ui import controls
from attn_ui.frame import open_page, what_you_see
from attn_ui.live_figure import Cell, Slider, live_figure
from attn_ui.parameters import (
    AGAINST,
    BIAS,
    CASE,
    CROSS,
    FREE_HEADS,
    HEAD,
    HEADS_MASK,
    KEY,
    MASK_REACH,
    OFF,
    ORDER_BY,
    PROJECTION,
    QUERY,
    SEED,
    TEXT,
    TEXT_2,
    VIEW,
    WIDTH_HEAD,
    WIDTH_MEMORY,
    WIDTH_MODEL,
)
from attn_ui.positions import move, position, value
from pages.parts.multi_head_maps import Look, packed, still
from pages.parts.multi_head_setting import (
    SAMPLES,
    Setting,
    adopt_case,
    heads_slider,
    names_of_heads,
)

open_page(
    "multi-head",
    "Multi-head attention",
    "Several heads look at the same words side by side, each with its own weights; their outputs are joined.",
)


def choose_setting() -> Setting:
    """Show what decides the numbers: who attends to whom, and the sizes."""
    st.subheader("Words", anchor=False)
    case = controls.choose(CASE, "Example", on_change=adopt_case)
    text, memory_text, cross = TEXT.default, TEXT_2.default, False
    d_model = d_memory = WIDTH_MODEL.default
    if case in SAMPLES:
        st.caption(SAMPLES[case].description)
    else:
        text = controls.line(TEXT, "Sentence")
        cross = controls.flag(CROSS, "Attend to another sentence")
        memory_text = controls.line(TEXT_2, "Keys and values from") if cross else memory_text
    st.subheader("Sizes", anchor=False)
    if case not in SAMPLES:
        d_model = controls.whole(WIDTH_MODEL, "d_model")
        d_memory = controls.whole(WIDTH_MEMORY, "Width of keys and values") if cross else d_model
    free = controls.flag(FREE_HEADS, "Set d_head freely")
    d_head = controls.whole(WIDTH_HEAD, "d_head") if free else None
    projection = controls.flag(PROJECTION, "Output projection W_o")
    bias = controls.flag(BIAS, "Biases")
    seed = controls.whole(SEED, "Seed of the weights")
    mask = controls.choose(HEADS_MASK, "Mask")
    reach = controls.whole(MASK_REACH, REACHES[mask]) if mask in REACHES else MASK_REACH.default
    return Setting(
        case, text, memory_text, cross, d_model, d_memory, d_head, bias, projection, seed, mask, reach
    )


REACHES = {"sliding window": "Neighbours on each side", "padding": "Padded keys at the end"}


def choose_look(n_head: int) -> Look:
    """Show what decides the picture."""
    st.subheader("Picture", anchor=False)
    view = controls.segment(VIEW, "Show")
    names = names_of_heads(n_head)
    order = ORDER_BY.default
    if view == "every head":
        order = controls.choose(ORDER_BY, "Order heads by")
    elif view == "two heads":
        controls.pick(HEAD, "Head", names)
        controls.pick(AGAINST, "minus head", names)
    off = controls.several(OFF, "Heads switched off", [str(head + 1) for head in range(n_head)])
    return Look(
        view,
        order,
        min(position(HEAD), n_head - 1),
        min(position(AGAINST), n_head - 1),
        (position(QUERY), position(KEY)),
        tuple(int(head) - 1 for head in off),
    )


with st.sidebar:
    setting = choose_setting()
    slider = heads_slider(setting)
    n_head = int(value(slider))
    look = choose_look(n_head)


def choose_cell(cell: Cell) -> None:
    """Take over a clicked cell as the chosen head, query and key."""
    if cell.trace.startswith("head "):
        move(HEAD, int(cell.trace.split()[1]))
    if cell.trace != "output":
        move(QUERY, cell.row)
        move(KEY, cell.column)


live_figure(
    packed(setting, look),
    key="maps",
    alt="One map of attention weights a head, and the output",
    name="multi-head attention",
    slider=Slider("Heads", slider),
    still=lambda step: still(setting, look, step),
    on_cell=choose_cell,
)
what_you_see(f"{n_head} heads")
