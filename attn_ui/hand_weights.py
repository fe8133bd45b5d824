"""The sidebar's part on weights: how they are drawn, and whether some are set by hand."""

from collections.abc import Mapping, Sequence

import streamlit as st

from attn_ui import controls, state
from attn_ui.markdown import listed
from attn_ui.parameters import Choice
from attn_ui.weight_tables import CONVENTION, HAND, MOST, TABLES, Given, Rows, Weight, said


def ask_whether() -> bool:
    """Ask whether weights are set by hand."""
    return controls.flag(HAND, "Weights W set by hand", help=CONVENTION)


def is_by_hand() -> bool:
    """Tell whether weights are set by hand now."""
    return bool(st.session_state.get(HAND.name, HAND.default))


def ask_init(setting: Choice, sentences: Mapping[str, str]) -> str:
    """Ask how weights are drawn.

    Args:
        setting: the choice, made by `init_setting`.
        sentences: what each option does, in words and signs, by its name.
    """
    lines = "\n".join(f"- **{name}**: {sentence}." for name, sentence in sentences.items())
    return controls.choose(
        setting,
        "Weights W drawn as",
        help=f"W takes d_in numbers to d_out.\n\n{lines}\n\nBiases are uniform within ±1/√d_in always.",
    )


def ask_by_hand(wanted: Sequence[Sequence[Weight]]) -> Given:
    """Return the weights that were set by hand and that fit, and say which these are.

    What does not fit is named, and drawn meanwhile; its table stays for the sizes that it is made for.

    Args:
        wanted: each weight in all shapes that it may have here, the present one first.
    """
    fit, problems = fitting(wanted)
    present = [each[0] for each in wanted]
    st.caption(":material/table: Type them, or open a file, in the tab *Data* of *Take away*.")
    for problem in problems:
        st.caption(f":material/edit: {problem} The one from the seed is used meanwhile.")
    if large := [each.name for each in present if not each.is_typed]:
        st.caption(f":material/info: {listed(large)}: more than {MOST} rows or columns, too many to type.")
    when = {weight.name: weight.when for weight, _ in fit}
    st.caption(f"{said([each.name for each in present], when)}.")
    if any(state.text(TABLES[each.name]) for each in present):
        st.button("Take all from the seed again", on_click=_from_seed, args=(present,), width="stretch")
    return tuple((weight.name, rows) for weight, rows in fit)


def _from_seed(weights: Sequence[Weight]) -> None:
    for each in weights:
        state.keep(TABLES[each.name], "", replaces=True)


def fitting(wanted: Sequence[Sequence[Weight]]) -> tuple[list[tuple[Weight, Rows]], list[str]]:
    """Return the typed weights that fit, in their shape, and a sentence for each that does not."""
    fit, problems = [], []
    for shapes in wanted:
        rows = TABLES[shapes[0].name].rows(state.text(TABLES[shapes[0].name]))
        if not rows:
            continue
        came = len(rows), len(rows[0])
        found = next((each for each in shapes if each.shape == came), None)
        if found is None:
            problems.append(shapes[0].unfit(came))
        else:
            fit.append((found, rows))
    return fit, problems
