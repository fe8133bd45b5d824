"""The tab "Heads": the measures of every head, and the model's accuracy without it."""

import streamlit as st

from attn_core.toys import MEASURES
from attn_figures.numbers import as_share
from attn_ui.screen.tables import table
from attn_words import _
from pages.learned_heads.compute import Result
from pages.learned_heads.state import Heads
from pages.learned_heads.tables import pair_table, toy_table
from pages.learned_heads.tabs import ranked_heads
from pages.learned_heads.two_texts import TwoTexts


def show(result: Result | Heads | TwoTexts) -> None:
    """Show the table of heads for this kind of result."""
    if isinstance(result, TwoTexts):
        st.dataframe({_(title): values for title, values in pair_table(result).items()}, hide_index=True)
        return
    if isinstance(result, Heads):
        ranked_heads.show_heads(result.ranked)
        return
    evaluation = result.evaluation
    st.markdown(
        _(
            "On {sequences} sequences that no step of the training saw, after {steps} steps, with all heads "
            "on: accuracy **{right}**, loss {loss}.",
            sequences=len(result.recipe.held_out()),
            steps=f"{result.step:,}",
            right=as_share(evaluation.accuracy, 1),
            loss=f"{evaluation.loss:.4f}",
        )
    )
    columns = {_(title): column for title, column in toy_table(result).items()}
    columns[_("Head")] = [result.label(head) for head in range(result.n_head)]
    forms = ("", *(".3f" for _measure in MEASURES), ".1%", ".4f")
    rows = [
        [f"{value:{form}}" for value, form in zip(row, forms, strict=True)]
        for row in zip(*columns.values(), strict=True)
    ]
    st.markdown(table([*columns], rows, numbers=len(columns) - 1))
