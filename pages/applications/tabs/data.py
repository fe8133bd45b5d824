"""The tab "Data": every weight on screen, to read and to download."""

import streamlit as st

from attn_figures.numbers import number
from attn_ui.screen.download import csv_of, offer_csv
from attn_ui.screen.tables import ROUNDED, numbers_table
from attn_words import _
from pages.applications.photo import PhotoRows
from pages.applications.state import State
from pages.applications.tables import columns


def show(state: State | PhotoRows) -> None:
    """Show the table, with a button to download it."""
    table = columns(state)
    columns_here = {_(title): column for title, column in table.items()}
    st.dataframe(numbers_table(columns_here, number), hide_index=True, height=320, key="table-use")
    st.caption(_(ROUNDED))
    offer_csv(_("Download as CSV"), "weights.csv", lambda: csv_of(table), key="download-use", type="tertiary")
