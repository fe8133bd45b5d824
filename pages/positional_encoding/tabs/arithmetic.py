"""Take one score apart: what the words say, what their positions say."""

import streamlit as st

from attn_figures.numbers import fixed
from attn_ui.base.markdown import plain
from attn_ui.base.shared_settings import KEY, QUERY
from attn_ui.screen import controls
from attn_ui.screen.tables import ROUNDED, table
from pages.positional_encoding import words
from pages.positional_encoding.compute import Now


def show(now: Now) -> None:
    """Show the summands of the chosen cell's score, and the softmax of its row."""
    labels = now.state.labels
    left, right, _ = st.columns([1, 1, 2])
    with left:
        query = controls.pick(QUERY, "Query", labels)
    with right:
        key = controls.pick(KEY, "Key", labels)
    scheme, attended = now.scheme(), now.attended
    terms, scaled = scheme.terms(now.x, query, key), attended.scaled_scores[query]
    st.markdown(
        f"The scaled score of :violet[**{plain(labels[query])}**] at position {query + scheme.first} and "
        f":orange[**{plain(labels[key])}**] at position {key + scheme.first}, by what each part comes from. "
        f"{ROUNDED}"
    )
    rows = [[name, _signed(value)] for name, value in terms.items()]
    total = ["**scaled score**", f"**{_signed(sum(terms.values()))}**"]
    st.markdown(table(["part", "value"], [*rows, total], numbers=1))
    top = float(scaled.max())
    exponentials = (scaled - top).exp()
    st.markdown(
        f"Less the row's largest, {fixed(top, 6)}, so that nothing overflows: "
        f"exp({fixed(float(scaled[key]) - top, 6)}) = "
        f"{exponentials[key]:.6f}; the row's exponentials sum to {exponentials.sum():.6f}; the weight is "
        f"{exponentials[key]:.6f} / {exponentials.sum():.6f} = **{attended.weights[query, key]:.6f}**."
    )
    st.caption(words.PARTS[scheme.adds])


def _signed(value: float) -> str:
    text = fixed(value, 6)
    return text if text.startswith("−") else f"+{text}"
