"""The product's server, on which a run stands in line as long as a test holds the file that it names."""

import fcntl
import os
from pathlib import Path
from typing import Self

import streamlit as st

from attn_ui.host import run_queue
from attn_ui.host.server import parts


class _Held(run_queue.RunQueue):
    """A line that a test may hold."""

    def __enter__(self) -> Self:
        """Wait until nobody holds the file, and for the turn."""
        with Path(os.environ["HELD"]).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH)
        return super().__enter__()


run_queue.RUNS = _Held()
app = st.App(Path(run_queue.__file__).parents[1] / "router.py", **parts(lambda: None))
