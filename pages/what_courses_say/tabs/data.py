"""The tab "Data": mean and spread of every curve."""

import streamlit as st

from attn_figures.numbers import number
from attn_ui.screen.download import csv_of, offer_csv
from attn_ui.screen.tables import ROUNDED, numbers_table
from attn_words import _
from pages.what_courses_say.compute import State
from pages.what_courses_say.tables import columns


def show(state: State) -> None:
    """Show the table, with a button to download it."""
    table = columns(state)
    columns_here = {
        _(title): [_(cell) if isinstance(cell, str) else cell for cell in table[title]] for title in table
    }
    st.dataframe(numbers_table(columns_here, number), hide_index=True, key="table-claim")
    st.caption(_(ROUNDED))
    offer_csv(_("Download as CSV"), "claim.csv", lambda: csv_of(table), key="download-claim", type="tertiary")
