"""The tab "Code" of a file: programs that write such a file, and that read it."""

import streamlit as st

from attn_words import _
from pages.learned_heads.state import Heads
from programs.writing import script


def show(_heads: Heads) -> None:
    """Show both programs."""
    st.markdown(_("`capture` of `attn_core` takes the heads of any PyTorch model while it runs:"))
    st.code(script("capture_heads"), language="python")
    st.markdown(_("These lines read the file with `attn_core` and measure its heads:"))
    st.code(script("read_heads"), language="python")
