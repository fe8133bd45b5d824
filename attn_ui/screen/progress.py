"""Progress of a long computation while somebody waits."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from attn_ui.base.controls import Progress

QUICK = 0.3  # seconds within which nobody needs to be told


@contextmanager
def working() -> Iterator[Progress]:
    """Reserve a place in which progress is shown until the block is left.

    Streamlit stops a run where it writes: so a visitor who leaves ends it at the next report.
    """
    place, began = st.empty(), time.monotonic()

    def tell(share: float, doing: str) -> None:
        if time.monotonic() - began >= QUICK:
            place.progress(share, doing)

    try:
        yield tell
    finally:
        place.empty()
