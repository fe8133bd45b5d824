"""The product's server around a page that fails."""

from pathlib import Path

import streamlit as st

from attn_ui.host.server import parts

app = st.App(Path(__file__).resolve().parent / "fault_script.py", **parts(lambda: None))
