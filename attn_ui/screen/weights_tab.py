"""Projections under a figure: to read, to type over, to paste, to load from a file and to save."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attn_ui.base.hand_weight_settings import (
    CONVENTION,
    MOST,
    SWITCH,
    TABLES,
    HandRows,
    Weight,
    describe_origins,
)
from attn_ui.base.markdown import all_of
from attn_ui.screen import matrices_file, state
from attn_ui.screen.download import offer_csv
from attn_ui.screen.matrices_file import Numbers
from attn_ui.screen.tables import numbers_table
from attn_ui.screen.typed_tables import Typed, matrix_of, problem_of, type_over
from attn_words import _, paragraph

_WHICH, _PASTED, _PROBLEM = "_weight_pasted", "_weight_text", "_weight_problem"
_TURN, _MESSAGE = "_weights_turn", "_weights_told"


def show(
    weights: Sequence[Weight],
    present: Mapping[str, Numbers],
    typed_rows: HandRows,
    *,
    by_hand: bool,
    write: Callable[[float], str],
    columns: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Show the weights of a page; let them be edited if they are set by hand.

    Args:
        weights: all of them, in order; present: their numbers, by their names.
        typed_rows: those that were set by hand.
        by_hand: whether weights are set by hand now.
        write: formats a number that is only shown.
        columns: the names of columns, by the names of weights that have some.
    """
    small = [each for each in weights if each.is_typed]
    names = columns or {}
    if not by_hand:
        with st.expander(_("The projections {names}", names=all_of([each.name for each in weights]))):
            by_switch = _("To type them, switch on *{switch}* in the sidebar.", switch=_(SWITCH))
            st.caption(paragraph(_(CONVENTION), by_switch))
            for each in small:
                _read(each, present[each.name], names.get(each.name, ()), write)
            if len(small) < len(weights):
                st.caption(
                    _("Matrices of more than {most} rows or columns are in the files alone.", most=MOST)
                )
            _offer(present)
        return
    which = describe_origins([each.name for each in weights], dict.fromkeys(dict(typed_rows), ""))
    st.markdown(paragraph(_("**The projections.**"), which))
    st.caption(_(CONVENTION))
    if small:
        own = dict(typed_rows)
        type_over(
            [_editable_table(each, present[each.name], own, names.get(each.name, ())) for each in small]
        )
        _paste(small)
        _open(small)
    _offer(present)


def _names(weight: Weight) -> list[str]:
    return [weight.name] if weight.shape[0] == 1 else [str(row) for row in range(1, weight.shape[0] + 1)]


def _read(weight: Weight, numbers: Numbers, columns: Sequence[str], write: Callable[[float], str]) -> None:
    """Show a weight that cannot be edited."""
    names = columns or [str(column) for column in range(1, weight.shape[1] + 1)]
    st.markdown(f"**{weight.title}** ({weight.sizes})")
    table: dict[str, Any] = {" ": _names(weight)} | {name: numbers[:, at] for at, name in enumerate(names)}
    st.dataframe(numbers_table(table, write), hide_index=True, column_config={" ": _("row")})


def _editable_table(
    weight: Weight, numbers: Numbers, own: Mapping[str, object], columns: Sequence[str]
) -> Typed:
    """Return the table of a weight; one from the seed starts from its numbers with six digits."""
    is_random = weight.name not in own
    rows = [[float(f"{cell:.6g}") if is_random else cell for cell in row] for row in numbers.tolist()]
    fields = {"weight": weight.title, "sizes": weight.sizes}
    title = (
        _("{weight} ({sizes}), from the seed", **fields)
        if is_random
        else _("{weight} ({sizes}), set by hand", **fields)
    )
    return Typed(TABLES[weight.name], title, rows, _names(weight), columns, is_random)


def _paste(weights: Sequence[Weight]) -> None:
    by_name = {each.name: each for each in weights}

    def pasted() -> None:
        text, weight = st.session_state[_PASTED], by_name[st.session_state[_WHICH]]
        if text.strip():
            rows, problem = matrix_of(text, TABLES[weight.name])
            problem = problem or weight.unfit((len(rows), len(rows[0])))
            st.session_state[_PROBLEM] = problem
            if not problem:
                state.write_setting(TABLES[weight.name], TABLES[weight.name].text(rows), replaces=True)
                st.session_state[_PASTED] = ""

    with st.expander(_("Paste a projection as text")):
        st.selectbox(_("Projection"), list(by_name), key=_WHICH, format_func=lambda name: by_name[name].title)
        st.text_area(
            _("One row a line; numbers between commas, spaces or tabs"),
            key=_PASTED,
            on_change=pasted,
            placeholder="1, 0, 0.5\n0, 1, -2",
            height=120,
        )
        if problem := st.session_state.get(_PROBLEM):
            said_of_it = paragraph(problem, _("The picture stays as it was."))
            st.caption(f":material/edit: {said_of_it}")


def _open(weights: Sequence[Weight]) -> None:
    """Show a field that loads weights from a file: all that it holds, or none of them."""
    turn = st.session_state.get(_TURN, 0)

    def take_file() -> None:
        file = st.session_state.get(f"_weights_file_{turn}")
        if file is None:
            return
        st.session_state[_TURN] = turn + 1  # an empty field takes its place
        try:
            texts = texts_in_file(file.name, file.getvalue(), weights)
        except ValueError as error:
            st.session_state[_MESSAGE] = paragraph(str(error), _("The picture stays as it was."))
            return
        for name, text in texts.items():
            state.write_setting(TABLES[name], text, replaces=True)
        st.session_state[_MESSAGE] = _("From the file: {names}.", names=all_of(list(texts)))

    st.file_uploader(
        _("Open a file of projections"),
        type=list(matrices_file.KINDS),
        key=f"_weights_file_{turn}",
        on_change=take_file,
        max_upload_size=matrices_file.MOST_BYTES // 1_000_000,
        help=_(
            "NPZ and JSON with an array under each name, W_q and so on. CSV with the name in front of each "
            "row, or one matrix in a file that is named for it, as W_q.csv."
        ),
    )
    if message := st.session_state.get(_MESSAGE):
        st.caption(f":material/info: {message}")


def texts_in_file(name: str, content: bytes, weights: Sequence[Weight]) -> dict[str, str]:
    """Return the texts of the tables that a file holds.

    Raises:
        ValueError: it cannot be read, or one of its matrices does not fit; the message is safe to show.
    """
    matrices = matrices_file.read_matrices(name, content, [each.name for each in weights])
    texts = {}
    for each in weights:
        if each.name not in matrices:
            continue
        numbers, table = matrices[each.name], TABLES[each.name]
        # A bias may stand as a column.
        numbers = numbers.T if each.shape[0] == 1 and numbers.shape[1] == 1 else numbers
        if problem := each.unfit((numbers.shape[0], numbers.shape[1])) or problem_of(table, numbers):
            raise ValueError(problem)
        texts[each.name] = table.text(numbers.tolist())
    return texts


def _offer(present: Mapping[str, Numbers]) -> None:
    arrays = {name: np.asarray(numbers) for name, numbers in present.items()}
    first, second = st.columns(2)
    with first:
        offer_csv(_("Save the projections as CSV"), "projections.csv", lambda: matrices_file.csv_of(arrays))
    second.download_button(
        _("Save the projections as NPZ"),
        lambda: matrices_file.npz_of(arrays),
        file_name="projections.npz",
        mime="application/octet-stream",
        on_click="ignore",
    )
