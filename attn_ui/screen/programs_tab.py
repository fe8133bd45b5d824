"""The tab Code: a choice of a page's programs and its formula."""

import streamlit as st

from attn_ui.base.programs import LATEX, OneProgram, Programs
from attn_ui.base.shared_settings import CODE
from attn_ui.screen import widgets
from attn_words import _
from programs.writing import ARCHIVE, Program


def show(programs: Programs | OneProgram) -> None:
    """Show a choice of the programs; only the chosen one is generated."""
    if isinstance(programs, OneProgram):
        st.markdown(programs.describe())
        show_program(programs.program)
        return
    kind = widgets.segment(CODE, _("Program"), label_visibility="collapsed")
    st.markdown(programs.describe(kind))
    if kind == LATEX:
        text = programs.formula()
        st.latex(text)
        st.code(text, language="latex")
        return
    show_program(programs.program(kind))


def show_program(program: Program) -> None:
    """Show a program, and the file that it reads."""
    if program.is_read:
        label = _("Save {file}", file=ARCHIVE)
        st.download_button(
            label,
            program.archive,
            ARCHIVE,
            on_click="ignore",
            icon=":material/download:",
            key="program-numbers",
        )
    st.code(program.text(), language="python")
