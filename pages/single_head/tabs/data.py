"""The tab Data: the numbers to read, to type, to paste and to download."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_figures.matrix import Numbers
from attn_figures.numbers import fixed_point
from attn_ui.base.hand_weights import is_by_hand
from attn_ui.base.shared_settings import TABLE_K, TABLE_Q, TABLE_V
from attn_ui.screen import weights_tab
from attn_ui.screen.download import csv_of, offer_csv
from attn_ui.screen.streamlit_controls import CONTROLS
from attn_ui.screen.typed_tables import Typed, paste, type_over
from attn_words import _
from pages.single_head.compute import Result
from pages.single_head.head import typed_vectors, weights
from pages.single_head.settings import QKV, TABLE_X, TABLE_Y, VECTORS
from pages.single_head.state import tokens_of
from pages.single_head.tables import tables


def show(result: Result) -> None:
    """Show all numbers to read and download, and to edit if they are typed."""
    tables_typed = _typed_tables(result)
    if tables_typed:
        type_over(tables_typed)
        for table in tables_typed:
            paste(table)
    if result.head.projections is not None:
        weights_tab.show(
            weights(result.head),
            _weights(result),
            result.inputs.weights,
            by_hand=is_by_hand(CONTROLS),
            write=partial(fixed_point, decimals=6),
        )
    pairs, *more = tables(result).values()
    st.dataframe(pd.DataFrame(pairs).rename(columns=_), hide_index=True, height=320)
    first, second = st.columns(2)
    with first:
        offer_csv(_("Download as CSV"), "single-head-attention.csv", lambda: csv_of(pairs))
    second.caption(_("One row for each query and key. A masked pair has no scaled score and weight 0."))
    for each in more:
        st.dataframe(pd.DataFrame(each).rename(columns=_), hide_index=True)


def _weights(result: Result) -> dict[str, Numbers]:
    """Return the weights in the layout of X W, and the biases as rows."""
    matrices = result.matrices
    sides = (
        [*zip("qkv", matrices.projections or (), strict=False)],
        [*zip("qkv", matrices.biases or (), strict=False)],
    )
    return {
        f"{kind}_{letter}": np.asarray(each)
        for kind, side in zip("Wb", sides, strict=True)
        for letter, each in side
    }


def _typed_tables(result: Result) -> list[Typed]:
    """Return the tables that can be typed at the present settings."""
    inputs = result.inputs
    if inputs.is_own and CONTROLS.peek(QKV) == "typed":
        titles = ((TABLE_Q, _("Queries Q")), (TABLE_K, _("Keys K")), (TABLE_V, _("Values V")))
        return [Typed(setting, title, setting.rows(CONTROLS.text(setting))) for setting, title in titles]
    if not inputs.is_own or CONTROLS.peek(VECTORS) != "typed":
        return []
    sentences = [(TABLE_X, _("Vectors X"), inputs.text, inputs.x)]
    if inputs.second_text is not None:
        sentences.append((TABLE_Y, _("Vectors Y of the second sentence"), inputs.second_text, inputs.y))
    return [
        Typed(
            setting,
            title,
            typed_vectors(tokens_of(text), rows, inputs.width, inputs.seed).tolist(),
            tokens_of(text),
        )
        for setting, title, text, rows in sentences
    ]
