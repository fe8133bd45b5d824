"""Buttons under the errors of the bandwidths: take the best bandwidth, or learn one step by step."""

from collections.abc import Iterator

import numpy as np
import streamlit as st

from attn_core import BandwidthStep, learn_bandwidth
from attn_figures.numbers import number
from attn_ui.screen.state import move
from attn_ui.screen.streamlit_controls import CONTROLS
from attn_words import _
from pages.kernel_regression.compute import Result, Selection
from pages.kernel_regression.data_points import Points
from pages.kernel_regression.search import best_of
from pages.kernel_regression.settings import BANDWIDTH
from pages.kernel_regression.views.bandwidth import LEARNING_RATE, LEARNING_STEPS, PATH, learned_path

REPORT_EVERY = 5  # steps between reports of progress; learning can be stopped only at a report


def show(result: Result) -> None:
    """Show buttons that take the best bandwidth or learn one, and the result of learning so far."""
    points, kernel = result.state.points, result.state.kernel
    best = best_of(points, points.fingerprint, kernel)
    path = learned_path(CONTROLS, result.state)
    with st.container(horizontal=True):
        if best.n_supported:
            _show_button(_("Take the best"), best.bandwidth, points, key="take_best")
        if len(path):
            end = float(path[-1, 0])
            _show_button(_("Take the learned {h}", h=points.width_text(end)), end, points, key="take_learned")
        _offer_learning(result.selection)
        # This button is outside the fragment: inside, a click would wait until the fragment ends.
        st.button(_("Stop"), key="stop_learning", type="tertiary")
    if len(path):
        summary = _(
            "Adam on log h: from {start} to **{end}** in {steps} of {planned} steps, error {error}; the "
            "search's best is {best} with {best_error}. Descent goes to the nearest valley, and stops where "
            "there is no slope.",
            start=points.slider_width_text(float(path[0, 0])),
            end=points.width_text(float(path[-1, 0]), 4),
            steps=len(path) - 1,
            planned=LEARNING_STEPS,
            error=number(float(path[-1, 1])),
            best=points.width_text(best.bandwidth, 4),
            best_error=number(best.left_out),
        )
        st.markdown(summary)


def _show_button(label: str, bandwidth: float, points: Points, *, key: str) -> None:
    st.button(label, on_click=move, args=(BANDWIDTH, bandwidth / points.unit), key=key)


@st.fragment
def _offer_learning(selection: Selection) -> None:
    """Show the button that learns; as a fragment it reruns alone, and the page stays as it is meanwhile."""
    if st.button(_("Learn from h = {h}", h=selection.width), key="learn"):
        _descend(selection)
        st.rerun()


def _descend(selection: Selection) -> None:
    """Learn step by step; each step is stored at once, so a stop loses nothing."""
    points = selection.points
    path: list[tuple[float, float]] = []
    st.session_state[PATH] = ((points.fingerprint, selection.kernel), path)
    bar = st.progress(0.0, text=_("Learning"))
    steps: Iterator[BandwidthStep] = learn_bandwidth(
        *points.tensors(),
        kernel=selection.kernel,
        start=selection.bandwidth,
        steps=LEARNING_STEPS,
        learning_rate=LEARNING_RATE,
    )
    for step in steps:
        if np.isfinite(step.error):
            path.append((step.bandwidth, step.error))
        if step.step % REPORT_EVERY == 0:
            message = _(
                "Step {step}: h = {h}, error {error}",
                step=step.step,
                h=points.width_text(step.bandwidth),
                error=f"{step.error:.3g}",
            )
            bar.progress(step.step / LEARNING_STEPS, text=message)
