"""Kernel regression, the first attention: controls, pictures, words."""

import streamlit as st

from attn_ui import controls, state
from attn_ui.following import follow
from attn_ui.frame import open_page, tabs
from pages.kernel_regression import plane, settings
from pages.kernel_regression.break_plane import Asked
from pages.kernel_regression.numbers import Standing
from pages.kernel_regression.own_points import own_points
from pages.kernel_regression.points import sample
from pages.kernel_regression.settings import (
    KERNEL_VIEW,
    OWN_POINTS,
    QUERY_AT,
    QUERY_AT_2,
    SETTINGS,
    TAB,
    TWO_INPUTS,
)
from pages.kernel_regression.tabs import (
    arithmetic,
    break_it,
    checks,
    code,
    data,
    maths,
    plane_checks,
    plane_data,
)
from pages.kernel_regression.views import bandwidth, bridge, compare, fails, fit, two_inputs

open_page(
    "kernel-regression",
    SETTINGS,
    "Kernel regression",
    "The first attention (Nadaraya–Watson): a query asks all points, and the near ones count most.",
)
view = controls.segment(KERNEL_VIEW, "Picture", label_visibility="collapsed")
with st.sidebar:
    drawn = settings.ask_for_data(two_inputs=view == TWO_INPUTS)
    kernel = settings.ask_for_kernel()
    x2 = settings.ask_for_second_coordinate() if view == TWO_INPUTS else QUERY_AT_2.default
    own = own_points() if drawn.data == OWN_POINTS else None
    if drawn.data == OWN_POINTS and own is None and view != TWO_INPUTS:
        st.caption(
            ":material/info: A link carries no points of your own: add them in the tab *Data* of "
            "*Take away*. Until then, sine."
        )

toy = "sine" if drawn.data == OWN_POINTS else drawn.data
points = own or sample(toy, drawn.n_points, drawn.noise, drawn.seed)
if view == TWO_INPUTS and drawn.data == OWN_POINTS:
    st.caption(":material/info: Your own points have one input each; this picture has a data set of two.")


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
        case "Where it fails":
            standing = fails.show(points, kernel)
        case _:
            _show_two_inputs()
            return

    tabs(
        TAB,
        {
            "Arithmetic": lambda: arithmetic.show(standing),
            "Maths": lambda: maths.show(standing.kernel),
            "Break it": lambda: _break(standing),
            "Checks": lambda: checks.show(standing),
            "Data": lambda: data.show(points),
            "Code": lambda: code.show(standing, drawn),
        },
    )


def _show_two_inputs() -> None:
    """Draw the picture of two inputs and lay the tabs under it, each with what it has for vectors."""
    standing = two_inputs.show(plane.sample(drawn.n_points, drawn.noise, drawn.seed), kernel, x2)
    tabs(
        TAB,
        {
            "Arithmetic": lambda: arithmetic.show(standing),
            "Maths": lambda: maths.show(standing.kernel, two_inputs=True),
            "Break it": lambda: _break(standing),
            "Checks": lambda: checks.show(standing, plane_checks.of_map(standing)),
            "Data": lambda: plane_data.show(standing),
            "Code": lambda: code.show(standing, drawn),
        },
    )


def _break(standing: Standing) -> None:
    h = standing.slider_bandwidth
    vectors = Asked(
        plane.sample(drawn.n_points, drawn.noise, drawn.seed),
        kernel,
        h,
        (state.value(QUERY_AT), state.value(QUERY_AT_2)),
    )
    break_it.show(points, kernel, points.unit * h, vectors, two_inputs=view == TWO_INPUTS)


# A search for the bandwidth must be stopped at once, and points of one's own may change under any tab.
if view == "Choose the bandwidth" or own is not None:
    show()
else:
    follow(show, SETTINGS)
