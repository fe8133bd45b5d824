"""The upload of a file with the heads of a visitor's own model; the session alone keeps its maps."""

import streamlit as st

from attn_core import read_attention
from attn_ui.base.bounds import MAX_MAPS_BYTES
from attn_ui.base.markdown import capital, plain
from attn_words import _, paragraph
from pages.learned_heads.controls import OWN_MAPS
from programs.writing import script

_FILE, _FAULT = "own-maps", "learned_own_fault"


def show(_nothing: None) -> None:
    """Show the upload of a file, and how to make one."""
    most = MAX_MAPS_BYTES // 1_000_000
    st.file_uploader(
        _("Attention weights (.npz, .safetensors or .npy, at most {most} MB)", most=most),
        type=["npz", "safetensors", "npy"],
        key=_FILE,
        on_change=_take,
        max_upload_size=most,
        help=paragraph(
            _("(layers, heads, queries, keys), or Q and K, and tokens if you like."),
            _("Read in memory, for this session alone; nothing is stored."),
        ),
    )
    if st.session_state.get(_FAULT):
        stays = _("The picture stays as it was.") if OWN_MAPS in st.session_state else ""
        st.warning(paragraph(plain(st.session_state[_FAULT]), stays), icon=":material/error:")
    if OWN_MAPS not in st.session_state:
        st.markdown(_("`capture` of `attn_core` takes the heads of any PyTorch model while it runs:"))
        st.code(script("capture_heads"), language="python")


def _take() -> None:
    """Read the uploaded file; if it cannot be read, store why and keep the previous maps."""
    uploaded = st.session_state.get(_FILE)
    if uploaded is None:
        return
    try:
        maps = read_attention(uploaded.name, uploaded.getvalue())
    except ValueError as error:
        st.session_state[_FAULT] = _("{fault}.", fault=capital(str(error)))
        return
    st.session_state[OWN_MAPS] = maps
    st.session_state.pop(_FAULT, None)
