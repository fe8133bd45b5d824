"""What a link to this page can set: short names, defaults, ranges, and the sidebar that asks for it."""

from dataclasses import dataclass

import streamlit as st

from attn_core import KERNELS
from attn_ui import controls
from attn_ui.bounds import MAX_KERNEL_POINTS
from attn_ui.parameters import Choice, Flag, Parameter, Real, Steps, Whole, grouped_tabs, rungs
from attn_ui.shared_settings import CODE, SEED

TAB = grouped_tabs(
    understand=("Arithmetic", "Maths"),
    experiment=("Break it",),
    prove=("Checks",),
    take_away=("Data", "Code"),
)
KERNEL_VIEW = Choice(
    "picture",
    "Fit and weights",
    ("Fit and weights", "Four kernels", "Choose the bandwidth", "Bridge to attention", "Where it fails"),
    views=True,
)
OWN_POINTS = "own points"
POINTS_DATA = Choice("data", "sine", ("sine", "step", "bump", "heteroscedastic", "gap", OWN_POINTS))
POINTS = Whole("points", 40, 4, MAX_KERNEL_POINTS)
NOISE = Real("noise", 0.5, 0.0, 2.0, 0.1)
KERNEL = Choice("kernel", "gaussian", ("gaussian", "boxcar", "triangular", "epanechnikov"))
# Both are in the unit of the toy data, which lie in [0, 5]; a person's own data are measured by their width.
_SEVENTEEN = (1, 1.15, 1.3, 1.5, 1.75, 2, 2.3, 2.6, 3, 3.5, 4, 4.5, 5, 5.75, 6.5, 7.5, 8.75)
BANDWIDTH = Steps("h", 0.5, rungs(0.01, 25.0, _SEVENTEEN, ".3g"), ".3g")
QUERY_AT = Steps("x0", 2.5, tuple(round(-0.5 + 0.1 * i, 1) for i in range(61)), ".1f")
KEY_LENGTHS = Flag("lengths", True)
ALL_KEYS = Flag("all", False)
KERNEL_SLIP = Choice(
    "trap", "softmax over queries", ("softmax over queries", "training error", "triangular as Epanechnikov")
)
KEYS_LIE = Choice("keys", "on a line", ("on a line", "on a circle"))
SETTINGS: tuple[Parameter, ...] = (
    TAB,
    KERNEL_VIEW,
    POINTS_DATA,
    POINTS,
    NOISE,
    SEED,
    KERNEL,
    BANDWIDTH,
    QUERY_AT,
    KEY_LENGTHS,
    ALL_KEYS,
    KEYS_LIE,
    KERNEL_SLIP,
    CODE,
)


@dataclass(frozen=True)
class Drawn:
    """How a toy data set is drawn; its name is "own points" where there is none."""

    data: str
    n_points: int
    noise: float
    seed: int


def ask_for_data() -> Drawn:
    """Ask in the sidebar which points there are."""
    st.subheader("Data", anchor=False)
    data = controls.choose(POINTS_DATA, "Data set")
    own = data == OWN_POINTS
    return Drawn(
        data,
        controls.whole(POINTS, "Points", disabled=own),
        controls.real(NOISE, "Noise", disabled=own),
        controls.whole(SEED, "Seed", disabled=own),
    )


def ask_for_kernel() -> str:
    """Ask in the sidebar for the kernel, and show its formula."""
    st.subheader("Kernel", anchor=False)
    kernel = controls.choose(KERNEL, "Kernel")
    st.latex(f"K(u) = {KERNELS[kernel].formula}")
    st.caption("u = |q − k| / h")
    if kernel in ("triangular", "epanechnikov"):
        st.caption("Some courses print max(0, 1 − u), the triangular kernel, as Epanechnikov's.")
    return kernel
