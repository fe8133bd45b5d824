"""The control of the shuffle test: the words, to be dragged into another order."""

import streamlit as st

from attn_ui.screen.word_order import word_order
from attn_words import _
from pages.positional_encoding.own_order import own_order
from pages.positional_encoding.settings import PLACES
from pages.positional_encoding.state import State


def show(state: State) -> None:
    """Show the words to drag."""
    st.caption(_("Drag a word, or choose it and press arrow keys."))
    order, _note = own_order(state.places, len(state.tokens))
    word_order(PLACES, state.labels, order, _("The new order of the words"))
