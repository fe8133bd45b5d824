"""Choosing the bandwidth: two errors against it, the best, and learning it by gradient descent."""

from collections.abc import Iterator

import numpy as np
import streamlit as st

from attn_core import BandwidthSearch, BandwidthStep, bandwidth_search, learn_bandwidth
from attn_figures.kernel_studies import Errors, choose
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Slider, live_figure, pack
from attn_ui.positions import move, position
from pages.kernel_regression.data import Numbers, Points
from pages.kernel_regression.numbers import Sweep
from pages.kernel_regression.settings import BANDWIDTH
from pages.kernel_regression.words import choose_sentence, learned_sentence

LEARNING_STEPS = 300
LEARNING_RATE = 0.05
TOLD_EVERY = 5  # steps from one report of progress to the next; between them nothing can stop it
PATH = "kernel_learned_path"
REFINED = 41  # bandwidths between the two neighbours of the slider's best


@st.cache_data(max_entries=64, show_spinner=False)
def search(_points: Points, fingerprint: str, kernel: str, bandwidths: tuple[float, ...]) -> BandwidthSearch:
    """Compute the errors of the bandwidths."""
    return bandwidth_search(*_points.tensors(), kernel=kernel, bandwidths=bandwidths)


def best_of(
    points: Points, kernel: str, bandwidths: tuple[float, ...]
) -> tuple[BandwidthSearch, float, float]:
    """Search the slider's bandwidths, then between the neighbours of the best; return it with its error."""
    coarse = search(points, points.fingerprint, kernel, bandwidths)
    at = bandwidths.index(coarse.best) if coarse.best in bandwidths else 0
    low, high = bandwidths[max(0, at - 1)], bandwidths[min(len(bandwidths) - 1, at + 1)]
    fine = search(points, points.fingerprint, kernel, tuple(np.geomspace(low, high, REFINED).tolist()))
    return coarse, fine.best, float(fine.leave_one_out_errors[fine.bandwidths == fine.best][0])


@st.cache_data(max_entries=64, show_spinner=False)
def _packed(_sweep: Sweep, _errors: Errors, fingerprint: str, kernel: str, path: bytes) -> bytes:
    scene = _sweep.floorless
    return pack(
        [choose.spec(scene, _errors, step, each.on_grid) for step, each in enumerate(_sweep.estimates())]
    )


def show(points: Points, kernel: str) -> None:
    """Draw the figure, offer the best, and learn from where the slider stands."""
    sweep = Sweep(points, kernel)
    bandwidths = tuple(sweep.bandwidths().tolist())
    found, best, best_error = best_of(points, kernel, bandwidths)
    path = _path(points, kernel)
    errors = Errors(
        np.array(bandwidths),
        found.training_errors.numpy(),
        found.leave_one_out_errors.numpy(),
        found.supported.numpy(),
        (best, best_error),
        path,
    )
    step = position(sweep.bandwidth)
    live_figure(
        _packed(sweep, errors, points.fingerprint, kernel, path.tobytes()),
        key="choose",
        alt=(
            "Left: training error and leave-one-out error against the bandwidth, a star at the best. "
            "Right: the data and the estimate at the chosen bandwidth."
        ),
        name=f"choosing the bandwidth {points.name} {kernel}",
        slider=Slider("Bandwidth h", sweep.bandwidth, names=sweep.bandwidth_names()),
    )
    what_you_see(
        choose_sentence(
            bandwidth=bandwidths[step],
            training=float(errors.training[step]),
            left_out=float(errors.left_out[step]),
            best=best,
            best_error=best_error,
            supported=int(errors.supported[step]),
            n_key=len(points.keys),
        )
    )
    _offers(points, kernel, bandwidths[step], best, best_error)


def _path(points: Points, kernel: str) -> Numbers:
    """The path learned for these points and this kernel in this session, (n_learned, 2)."""
    known, steps = st.session_state.get(PATH, (None, []))
    return np.array(steps if known == (points.fingerprint, kernel) else [], dtype=np.float64).reshape(-1, 2)


def _offers(points: Points, kernel: str, start: float, best: float, best_error: float) -> None:
    """Offer the best, and to learn; say how learning went."""
    with st.container(horizontal=True):
        st.button("Take the best", on_click=move, args=(BANDWIDTH, best / points.unit), key="take_best")
        path = _path(points, kernel)
        if len(path):
            end = float(path[-1, 0])
            st.button(
                f"Take the learned {end:.3g}",
                on_click=move,
                args=(BANDWIDTH, end / points.unit),
                key="take_learned",
            )
        _learn(points, kernel, start)
        # A button of the page, for one of the fragment's own would wait until the fragment is done.
        st.button("Stop", key="stop_learning", type="tertiary")
    if len(path):
        st.markdown(
            learned_sentence(
                steps=len(path) - 1,
                planned=LEARNING_STEPS,
                start=float(path[0, 0]),
                end=float(path[-1, 0]),
                error=float(path[-1, 1]),
                best=best,
                best_error=best_error,
                kernel=kernel,
            )
        )


@st.fragment
def _learn(points: Points, kernel: str, start: float) -> None:
    """Learn in a run of its own, so that the page stays as it is meanwhile."""
    if st.button(f"Learn from h = {start:.3g}", key="learn"):
        _descend(points, kernel, start)
        st.rerun()


def _descend(points: Points, kernel: str, start: float) -> None:
    """Learn step by step; each step is kept at once, so that a stop loses nothing."""
    path: list[tuple[float, float]] = []
    st.session_state[PATH] = ((points.fingerprint, kernel), path)
    bar = st.progress(0.0, text="Learning")
    steps: Iterator[BandwidthStep] = learn_bandwidth(
        *points.tensors(), kernel=kernel, start=start, steps=LEARNING_STEPS, learning_rate=LEARNING_RATE
    )
    for step in steps:
        if np.isfinite(step.error):
            path.append((step.bandwidth, step.error))
        if step.step % TOLD_EVERY == 0:
            share = step.step / LEARNING_STEPS
            bar.progress(share, text=f"Step {step.step}: h = {step.bandwidth:.3g}, error {step.error:.3g}")
