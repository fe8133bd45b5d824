"""Kernel regression, the first attention: controls, pictures, words."""

import streamlit as st

from attn_ui import controls
from attn_ui.following import follow
from attn_ui.frame import open_page, tabs
from pages.kernel_regression import settings
from pages.kernel_regression.own_points import own_points
from pages.kernel_regression.points import sample
from pages.kernel_regression.settings import KERNEL_VIEW, OWN_POINTS, SETTINGS, TAB
from pages.kernel_regression.tabs import arithmetic, break_it, checks, code, data, maths
from pages.kernel_regression.views import bandwidth, bridge, compare, fails, fit

open_page(
    "kernel-regression",
    SETTINGS,
    "Kernel regression",
    "The first attention: a query asks all points, and the near ones count most.",
)
with st.sidebar:
    drawn = settings.ask_for_data()
    kernel = settings.ask_for_kernel()
    own = own_points() if drawn.data == OWN_POINTS else None
    if drawn.data == OWN_POINTS and own is None:
        st.caption(
            ":material/info: A link carries no points of your own: add them in the tab *Data* of "
            "*Take away*. Until then, sine."
        )

toy = "sine" if drawn.data == OWN_POINTS else drawn.data
points = own or sample(toy, drawn.n_points, drawn.noise, drawn.seed)
view = controls.segment(KERNEL_VIEW, "Picture", label_visibility="collapsed")


def show() -> None:
    """Draw the picture and lay the tabs under it."""
    match view:
        case "Fit and weights":
            standing = fit.show(points, kernel)
        case "Four kernels":
            standing = compare.show(points, kernel)
        case "Choose the bandwidth":
            standing = bandwidth.show(points, kernel)
        case "Bridge to attention":
            standing = bridge.show(points)
        case _:
            standing = fails.show(points, kernel)

    tabs(
        TAB,
        {
            "Arithmetic": lambda: arithmetic.show(standing),
            "Maths": lambda: maths.show(standing.kernel),
            "Break it": lambda: break_it.show(points, kernel, points.unit * standing.slider_bandwidth),
            "Checks": lambda: checks.show(standing),
            "Data": lambda: data.show(points),
            "Code": lambda: code.show(standing, drawn),
        },
    )


# A search for the bandwidth must be stopped at once, and points of one's own may change under any tab.
if view == "Choose the bandwidth" or own is not None:
    show()
else:
    follow(show, SETTINGS)
