"""Checks once, when the server starts, that everything undocumented that we use is there."""

import logging

import streamlit as st

from attn_ui.streamlit_inside import front_end, markup, messages, routes, run, uploaded
from attn_ui.streamlit_inside.feature import Feature

FEATURES: tuple[Feature, ...] = (
    run.FEATURE,
    run.ADDRESS,
    messages.FEATURE,
    uploaded.FEATURE,
    routes.STREAM,
    front_end.HTML,
    front_end.SERVER,
    markup.FEATURE,
)
_LOG = logging.getLogger(__name__)


def describe_missing() -> str:
    """Return which features are off, and how the app is without them; "" where none is."""
    lines = [f"{each.name} ({each.missing}): {each.without}" for each in FEATURES if not each.on]
    return f"Off with Streamlit {st.__version__}: {'; '.join(lines)}." if lines else ""


def check() -> None:
    """Log one line where a feature is off."""
    if message := describe_missing():
        _LOG.warning(message)
