"""A file with the heads of one's own model; what it holds is kept for the session alone."""

import streamlit as st

from attn_core import read_attention
from attn_ui.base.bounds import MAX_MAPS_BYTES
from attn_ui.base.markdown import plain
from pages.learned_heads.asks import OWN_MAPS
from pages.learned_heads.whole_snippet import CAPTURE
from pages.learned_heads.words import capital

_FILE, _FAULT = "own-maps", "learned_own_fault"


def show(_: None) -> None:
    """Ask for a file, and say how to make one."""
    st.file_uploader(
        f"Attention weights (.npz, .safetensors or .npy, at most {MAX_MAPS_BYTES // 1_000_000} MB)",
        type=["npz", "safetensors", "npy"],
        key=_FILE,
        on_change=_take,
        max_upload_size=MAX_MAPS_BYTES // 1_000_000,
        help="(layers, heads, queries, keys), or Q and K, and tokens if you like. Read in memory, for this "
        "session alone; nothing is stored.",
    )
    if st.session_state.get(_FAULT):
        stays = " What was there stays." if OWN_MAPS in st.session_state else ""
        st.warning(plain(st.session_state[_FAULT]) + stays, icon=":material/error:")
    if OWN_MAPS not in st.session_state:
        st.markdown(
            "`capture` of `attn_core` takes the heads of any PyTorch model while it runs, and writes such a "
            "file:"
        )
        st.code(CAPTURE, language="python")


def _take() -> None:
    """Read what was uploaded; where it cannot be, say why and keep what was there."""
    uploaded = st.session_state.get(_FILE)
    if uploaded is None:
        return
    try:
        maps = read_attention(uploaded.name, uploaded.getvalue())
    except ValueError as error:
        st.session_state[_FAULT] = f"{capital(str(error))}."
        return
    st.session_state[OWN_MAPS] = maps
    st.session_state.pop(_FAULT, None)
