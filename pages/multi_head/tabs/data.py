"""The tab "Data": what goes in, one head, what comes out, as tables to read and download."""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from torch import Tensor

from attn_core import weights_of
from attn_figures.numbers import fixed
from attn_ui import weights_tab
from attn_ui.hand_weights import is_by_hand
from attn_ui.screen import SCREEN
from attn_ui.tables import numbers_table
from pages.multi_head.numbers import Now, array, by_hand, sizes_of
from pages.multi_head.weights import columns, weights

WRITE = partial(fixed, decimals=6)


def show(now: Now) -> None:
    """Show the vectors that go in and the projections, as tables to read and download."""
    result, head = now.result, now.look.head
    placed = now.scheme.adds == "vector"
    with_places = ", with the vector of its place added" if placed else ""
    st.markdown(f"**What goes in**: one row a token{with_places}")
    _table(now.tokens.query, now.tokens.queries, "x")
    if not now.is_self_attention:
        st.markdown("**What is attended to**")
        _table(now.tokens.key, now.tokens.keys, "x")
    sizes = sizes_of(now.setting, now.n_head)
    made = {name: array(each).reshape(-1, each.shape[-1]) for name, each in weights_of(now.module).items()}
    given = by_hand(now.setting, now.n_head)
    weights_tab.show(
        weights(sizes), made, given, by_hand=is_by_hand(SCREEN), write=WRITE, columns=columns(sizes)
    )
    turned = "; query and key are turned by their places" if now.scheme.adds == "rotation" else ""
    st.markdown(f"**Head {head + 1}**: weights, then its query, key and value vectors{turned}")
    _table(result.weights[head], now.tokens.queries, "", columns=now.tokens.keys)
    for name, tensor, tokens in (
        ("q", result.query[head], now.tokens.queries),
        ("k", result.key[head], now.tokens.keys),
        ("v", result.value[head], now.tokens.keys),
    ):
        _table(tensor, tokens, name)
    st.markdown("**What comes out**")
    _table(result.output, now.tokens.queries, "o")
    st.caption("The button at the corner of a table saves it as CSV. All numbers are computed in float64.")


def _table(tensor: Tensor, rows: Sequence[str], letter: str, columns: Sequence[str] = ()) -> None:
    numbers = array(tensor)
    names = columns or [f"{letter}{index + 1}" for index in range(numbers.shape[1])]
    st.dataframe(
        # No token is a space, so no column hides another.
        numbers_table(
            {" ": list(rows)} | {name: numbers[:, index] for index, name in enumerate(names)},
            WRITE,
        ),
        hide_index=True,
        width="stretch",
        height="content" if len(rows) <= 12 else 420,
        column_config={" ": "Token"},
    )
