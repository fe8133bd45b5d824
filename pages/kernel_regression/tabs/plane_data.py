"""The Data tab of two inputs: the points, and what each weighs for the query chosen."""

import streamlit as st

from attn_figures.numbers import number
from attn_ui.screen.download import csv_of, offer_csv
from attn_ui.screen.tables import numbers_table
from attn_words import _
from pages.kernel_regression.compute import Selection
from pages.kernel_regression.tables import columns


def show(selection: Selection) -> None:
    """Show the table, and offer it as a file."""
    count = len(selection.keys)
    st.markdown(
        _(
            "**{count} points**: X is {count} × 2, y has {count} values. Weights are those of the query at "
            "{query}, h = {h}. This data set is drawn from its seed and cannot be edited.",
            count=count,
            query=selection.query_name,
            h=selection.width,
        )
    )
    table = {_(title): column for title, column in columns(selection).items()}
    st.dataframe(numbers_table(table, number), key="plane_points", height=300)
    offer_csv(
        _("Download these points as CSV"),
        "attention-lab-two-inputs.csv",
        lambda: csv_of(list(table), zip(*table.values(), strict=True)),
        icon=":material/download:",
    )
