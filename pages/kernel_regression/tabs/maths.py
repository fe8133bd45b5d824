"""The formulas of kernel regression."""

import streamlit as st

from attn_core import KERNELS
from attn_ui.base.latex import allow_breaks
from attn_words import _
from pages.kernel_regression.compute import Result
from pages.kernel_regression.words import kernel_name


def show(result: Result) -> None:
    """Show the formulas, the chosen kernel's in bold; with two inputs also the formula of the distance."""
    st.latex(
        allow_breaks(
            r"\hat f(q) = \sum_j \underbrace{\frac{K(u_j)}{\sum_l K(u_l)}}_{w_j}\, v_j"
            r" = \sum_j \mathrm{softmax}_j\bigl(\log K(u_j)\bigr)\, v_j, \qquad u_j = \frac{|q - k_j|}{h}"
        )
    )
    if result.state.fits_lines:
        st.markdown(
            _(
                "Local linear regression has a line in place of the mean: least squares, each point counted "
                "by its weight, read at the query. It is a weighted sum of the values too, with equivalent "
                "weights, which may be below zero:"
            )
        )
        st.latex(
            allow_breaks(
                r"\hat f(q) = a, \qquad (a, b) = \arg\min_{a, b} \sum_j w_j\,"
                r" \bigl(v_j - a - b\,(k_j - q)\bigr)^2"
            )
        )
        st.latex(
            allow_breaks(
                r"\hat f(q) = \sum_j l_j v_j, \qquad l_j = w_j \left(1 + \frac{(q - \bar k)(k_j - \bar k)}"
                r"{\sum_l w_l (k_l - \bar k)^2}\right), \qquad \bar k = \sum_j w_j k_j"
            )
        )
        st.caption(
            _(
                "The weights still sum to one, and send the keys to the query: where the values lie on a "
                "line, it is met exactly, also at the ends of the data, where the mean is pulled inwards."
            )
        )
    if result.state.has_two_inputs:
        st.markdown(
            _(
                "Queries and keys are vectors. They enter by their distance alone, so the kernel is that of "
                "one input, and as high everywhere on a circle around the query:"
            )
        )
        st.latex(r"|q-k_j| = \sqrt{(q_1-k_{j1})^2 + (q_2-k_{j2})^2}")
    left, right = st.columns(2)
    with left:
        for name, kernel in KERNELS.items():
            st.markdown(f"**{kernel_name(name)}**" if name == result.selection.kernel else kernel_name(name))
            st.latex(f"K(u) = {kernel.formula}")
        st.caption(
            _(
                "Some courses print max(0, 1 − u) under the name Epanechnikov: it is the triangular kernel. "
                "Epanechnikov's is the parabola max(0, 1 − u²). No norming constant is needed: it cancels."
            )
        )
    with right:
        st.markdown(_("The leave-one-out error chooses h:"))
        st.latex(r"\frac{1}{n}\sum_i \bigl(v_i - \hat f_{-i}(k_i)\bigr)^2")
        st.markdown(_("The Gaussian kernel is a dot product and two lengths:"))
        st.latex(
            r"-\frac{|q-k|^2}{2h^2} = \frac{1}{h^2}\Bigl(q \cdot k - \frac{|k|^2}{2} - \frac{|q|^2}{2}\Bigr)"
        )
        st.caption(
            _(
                "The last term is the same for every key, and the softmax does not see it. "
                "h² stands where attention has its temperature times √d_k."
            )
        )
