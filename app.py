"""The server: `streamlit run app.py`, or `uvicorn app:app` behind a proxy."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

import streamlit as st
import torch
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

import attn_core  # noqa: F401  (imported here so that the first visitor does not wait for it)
from attn_ui.live_figure import PLOTLY_ROUTE
from attn_ui.security import SecurityHeaders

HERE = Path(__file__).resolve().parent


@asynccontextmanager
async def warm_up(_: st.App) -> AsyncIterator[None]:
    """Make the first visit as fast as the next: one thread a request, and nothing old to collect."""
    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    yield


app = st.App(
    HERE / "attn_ui" / "router.py",
    lifespan=warm_up,
    routes=[Mount(PLOTLY_ROUTE, StaticFiles(directory=str(files("plotly") / "package_data")))],
    middleware=[Middleware(SecurityHeaders)],
)
