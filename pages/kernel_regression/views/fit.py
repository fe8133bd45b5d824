"""The first picture: the data and the estimate at one query, and the weights of all queries."""

import numpy as np

from attn_figures.kernel_regression import fit, fit_cursor, fit_moves
from attn_figures.kernel_scene import Estimate
from attn_figures.scene import Scene
from attn_live.captions import CaptionTemplates
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import View
from pages.kernel_regression.compute import Result, Sweep, figure_at_sliders
from pages.kernel_regression.state import State
from pages.kernel_regression.words import Answers, empty_warning, estimate_captions


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the data, the estimate and all weights, and say what the query attends to."""
    points, kernel = state.points, state.kernel
    sweep, figure = figure_at_sliders(
        controls, Sweep(points, kernel), draw, key="fit", name=f"kernel regression {points.name} {kernel}"
    )
    return View(Result(state, sweep.select(controls)), figure)


def draw(sweep: Sweep) -> Scene:
    """Draw the picture at each bandwidth of the slider."""
    scene, estimates = sweep.scene, sweep.estimates()
    cursor = Cursor(len(scene.queries), **fit_cursor(scene, estimates))
    moves = fit_moves(scene, estimates)
    return Scene([fit(scene, estimates[0])], cursor, moves, _caption(sweep, estimates))


def _caption(sweep: Sweep, estimates: list[Estimate]) -> CaptionTemplates:
    """Return a caption for each bandwidth and query."""
    answers = Answers(
        bandwidths=sweep.bandwidths().tolist(),
        places=sweep.place_names(),
        nearest=np.abs(sweep.queries[:, None] - sweep.points.keys).min(axis=1).tolist(),
        estimates=np.stack([estimate.at_queries for estimate in estimates]),
        weights=np.concatenate([estimate.weights for estimate in estimates]),
        effective=np.stack([estimate.effective_keys for estimate in estimates]),
    )
    empty = np.isnan(answers.estimates).sum(axis=1).tolist()
    warnings = [empty_warning(count, len(answers.places), sweep.kernel) for count in empty]
    return estimate_captions(sweep.points, answers, [""] * len(empty), warnings)
