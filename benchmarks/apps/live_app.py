"""This product's live figure alone on a page: `?n=64&heads=8`."""

from pathlib import Path

import streamlit as st

from attn_ui.host.server import parts

app = st.App(Path(__file__).resolve().parent / "live_script.py", **parts(lambda: None))
