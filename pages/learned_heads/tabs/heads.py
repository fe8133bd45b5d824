"""The tab "Heads": the measures of every head, and what the model is without it."""

import streamlit as st

from attn_core.toys import MEASURES
from attn_ui.screen.tables import table
from pages.learned_heads.compute import Now
from pages.learned_heads.state import Heads
from pages.learned_heads.tables import of_toy
from pages.learned_heads.tabs import whole as whole_tabs


def show(now: Now | Heads) -> None:
    """Show a line a head: its measures on held-out sequences, and accuracy and loss without it."""
    if isinstance(now, Heads):
        whole_tabs.show_heads(now.whole)
        return
    whole = now.judged
    heads = ", with all heads on" if now.off else ""
    st.markdown(
        f"On {len(now.recipe.held_out())} sequences that no step of the training saw, after {now.step:,} "
        f"steps{heads}: right in **{whole.accuracy:.1%}** of the places, loss {whole.loss:.4f}."
    )
    columns = of_toy(now)
    forms = ("", *(".3f" for _ in MEASURES), ".1%", ".4f")
    rows = [
        [f"{value:{form}}" for value, form in zip(row, forms, strict=True)]
        for row in zip(*columns.values(), strict=True)
    ]
    st.markdown(table([*columns], rows, numbers=len(columns) - 1))
