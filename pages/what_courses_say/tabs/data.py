"""The tab "Data": mean and spread of every curve."""

from collections.abc import Sequence

import streamlit as st

from attn_figures.numbers import number
from attn_ui.download import csv_of, offer_csv
from attn_ui.tables import ROUNDED, numbers_table
from pages.what_courses_say.numbers import Now


def columns(now: Now) -> dict[str, Sequence[object]]:
    """Return the table by its titles: measure, curve, x, the mean and, where there is one, the spread."""
    study = now.study
    titles = ("measure", "curve", study.over, "mean", "standard deviation")
    rows = [
        (measure, curve, float(x), float(here.mean()), float(here.std()) if len(here) > 1 else 0.0)
        for measure, curves in study.measures.items()
        for curve, found in curves.items()
        for x, here in zip(study.x, found.unbind(dim=1), strict=True)
    ]
    return dict(zip(titles, zip(*rows, strict=True), strict=True))


def show(now: Now) -> None:
    """Show the table, and offer it."""
    table = columns(now)
    st.dataframe(numbers_table(table, number), hide_index=True, key="table-claim")
    st.caption(ROUNDED)
    offer_csv(
        "Download as CSV",
        "claim.csv",
        lambda: csv_of([*table], zip(*table.values(), strict=True)),
        key="download-claim",
        type="tertiary",
    )
