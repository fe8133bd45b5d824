"""The large head of a long text, from the whole map down to single cells."""

import numpy as np
import streamlit as st

from attn_figures.long_map import SHORT, meta
from attn_live.pyramid import Pyramid
from attn_ui.screen.zoomed_map import zoomed_map
from attn_words import _
from pages.learned_heads.state import Heads


def show(now: Heads) -> None:
    """Show it where its map is too long for the figure."""
    whole = now.whole
    layer, within = whole.model.at(now.head)
    weights = whole.layers[layer][within]
    if max(weights.shape) <= SHORT:
        return
    name = whole.model.name(now.head)
    st.markdown(_("**From the whole to single cells: {head}**", head=name))
    may = None if whole.model.may is None else whole.model.may[layer]
    named = [
        list(whole.shown.tokens) if whole.shown.tokens and len(whole.shown.tokens) == side else None
        for side in weights.shape
    ]
    shown = zoomed_map(
        Pyramid(np.asarray(weights), now.keep, may),
        (whole.maps, whole.words_only, now.head, now.keep),
        meta=meta(*named, quantity=whole.model.quantity),
        name=name,
        key="long-head",
    )
    if not shown:
        st.caption(_("This version of Streamlit cannot send a long map in parts: above it stands in blocks."))
