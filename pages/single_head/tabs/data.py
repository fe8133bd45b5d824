"""The tabs Data and Code: the numbers to read, to type and to take away."""

import numpy as np
import pandas as pd
import streamlit as st

from attn_ui import kept
from attn_ui.parameters import Table
from attn_ui.shared_settings import TABLE_K, TABLE_Q, TABLE_V
from pages.single_head.numbers import tokens_of, typed_vectors
from pages.single_head.settings import TABLE_X, TABLE_Y
from pages.single_head.snippet import mask_expression, snippet
from pages.single_head.view import View


def show_data(view: View) -> None:
    """Let the tables be edited where they are typed, and hand all numbers over."""
    inputs = view.inputs
    if st.session_state.get("qkv") == "typed" and inputs.example == "own sentence":
        st.markdown("Type over any number; rows can be added below and deleted by their box on the left.")
        for table, title in ((TABLE_Q, "Queries Q"), (TABLE_K, "Keys K"), (TABLE_V, "Values V")):
            _edit(table, title, table.rows(kept.text(table)), None)
    elif st.session_state.get("vectors") == "typed" and inputs.example == "own sentence":
        _edit_vectors(TABLE_X, "Vectors X", inputs.text, inputs.x, view)
        if inputs.second_text is not None:
            _edit_vectors(TABLE_Y, "Vectors Y of the second sentence", inputs.second_text, inputs.y, view)
    table = _long_table(view)
    st.dataframe(table, hide_index=True, height=320)
    left, right = st.columns(2)
    left.download_button(
        "Save as CSV",
        data=lambda: table.to_csv(index=False).encode(),
        file_name="single-head-attention.csv",
        mime="text/csv",
        on_click="ignore",
    )
    right.caption("One row for each query and key. A masked pair has no scaled score and weight 0.")
    output = pd.DataFrame(
        np.asarray(view.stages.output[0]),
        columns=[str(dimension) for dimension in range(1, view.head.value.shape[-1] + 1)],
    )
    output.insert(0, "output of", view.head.queries)
    st.dataframe(output, hide_index=True)


def _long_table(view: View) -> pd.DataFrame:
    head, stages = view.head, view.stages
    n_query, n_key = len(head.queries), len(head.keys)
    mask = np.asarray(stages.mask[0]).ravel()
    scaled = np.asarray(stages.unmasked[0]).ravel()
    return pd.DataFrame(
        {
            "query": np.repeat(np.array(head.queries, dtype=object), n_key),
            "key": np.tile(np.array(head.keys, dtype=object), n_query),
            "score": np.asarray(stages.scores[0]).ravel(),
            "may attend": mask,
            "scaled score": np.where(mask, scaled, np.nan),
            "weight": np.asarray(stages.weights[0]).ravel(),
        }
    )


def _edit_vectors(
    table: Table, title: str, text: str, rows: tuple[tuple[float, ...], ...], view: View
) -> None:
    tokens = tokens_of(text)
    vectors = typed_vectors(tokens, rows, view.inputs.width, view.inputs.seed)
    _edit(table, title, vectors.tolist(), tokens)


def _edit(table: Table, title: str, rows: object, names: list[str] | None) -> None:
    """Edit a table; numbers that are missing or too large are named, and the last complete ones stay."""
    key = f"_edit_{table.name}_{kept.revision(table)}"
    # The editor keeps what was typed as changes to where it started, so its start must not move.
    start = f"{key}_start"
    frame = pd.DataFrame(rows, dtype=float)
    shape = (names, frame.shape[1])
    if key not in st.session_state or st.session_state.get(start, (None, None))[1] != shape:
        frame.columns = pd.Index([str(number) for number in range(1, frame.shape[1] + 1)])
        frame.index = pd.Index(names if names else range(1, len(frame) + 1), name="row")
        st.session_state[start] = (frame, shape)
        st.session_state.pop(key, None)
    st.markdown(f"**{title}**")
    edited = st.data_editor(
        st.session_state[start][0],
        key=key,
        num_rows="fixed" if names else "dynamic",
        column_config={"row": st.column_config.Column(disabled=True)},
    )
    problem = _problem(table, edited)
    if problem:
        st.caption(f":material/edit: {problem} The picture keeps the last complete table.")
        return
    text = table.text(edited.to_numpy(dtype=float).tolist())
    if text != kept.text(table) and text != table.text(frame.to_numpy(dtype=float).tolist()):
        kept.keep(table, text)
        st.rerun()


def _problem(table: Table, edited: pd.DataFrame) -> str:
    """Say what is wrong with a table, or nothing."""
    if edited.empty:
        return f"{table.name} has no row."
    if len(edited) > table.most_rows:
        return f"{table.name} has {len(edited)} rows; at most {table.most_rows} are drawn."
    numbers = edited.to_numpy(dtype=float)
    wrong = np.argwhere(~(np.abs(numbers) <= 1000))
    if not len(wrong):
        return ""
    row, column = (int(place) + 1 for place in wrong[0])
    found = numbers[row - 1, column - 1]
    what = "is empty or not a number" if np.isnan(found) else f"is {found:g}; it must lie from -1000 to 1000"
    return f"Row {row}, column {column} of {table.name} {what}."


def show_code(view: View) -> None:
    """Hand over a script that prints the numbers on the screen."""
    head, masking = view.head, view.scoring.masking
    scale = {"1/√dₖ": "1 / math.sqrt(Q.shape[-1])"}.get(view.scoring.scale, f"{view.scale:.10g}")
    mask = mask_expression(
        masking.kind,
        int(view.width),
        dilation=masking.dilation,
        global_tokens=masking.global_tokens,
        rows=view.stages.mask[0].tolist(),
    )
    st.markdown("Runs as it is, with PyTorch alone, and prints the weights and the output of the picture.")
    st.code(
        snippet(
            head.query.tolist(),
            head.key.tolist(),
            head.value.tolist(),
            mask=mask,
            scale=scale,
            temperature=view.temperature,
        ),
        language="python",
    )
