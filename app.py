"""The server: `streamlit run app.py`, or `uvicorn app:app` behind a proxy."""

from pathlib import Path

import pandas  # noqa: F401  (imported here so that the first visitor does not wait for it)
import streamlit as st
import torch

import attn_core  # noqa: F401  (the same)
from attn_ui.host.server import parts


def warm_up() -> None:
    """Take one thread a request: a classroom sends many small ones."""
    torch.set_num_threads(1)


app = st.App(Path(__file__).resolve().parent / "attn_ui" / "router.py", **parts(warm_up))
