"""The tab Arithmetic: one query and one key, from their vectors to their share of the output."""

import streamlit as st

from attn_ui import positions
from attn_ui.frame import coloured
from attn_ui.parameters import Steps
from attn_ui.shared_settings import KEY, QUERY
from pages.single_head import arithmetic
from pages.single_head.view import View


def show(view: View) -> None:
    """Let the person choose a cell, and work it out."""
    row, column = view.cell
    with st.container(horizontal=True, width=520):
        _choose(QUERY, "Query", view.head.queries, row)
        _choose(KEY, "Key", view.head.keys, column)
    cell = _cell(view)
    query, key = coloured("query", cell.query_label), coloured("key", cell.key_label)
    st.markdown(
        f"The framed cell: {query} meets {key}. Click another cell of any map to work that one out. "
        "Sums and shares are computed with all digits and shown with six."
    )
    with st.container(width=960):
        left, right = st.columns(2, gap="large")
    left.markdown(arithmetic.products(cell))
    right.markdown(arithmetic.steps(cell))
    st.markdown(f"The output of {query} is every value times its weight, added up:")
    st.markdown(arithmetic.mixture(cell))


def _choose(steps: Steps, label: str, names: tuple[str, ...], at: int) -> None:
    # Without a key, the field follows a click on a map: its position is the page's, not its own.
    def chosen() -> None:
        positions.move(steps, st.session_state[key])

    key = f"_choose_{steps.name}"
    st.session_state[key] = at
    st.selectbox(label, range(len(names)), format_func=names.__getitem__, key=key, on_change=chosen)


def _cell(view: View) -> arithmetic.Cell:
    row, column = view.cell
    head, stages = view.head, view.stages
    return arithmetic.Cell(
        query_label=head.queries[row],
        key_label=head.keys[column],
        key_labels=head.keys,
        key_index=column,
        query=head.query[row].tolist(),
        key=head.key[column].tolist(),
        score=float(stages.scores[0, row, column]),
        factor=view.factor,
        temperature=view.temperature,
        scaled=float(stages.unmasked[0, row, column]),
        allowed=bool(stages.mask[0, row, column]),
        row_allowed=stages.mask[0, row].tolist(),
        largest=float(stages.scaled[0, row].max()),
        exponentials=stages.exponentials[0, row].tolist(),
        row_sum=float(stages.row_sums[0, row, 0]),
        weights=stages.weights[0, row].tolist(),
        values=head.value.tolist(),
        output=stages.output[0, row].tolist(),
    )
