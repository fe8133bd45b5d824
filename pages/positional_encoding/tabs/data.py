"""The tab Data: the words' vectors and the scheme's part as tables to download."""

import streamlit as st

from attn_ui.base.page import Columns
from attn_ui.screen.download import csv_of, offer_csv
from attn_words import _
from pages.positional_encoding.compute import Result
from pages.positional_encoding.tables import scaled, translated_tables


def show(result: Result) -> None:
    """Show both tables, after the tables of a rotary scaling if one is shown."""
    if result.state.is_scaled:
        pairs, scores = (
            {_(title): column for title, column in columns.items()} for columns in scaled(result).values()
        )
        st.markdown(_title(_("pair"), pairs))
        _show_table("pairs", pairs)
        st.markdown(_title(_("score"), scores))
        _show_table("scores", scores)
    words, positions = translated_tables(result)
    st.markdown(_title(_("words"), words))
    _show_table("words", words)
    what = {"bias": _("bias of head {number}", number=result.state.head), "rotation": _("turned")}
    title = _("{table}, at strength 1", table=what.get(result.scheme().adds, _("positions")))
    st.markdown(_title(title, positions))
    _show_table("positions", positions)


def _title(title: str, columns: Columns) -> str:
    return f"**{title}** {len(next(iter(columns.values())))} × {len(columns) - 1}"


def _show_table(name: str, columns: Columns) -> None:
    st.dataframe(dict(columns), hide_index=True, key=f"table-{name}")
    offer_csv(
        _("Download as CSV"), f"{name}.csv", lambda: csv_of(columns), key=f"download-{name}", type="tertiary"
    )
