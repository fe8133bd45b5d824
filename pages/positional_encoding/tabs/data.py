"""The vectors of the words, and what the scheme adds to each, as tables to download."""

import streamlit as st

from attn_ui.base.page import Columns
from attn_ui.screen.download import csv_of, offer_csv
from attn_words import N_, _
from pages.positional_encoding.compute import Result
from pages.positional_encoding.tables import scaled, translated_tables

_ADDED = {
    "bias": N_("The bias of each pair in head {head}, at strength 1, {shape}:"),
    "rotation": N_("The turned vectors, at strength 1, {shape}:"),
}
_VECTORS = N_("The vectors of their positions, at strength 1, {shape}:")


def show(result: Result) -> None:
    """Show both tables; of a rotary scaling its own first."""
    if result.state.is_scaled:
        pairs, scores = (
            {_(title): column for title, column in columns.items()} for columns in scaled(result).values()
        )
        st.markdown(_("How the pairs of the rotary head turn, {shape}:", shape=_shape(pairs)))
        _table("pairs", pairs)
        st.markdown(_("The score at each offset that is drawn, {shape}:", shape=_shape(scores)))
        _table("scores", scores)
    words, positions = translated_tables(result)
    st.markdown(_("The vectors of the words, {shape}:", shape=_shape(words)))
    _table("words", words)
    what = _ADDED.get(result.scheme().adds, _VECTORS)
    st.markdown(_(what, head=result.state.head, shape=_shape(positions)))
    _table("positions", positions)


def _shape(columns: Columns) -> str:
    return f"{len(next(iter(columns.values())))} × {len(columns) - 1}"


def _table(name: str, columns: Columns) -> None:
    st.dataframe(dict(columns), hide_index=True, key=f"table-{name}")
    offer_csv(
        _("Download as CSV"),
        f"{name}.csv",
        lambda: csv_of([*columns], zip(*columns.values(), strict=True)),
        key=f"download-{name}",
        type="tertiary",
    )
