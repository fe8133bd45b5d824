"""The server around a Streamlit script: Plotly's own file on a route, security headers, a warm start."""

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from attn_ui.live_figure import PLOTLY_ROUTE
from attn_ui.security import SecurityHeaders


def parts(warm_up: Callable[[], None]) -> dict[str, Any]:
    """Return what `st.App` takes besides the script.

    The call `app = st.App(...)` itself must stand in the file that is started: `streamlit run` looks for
    it there, without running the file.

    Args:
        warm_up: called once, before the first visitor; what it imports and builds is never collected.
    """

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        warm_up()
        gc.collect()
        gc.freeze()
        yield

    plotly_js = StaticFiles(directory=str(files("plotly") / "package_data"))
    return {
        "lifespan": lifespan,
        "routes": [Mount(PLOTLY_ROUTE, plotly_js)],
        "middleware": [Middleware(SecurityHeaders)],
    }
