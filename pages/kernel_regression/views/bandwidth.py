"""Choosing the bandwidth: two errors against it, the best, and learning it by gradient descent."""

from collections.abc import Iterator

import numpy as np
import streamlit as st

from attn_core import BandwidthSearch, BandwidthStep, learn_bandwidth
from attn_figures.kernel_studies import Errors, choose
from attn_live.packing import pack
from attn_ui.live_figure import live_figure
from attn_ui.page import Slider
from attn_ui.parameters import Steps
from attn_ui.shared_cache import shared
from attn_ui.state import move
from pages.kernel_regression.numbers import Standing, Sweep, asked
from pages.kernel_regression.points import Numbers, Points
from pages.kernel_regression.search import Best, best_of, errors
from pages.kernel_regression.settings import BANDWIDTH
from pages.kernel_regression.words import choose_sentence, learned_sentence

LEARNING_STEPS = 300
LEARNING_RATE = 0.05
TOLD_EVERY = 5  # steps from one report of progress to the next; between them nothing can stop it
PATH = "kernel_learned_path"


def show(points: Points, kernel: str) -> Standing:
    """Draw the figure, offer the best, learn from where the slider stands, and return where that is."""
    sweep = Sweep(points, kernel, kept=asked())
    found = errors(points, points.fingerprint, kernel, tuple(sweep.bandwidths().tolist()))
    best = best_of(points, points.fingerprint, kernel)
    path = _path(points, kernel)
    live_figure(
        _drawn(sweep, found, best, points.fingerprint, kernel, sweep.bandwidth, path.tobytes()),
        key="choose",
        alt=(
            "Training error and leave-one-out error against the bandwidth, a star at the best; the data and "
            "the estimate at the chosen bandwidth."
        ),
        name=f"choosing the bandwidth {points.name} {kernel}",
        slider=Slider("Bandwidth h", sweep.bandwidth, names=sweep.bandwidth_names()),
        says=[_sentence(points, found, best, step) for step in range(len(found.bandwidths))],
        caption=sweep.caption(),
    )
    standing = sweep.standing()
    _offers(standing, best)
    return standing


@shared
def _drawn(
    _sweep: Sweep,
    _found: BandwidthSearch,
    _best: Best,
    fingerprint: str,
    kernel: str,
    bandwidth: Steps,
    path: bytes,
) -> bytes:
    curves = Errors(
        _found.bandwidths.numpy(),
        _found.training_errors.numpy(),
        _found.leave_one_out_errors.numpy(),
        _found.supported.numpy(),
        (_best.bandwidth, _best.left_out) if _best.supported else None,
        np.frombuffer(path).reshape(-1, 2),
    )
    scene = _sweep.floorless
    return pack(
        [choose.spec(scene, curves, step, each.on_grid) for step, each in enumerate(_sweep.estimates())]
    )


def _sentence(points: Points, found: BandwidthSearch, best: Best, step: int) -> str:
    return choose_sentence(
        points,
        bandwidth=float(found.bandwidths[step]),
        training=float(found.training_errors[step]),
        left_out=float(found.leave_one_out_errors[step]),
        best=best.bandwidth,
        best_training=best.training,
        best_error=best.left_out,
        tried=best.tried,
        compared=best.compared,
        supported=int(found.supported[step]),
        most_supported=best.supported,
    )


def _path(points: Points, kernel: str) -> Numbers:
    """The path learned for these points and this kernel in this session, (n_learned, 2)."""
    known, steps = st.session_state.get(PATH, (None, []))
    return np.array(steps if known == (points.fingerprint, kernel) else [], dtype=np.float64).reshape(-1, 2)


def _offers(standing: Standing, best: Best) -> None:
    """Offer the best, and to learn; say how learning went."""
    points, kernel = standing.points, standing.kernel
    path = _path(points, kernel)
    with st.container(horizontal=True):
        if best.supported:
            _take("Take the best", best.bandwidth, points, key="take_best")
        if len(path):
            end = float(path[-1, 0])
            _take(f"Take the learned {points.width(end)}", end, points, key="take_learned")
        _learn(standing)
        # A button of the page, for one of the fragment's own would wait until the fragment is done.
        st.button("Stop", key="stop_learning", type="tertiary")
    if len(path):
        ended = errors(points, points.fingerprint, kernel, (float(path[-1, 0]),))
        supported = int(ended.supported[0])
        st.markdown(
            learned_sentence(
                points,
                steps=len(path) - 1,
                planned=LEARNING_STEPS,
                start=float(path[0, 0]),
                end=float(path[-1, 0]),
                error=float(path[-1, 1]),
                best=best.bandwidth,
                best_error=best.left_out,
                kernel=kernel,
                fewer=supported if supported < best.supported else None,
            )
        )


def _take(label: str, bandwidth: float, points: Points, *, key: str) -> None:
    st.button(label, on_click=move, args=(BANDWIDTH, bandwidth / points.unit), key=key)


@st.fragment
def _learn(standing: Standing) -> None:
    """Learn in a run of its own, so that the page stays as it is meanwhile."""
    if st.button(f"Learn from h = {standing.width}", key="learn"):
        _descend(standing)
        st.rerun()


def _descend(standing: Standing) -> None:
    """Learn step by step; each step is kept at once, so that a stop loses nothing."""
    points = standing.points
    path: list[tuple[float, float]] = []
    st.session_state[PATH] = ((points.fingerprint, standing.kernel), path)
    bar = st.progress(0.0, text="Learning")
    steps: Iterator[BandwidthStep] = learn_bandwidth(
        *points.tensors(),
        kernel=standing.kernel,
        start=standing.bandwidth,
        steps=LEARNING_STEPS,
        learning_rate=LEARNING_RATE,
    )
    for step in steps:
        if np.isfinite(step.error):
            path.append((step.bandwidth, step.error))
        if step.step % TOLD_EVERY == 0:
            at = f"h = {points.width(step.bandwidth)}, error {step.error:.3g}"
            bar.progress(step.step / LEARNING_STEPS, text=f"Step {step.step}: {at}")
