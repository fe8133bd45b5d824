"""The tabs under the pictures: arithmetic, maths and code."""

import numpy as np
import streamlit as st
import torch

from attn_core import KERNELS
from attn_ui.positions import position
from pages.kernel_regression.data import Points
from pages.kernel_regression.numbers import Sweep
from pages.kernel_regression.settings import OWN_POINTS
from pages.kernel_regression.snippet import own_data, snippet, toy_data

SHOWN_KEYS = 8
LATEX_NAMES = {name: rf"K(u) = {kernel.formula}" for name, kernel in KERNELS.items()}


def standing(points: Points, kernel: str) -> tuple[Sweep, float, int]:
    """Where the sliders stand: the sweep, the bandwidth in the keys' unit, the row of the query."""
    sweep = Sweep(points, kernel)
    return sweep, float(sweep.bandwidths()[position(sweep.bandwidth)]), position(sweep.query)


def arithmetic(points: Points, kernel: str) -> None:
    """Write out the weighted mean at the query."""
    sweep, h, row = standing(points, kernel)
    estimate, query = sweep.at(h), float(sweep.scene.queries[row])
    if not estimate.supported[row]:
        st.markdown(
            f"At {query:.{points.digits}g} no key lies within h = {h:.3g}: there is no weight and no mean."
        )
        return
    u = np.abs(query - points.keys) / h
    profile = KERNELS[kernel].profile(torch.from_numpy(u)).numpy()
    weights = estimate.weights[row]
    order = np.argsort(-weights, kind="stable")[:SHOWN_KEYS]
    rest = np.setdiff1d(np.arange(len(weights)), order)
    lines = [
        "| :orange[key] k | \\|q − k\\| | u = \\|q − k\\| / h | K(u) | weight w | :green[value] v | w · v |",
        "|--:|--:|--:|--:|--:|--:|--:|",
        *(
            f"| {points.keys[j]:.{points.digits + 2}g} | {_cell(u[j] * h)} | {u[j]:.4f} | {profile[j]:.4f} "
            f"| **{weights[j]:.4f}** | {_cell(points.values[j])} | {_cell(weights[j] * points.values[j])} |"
            for j in order
        ),
    ]
    if len(rest):
        mass = float(weights[rest].sum())
        part = float((weights[rest] * points.values[rest]).sum())
        lines.append(f"| {len(rest)} others | | | {profile[rest].sum():.4f} | {mass:.4f} | | {_cell(part)} |")
    mean = estimate.at_queries[row]
    lines.append(f"| **sum** | | | {profile.sum():.4f} | **{weights.sum():.4f}** | | **{_cell(mean)}** |")
    st.markdown(
        f"The :violet[query] q = {query:.{points.digits}g} at bandwidth h = {h:.4g}: each weight is K(u) "
        "divided by the sum of its column, the estimate is the sum of w · v. The heaviest keys first."
    )
    st.markdown("\n".join(lines))


def _cell(number: float) -> str:
    return f"{number:.4f}" if 1e-3 <= abs(number) < 1e5 or number == 0 else f"{number:.5g}"


def maths(kernel: str) -> None:
    """Show the formulas."""
    st.latex(
        r"\hat f(q) = \sum_j \underbrace{\frac{K(u_j)}{\sum_l K(u_l)}}_{w_j}\, v_j"
        r" = \sum_j \mathrm{softmax}_j\bigl(\log K(u_j)\bigr)\, v_j, \qquad u_j = \frac{|q - k_j|}{h}"
    )
    left, right = st.columns(2)
    with left:
        for name, formula in LATEX_NAMES.items():
            st.markdown(f"**{name}**" if name == kernel else name)
            st.latex(formula)
        st.caption(
            "Some courses print max(0, 1 − u) under the name Epanechnikov: it is the triangular kernel. "
            "Epanechnikov's is the parabola max(0, 1 − u²). None needs its norming constant: it cancels."
        )
    with right:
        st.markdown("The leave-one-out error chooses h:")
        st.latex(r"\frac{1}{n}\sum_i \bigl(v_i - \hat f_{-i}(k_i)\bigr)^2")
        st.markdown("The Gaussian kernel is a dot product and two lengths:")
        st.latex(
            r"-\frac{|q-k|^2}{2h^2} = \frac{1}{h^2}\Bigl(q \cdot k - \frac{|k|^2}{2} - \frac{|q|^2}{2}\Bigr)"
        )
        st.caption(
            "The last term is the same for every key, and the softmax does not see it. "
            "h² stands where attention has its temperature times √d_k."
        )


def code(points: Points, kernel: str, drawn: tuple[int, float, int]) -> None:
    """Hand over the lines that reproduce the estimate at the query."""
    sweep, h, row = standing(points, kernel)
    n_points, noise, seed = drawn
    data = (
        own_data(points.keys.tolist(), points.values.tolist())
        if points.name == OWN_POINTS or points.truth is None
        else toy_data(points.name, n_points, noise, seed)
    )
    st.code(
        snippet(data=data, kernel=kernel, bandwidth=h, query=float(sweep.scene.queries[row])),
        language="python",
    )
