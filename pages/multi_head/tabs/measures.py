"""The tab "Measures": each measure of each head, and the similarity of the heads."""

import math

import streamlit as st

from attn_core import head_similarity
from attn_core.measures import row_shares
from attn_figures.contributions import similarity
from attn_figures.matrix import Numbers
from attn_figures.numbers import fixed_point
from attn_ui.base.markdown import all_of
from attn_ui.base.parameters import label_of
from attn_ui.screen.live_figure import live_figure
from attn_words import _, paragraph
from pages.multi_head.compute import MEASURES, Result, array, order_of
from pages.multi_head.settings import ORDER_BY


def show(result: Result) -> None:
    """Show the measures of every head, in the sidebar's order, and the similarity map."""
    attention, (n_query, n_key) = result.attention, result.tokens.shape
    order = order_of(result.look.order, attention)
    values = {name: array(measure(attention))[order] for name, measure in MEASURES.items()}
    ends = {
        "entropy": (
            math.log(n_key) or 1.0,
            "%.3f",
            _("mean entropy in nats"),
        ),
        "effective keys": (n_key, "%.2f", None),
        "distance": (max(1, n_query - 1, n_key - 1), "%.2f", _("mean distance in positions")),
        "previous token": (1.0, "%.3f", _("mean weight on the token before")),
        "diagonal": (1.0, "%.3f", _("mean weight on the token itself")),
        "contribution": (
            float(values["contribution"].max()) or 1.0,
            "%.3f",
            _("mean length of what the head adds to the output"),
        ),
    }
    st.dataframe(
        {"head": [head + 1 for head in order]} | values,
        hide_index=True,
        width="stretch",
        column_config={"head": st.column_config.NumberColumn(_("Head"), width="small")}
        | {
            name: st.column_config.ProgressColumn(
                label_of(ORDER_BY, name).capitalize(),
                width=132,
                min_value=0.0,
                max_value=float(full),
                format=form,
                help=what,
            )
            for name, (full, form, what) in ends.items()
        },
    )
    names = {name.replace(" ", "_"): label_of(ORDER_BY, name) for name in MEASURES}
    st.caption(
        paragraph(
            _(
                "Means over the queries: *{entropy}*, *{effective_keys}* and *{distance}* leave out one that "
                "may attend to nothing, *{previous_token}* takes those with a token before them, "
                "*{diagonal}* the places that both sides have.",
                **names,
            ),
            _(
                "Where projections are drawn, a head scores high by chance, or by what positions and the "
                "mask do to every head. Places in two different sequences have nothing to do with each other."
            ),
        )
    )
    if result.n_head == 1:
        return
    alike = array(head_similarity(row_shares(attention.weights)))
    live_figure([similarity(alike)], key="similarity", name="similarity of heads", captions=[closest(alike)])


def closest(alike: Numbers) -> str:
    """Say which two heads have the most and the least similar maps."""
    pairs = [
        (float(alike[i, j]), all_of([str(j + 1), str(i + 1)])) for i in range(len(alike)) for j in range(i)
    ]
    most, least = max(pairs), min(pairs)
    return _(
        "Most alike: heads {alike} ({most}); least: heads {unlike} ({least}). 1 would be equal maps, 0 "
        "maps that share no key (Jensen–Shannon divergence, in bits, from 1).",
        alike=most[1],
        most=fixed_point(most[0], 3),
        unlike=least[1],
        least=fixed_point(least[0], 3),
    )
