"""The first picture: the data asked at one query, and the weights of all queries."""

import numpy as np

from attn_figures.kernel_regression import fit, fit_cursor, fit_moves
from attn_figures.kernel_scene import Estimate
from attn_figures.scene import Scene
from attn_live.captions import CaptionTemplates
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, View
from attn_ui.base.scenes import Packed
from attn_ui.base.shared_cache import shared
from attn_words import _
from pages.kernel_regression.compute import Kept, Result, Strides, Sweep, fitting, settled
from pages.kernel_regression.points import Points
from pages.kernel_regression.state import State
from pages.kernel_regression.words import Answered, estimates_said, hatched


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the data, the estimate and all weights, and say what the query attends to."""
    points, kernel = state.points, state.kernel
    sweep, scene = settled(
        controls, Sweep(points, kernel), lambda kept: drawn(points, points.fingerprint, kernel, kept), _draw
    )
    figure = Figure(
        scene,
        key="fit",
        alt=_(
            "Data points, the kernel estimate, and one query; each point's size and colour is its weight for "
            "that query. The map has all weights, queries in rows, keys in columns."
        ),
        name=f"kernel regression {points.name} {kernel}",
        slider=sweep.slider,
        rows=sweep.rows,
        caption=sweep.caption(),
    )
    return View(Result(state, sweep.standing(controls)), figure)


@shared
def drawn(
    _points: Points, fingerprint: str, kernel: str, kept: Kept = (None, None)
) -> tuple[Strides, Packed]:
    """Return the strides offered; and the message that draws them, and a sentence for each."""
    return fitting(Sweep(_points, kernel, kept=kept), _draw)


def _draw(sweep: Sweep) -> Scene:
    scene, estimates = sweep.scene, sweep.estimates()
    cursor = Cursor(len(scene.queries), **fit_cursor(scene, estimates))
    moves = fit_moves(scene, estimates)
    return Scene([fit.spec(scene, estimates[0])], cursor, moves, _say(sweep, estimates))


def _say(sweep: Sweep, estimates: list[Estimate]) -> CaptionTemplates:
    """Say of each bandwidth and each query what it shows."""
    answered = Answered(
        bandwidths=sweep.bandwidths().tolist(),
        places=sweep.place_names(),
        nearest=np.abs(sweep.queries[:, None] - sweep.points.keys).min(axis=1).tolist(),
        estimates=np.stack([estimate.at_queries for estimate in estimates]),
        weights=np.concatenate([estimate.weights for estimate in estimates]),
        effective=np.stack([estimate.effective_keys for estimate in estimates]),
    )
    empty = np.isnan(answered.estimates).sum(axis=1).tolist()
    warnings = [hatched(count, len(answered.places), sweep.kernel) for count in empty]
    return estimates_said(sweep.points, answered, [""] * len(empty), warnings)
