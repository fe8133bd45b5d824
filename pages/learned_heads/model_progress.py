"""In place of a real model that is not read yet: its progress, or how to install it."""

import streamlit as st

from attn_words import _
from pages.learned_heads.model_shelf import ModelStatus, model_status
from pages.learned_heads.words import INSTALL, how_to_come_by

_BEAT = 0.3  # seconds between two looks at a model that is being read


def show(result: ModelStatus) -> None:
    """Show the progress, or why there is no model."""
    if not result.is_over:
        _progress()
    elif INSTALL in result.fault:
        st.info(how_to_come_by(result.fault), icon=":material/download:")
    else:
        st.warning(how_to_come_by(result.fault), icon=":material/error:")


@st.fragment(run_every=_BEAT)
def _progress() -> None:
    """Show how far the reading is; the page runs again once it is over."""
    result = model_status()
    st.progress(result.share, _("The model is being read, once for everybody."))
    if result.is_over:
        st.rerun()
