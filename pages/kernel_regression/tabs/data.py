"""The Data tab: the points in a table to edit, and a visitor's own CSV."""

from typing import Any

import numpy as np
import streamlit as st

from attn_figures.dates import DAY, date
from attn_figures.numbers import number
from attn_ui.base.bounds import MAX_CSV_BYTES, MAX_CSV_ROWS, MAX_KERNEL_POINTS
from attn_ui.base.markdown import plain
from attn_ui.screen import state
from attn_ui.screen.download import csv_of, offer_csv
from attn_ui.screen.tables import numbers_table
from attn_words import N_, _, _n, paragraph
from pages.kernel_regression.compute import Result, Selection
from pages.kernel_regression.controls import OWN
from pages.kernel_regression.data_points import Points, from_columns, replace_points
from pages.kernel_regression.own_table import (
    Column,
    OwnTable,
    TableError,
    UnclearError,
    date_of,
    draw_indices,
    pair,
    read_table,
)
from pages.kernel_regression.settings import OWN_POINTS, POINTS_DATA
from pages.kernel_regression.tables import columns

TABLE_READ = "kernel_own_table"  # the last file that could be read
FILE_READ = "kernel_own_file"  # that file's id
UNCLEAR = "kernel_own_unclear"  # the number by each decimal sign, if the file shows none
NOTES = "kernel_own_notes"  # sentences under the upload
STAY = N_("The picture stays as it was.")
TABLE = "kernel_table_base"  # the points that the table's edits apply to
UPLOAD, X_COLUMN, Y_COLUMN, DECIMAL = "own_csv", "own_x", "own_y", "own_decimal"


def show(result: Result) -> None:
    """Show the table of points and the upload; points with two inputs cannot be edited."""
    if result.state.has_two_inputs:
        _show_plane(result.selection)
        return
    points = result.state.points
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.markdown(
            _(
                "**{count} points.** Change a number, add a row, or mark rows and delete them.",
                count=len(points.keys),
            )
        )
        _show_table(points)
    with right:
        st.markdown(_("**Your own points.** A CSV with two columns of numbers stays in this session."))
        _upload(points)


def _show_plane(selection: Selection) -> None:
    """Show the points of two inputs and their weights, and offer them as a file."""
    count = len(selection.keys)
    st.markdown(
        _(
            "**{count} points**: X is {count} × 2, y has {count} values. Weights are those of the query at "
            "{query}, h = {h}. This data set is drawn from its seed and cannot be edited.",
            count=count,
            query=selection.query_name,
            h=selection.width,
        )
    )
    table = {_(title): column for title, column in columns(selection).items()}
    st.dataframe(numbers_table(table, number), key="plane_points", height=300)
    offer_csv(
        _("Download as CSV"),
        "attention-lab-two-inputs.csv",
        lambda: csv_of(table),
        icon=":material/download:",
    )


def sample_csv(points: Points) -> bytes:
    """Return the points shown as a CSV file that this page can read."""
    keys = points.keys.tolist()
    places = [date(key) for key in keys] if points.dated else keys
    return csv_of({points.x_title: places, points.y_title: points.values.tolist()})


# ---- the table ----


def _show_table(points: Points) -> None:
    table = st.session_state.get(TABLE)
    # While the points come from this table's edits, its base stays, or the edits would be lost.
    base: Points = table[0] if table and table[1] == points.fingerprint else points
    key = f"points_{base.fingerprint[:12]}"
    st.data_editor(
        {"x": _cells(base), "y": base.values},
        num_rows="dynamic",
        height=300,
        width="stretch",
        key=key,
        on_change=_on_edit,
        args=(base, key),
        column_config={
            "x": (
                st.column_config.DatetimeColumn(plain(points.x_title), format="YYYY-MM-DD HH:mm")
                if base.dated
                else st.column_config.NumberColumn(plain(points.x_title))
            ),
            "y": st.column_config.NumberColumn(plain(points.y_title)),
        },
    )
    for note in st.session_state.get(f"{key}_notes", ()):
        st.caption(f":material/info: {note}")


def _cells(points: Points) -> np.ndarray:
    """Return the keys as the table's cells: numbers, or dates to the second."""
    return np.round(points.keys * DAY).astype("datetime64[s]") if points.dated else points.keys


def _on_edit(base: Points, key: str) -> None:
    x, y, notes = apply_edits(base, st.session_state[key])
    if len(x) < 2:
        few = _("Two points are needed; there are {count}.", count=len(x))
        notes.append(paragraph(few, _(STAY)))
    elif len(x) > MAX_KERNEL_POINTS:
        notes.append(
            _("At most {most} points are drawn; the table has {count}.", most=MAX_KERNEL_POINTS, count=len(x))
        )
    else:
        changed = replace_points(base, x, y)
        st.session_state[TABLE] = (base, changed.fingerprint)
        _keep(changed)
    st.session_state[f"{key}_notes"] = notes


def apply_edits(base: Points, edits: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Apply the table's edits; return keys, values, and a note on rows left out for lack of a number."""
    rows: list[list[Any]] = [[float(x), float(y)] for x, y in zip(base.keys, base.values, strict=True)]
    for index, change in edits.get("edited_rows", {}).items():
        for name, value in change.items():
            rows[int(index)]["xy".index(name)] = value
    gone = set(edits.get("deleted_rows", ()))
    rows = [row for index, row in enumerate(rows) if index not in gone]
    rows += [[row.get("x"), row.get("y")] for row in edits.get("added_rows", ())]
    if base.dated:
        rows = [[date_of(x) if isinstance(x, str) else x, y] for x, y in rows]
    complete = [row for row in rows if all(_is_number(value) for value in row)]
    notes = []
    if len(complete) < len(rows):
        notes.append(
            _n(
                "{count} row lacks a finite number and is left out.",
                "{count} rows lack a finite number and are left out.",
                len(rows) - len(complete),
            )
        )
    x, y = np.array(complete, dtype=np.float64).reshape(-1, 2).T
    return x, y, notes


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and bool(np.isfinite(value)) and abs(value) <= 1e100


# ---- the file ----


def _upload(points: Points) -> None:
    st.file_uploader(
        _("CSV file"),
        type=["csv", "tsv", "txt"],
        key=UPLOAD,
        on_change=_on_upload,
        label_visibility="collapsed",
        max_upload_size=MAX_CSV_BYTES // 1_000_000,
        help=_(
            "At most {rows} rows and {size} kB.", rows=f"{MAX_CSV_ROWS:,}", size=f"{MAX_CSV_BYTES // 1000:,}"
        ),
    )
    for note in st.session_state.get(NOTES, ()):
        st.caption(f":material/info: {note}")
    if unclear := st.session_state.get(UNCLEAR):
        st.segmented_control(
            _("This number is"), list(unclear), key=DECIMAL, format_func=unclear.get, on_change=_read_file
        )
    table: OwnTable | None = st.session_state.get(TABLE_READ)
    if table and points.name == OWN_POINTS:
        every = table.columns
        names = [column.name for column in every if column.is_numeric]
        values = [column.name for column in every if column.is_numeric and not column.dated]
        x, y = (column.name for column in choose_columns(every))
        left, right = st.columns(2)
        left.selectbox(_("Keys (x)"), names, index=names.index(x), key=X_COLUMN, on_change=_choose)
        right.selectbox(_("Values (y)"), values, index=values.index(y), key=Y_COLUMN, on_change=_choose)
    offer_csv(
        _("Download as CSV"),
        "attention-lab-points.csv",
        lambda: sample_csv(points),
        icon=":material/download:",
    )


def _on_upload() -> None:
    for key in (UNCLEAR, DECIMAL):
        st.session_state.pop(key, None)
    _read_file()


def _read_file() -> None:
    uploaded = st.session_state.get(UPLOAD)
    if uploaded is None:
        return
    data, decimal = uploaded.getvalue(), st.session_state.get(DECIMAL)
    try:
        table = read_table(data, most_bytes=MAX_CSV_BYTES, most_rows=MAX_CSV_ROWS, decimal=decimal)
    except TableError as error:
        if isinstance(error, UnclearError):
            st.session_state[UNCLEAR] = error.readings
        st.session_state[NOTES] = [paragraph(plain(str(error)), _(STAY))]
        return
    st.session_state[TABLE_READ], st.session_state[FILE_READ] = table, uploaded.file_id
    for key in (X_COLUMN, Y_COLUMN):
        st.session_state.pop(key, None)
    _use_columns()


def _choose() -> None:
    """Use the chosen columns; ignore the change if it comes from the lists of an earlier file."""
    uploaded = st.session_state.get(UPLOAD)
    if uploaded is None or uploaded.file_id == st.session_state.get(FILE_READ):
        _use_columns()


def _use_columns() -> None:
    table: OwnTable = st.session_state[TABLE_READ]
    every = table.columns
    by_name = {column.name: column for column in every if column.is_numeric}
    x, y = choose_columns(every)
    x = by_name.get(st.session_state.get(X_COLUMN, ""), x)
    y = by_name.get(st.session_state.get(Y_COLUMN, ""), y)
    try:
        pairs = pair(x, y)
    except TableError as error:
        st.session_state[NOTES] = [paragraph(plain(str(error)), _(STAY))]
        return
    notes = [plain(note) for note in pairs.notes]
    rows = draw_indices(len(pairs.x), MAX_KERNEL_POINTS, seed=0)
    if len(rows) < len(pairs.x):
        notes.append(
            _(
                "{count} points came; {most} of them, drawn at random (seed 0), are shown.",
                count=f"{len(pairs.x):,}",
                most=MAX_KERNEL_POINTS,
            )
        )
    summary = _("{count} points read: {y} against {x}.", count=len(rows), y=plain(y.name), x=plain(x.name))
    st.session_state[NOTES] = [summary, plain(" ".join(table.notes)), *notes]
    _keep(from_columns(pairs.x[rows], pairs.y[rows], x.name, y.name, dated=x.dated))


def choose_columns(columns: list[Column]) -> tuple[Column, Column]:
    """Choose keys and values: keys are the first column of dates, else the first that does not count rows."""
    every = [column for column in columns if column.is_numeric]
    numeric = [column for column in every if not column.index]
    numeric = numeric if len(numeric) > 1 else every
    x = next((column for column in numeric if column.dated), numeric[0])
    return x, next(column for column in numeric if column is not x and not column.dated)


def _keep(points: Points) -> None:
    """Store a visitor's points in the session and show them."""
    st.session_state[OWN] = points
    state.answer(POINTS_DATA.name, OWN_POINTS)
