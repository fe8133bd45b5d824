"""Kernel regression, the first attention: controls, pictures, words."""

import streamlit as st

from attn_core import KERNELS
from attn_ui import controls
from attn_ui.frame import open_page
from attn_ui.parameters import (
    KERNEL,
    KERNEL_VIEW,
    NOISE,
    OWN_POINTS,
    POINTS,
    POINTS_DATA,
    SEED,
)
from pages.parts import kernel_fit
from pages.parts.kernel_data import own_points, sample

open_page(
    "kernel-regression",
    "Kernel regression",
    "The first attention: a query asks all points, and the near ones count most.",
)
with st.sidebar:
    st.subheader("Data", anchor=False)
    data = controls.choose(POINTS_DATA, "Data set")
    n_points = controls.whole(POINTS, "Points", disabled=data == OWN_POINTS)
    noise = controls.real(NOISE, "Noise", disabled=data == OWN_POINTS)
    seed = controls.whole(SEED, "Seed", disabled=data == OWN_POINTS)
    st.subheader("Kernel", anchor=False)
    kernel = controls.choose(KERNEL, "Kernel")
    st.latex(f"K(u) = {KERNELS[kernel].formula}")
    st.caption("u = |q − k| / h")

points = (own_points() if data == OWN_POINTS else None) or sample(
    "sine" if data == OWN_POINTS else data, n_points, noise, seed
)
view = controls.segment(KERNEL_VIEW, "Picture", label_visibility="collapsed")
kernel_fit.show(points, kernel)
