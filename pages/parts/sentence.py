"""A sentence to type: what cannot be drawn is said beside the field, and nothing typed is lost."""

import streamlit as st

import attn_core
from attn_core.limits import MAX_TOKENS
from attn_ui import controls
from attn_ui.frame import plain
from attn_ui.parameters import Text


def ask_sentence(setting: Text, label: str) -> str:
    """Ask for a sentence; while it has no token, return the last one that had."""
    text = controls.line(setting, label)
    count = len(attn_core.tokenize(text))
    kept = f"_sentence_{setting.name}"
    if not count:
        last: str = st.session_state.get(kept, setting.default)
        st.caption(f":material/edit: No word here yet. The picture still shows “{plain(last)}”.")
        return last
    st.session_state[kept] = text
    if count > MAX_TOKENS:
        st.caption(f":material/content_cut: {count} tokens. The first {MAX_TOKENS} are drawn.")
    return text
