"""The tab "Data": the input, one head and the output, as tables to read and download."""

from functools import partial

import streamlit as st

from attn_core import weights_of
from attn_figures.numbers import fixed_point
from attn_ui.base.hand_weights import is_by_hand
from attn_ui.base.page import Columns
from attn_ui.screen import weights_tab
from attn_ui.screen.streamlit_controls import CONTROLS
from attn_ui.screen.tables import numbers_table
from attn_words import _
from pages.multi_head.compute import Result, array, hand_rows, sizes_of
from pages.multi_head.tables import tables
from pages.multi_head.weights import columns, weights

WRITE = partial(fixed_point, decimals=6)


def show(result: Result) -> None:
    """Show the input vectors, the weights, one head and the output, as tables."""
    head, all_tables = result.look.head, tables(result)
    st.markdown(_("**What goes in**: one row a token, with the vector of its place where positions add one"))
    _show_table(all_tables["goes in"])
    if not result.is_self_attention:
        st.markdown(_("**What is attended to**"))
        _show_table(all_tables["attended to"])
    sizes = sizes_of(result.setting, result.n_head)
    tensors = {
        name: array(each).reshape(-1, each.shape[-1]) for name, each in weights_of(result.module).items()
    }
    by_hand_weights, by_hand_mode = hand_rows(result.setting, result.n_head), is_by_hand(CONTROLS)
    weights_tab.show(
        weights(sizes), tensors, by_hand_weights, by_hand=by_hand_mode, write=WRITE, columns=columns(sizes)
    )
    st.markdown(
        _(
            "**Head {head}**: weights, then its query, key and value vectors, turned by their places where "
            "positions turn them",
            head=head + 1,
        )
    )
    for name in ("weights", "q", "k", "v"):
        _show_table(all_tables[name])
    for name, title in {
        "together": _("**The rows that are taken together**, by key"),
        "kept": _("**What is kept** of each row"),
        "without": _("**Without each word**: how far the head's outputs move"),
        "points": _("**Where queries and keys stand**, those of each head in its own plane"),
    }.items():
        if name in all_tables:
            st.markdown(title)
            _show_table(all_tables[name])
    st.markdown(_("**What comes out**"))
    _show_table(all_tables["comes out"])
    st.caption(_("Computed with all digits; only what is shown is rounded."))


def _show_table(table: Columns) -> None:
    # Integers, such as numbers of heads, have no decimals.
    cells = {name: [str(e) if isinstance(e, int) else e for e in each] for name, each in table.items()}
    st.dataframe(
        numbers_table(cells, WRITE),
        hide_index=True,
        width="stretch",
        height="content" if len(next(iter(table.values()))) <= 12 else 420,
        column_config={" ": _("Token")},
    )
