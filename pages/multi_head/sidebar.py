"""The sidebar of the multi-head page."""

import streamlit as st

from attn_core import tokenize
from attn_core.limits import MAX_TOKENS
from attn_ui import controls
from attn_ui.positions import position
from attn_ui.sentence import ask_sentence
from attn_ui.shared_settings import CROSS, HEAD, KEY, QUERY, SEED, TEXT, TEXT_2
from pages.multi_head.maps import Look
from pages.multi_head.numbers import SAMPLES, Setting, adopt_case, names_of_heads, sequences
from pages.multi_head.settings import (
    AGAINST,
    BIAS,
    CASE,
    FREE_HEADS,
    HEADS_MASK,
    MASK_REACH,
    OFF,
    ORDER_BY,
    PROJECTION,
    VIEW,
    WIDTH_HEAD,
    WIDTH_MEMORY,
    WIDTH_MODEL,
)

REACHES = {"sliding window": "Neighbours on each side", "padding": "Padded keys at the end"}


def ask_setting() -> Setting:
    """Ask for what decides the numbers: who attends to whom, the sizes, the mask."""
    st.subheader("Words", anchor=False)
    case = controls.choose(CASE, "Example", on_change=adopt_case)
    text, memory_text, cross = TEXT.default, TEXT_2.default, False
    if case in SAMPLES:
        st.caption(SAMPLES[case].description)
    else:
        text = ask_sentence(TEXT, "Sentence", tokenize=tokenize, most=MAX_TOKENS)
        cross = controls.flag(CROSS, "Keys from a second sentence")
        memory_text = (
            ask_sentence(TEXT_2, "Second sentence", tokenize=tokenize, most=MAX_TOKENS)
            if cross
            else memory_text
        )
    st.subheader("Sizes", anchor=False)
    d_model = d_memory = WIDTH_MODEL.default
    if case not in SAMPLES:
        d_model = d_memory = controls.whole(WIDTH_MODEL, "d_model")
        if cross:
            d_memory = controls.whole(WIDTH_MEMORY, "Width of the second sentence")
    free = controls.flag(FREE_HEADS, "Set d_head freely")
    d_head = controls.whole(WIDTH_HEAD, "d_head") if free else None
    projection = controls.flag(PROJECTION, "Output projection W_o")
    bias = controls.flag(BIAS, "Biases")
    seed = controls.whole(SEED, "Seed")
    if d_memory != d_model:
        st.caption(
            f":material/info: Queries are {d_model} wide and keys {d_memory}: as they are, no dot product "
            f"fits (it would with {d_model} and {d_model}, or {d_memory} and {d_memory}). W_q and W_k bring "
            "both to the width of the heads."
        )
    mask, reach = _ask_mask()
    setting = Setting(
        case, text, memory_text, cross, d_model, d_memory, d_head, bias, projection, seed, mask, reach
    )
    _say_what_the_mask_does(setting)
    return setting


def _ask_mask() -> tuple[str, int]:
    mask = controls.choose(HEADS_MASK, "Mask")
    reach = controls.whole(MASK_REACH, REACHES[mask]) if mask in REACHES else MASK_REACH.default
    return mask, reach


def _say_what_the_mask_does(setting: Setting) -> None:
    n = sequences(setting)
    n_query, n_key = len(n.queries), len(n.keys)
    if setting.mask == "sliding window" and n_query != n_key:
        st.caption(
            f":material/edit: A sliding window needs as many queries as keys; here are {n_query} and "
            f"{n_key}. Nothing is masked."
        )
    if setting.mask == "padding" and setting.reach >= n_key:
        st.caption(
            f":material/edit: All {n_key} keys are padding, so every query may attend to nothing: weights "
            f"and heads are zero. With {n_key - 1} at most, some are left."
        )


def ask_look(setting: Setting, n_head: int) -> Look:
    """Ask for what decides the picture: which heads, together or apart, in which order."""
    n = sequences(setting)
    st.subheader("Picture", anchor=False)
    view = controls.choose(VIEW, "Show")
    names = names_of_heads(n_head)
    order = ORDER_BY.default
    head, against = min(position(HEAD), n_head - 1), min(position(AGAINST), n_head - 1)
    if view == "two heads":
        head = controls.pick(HEAD, "Head", names)
        against = controls.pick(AGAINST, "minus", names)
    else:
        order = controls.choose(ORDER_BY, "Order heads by")
    offered = [str(head + 1) for head in range(n_head)]
    off = tuple(int(head) - 1 for head in controls.several(OFF, "Heads switched off", offered))
    if len(off) == n_head:
        st.caption(":material/edit: All heads are off: the output is what is left, zero or the bias.")
    cell = (min(position(QUERY), len(n.queries) - 1), min(position(KEY), len(n.keys) - 1))
    return Look(view, order, head, against, cell, off)
