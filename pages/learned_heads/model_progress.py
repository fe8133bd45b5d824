"""What is shown until a real model is read: the progress of reading, or how to install the model."""

import streamlit as st

from attn_words import _
from pages.learned_heads.model_shelf import ModelStatus, model_status
from pages.learned_heads.words import INSTALL, how_to_come_by

_BEAT = 0.3  # seconds between two updates of the progress


def show(result: ModelStatus) -> None:
    """Show the progress of reading, or why there is no model."""
    if not result.is_over:
        _show_progress()
    elif INSTALL in result.fault:
        st.info(how_to_come_by(result.fault), icon=":material/download:")
    else:
        st.warning(how_to_come_by(result.fault), icon=":material/error:")


@st.fragment(run_every=_BEAT)
def _show_progress() -> None:
    """Show how far the reading is; the page runs again once it is over."""
    result = model_status()
    st.progress(result.share, _("The model is being read, once for everybody."))
    if result.is_over:
        st.rerun()
