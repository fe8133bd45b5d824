"""The tab "Measures": one number a head and measure, and how alike the heads are."""

import math

import streamlit as st

from attn_core import head_similarity
from attn_figures.heads_add_up import similarity
from attn_ui.frame import what_you_see
from attn_ui.live_figure import live_figure
from pages.multi_head.numbers import MEASURES, Now, array, order_of
from pages.multi_head.settings import EXAMPLES


def show(now: Now) -> None:
    """Show the measures of every head in the order that the sidebar asks for, and the similarity map."""
    result = now.result
    order = order_of(now.look.order, result)
    values = {name: array(measure(result))[order] for name, measure in MEASURES.items()}
    n_query, n_key = len(now.tokens.queries), len(now.tokens.keys)
    by = "by number" if now.look.order == "number" else f"by {now.look.order}, largest first"
    st.markdown(f"Means over the {n_query} queries; heads stand {by} (*Order heads by*, in the sidebar).")
    furthest = max(1, n_query - 1, n_key - 1)
    ends = {
        "entropy": (
            math.log(n_key) or 1.0,
            "%.3f",
            "nats; 0: one key has all the weight, full: all weigh the same",
        ),
        "effective keys": (n_key, "%.2f", f"how many of {n_key} keys weigh in"),
        "distance": (furthest, "%.2f", "how far from itself a query looks, in positions"),
        "previous token": (1.0, "%.3f", "weight on the token just before"),
        "diagonal": (1.0, "%.3f", "weight on the token itself"),
        "contribution": (
            float(values["contribution"].max()) or 1.0,
            "%.3f",
            "mean length of what the head adds to the output",
        ),
    }
    st.dataframe(
        {"head": [head + 1 for head in order]} | values,
        hide_index=True,
        width="stretch",
        column_config={"head": st.column_config.NumberColumn("Head", width="small")}
        | {
            name: st.column_config.ProgressColumn(
                name.capitalize(), width=132, min_value=0.0, max_value=float(full), format=form, help=what
            )
            for name, (full, form, what) in ends.items()
        },
    )
    if not now.is_self_attention:
        st.caption(
            "Queries and keys are different sequences here: distance, previous token and diagonal compare "
            "places in two sentences, which have nothing to do with each other."
        )
    elif now.setting.case not in EXAMPLES:
        but = ", but for what positions and the mask do to every head" if _is_conditioned(now) else ""
        st.caption(
            f"The weights are drawn at random: a head that scores high on a measure does so by chance{but}."
        )
    alike = array(head_similarity(result.weights))
    live_figure(
        [similarity.spec(alike)],
        key="similarity",
        alt="Similarity of every two heads",
        name="similarity of heads",
    )
    what_you_see(_closest(alike.tolist()))


def _is_conditioned(now: Now) -> bool:
    """Whether something else than the drawn weights tells heads where to look."""
    return now.scheme.adds != "nothing" or now.result.mask is not None


def _closest(alike: list[list[float]]) -> str:
    pairs = [(alike[i][j], i, j) for i in range(len(alike)) for j in range(i)]
    if not pairs:
        return "One head has nothing to be compared with."
    most, i, j = max(pairs)
    least, k, m = min(pairs)
    if len(pairs) == 1:
        return (
            f"The two heads have a similarity of {most:.3f}: 1 would be equal maps, 0 maps that share no key."
        )
    return (
        f"Heads {j + 1} and {i + 1} look most alike ({most:.3f}), heads {m + 1} and {k + 1} least "
        f"({least:.3f}); 1 would be equal maps, 0 maps that share no key (Jensen–Shannon divergence, in "
        "bits, from 1)."
    )
