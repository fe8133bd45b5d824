"""The server around a Streamlit script: Plotly's own file on a route, security headers, a warm start."""

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from attn_ui.live_figure import PLOTLY_ROUTE
from attn_ui.security import SecurityHeaders


def serve(script: Path, warm_up: Callable[[], None]) -> st.App:
    """Return the ASGI application that runs `script`.

    Args:
        script: what Streamlit runs for every visitor.
        warm_up: called once, before the first visitor; what it imports and builds is never collected.
    """

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        warm_up()
        gc.collect()
        gc.freeze()
        yield

    plotly_js = StaticFiles(directory=str(files("plotly") / "package_data"))
    return st.App(
        script,
        lifespan=lifespan,
        routes=[Mount(PLOTLY_ROUTE, plotly_js)],
        middleware=[Middleware(SecurityHeaders)],
    )
