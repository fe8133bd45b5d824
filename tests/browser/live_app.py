"""The server of the live figure's own tests: the product's server around a small script."""

from pathlib import Path

import streamlit as st

from attn_ui.host.server import parts

app = st.App(Path(__file__).resolve().parent / "live_script.py", **parts(lambda: None))
