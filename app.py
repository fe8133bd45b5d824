"""The server: `streamlit run app.py`, or `uvicorn app:app` behind a proxy."""

from pathlib import Path

import pandas  # noqa: F401  (imported here so that the first visitor does not wait for it)
import streamlit as st
import torch

from attn_ui.host.run_queue import RUNS
from attn_ui.host.server import parts
from attn_ui.lessons.shelf import shelf
from attn_ui.screen import run_page  # noqa: F401  (nor for what runs pages, which only their scripts import)
from pages import PAGES


def warm_up() -> None:
    """Take one thread a request, as a classroom sends many small ones; and import every page."""
    torch.set_num_threads(1)
    for address in PAGES:
        PAGES[address]


def draw_first() -> None:
    """Read the lessons and draw what pages open with: whoever comes first would wait for it otherwise."""
    with RUNS:  # in line with the visitors, who are held up by no more than one page
        shelf()
    for page in PAGES.values():
        with RUNS:
            getattr(page.at("").view.figure, "steps", None)  # a scene is packed when somebody asks for it


app = st.App(Path(__file__).resolve().parent / "attn_ui" / "router.py", **parts(warm_up, draw_first))
