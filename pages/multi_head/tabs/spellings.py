"""The tab "Spellings": the same attention in five ways, with the shape after each step, and all compared."""

import streamlit as st

from attn_core import Check, compare
from attn_ui.base.parameters import shown
from attn_ui.screen import controls
from attn_ui.screen.programs_tab import show_program
from attn_words import _
from pages.multi_head.compute import Now
from pages.multi_head.example import example, say_example
from pages.multi_head.settings import SPELLING
from pages.multi_head.spellings import Spelling, program, run, spellings
from pages.multi_head.tabs.checks import table


def show(_now: Now) -> None:
    """Show one spelling with its shapes, and how far all are from the example's output."""
    now = of_example()
    st.markdown(
        _(
            "The same attention, with **one fused W_qkv**, packed as (k h d): query, key and value, "
            "then the head, then the dimension. What each step makes has the shape beside it: here n = "
            "4 words, d_model = 10, h = 2 heads of width d = 5, and a causal mask."
        )
    )
    say_example(now)
    chosen = Spelling(controls.segment(SPELLING, _("Spelling")))
    shapes, _output = run(chosen, now)
    st.code(chosen.imports, language="python")
    for (makes, lines), shape in zip(chosen.steps, shapes, strict=True):
        left, right = st.columns([3, 1])
        with left:
            st.code(lines, language="python")
        right.markdown(f"**{makes}** `{' × '.join(map(str, shape))}`" * bool(shape))
    with st.expander(_(":material/code: As one program, which prints the output")):
        show_program(program(chosen, now))
    st.markdown(table(checks(now)))


def of_example() -> Now:
    """Return an example whose sizes are all different, so that a shape tells which axis is which."""
    return example("I love ice cream", d_model=10, mask="causal")


def checks(now: Now) -> list[Check]:
    """Compare every spelling with what the module gives."""
    return [
        compare(
            _("{spelling} gives this output", spelling=shown(SPELLING, spelling.name)),
            run(spelling, now)[1],
            now.result.output,
        )
        for spelling in spellings()
    ]
