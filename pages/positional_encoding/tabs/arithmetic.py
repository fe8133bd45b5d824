"""The tab Arithmetic: one score as a sum of parts from the words and from their positions."""

import streamlit as st

from attn_figures.numbers import fixed_point
from attn_ui.base.markdown import plain
from attn_ui.base.shared_settings import KEY, QUERY
from attn_ui.screen import widgets
from attn_ui.screen.tables import ROUNDED, table
from attn_words import _, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import Result


def show(result: Result) -> None:
    """Show the summands of the chosen cell's score, and the softmax of its row."""
    labels = result.state.labels
    left, right = st.columns([1, 1, 2])[:2]
    with left:
        query = widgets.pick(QUERY, _("Query"), labels)
    with right:
        key = widgets.pick(KEY, _("Key"), labels)
    scheme, attended = result.scheme(), result.attended
    terms, scaled = result.terms(query, key), attended.scaled_scores[query]
    message = _(
        "The scaled score of :violet[**{query}**] at position {query_place} and :orange[**{key}**] at "
        "position {key_place}, by what each part comes from.",
        query=plain(labels[query]),
        query_place=query + scheme.first,
        key=plain(labels[key]),
        key_place=key + scheme.first,
    )
    st.markdown(paragraph(message, _(ROUNDED)))
    rows = [[_(name), _signed(value)] for name, value in terms.items()]
    whole = _("scaled score")
    total = [f"**{whole}**", f"**{_signed(sum(terms.values()))}**"]
    st.markdown(table([_("part"), _("value")], [*rows, total], numbers=1))
    top = float(scaled.max())
    exponentials = (scaled - top).exp()
    st.markdown(
        _(
            "Less the row's largest, {largest}, so that nothing overflows: exp({less}) = {part}; the row's "
            "exponentials sum to {sum}; the weight is {part} / {sum} = **{weight}**.",
            largest=fixed_point(top, 6),
            less=fixed_point(float(scaled[key]) - top, 6),
            part=f"{exponentials[key]:.6f}",
            sum=f"{exponentials.sum():.6f}",
            weight=f"{attended.weights[query, key]:.6f}",
        )
    )
    st.caption(_(words.PARTS[scheme.adds]))


def _signed(value: float) -> str:
    text = fixed_point(value, 6)
    return text if text.startswith("−") else f"+{text}"
