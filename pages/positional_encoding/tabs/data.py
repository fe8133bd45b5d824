"""The vectors of the words, and what the scheme adds to each, as tables to download."""

import streamlit as st

from attn_ui.base.page import Columns
from attn_ui.screen.download import csv_of, offer_csv
from pages.positional_encoding.compute import Now
from pages.positional_encoding.tables import tables

_ADDED = {"bias": "The bias of each pair in head {head}", "rotation": "The turned vectors"}


def show(now: Now) -> None:
    """Show both tables."""
    words, positions = tables(now).values()
    st.markdown(f"The vectors of the words, {_shape(words)}:")
    _table("words", words)
    what = _ADDED.get(now.scheme().adds, "The vectors of their positions").format(head=now.state.head)
    st.markdown(f"{what}, at strength 1, {_shape(positions)}:")
    _table("positions", positions)


def _shape(columns: Columns) -> str:
    return f"{len(columns['word'])} × {len(columns) - 1}"


def _table(name: str, columns: Columns) -> None:
    st.dataframe(dict(columns), hide_index=True, key=f"table-{name}")
    offer_csv(
        "Download as CSV",
        f"{name}.csv",
        lambda: csv_of([*columns], zip(*columns.values(), strict=True)),
        key=f"download-{name}",
        type="tertiary",
    )
