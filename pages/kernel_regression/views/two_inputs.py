"""Two inputs: keys are points of a plane, the estimate is a map, and the kernel a circle around the query."""

from functools import partial

import numpy as np

from attn_figures.kernel_plane import KEYS, MAP, PlaneEstimate, plane, plane_cursor, plane_moves
from attn_figures.scene import Scene
from attn_live.captions import CaptionTemplates
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell, View
from pages.kernel_regression.compute import Result, figure_at_sliders
from pages.kernel_regression.data_points import Numbers
from pages.kernel_regression.plane import AXIS, DOWN, PlanePoints, PlaneSweep, plane_points
from pages.kernel_regression.search import errors
from pages.kernel_regression.settings import BANDWIDTH, QUERY_AT, QUERY_AT_2
from pages.kernel_regression.state import State
from pages.kernel_regression.words import Answers, empty_warning, error_readout, estimate_captions

ARRAYS = 2  # numbers of each step, query and key: its weight and its kernel


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the map, with queries that share their second coordinate, and say what the query attends to."""
    settings, kernel, x2 = state.sample, state.kernel, state.x2
    points = plane_points(settings.n_points, settings.noise, settings.seed)
    sweep, figure = figure_at_sliders(
        controls,
        PlaneSweep(points, kernel, ARRAYS, x2=x2),
        draw,
        key="plane",
        name=f"kernel regression two inputs {kernel}",
        clicked=partial(read_at, points),
    )
    return View(Result(state, sweep.select(controls)), figure)


def read_at(points: PlanePoints, controls: Controls, cell: Cell) -> None:
    """Move the query to the clicked cell of the map, or to the place on the grid nearest to a clicked key."""
    if cell.trace.startswith(MAP):
        x1, x2 = AXIS[cell.column], DOWN[cell.row]
    elif cell.trace in KEYS:
        x1, x2 = (AXIS[np.abs(AXIS - place).argmin()] for place in points.keys[cell.row])
    else:
        return
    controls.move(QUERY_AT, float(x1))
    controls.move(QUERY_AT_2, float(x2))


def draw(sweep: PlaneSweep) -> Scene:
    """Draw the picture at each bandwidth of the slider."""
    scene, (steps, estimates, effective) = sweep.plane, sweep.plane_estimates()
    cursor = Cursor(len(scene.queries), **plane_cursor(scene, steps))
    captions = _caption(sweep, steps, estimates, effective)
    return Scene([plane(scene, steps[0])], cursor, plane_moves(scene, steps), captions)


def _caption(
    sweep: PlaneSweep, steps: list[PlaneEstimate], estimates: Numbers, effective: Numbers
) -> CaptionTemplates:
    """Return a caption for each bandwidth and query."""
    points, own = sweep.points, sweep.bandwidths()
    bandwidths = np.union1d(BANDWIDTH.values, own)
    search = errors(points, points.fingerprint, sweep.kernel, tuple(bandwidths.tolist()))
    training, left_out = search.training_errors.numpy(), search.leave_one_out_errors.numpy()
    best = search.best, float(left_out[bandwidths == search.best][0])
    answers = Answers(
        bandwidths=[step.bandwidth for step in steps],
        places=sweep.place_names(),
        nearest=sweep.plane.distances.min(axis=1).tolist(),
        estimates=estimates,
        weights=np.concatenate([step.weights for step in steps]),
        effective=effective,
    )
    rows = np.searchsorted(bandwidths, answers.bandwidths)
    each = zip(training[rows].tolist(), left_out[rows].tolist(), strict=True)
    n_supported = search.n_supported.numpy()[rows].tolist()
    return estimate_captions(
        points,
        answers,
        [
            error_readout(points, h, both, count, best)
            for h, both, count in zip(answers.bandwidths, each, n_supported, strict=True)
        ],
        [empty_warning(int(np.isnan(step.on_map).sum()), step.on_map.size, sweep.kernel) for step in steps],
    )
