"""The tab Arithmetic: one cell of one head, worked out as on the single-head page, and then through W_o."""

import streamlit as st

from attn_figures.numbers import number
from attn_ui.base.latex import matrix_latex
from attn_ui.base.markdown import coloured
from attn_ui.base.parameters import label_of
from attn_ui.base.shared_settings import HEAD
from attn_words import _
from pages.multi_head.compute import Result, biases
from pages.multi_head.controls import names_of_heads
from pages.multi_head.matrices import head_matrices
from pages.multi_head.settings import TAB
from pages.single_head.tabs.arithmetic import Working, choose_cell, work_out


def show(result: Result) -> None:
    """Show controls for a head and a cell, and the arithmetic of that cell."""
    head, cell = result.head, result.cell
    matrices = head_matrices(result.setting, result.n_head, head)
    # The view of two heads already has a control for the head.
    heads = [] if result.look.view == "two heads" else [(HEAD, _("Head"), names_of_heads(result.n_head))]
    choose_cell(matrices, cell, is_own_mask=result.setting.mask == "own", others=heads)
    work_out(working(result))
    if result.scheme.adds in ("vector", "rotation"):
        score = float(result.unplaced.attention.scores[head, *cell])
        st.markdown(_("Without positions the score is {score}.", score=number(score, 6)))
    if result.attention.output_weight is not None:
        part = result.attention.weights[head, *cell] * result.attention.value[head, cell[1]]
        rows = [(part @ result.attention.output_blocks[head]).tolist()]
        st.latex(rf"w\,v\,W_o^{{({head + 1})}} = {matrix_latex(rows)}")
    st.markdown(
        _(
            "Summed over all keys this is what head {head} adds to the output of {query}; summed over all "
            "heads, plus a bias b_o if any, it is the output: the tab *{tab}* goes on.",
            head=head + 1,
            query=coloured("query", matrices.queries[cell[0]]),
            tab=label_of(TAB, "Heads add up"),
        )
    )


def working(result: Result) -> Working:
    """Return the chosen cell of the chosen head, with the numbers that its arithmetic needs."""
    matrices = head_matrices(result.setting, result.n_head, result.head)
    query, key = matrices.query[result.cell[0]], matrices.key[result.cell[1]]
    pairs = [*zip(query.tolist(), key.tolist(), strict=True)]
    added, factor = biases(result.setting, result.n_head), f"÷ √{result.module.d_head}"
    bias = None if added is None else float(added[result.head, *result.cell])
    return Working(matrices, result.cell, pairs, factor, result.setting.temperature, bias)
