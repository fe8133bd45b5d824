"""A control in which words are dragged into another order."""

from collections.abc import Sequence

import streamlit as st

from attn_ui.base.parameters import Table
from attn_ui.screen import state
from attn_ui.screen.own_controls import component

_KEY = "word-order"


def word_order(setting: Table, words: Sequence[str], order: Sequence[int], about: str) -> None:
    """Offer words to drag, or to move by keys, into another order; a setting keeps the order.

    Args:
        setting: holds the order, as one row of indices.
        words: in their first order; order: the index, counted from 0, of the word at each place.
        about: the label, for screen readers.
    """

    def on_move() -> None:
        value = (st.session_state.get(_KEY) or {}).get("order") or {}
        new_order = value.get("order") if isinstance(value, dict) else None
        if isinstance(new_order, list) and sorted(map(str, new_order)) == sorted(map(str, range(len(words)))):
            state.write_setting(setting, setting.text([[float(place) for place in new_order]]))

    component("word_order")(
        key=_KEY, data={"words": list(words), "order": list(order), "about": about}, on_order_change=on_move
    )
