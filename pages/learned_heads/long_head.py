"""A map too long for the figure, zoomed from the whole down to single cells."""

import numpy as np
import streamlit as st

from attn_figures.long_map import SHORT, meta
from attn_live.pyramid import Pyramid, level_sizes
from attn_ui.base.link_options import PALETTE
from attn_ui.host.tiles import Source
from attn_ui.screen import palette_and_decimals
from attn_ui.screen.progress import working
from attn_ui.screen.zoomed_map import zoomed_map
from attn_words import _
from pages.learned_heads.long_text import LongText, layer_inputs, reading, tiles_of
from pages.learned_heads.settings import ZOOM
from pages.learned_heads.state import Heads

KEY = "long-head"


def show(result: Heads | LongText) -> None:
    """Show the zoomed map of the chosen head, if it is too long for the figure."""
    if isinstance(result, LongText):
        _show_heading(result.name(result.head))
        words = list(result.encoding.labels)
        with working() as tell:

            def read_layer() -> Source:
                layer_inputs(result, lambda layer, at: tell(*reading(result, layer, at)))
                return tiles_of(result)

            zoomed_map(
                read_layer,
                (result.text, result.layer, result.head, result.keep),
                sizes=level_sizes(result.n, result.n),
                keep=result.keep,
                meta=meta(words, words, palette=palette_and_decimals.current_look(PALETTE)),
                name=result.name(result.head),
                key=KEY,
                sight=(ZOOM, result.zoom),
            )
        return
    ranked = result.ranked
    layer, within = ranked.model.at(result.head)
    weights = np.asarray(ranked.layers[layer][within])
    if max(weights.shape) <= SHORT:
        return
    name = ranked.model.name(result.head)
    _show_heading(name)
    mask = None if ranked.model.may is None else ranked.model.may[layer]
    layer_name = ranked.names[layer]
    labels = zip(ranked.displayed.tokens_of(layer_name), ranked.displayed.names(layer_name), strict=True)
    axes = [None if tokens is None else names for tokens, names in labels]
    zoomed_map(
        lambda: Pyramid(weights, result.keep, mask),
        (ranked.maps, ranked.words_only, result.head, result.keep),
        sizes=level_sizes(*weights.shape),
        keep=result.keep,
        meta=meta(*axes, quantity=ranked.model.quantity, palette=palette_and_decimals.current_look(PALETTE)),
        name=name,
        key=KEY,
        sight=(ZOOM, result.zoom),
    )


def _show_heading(head: str) -> None:
    st.markdown(_("**From the whole to single cells: {head}**", head=head))
