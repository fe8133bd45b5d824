"""A sentence to type: what cannot be drawn is said beside the field, and nothing typed is lost."""

from collections.abc import Callable, Sequence

import streamlit as st

from attn_ui import controls, state
from attn_ui.markdown import plain
from attn_ui.parameters import Text


def ask_sentence(setting: Text, label: str, *, tokenize: Callable[[str], Sequence[str]], most: int) -> str:
    """Ask for a sentence; while it has no token, return the last one that had.

    Args:
        setting: whose text it is.
        label: what stands above the field.
        tokenize: what makes tokens of a sentence.
        most: how many tokens are drawn.
    """
    text = controls.line(setting, label)
    count = len(tokenize(text))
    kept = f"_sentence_{setting.name}"
    if not count:
        last: str = st.session_state.get(kept, setting.default)
        state.call(setting.name, label, last)
        st.caption(f":material/edit: No word here yet. The picture still shows “{plain(last)}”.")
        return last
    st.session_state[kept] = text
    if count > most:
        st.caption(f":material/content_cut: {count} tokens. The first {most} are drawn.")
    return text
