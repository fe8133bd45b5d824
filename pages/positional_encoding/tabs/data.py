"""The vectors of the words, and what the scheme adds to each, as tables to download."""

import streamlit as st

from attn_ui.screen.download import csv_of, offer_csv
from pages.positional_encoding.compute import Now
from pages.positional_encoding.tables import Numbers, tables


def show(now: Now) -> None:
    """Show both tables."""
    for name, numbers in tables(now).items():
        st.markdown(numbers.what)
        _table(name, now.state.labels, numbers)


def _table(name: str, rows: list[str], numbers: Numbers) -> None:
    columns, values = numbers.columns, numbers.values
    st.dataframe(
        {"word": rows} | {column: values[:, i] for i, column in enumerate(columns)},
        hide_index=True,
        key=f"table-{name}",
    )
    offer_csv(
        "Download as CSV",
        f"{name}.csv",
        lambda: csv_of(["word", *columns], zip(rows, *values.T.tolist(), strict=True)),
        key=f"download-{name}",
        type="tertiary",
    )
