"""Whether all that is used and not documented is there: one look, when the server starts."""

import logging

import streamlit as st

from attn_ui.streamlit_inside import front_end, markup, messages, routes, run, uploaded
from attn_ui.streamlit_inside.part import Part

PARTS: tuple[Part, ...] = (
    run.PART,
    run.ADDRESS,
    messages.PART,
    uploaded.PART,
    routes.STREAM,
    front_end.HTML,
    front_end.SERVER,
    markup.PART,
)
_LOG = logging.getLogger(__name__)


def describe_missing() -> str:
    """Say which parts are off, and how the app is without them; "" where all is there."""
    lines = [f"{part.name} ({part.missing}): {part.without}" for part in PARTS if not part.on]
    return f"Off with Streamlit {st.__version__}: {'; '.join(lines)}." if lines else ""


def check() -> None:
    """Write one line into the log where something is off."""
    if message := describe_missing():
        _LOG.warning(message)
