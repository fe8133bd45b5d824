"""A Streamlit script that shows nothing but the live figure."""

import streamlit as st

from attn_live.packing import pack
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.screen import state
from attn_ui.screen.live_figure import live_figure
from benchmarks.apps.maps import TEMPERATURES, figures

STEPS = Steps("t", float(TEMPERATURES[0]), tuple(TEMPERATURES), ".2f")
n_token, n_head = int(st.query_params.get("n", 16)), int(st.query_params.get("heads", 1))


@st.cache_data
def packed(n_token: int, n_head: int) -> bytes:
    """Pack all steps."""
    return pack(figures(n_token, n_head))


st.set_page_config(layout="wide")
state.sync([STEPS], entered="entered" not in st.session_state)
st.session_state.entered = True
live_figure(packed(n_token, n_head), key="maps", name="maps", slider=Slider("Temperature", STEPS))
