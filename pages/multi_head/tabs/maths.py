"""The tab "Maths": the formulas with the present sizes."""

import streamlit as st

from attn_words import _, paragraph
from pages.multi_head import formulas
from pages.multi_head.compute import Result


def show(result: Result) -> None:
    """Show the formulas with the present sizes."""
    n_query, n_key = len(result.tokens.queries), len(result.tokens.keys)
    h, d_head, d_model, d_key = (
        result.n_head,
        result.module.d_head,
        result.module.d_model,
        result.module.d_key,
    )
    st.markdown(_("Every head h has projections of its own, cut from three wide ones:"))
    st.latex(
        rf"{formulas.projections(result)} \qquad W_q^{{(h)}}: {d_model} \times {d_head},\quad "
        rf"W_k^{{(h)}}, W_v^{{(h)}}: {d_key} \times {d_head}"
    )
    adds = result.scheme.adds
    if adds != "nothing":
        what = {
            "vector": _(
                "Positions are vectors P, added to the words E before that, X = E + P; d is d_model."
            ),
            "rotation": _(
                "Positions turn every query and key after that, before their product; d is d_head."
            ),
            "bias": _("Positions add a bias of each head's own to its scores."),
        }[adds]
        strength = _("The strength is s = {strength}:", strength=f"{result.setting.positions.strength:g}")
        st.markdown(paragraph(what, strength))
        st.latex(result.scheme.latex())
    st.markdown(_("It attends as a single head does:"))
    st.latex(
        rf"A_h = {formulas.weights(result)}\ ({n_query} \times {n_key}), \qquad "
        rf"\mathrm{{head}}_h = A_h V_h\ ({n_query} \times {d_head})"
    )
    if formulas.masks(result):
        st.markdown(_("M is 0 where a query may attend, and −∞ elsewhere; a row of −∞ alone has weights 0."))
    heads, width = formulas.names(result), h * d_head
    if result.setting.projection:
        st.markdown(
            _(
                "The heads are joined, and projected; the same is a sum, with the rows of W_o cut into one "
                "block a head:"
            )
        )
        st.latex(
            rf"O = {formulas.output(result, heads)} = {formulas.output_as_sum(result)} \qquad "
            rf"W_o: {width} \times {d_model}, \quad O: {n_query} \times {d_model}"
        )
    else:
        st.markdown(_("The heads stand side by side:"))
        st.latex(rf"O = {formulas.output(result, heads)} \qquad O: {n_query} \times {width}")
    st.caption(_("Vaswani et al. (2017), Attention Is All You Need, section 3.2.2."))
