"""The product's server, on which each run stands in line for a second before it has its turn."""

import time
from pathlib import Path
from types import TracebackType

import streamlit as st

from attn_ui.host import turns
from attn_ui.host.server import parts

SECONDS = 1.0  # in which somebody presses once more


class _Line:
    """A line in which all wait, none for another."""

    def __enter__(self) -> None:
        time.sleep(SECONDS)  # what a full class makes a run wait

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let all go on."""


turns.TURNS = _Line()  # type: ignore[assignment]  # as much of a line as a run asks for
app = st.App(Path(turns.__file__).parents[1] / "router.py", **parts(lambda: None))
