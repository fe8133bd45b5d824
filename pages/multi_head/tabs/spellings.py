"""The tab "Spellings": the same attention in five ways, with the shape after each step, and all compared."""

import streamlit as st

from attn_core import Check, compare
from attn_ui.base.parameters import label_of
from attn_ui.screen import widgets
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.multi_head.compute import Result
from pages.multi_head.example import example, name_example
from pages.multi_head.settings import SPELLING
from pages.multi_head.spellings import FUNCTIONS, program, run, source, steps
from programs.writing import PYTORCH, imports


def show(_result: Result) -> None:
    """Show one spelling with its shapes, and checks of all spellings."""
    result = make_example()
    st.markdown(
        _(
            "The same attention, with **one fused W_qkv**, packed as (k h d): query, key and value, "
            "then the head, then the dimension. What each step makes has the shape beside it: here n = "
            "4 words, d_model = 10, h = 2 heads of width d = 5, and a causal mask."
        )
    )
    name_example(result)
    spelling = widgets.segment(SPELLING, _("Spelling"))
    shapes, _output = run(spelling, result)
    if needs := imports(PYTORCH, source(spelling)):
        st.code(needs, language="python")
    for (makes, lines), shape in zip(steps(spelling), shapes, strict=True):
        wide, narrow = st.columns([3, 1])
        with wide:
            st.code(lines, language="python")
        narrow.markdown(f"**{makes}** `{' × '.join(map(str, shape))}`" * bool(shape))
    with st.expander(_(":material/code: As one program, which prints the output")):
        show_program(program(spelling, result))
    st.markdown(checks_table({_("this page"): checks(result)}))


def make_example() -> Result:
    """Return an example whose sizes are all different, so that a size identifies its axis."""
    return example("I love ice cream", d_model=10, mask="causal")


def checks(result: Result) -> list[Check]:
    """Compare every spelling's output with the module's."""
    return [
        compare(
            _("{spelling} gives this output", spelling=label_of(SPELLING, spelling)),
            run(spelling, result)[1],
            result.attention.output,
        )
        for spelling in FUNCTIONS
    ]
