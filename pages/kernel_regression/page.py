"""Kernel regression, the first attention: controls, pictures, words."""

import streamlit as st

from attn_core import KERNELS
from attn_ui import controls
from attn_ui.frame import open_page, tabs
from attn_ui.shared_settings import SEED
from pages.kernel_regression.data import own_points, sample
from pages.kernel_regression.settings import (
    KERNEL,
    KERNEL_VIEW,
    NOISE,
    OWN_POINTS,
    POINTS,
    POINTS_DATA,
    SETTINGS,
    TAB,
)
from pages.kernel_regression.tabs import break_it as kernel_mistakes
from pages.kernel_regression.tabs import checks as kernel_checks
from pages.kernel_regression.tabs import data as kernel_own_data
from pages.kernel_regression.tabs import text as kernel_tabs
from pages.kernel_regression.views import bandwidth as kernel_bandwidth
from pages.kernel_regression.views import bridge as kernel_bridge
from pages.kernel_regression.views import compare as kernel_compare
from pages.kernel_regression.views import fails as kernel_fails
from pages.kernel_regression.views import fit as kernel_fit

open_page(
    "kernel-regression",
    SETTINGS,
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
    if kernel in ("triangular", "epanechnikov"):
        st.caption("Some courses print max(0, 1 − u), the triangular kernel, as Epanechnikov's.")
    if data == OWN_POINTS and own_points() is None:
        st.caption(
            ":material/info: A link carries no points of your own: add them under Data. Until then, sine."
        )

points = (own_points() if data == OWN_POINTS else None) or sample(
    "sine" if data == OWN_POINTS else data, n_points, noise, seed
)
view = controls.segment(KERNEL_VIEW, "Picture", label_visibility="collapsed")
match view:
    case "Fit and weights":
        kernel_fit.show(points, kernel)
    case "Four kernels":
        kernel_compare.show(points)
    case "Choose the bandwidth":
        kernel_bandwidth.show(points, kernel)
    case "Bridge to attention":
        kernel_bridge.show(points)
    case "Where it fails":
        kernel_fails.show(points, kernel)

tabs(
    TAB,
    {
        "Arithmetic": lambda: kernel_tabs.arithmetic(points, kernel),
        "Maths": lambda: kernel_tabs.maths(kernel),
        "Break it": lambda: kernel_mistakes.show(points, kernel),
        "Checks": lambda: kernel_checks.show(points, kernel),
        "Data": lambda: kernel_own_data.show(points),
        "Code": lambda: kernel_tabs.code(points, kernel, (n_points, noise, seed)),
    },
)
