"""Tables of numbers to type over or to paste as text; bad cells are reported, and nothing typed is lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_ui.base.parameters import Table
from attn_ui.screen import state
from attn_ui.screen.matrices_file import no_number, uneven
from attn_words import _, paragraph

MOST = 1000  # no typed number lies further from zero
Lines = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Typed:
    """A table that can be typed: setting, heading and present rows, and their names where these are fixed.

    Columns without names are numbered from 1. Rows with ``is_from_seed`` are not the visitor's own yet: when
    the seed gives other rows, the editor starts afresh from them.
    """

    setting: Table
    title: str
    rows: Lines
    names: Sequence[str] = ()
    columns: Sequence[str] = ()
    is_from_seed: bool = False


def type_over(tables: Sequence[Typed]) -> None:
    """Show tables to type over; nothing runs meanwhile, because a run would end the edit of the next cell.

    Numbers that are missing or too large are reported, and the last complete table stays.
    """
    starts = {table.setting.name: _start(table) for table in tables}

    def take_over() -> None:
        for table in tables:
            key, frame = starts[table.setting.name]
            numbers = apply_edits(frame, st.session_state[key])
            text = table.setting.text(numbers.tolist())
            if not problem_of(table.setting, numbers) and text != table.setting.text(table.rows):
                state.write_setting(table.setting, text)

    with st.form(f"_tables_{tables[0].setting.name}", border=False):
        st.markdown(_("Type over any number. Rows of a table without names can be added and deleted."))
        for table in tables:
            key, frame = starts[table.setting.name]
            table_column, button_column = st.columns([3, 1], gap="medium")
            with table_column:
                st.markdown(f"**{table.title}**")
                edits = st.data_editor(
                    frame,
                    key=key,
                    num_rows="fixed" if table.names else "dynamic",
                    column_config={"row": st.column_config.Column(_("row"), disabled=True)},
                )
                problem = problem_of(table.setting, edits.to_numpy(dtype=float))
                if problem:
                    st.caption(_keep_edits(problem))
            with button_column:
                st.form_submit_button(_("Draw these numbers"), key=f"{key}_draw", on_click=take_over)
                if table is tables[0]:
                    st.caption(_(":material/hourglass_empty: What you type waits until then."))


def _keep_edits(problem: str) -> str:
    """Return a note with a problem, which adds that the picture stays as it was."""
    message = paragraph(problem, _("The picture stays as it was."))
    return f":material/edit: {message}"


def _start(table: Typed) -> tuple[str, pd.DataFrame]:
    """Return an editor's key and the numbers that it started from, which must not change while it is open."""
    key = f"_edit_{table.setting.name}_{state.revision(table.setting)}"
    start = f"{key}_start"
    columns = list(table.columns) or [str(number) for number in range(1, len(table.rows[0]) + 1)]
    text = table.setting.text(table.rows) if table.is_from_seed else ""
    shape = (tuple(table.names), tuple(columns), text)
    if key not in st.session_state or st.session_state.get(start, (None, None))[1] != shape:
        frame = pd.DataFrame(table.rows, dtype=float)
        frame.columns = pd.Index(columns)
        frame.index = pd.Index(list(table.names) or range(1, len(frame) + 1), name="row")
        st.session_state[start] = (frame, shape)
        st.session_state.pop(key, None)
    return key, st.session_state[start][0]


def apply_edits(frame: pd.DataFrame, changes: dict[str, Any]) -> np.ndarray:
    """Return a table's numbers with what its editor reports: cells typed over, rows deleted, rows added.

    >>> apply_edits(pd.DataFrame([[1.0, 2.0]], columns=["1", "2"]), {"edited_rows": {0: {"2": 5}}})
    array([[1., 5.]])
    """
    numbers = frame.to_numpy(dtype=float, copy=True)
    places = {name: place for place, name in enumerate(frame.columns)}
    for row, cells in changes.get("edited_rows", {}).items():
        for name, value in cells.items():
            if name in places:
                numbers[int(row), places[name]] = np.nan if value is None else value
    numbers = np.delete(numbers, changes.get("deleted_rows", []), axis=0)
    added = [
        [np.nan if cells.get(name) is None else cells[name] for name in places]
        for cells in changes.get("added_rows", [])
    ]
    return np.vstack([numbers, np.array(added, dtype=float)]) if added else numbers


def paste(table: Typed) -> None:
    """Show a field for a matrix as text: rows on lines or after semicolons, commas or spaces in a row."""
    setting = table.setting
    key = f"_paste_{setting.name}"

    def pasted() -> None:
        text = st.session_state[key]
        if text.strip():
            rows, problem = matrix_of(text, setting)
            problem = problem or problem_of(setting, np.array(rows), len(table.names) or None)
            st.session_state[f"{key}_problem"] = problem
            if not problem:
                state.write_setting(setting, setting.text(rows), replaces=True)
                st.session_state[key] = ""

    with st.expander(_("Paste {table} as text", table=table.title)):
        st.text_area(
            _("One row a line; numbers between commas, spaces or tabs"),
            key=key,
            on_change=pasted,
            placeholder="1, 0, 0.5\n0, 1, -2",
            height=120,
        )
        problem = st.session_state.get(f"{key}_problem")
        if problem:
            st.caption(_keep_edits(problem))


def matrix_of(text: str, setting: Table) -> tuple[list[list[float]], str]:
    """Read a matrix from text; return its rows, and what is wrong with it, or "".

    >>> from attn_ui.base.shared_settings import TABLE_Q
    >>> matrix_of("1, 2\\n3\\t4", TABLE_Q)
    ([[1.0, 2.0], [3.0, 4.0]], '')
    """
    lines = [
        line.replace(",", " ").split() for line in text.replace(";", "\n").splitlines() if line.strip(" ,\t")
    ]
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append([float(cell) for cell in line])
        except ValueError:
            return [], no_number(setting.name, number)
    widths = sorted({len(row) for row in rows})
    if len(widths) != 1:
        return [], uneven(setting.name, widths)
    return rows, problem_of(setting, np.array(rows))


def problem_of(setting: Table, numbers: np.ndarray, most: int | None = None) -> str:
    """Return what is wrong with a table's numbers, or ""; with at most ``most`` rows where that is given."""
    rows, columns = numbers.shape
    most = setting.most_rows if most is None else most
    if not 0 < rows <= most or columns > setting.most_columns:
        return _(
            "{name} has {rows} rows and {columns} columns; wanted 1 to {most}, and at most {most_columns}.",
            name=setting.name,
            rows=rows,
            columns=columns,
            most=most,
            most_columns=setting.most_columns,
        )
    wrong = np.argwhere(~(np.abs(numbers) <= MOST))
    if not len(wrong):
        return ""
    row, column = (int(place) for place in wrong[0])
    return _(
        "Row {row}, column {column} of {name} must be a number from −{most} to {most}.",
        row=row + 1,
        column=column + 1,
        name=setting.name,
        most=MOST,
    )
