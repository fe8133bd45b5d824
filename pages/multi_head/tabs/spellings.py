"""The tab "Spellings": the same attention in five ways, with the shape after each step, and all compared."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from attn_core import Check, compare
from attn_ui.base.parameters import shown
from attn_ui.screen import controls
from attn_ui.screen.programs_tab import show_program
from attn_words import _, paragraph
from pages.multi_head.compute import Now
from pages.multi_head.settings import SPELLING, TAB
from pages.multi_head.spellings import Spelling, program, run, spellings
from pages.multi_head.tabs.checks import table

MOST_PAIRS = 20_000  # of query, key and head that plain loops go through while a reader waits


def show(now: Now) -> None:
    """Show one spelling with its shapes, and how far all that run here are from the page's output."""
    if not now.is_self_attention:
        st.markdown(
            paragraph(
                _(":material/edit: One fused W_qkv reads one sequence."),
                _("Here queries and keys are different sequences; take one sentence to see it."),
            )
        )
        return
    st.markdown(
        paragraph(
            _(
                "The same attention, with **one fused W_qkv**, packed as (k h d): query, key and value, then "
                "the head, then the dimension."
            ),
            _("What each step makes has the shape beside it."),
        )
    )
    by_name = {spelling.name: spelling for spelling in spellings()}
    opens = replace(SPELLING, default=opening(list(by_name.values())))
    chosen = by_name[controls.segment(opens, _("Spelling"))]
    missing = [name for name, spelling in by_name.items() if not spelling.runs_here]
    if missing:
        # einops is the one package that a spelling may lack: it bears the spelling's name.
        name = missing[0]
        st.caption(
            _(
                ":material/info: {package} is not installed here. To run it: `pip install {package}`.",
                package=name,
            )
        )
    if not chosen.runs_here:
        st.code(chosen.source, language="python")
    elif chosen.name == "loops" and not loops_fit(now):
        st.code(chosen.source, language="python")
        st.caption(
            _(
                ":material/info: Loops over more than {pairs} pairs are not run while you wait.",
                pairs=f"{MOST_PAIRS:,}",
            )
        )
    else:
        shapes, _output = run(chosen, now)
        st.code(chosen.imports, language="python")
        for (makes, lines), shape in zip(chosen.steps, shapes, strict=True):
            left, right = st.columns([3, 1])
            with left:
                st.code(lines, language="python")
            if shape:
                right.markdown(f"**{makes}** `{' × '.join(map(str, shape))}`")
    if now.scheme.adds != "nothing":
        where = {
            "vector": _(
                ":material/info: Positions: x holds the words with the vectors of their places added."
            ),
            "rotation": _(
                ":material/info: Positions: `turn` is the function under *{tab}*.", tab=shown(TAB, "Code")
            ),
            "bias": _(":material/info: Positions: the biases of the places stand in the mask."),
        }[now.scheme.adds]
        st.caption(where)
    with st.expander(_(":material/code: As one program, which prints the output")):
        show_program(program(chosen, now))
    st.markdown(_("**Checked just now**: each spelling against the output of this page"))
    st.markdown(table(checks(now)))


def opening(every: Sequence[Spelling]) -> str:
    """Return the spelling that the tab opens on: the setting's own, or the first that runs here."""
    running = [spelling.name for spelling in every if spelling.runs_here]
    return SPELLING.default if SPELLING.default in running else running[0]


def loops_fit(now: Now) -> bool:
    """Whether plain loops are done before a reader looks up."""
    n_query, n_key = now.tokens.shape
    return n_query * n_key * now.n_head <= MOST_PAIRS


def checks(now: Now) -> list[Check]:
    """Compare every spelling that runs here with the page's output."""
    return [
        compare(
            _("{spelling} gives this output", spelling=shown(SPELLING, spelling.name)),
            run(spelling, now)[1],
            now.result.output,
        )
        for spelling in spellings()
        if spelling.runs_here and (spelling.name != "loops" or loops_fit(now))
    ]
