"""The mistakes with vectors, shown under "Break it"."""

import streamlit as st

from attn_ui.base.parameters import shown
from attn_ui.screen.live_figure import live_figure
from attn_words import _
from pages.kernel_regression.break_plane import FIXES, Asked, picture, said
from pages.kernel_regression.settings import KERNEL_SLIP


def show(asked: Asked, name: str) -> None:
    """Make the mistake, say what it changes and why, and give the lines that mend it."""
    live_figure(
        [picture(asked, name)],
        key="broken-plane",
        alt=_(
            "Kernel and estimate on the plane, with the mistake and right: {name}",
            name=shown(KERNEL_SLIP, name),
        ),
        name=f"mistake {name}",
    )
    for sentence in said(asked, name):
        st.markdown(sentence)
    st.code(FIXES[name], language="python")
