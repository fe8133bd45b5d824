"""The large head of a long text, from the whole map down to single cells."""

import numpy as np
import streamlit as st

from attn_figures.long_map import SHORT, meta
from attn_live.pyramid import Pyramid, level_sizes
from attn_ui.host.tiles import Source
from attn_ui.screen import palette
from attn_ui.screen.working import working
from attn_ui.screen.zoomed_map import zoomed_map
from attn_words import _
from pages.learned_heads.long_text import LongText, reach, reading, tiles_of
from pages.learned_heads.settings import ZOOM
from pages.learned_heads.state import Heads

KEY = "long-head"


def show(result: Heads | LongText) -> None:
    """Show it where its map is too long for the figure."""
    if isinstance(result, LongText):
        _heading(result.name(result.head))
        words = list(result.read.labels)
        with working() as tell:

            def read() -> Source:
                reach(result, lambda layer, at: tell(*reading(result, layer, at)))
                return tiles_of(result)

            zoomed_map(
                read,
                (result.text, result.layer, result.head, result.keep),
                sizes=level_sizes(result.n, result.n),
                keep=result.keep,
                meta=meta(words, words, palette=palette.here()),
                name=result.name(result.head),
                key=KEY,
                sight=(ZOOM, result.zoom),
            )
        return
    whole = result.whole
    layer, within = whole.model.at(result.head)
    weights = np.asarray(whole.layers[layer][within])
    if max(weights.shape) <= SHORT:
        return
    name = whole.model.name(result.head)
    _heading(name)
    may = None if whole.model.may is None else whole.model.may[layer]
    layer_name = whole.names[layer]
    labels = zip(whole.shown.tokens_of(layer_name), whole.shown.names(layer_name), strict=True)
    named = [None if tokens is None else names for tokens, names in labels]
    zoomed_map(
        lambda: Pyramid(weights, result.keep, may),
        (whole.maps, whole.words_only, result.head, result.keep),
        sizes=level_sizes(*weights.shape),
        keep=result.keep,
        meta=meta(*named, quantity=whole.model.quantity, palette=palette.here()),
        name=name,
        key=KEY,
        sight=(ZOOM, result.zoom),
    )


def _heading(head: str) -> None:
    st.markdown(_("**From the whole to single cells: {head}**", head=head))
