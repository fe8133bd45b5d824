"""The tab "Data": every weight on screen, to read and to take away."""

from collections.abc import Sequence

import streamlit as st

from attn_figures.numbers import number
from attn_ui.download import csv_of, offer_csv
from attn_ui.tables import ROUNDED, numbers_table
from pages.applications.state import State
from pages.applications.view import View


def columns(view: View, now: State) -> dict[str, Sequence[object]]:
    """Return the table by its titles, a row for each map, query and key."""
    titles = ("map", "query", "key", "may attend", "weight")
    rows = [
        (head.name, query, key, head.mask is None or bool(head.mask[i, j]), weight)
        for head in view.heads(now)
        for i, (query, row) in enumerate(zip(head.queries, head.attention.weights.tolist(), strict=True))
        for j, (key, weight) in enumerate(zip(head.keys, row, strict=True))
    ]
    return dict(zip(titles, zip(*rows, strict=True), strict=True))


def show(view: View, now: State) -> None:
    """Show the table, and offer it."""
    table = columns(view, now)
    st.dataframe(numbers_table(table, number), hide_index=True, height=320, key="table-use")
    st.caption(ROUNDED)
    offer_csv(
        "Download as CSV",
        "weights.csv",
        lambda: csv_of([*table], zip(*table.values(), strict=True)),
        key="download-use",
        type="tertiary",
    )
