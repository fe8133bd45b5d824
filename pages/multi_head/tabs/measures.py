"""The tab "Measures": one number a head and measure, and how alike the heads are."""

import math

import streamlit as st

from attn_core import head_similarity
from attn_figures.heads_add_up import similarity
from attn_figures.numbers import counted, fixed, number
from attn_ui.screen.frame import what_you_see
from attn_ui.screen.live_figure import live_figure
from pages.multi_head.compute import MEASURES, Now, array, order_of
from pages.multi_head.settings import EXAMPLES

EQUAL = 1e-9  # by which similarities differ by rounding alone


def show(now: Now) -> None:
    """Show the measures of every head in the order that the sidebar asks for, and the similarity map."""
    result = now.result
    order = order_of(now.look.order, result)
    values = {name: array(measure(result))[order] for name, measure in MEASURES.items()}
    n_query, n_key = len(now.tokens.queries), len(now.tokens.keys)
    st.markdown(means_over(now))
    furthest = max(1, n_query - 1, n_key - 1)
    ends = {
        "entropy": (
            math.log(n_key) or 1.0,
            "%.3f",
            "nats; 0: one key has all the weight, full: all weigh the same",
        ),
        "effective keys": (n_key, "%.2f", f"how many of {counted(n_key, 'key')} weigh in"),
        "distance": (furthest, "%.2f", "how far from itself a query looks, in positions"),
        "previous token": (1.0, "%.3f", "weight on the token just before, where there is one"),
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
        st.caption(f"The projections are drawn at random: a head scores high on a measure by chance{but}.")
    alike = array(head_similarity(result.weights))
    live_figure(
        [similarity.spec(alike)],
        key="similarity",
        alt="Similarity of every two heads",
        name="similarity of heads",
    )
    what_you_see(closest(alike.tolist()))


def means_over(now: Now) -> str:
    """Say what the measures are means over, and in which order heads stand."""
    n_query, n_key = now.tokens.shape
    over = "Of the only query" if n_query == 1 else f"Means over the {n_query} queries"
    before = min(n_query - 1, n_key)
    if not before:
        over += "; *previous token* is 0, for no query has a token before it"
    elif n_query > 1:
        second = "the second query alone" if before == 1 else f"the {before} that have a token before them"
        over += f", *previous token* over {second}"
    if n_query > n_key:
        over += f", *diagonal* over the {counted(n_key, 'place')} that both sides have"
    attend = now.result.weights.any(dim=-1)
    if not bool(attend.any()):
        over += "; no query may attend to any key, so all measures are 0"
    elif not bool(attend.all()):
        over += "; *entropy*, *effective keys* and *distance* leave out a query that may attend to nothing, "
        over += "which counts as 0 in the others"
    by = "by number" if now.look.order == "number" else f"by {now.look.order}, largest first"
    return f"{over}. Heads stand {by} (*Order heads by*, in the sidebar)."


def _is_conditioned(now: Now) -> bool:
    """Whether something else than the drawn weights tells heads where to look."""
    return now.scheme.adds != "nothing" or now.result.mask is not None


def closest(alike: list[list[float]]) -> str:
    """Say which two heads look most alike and which least, where that differs."""
    pairs = [(alike[i][j], i, j) for i in range(len(alike)) for j in range(i)]
    if not pairs:
        return "One head has nothing to be compared with."
    most, i, j = max(pairs)
    least, k, m = min(pairs)
    scale = "1 would be equal maps, 0 maps that share no key"
    if 1 - least < EQUAL:
        return (
            f"{'The two heads' if len(pairs) == 1 else 'All heads'} have equal maps: their similarity is 1."
        )
    if len(pairs) == 1:
        return f"The two heads have a similarity of {_similarity(most)}: {scale}."
    scale += " (Jensen–Shannon divergence, in bits, from 1)"
    if most - least < EQUAL:
        return f"Every two heads are equally alike ({_similarity(most)}); {scale}."
    return (
        f"Heads {j + 1} and {i + 1} look most alike ({_similarity(most)}), heads {m + 1} and {k + 1} least "
        f"({_similarity(least)}); {scale}."
    )


def _similarity(value: float) -> str:
    """Write a similarity with three decimals, with more where three would make it 1, which it is not."""
    if 1 - value < EQUAL:
        return "1"
    return f"1 − {number(1 - value, 2)}" if value > 0.9995 else fixed(value, 3)
