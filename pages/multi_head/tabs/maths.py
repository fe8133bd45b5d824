"""The tab "Maths": the formulas with the present sizes."""

import streamlit as st

from pages.multi_head.numbers import Now


def show(now: Now) -> None:
    """Show the formulas with the present sizes."""
    n_query, n_key = len(now.tokens.queries), len(now.tokens.keys)
    h, d_head, d_model, d_key = now.n_head, now.module.d_head, now.module.d_model, now.module.d_key
    st.markdown("Every head h has projections of its own, cut from three wide ones:")
    st.latex(
        rf"Q_h = X_q W_q^{{(h)}},\quad K_h = X_k W_k^{{(h)}},\quad V_h = X_k W_v^{{(h)}} \qquad "
        rf"W_q^{{(h)}}: {d_model} \times {d_head},\quad W_k^{{(h)}}, W_v^{{(h)}}: {d_key} \times {d_head}"
    )
    adds = now.scheme.adds
    if adds != "nothing":
        what = {
            "vector": "Positions are vectors P, added to the words before that (X + sP in place of X)",
            "rotation": "Positions turn every query and key after that, before their product",
            "bias": "Positions add a bias of each head's own to its scores",
        }[adds]
        st.markdown(f"{what}, at strength s = {now.setting.positions.strength:g}:")
        st.latex(now.scheme.formula)
    temperature, bias = now.setting.temperature, r" + sB_h" if adds == "bias" else ""
    masked = r" + M_h" if now.result.mask is not None else ""
    over = rf"\sqrt{{{d_head}}}" + (rf"\cdot {temperature:.3g}" if temperature != 1.0 else "")
    st.markdown("It attends as a single head does:")
    st.latex(
        rf"A_h = \operatorname{{softmax}}\!\left(\frac{{Q_h K_h^\top}}{{{over}}}{bias}{masked}\right)"
        rf"\ ({n_query} \times {n_key}), \qquad \mathrm{{head}}_h = A_h V_h\ ({n_query} \times {d_head})"
    )
    if masked:
        st.markdown("M is 0 where a query may attend, and −∞ elsewhere.")
    st.markdown("The heads stand side by side:" if not now.setting.projection else "The heads are joined:")
    if now.setting.projection:
        st.latex(
            rf"O = [\mathrm{{head}}_1, \ldots, \mathrm{{head}}_{{{h}}}]\,W_o = "
            rf"\sum_{{h=1}}^{{{h}}} \mathrm{{head}}_h\,W_o^{{(h)}} \qquad "
            rf"W_o: {h * d_head} \times {d_model}, \quad O: {n_query} \times {d_model}"
        )
        st.markdown(
            "The sum and the product are the same thing: a matrix product with the rows of W_o cut into one "
            "block a head."
        )
    else:
        st.latex(
            rf"O = [\mathrm{{head}}_1, \ldots, \mathrm{{head}}_{{{h}}}] \qquad "
            rf"O: {n_query} \times {h * d_head}"
        )
    st.caption("Vaswani et al. (2017), Attention Is All You Need, section 3.2.2.")
