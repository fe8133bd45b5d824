"""A Streamlit script that shows nothing but the live figure."""

import streamlit as st

from attn_figures.scene import Scene
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.screen import state
from attn_ui.screen.live_figure import live_figure
from benchmarks.apps.maps import TEMPERATURES, figures

STEPS = Steps("t", float(TEMPERATURES[0]), tuple(TEMPERATURES), ".2f")
n_token, n_head = int(st.query_params.get("n", 16)), int(st.query_params.get("heads", 1))


@shared_scene
def scene(n_token: int, n_head: int) -> Scene:
    """Draw all steps."""
    return Scene(figures(n_token, n_head))


st.set_page_config(layout="wide")
state.sync([STEPS], entered="entered" not in st.session_state)
st.session_state.entered = True
live_figure(scene(n_token, n_head), key="maps", name="maps", slider=Slider("Temperature", STEPS))
