"""The tab Maths: every stage as a formula with the present sizes."""

import streamlit as st

from attn_core.scores import DOT
from attn_words import N_, _
from pages.single_head.compute import Result
from pages.single_head.stages import STAGES, fixed_line

NOTES = N_(
    """
- Without a sink this is **scaled dot-product attention**, `scaled_dot_product_attention` in PyTorch.
- With Q = K the **scores** are symmetric, whatever the vectors; the weights only where row sums agree.
- Without positions and without a mask, permuting the tokens permutes the rows and changes nothing else:
  attention is permutation equivariant, order is invisible.
- Numbers drawn from a seed know no grammar. Where one key draws all the weight, look at its length first.
"""
)


def show(result: Result) -> None:
    """Write every stage as a formula and in words."""
    for name, stage in STAGES.items():
        if stage.in_maths:
            first, second = st.columns(2, vertical_alignment="center", gap="large")
            first.latex(stage.formula(result))
            second.markdown(fixed_line(result, name, stage.fixed_line))
    if result.scoring.score == DOT:
        st.markdown(_(NOTES))
    if result.scoring.score == "linear":
        st.markdown(_("At T = 1 two sums over the keys serve every query, which is why its cost is linear:"))
        st.latex(
            r"O_i = \frac{\phi(q_i)^\top \sum_j \phi(k_j) v_j^\top}{\phi(q_i)^\top \sum_j \phi(k_j)}, \qquad"
            r" \phi(x) = \mathrm{elu}(x) + 1"
        )
