"""The tab "Heads": the measures of every head, and what the model is without it."""

import streamlit as st

from attn_core.toys import MEASURES
from attn_ui.tables import table
from pages.learned_heads.numbers import Now


def show(now: Now) -> None:
    """Show a line a head: its measures on held-out sequences, and accuracy and loss without it."""
    whole = now.judged
    gone = now.run.ablated
    heads = ", with all heads on" if now.off else ""
    st.markdown(
        f"On {len(now.recipe.held_out())} sequences that no step of the training saw, after {now.step:,} "
        f"steps{heads}: right in **{whole.accuracy:.1%}** of the places, loss {whole.loss:.4f}."
    )
    rows = [
        [
            now.head(head),
            *(f"{float(whole.measures[name][head]):.3f}" for name in MEASURES),
            f"{float(gone.accuracy[now.at, head]):.1%}",
            f"{float(gone.loss[now.at, head]):.4f}",
        ]
        for head in range(now.n_head)
    ]
    st.markdown(
        table(["Head", *MEASURES, "right without it", "loss without it"], rows, numbers=len(MEASURES) + 2)
    )
