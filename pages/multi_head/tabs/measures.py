"""The tab "Measures": one number a head and measure, and how alike the heads are."""

import math

import streamlit as st

from attn_core import head_similarity
from attn_figures.heads_add_up import similarity
from attn_figures.numbers import fixed, number
from attn_ui.base.parameters import shown
from attn_ui.screen.live_figure import live_figure
from attn_words import _, _n, paragraph
from pages.multi_head import words
from pages.multi_head.compute import MEASURES, Now, array, order_of
from pages.multi_head.settings import EXAMPLES, ORDER_BY

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
            _("nats; 0: one key has all the weight, full: all weigh the same"),
        ),
        "effective keys": (n_key, "%.2f", _("how many of {keys} weigh in", keys=words.keys(n_key))),
        "distance": (furthest, "%.2f", _("how far from itself a query looks, in positions")),
        "previous token": (1.0, "%.3f", _("weight on the token just before, where there is one")),
        "diagonal": (1.0, "%.3f", _("weight on the token itself")),
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
                shown(ORDER_BY, name).capitalize(),
                width=132,
                min_value=0.0,
                max_value=float(full),
                format=form,
                help=what,
            )
            for name, (full, form, what) in ends.items()
        },
    )
    if not now.is_self_attention:
        st.caption(
            _(
                "Queries and keys are different sequences here: distance, previous token and diagonal "
                "compare places in two sentences, which have nothing to do with each other."
            )
        )
    elif now.setting.case not in EXAMPLES:
        st.caption(
            _(
                "The projections are drawn at random: a head scores high on a measure by chance, but for "
                "what positions and the mask do to every head."
            )
            if _is_conditioned(now)
            else _("The projections are drawn at random: a head scores high on a measure by chance.")
        )
    alike = array(head_similarity(result.weights))
    live_figure(
        [similarity.spec(alike)],
        key="similarity",
        alt=_("Similarity of every two heads"),
        name="similarity of heads",
    )
    st.markdown(closest(alike.tolist()))


def means_over(now: Now) -> str:
    """Say what the measures are means over, and in which order heads stand."""
    n_query, n_key = now.tokens.shape
    over = _means_over(n_query, n_key)
    attend = now.result.weights.any(dim=-1)
    if not bool(attend.any()):
        empty = _("no query may attend to any key, so all measures are 0")
        over = _("{clause}; {other}.", clause=over, other=empty)
    elif not bool(attend.all()):
        empty = _(
            "*{entropy}*, *{effective}* and *{distance}* leave out a query that may attend to nothing, which "
            "counts as 0 in the others",
            entropy=shown(ORDER_BY, "entropy"),
            effective=shown(ORDER_BY, "effective keys"),
            distance=shown(ORDER_BY, "distance"),
        )
        over = _("{clause}; {other}.", clause=over, other=empty)
    else:
        over = _("{clause}.", clause=over)
    if now.look.order == "number":
        order = _("Heads stand by number (*Order heads by*, in the sidebar).")
    else:
        order = _(
            "Heads stand by {measure}, largest first (*Order heads by*, in the sidebar).",
            measure=shown(ORDER_BY, now.look.order),
        )
    return paragraph(over, order)


def _means_over(n_query: int, n_key: int) -> str:
    """Say over which queries, as a clause."""
    told = {
        "queries": n_query,
        "previous": shown(ORDER_BY, "previous token"),
        "diagonal": shown(ORDER_BY, "diagonal"),
        "places": _n("{count} place", "{count} places", n_key),
        "before": min(n_query - 1, n_key),
    }
    if n_query == 1:
        return _("Of the only query; *{previous}* is 0, for no query has a token before it", **told)
    if told["before"] == 1 and n_query > n_key:
        return _(
            "Means over the {queries} queries, *{previous}* over the second query alone, *{diagonal}* over "
            "the {places} that both sides have",
            **told,
        )
    if told["before"] == 1:
        return _("Means over the {queries} queries, *{previous}* over the second query alone", **told)
    if n_query > n_key:
        return _(
            "Means over the {queries} queries, *{previous}* over the {before} that have a token before them, "
            "*{diagonal}* over the {places} that both sides have",
            **told,
        )
    return _(
        "Means over the {queries} queries, *{previous}* over the {before} that have a token before them",
        **told,
    )


def _is_conditioned(now: Now) -> bool:
    """Whether something else than the drawn weights tells heads where to look."""
    return now.scheme.adds != "nothing" or now.result.mask is not None


def closest(alike: list[list[float]]) -> str:
    """Say which two heads look most alike and which least, where that differs."""
    pairs = [(alike[i][j], i, j) for i in range(len(alike)) for j in range(i)]
    if not pairs:
        return _("One head has nothing to be compared with.")
    most, i, j = max(pairs)
    least, k, m = min(pairs)
    if 1 - least < EQUAL:
        if len(pairs) == 1:
            return _("The two heads have equal maps: their similarity is 1.")
        return _("All heads have equal maps: their similarity is 1.")
    if len(pairs) == 1:
        return _(
            "The two heads have a similarity of {similarity}: 1 would be equal maps, 0 maps that share no "
            "key.",
            similarity=_similarity(most),
        )
    if most - least < EQUAL:
        return _(
            "Every two heads are equally alike ({similarity}); 1 would be equal maps, 0 maps that share no "
            "key (Jensen–Shannon divergence, in bits, from 1).",
            similarity=_similarity(most),
        )
    return _(
        "Heads {one} and {other} look most alike ({most}), heads {third} and {fourth} least ({least}); 1 "
        "would be equal maps, 0 maps that share no key (Jensen–Shannon divergence, in bits, from 1).",
        one=j + 1,
        other=i + 1,
        most=_similarity(most),
        third=m + 1,
        fourth=k + 1,
        least=_similarity(least),
    )


def _similarity(value: float) -> str:
    """Write a similarity with three decimals, with more where three would make it 1, which it is not."""
    if 1 - value < EQUAL:
        return "1"
    return f"1 − {number(1 - value, 2)}" if value > 0.9995 else fixed(value, 3)
