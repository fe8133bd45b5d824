"""Choosing the bandwidth: two errors by bandwidth, the best bandwidth, and one learned by gradient."""

import numpy as np

from attn_core import BandwidthSearch
from attn_figures.kernel_studies import Errors, choose
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_words import _, paragraph
from pages.kernel_regression.compute import Result, Sweep, values_between
from pages.kernel_regression.data_points import Numbers, Points
from pages.kernel_regression.search import Best, best_of, errors
from pages.kernel_regression.state import State
from pages.kernel_regression.words import error_readout

LEARNING_STEPS = 300
LEARNING_RATE = 0.05
PATH = "kernel_learned_path"  # the session's key for the learned path
Path = tuple[tuple[str, str] | None, list[tuple[float, float]]]  # what it was learned for; h and error a step


def view(controls: Controls, state: State) -> View[Result]:
    """Draw both errors, the best bandwidth and the path learned; `learning` adds its buttons below."""
    points, kernel = state.points, state.kernel
    sweep = Sweep(points, kernel, between=values_between(controls))
    search = errors(points, points.fingerprint, kernel, tuple(sweep.bandwidths().tolist()))
    best = best_of(points, points.fingerprint, kernel)
    path = learned_path(controls, state)
    figure = Figure(
        _draw(sweep, search, best, points.fingerprint, kernel, sweep.bandwidth, path.tobytes()),
        key="choose",
        name=f"choosing the bandwidth {points.name} {kernel}",
        slider=sweep.slider,
        caption=sweep.caption(),
    )
    return View(Result(state, sweep.select(controls)), figure, below="learning")


def learned_path(controls: Controls, state: State) -> Numbers:
    """Return the bandwidths learned in this session for this state, with their errors, (n_learned, 2)."""
    nothing: Path = (None, [])
    source, steps = controls.recall(PATH, nothing)
    here = (state.points.fingerprint, state.kernel)
    return np.array(steps if source == here else [], dtype=np.float64).reshape(-1, 2)


@shared_scene
def _draw(
    _sweep: Sweep,
    _search: BandwidthSearch,
    _best: Best,
    fingerprint: str,
    kernel: str,
    bandwidth: Steps,
    path: bytes,
) -> Scene:
    curves = Errors(
        _search.bandwidths.numpy(),
        _search.training_errors.numpy(),
        _search.leave_one_out_errors.numpy(),
        _search.n_supported.numpy(),
        (_best.bandwidth, _best.left_out) if _best.n_supported else None,
        np.frombuffer(path).reshape(-1, 2),
    )
    scene = _sweep.floorless
    on_grid = [each.on_grid for each in _sweep.estimates()]
    return Scene(
        LazyMap(lambda at: choose(scene, curves, *at), list(enumerate(on_grid))),
        captions=LazyMap(lambda step: _sentence(_sweep.points, _search, _best, step), range(len(on_grid))),
    )


def _sentence(points: Points, search: BandwidthSearch, best: Best, step: int) -> str:
    """Say which error can choose a bandwidth, and both errors at this step's bandwidth."""
    h, training, left_out, n_supported = (
        float(each[step])
        for each in (
            search.bandwidths,
            search.training_errors,
            search.leave_one_out_errors,
            search.n_supported,
        )
    )
    shows = _(
        "The training error is smallest as h goes to 0: each point is among those that it is predicted from. "
        "Leave-one-out takes it away first."
    )
    of_best = best.bandwidth, best.left_out
    readout = error_readout(points, h, (training, left_out), int(n_supported), of_best)
    few = _("Dotted: fewer points keep a neighbour here than can, so the errors are not comparable.")
    return paragraph(shows, readout, few if n_supported < best.n_supported else "")
