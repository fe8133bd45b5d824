"""The server around a Streamlit script: announced files, security headers, a warm start."""

import asyncio
import contextlib
import ctypes
import functools
import gc
import itertools
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from attn_ui.base import shared_cache
from attn_ui.host.assets import Asset, FrontEnd, plotly_js
from attn_ui.host.document import Assets
from attn_ui.host.faults import keep_logs_clean, show_fault
from attn_ui.host.hosting import Hosting, hosting
from attn_ui.host.limits import Limits
from attn_ui.host.public_address import own_host
from attn_ui.host.security import SecurityHeaders
from attn_ui.host.tiles import Tiles
from attn_ui.host.uploads import UploadLimits
from attn_ui.screen.slider_fragment import WholeFirst
from attn_ui.streamlit_inside import self_check

# Thresholds of the garbage collector. By Python's own (700, 10, 10) it looks through all objects 40 times a
# minute while a class works, for 60 ms each time.
GARBAGE = (20_000, 10, 3)
# Options of glibc's mallopt(3), by the numbers of malloc.h. By default glibc gives each thread a heap, and
# after a large block was freed it puts others as large into a heap, where a small neighbour pins them. The
# 2 MB of a step with 500 points still come from a heap: the system took two thirds of a run to give them.
HEAP = {
    -8: 2,  # M_ARENA_MAX: heaps
    -3: 1 << 22,  # M_MMAP_THRESHOLD: bytes from which on memory is the system's again as soon as it is freed
    -1: 1 << 24,  # M_TRIM_THRESHOLD: bytes that may be left free at the end of a heap
}
# Seconds between two trims of the heaps, which give back free pages between blocks in use; each takes 7 ms of
# a core.
TRIM_SECONDS = 2.0
# Trims between two collections of all garbage, which free ended sessions: these hold one another. By
# `GARBAGE` alone a class works for more than a minute until the next.
LOOK_THROUGH = 10


def parts(warm_up: Callable[[], None], beside: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Return the arguments of `st.App` besides the script.

    The call `app = st.App(...)` itself must be in the file that is started: `streamlit run` looks for it
    there, without running the file.

    Args:
        warm_up: called once, before the first visitor; what it imports and builds is never collected.
        beside: called once, in a thread beside the first visitors.
    """

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        keep_logs_clean()
        shared_cache.bound(settings.cache * 1_000_000)
        warm_up()
        if settings.model:  # else transformers, which is slow to import, waits until a model is read
            with contextlib.suppress(ModuleNotFoundError):  # the page says what to install
                import_module("transformers.modeling_utils")
        plotly.compress()
        front.prepare()
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        print_address()
        tasks = asyncio.create_task(tidy()), asyncio.create_task(asyncio.to_thread(beside))
        yield
        for task in tasks:
            task.cancel()

    settings, plotly = _read_settings()
    give_memory_back()
    if sys.version_info < (3, 12):
        functools.cached_property.__get__ = get_without_lock  # type: ignore[method-assign]  # a library class
    self_check.check()
    front = FrontEnd()
    return {
        "lifespan": lifespan,
        "on_script_error": show_fault,
        "middleware": [
            Middleware(SecurityHeaders, frame_ancestors=settings.frame_ancestors, metrics=settings.metrics),
            Middleware(WholeFirst),
            Middleware(Limits, sessions=settings.sessions, changes=settings.changes),
            Middleware(UploadLimits),
            Middleware(Tiles),
            Middleware(Assets, plotly=plotly, front=front),
        ],
    }


def get_without_lock(self: functools.cached_property[Any], instance: Any, owner: Any = None) -> Any:
    """Read a cached property as Python 3.12 does: before, all objects of a class shared one lock."""
    if instance is not None and self.attrname not in instance.__dict__:
        instance.__dict__[self.attrname] = self.func(instance)
    return self if instance is None else instance.__dict__[self.attrname]


def print_address() -> None:
    """Print the app's address; Streamlit's own message would fetch this machine's from the internet."""
    host, port = st.get_option("server.address"), st.get_option("server.port")
    path = st.get_option("server.baseUrlPath").strip("/")
    if "uvicorn" not in sys.argv[0]:  # it says so itself
        anywhere = not host or host in ("0.0.0.0", "::")
        for each in filter(None, ["localhost", own_host()] if anywhere else [host]):
            print(f"Attention lab: http://{each}:{port}/{path}", flush=True)


def give_memory_back() -> None:
    """Make glibc return freed memory to the system, unless the environment sets its heap."""
    if c := _glibc():
        for option, value in HEAP.items():
            c.mallopt(option, value)


async def tidy(every: float = TRIM_SECONDS) -> None:
    """At intervals, collect garbage and return free pages of glibc's heaps to the system, in a thread."""
    c = _glibc()
    for turn in itertools.count(1):
        await asyncio.sleep(every)
        if turn % LOOK_THROUGH == 0:
            await asyncio.to_thread(gc.collect)
        if c:
            await asyncio.to_thread(c.malloc_trim, 0)


def _glibc() -> Any | None:
    """Return the C library if it is glibc, and None if it is not or if the environment sets its heap."""
    if any(name.startswith("MALLOC_") for name in os.environ):
        return None
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another C library, or Windows
        c = ctypes.CDLL(None)
        if c.mallopt and c.malloc_trim:
            return c
    return None


def _read_settings() -> tuple[Hosting, Asset]:
    """Read what the host has set; a mistake stops the server with a sentence, not a traceback."""
    try:
        settings = hosting()
        return settings, plotly_js(settings.plotly_js)
    except ValueError as error:
        raise SystemExit(f"Attention lab cannot start: {error}.") from None
