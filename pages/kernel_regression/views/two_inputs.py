"""Two inputs: keys are points of a plane, the estimate is a map, and the kernel a circle around the query."""

from functools import partial

import numpy as np

from attn_figures.kernel_plane import KEYS, MAP, PlaneEstimate, plane, plane_cursor, plane_moves
from attn_figures.scene import Scene
from attn_live.captions import CaptionTemplates
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell, Figure, View
from attn_ui.base.scenes import Packed
from attn_ui.base.shared_cache import shared
from attn_words import _
from pages.kernel_regression.compute import Kept, Result, Strides, fitting, settled
from pages.kernel_regression.plane import AXIS, DOWN, PlanePoints, PlaneSweep, sample
from pages.kernel_regression.points import Numbers
from pages.kernel_regression.search import errors
from pages.kernel_regression.settings import BANDWIDTH, QUERY_AT, QUERY_AT_2
from pages.kernel_regression.state import State
from pages.kernel_regression.words import Answered, error_readout, estimates_said, hatched

ARRAYS = 2  # numbers of each step, query and key: its weight and its kernel


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the map for queries of one second coordinate, and say what the query attends to."""
    drawn_so, kernel, x2 = state.drawn, state.kernel, state.x2
    points = sample(drawn_so.n_points, drawn_so.noise, drawn_so.seed)
    sweep, scene = settled(
        controls,
        PlaneSweep(points, kernel, ARRAYS, x2=x2),
        lambda kept: drawn(points, points.fingerprint, kernel, x2, kept),
        _draw,
    )
    figure = Figure(
        scene,
        key="plane",
        alt=_(
            "A map of the estimate over the plane of two inputs. Keys are points coloured by value, "
            "larger the more they weigh for the query; the kernel is a circle around it. A chart has the "
            "kernel against distance, with each key on it."
        ),
        name=f"kernel regression two inputs {kernel}",
        slider=sweep.slider,
        rows=sweep.rows,
        clicked=partial(read_at, points),
        caption=sweep.caption(),
    )
    return View(Result(state, sweep.standing(controls)), figure)


def read_at(points: PlanePoints, controls: Controls, cell: Cell) -> None:
    """Move the query to a cell of the map that was clicked, or to the cell of a key."""
    if cell.trace.startswith(MAP):
        x1, x2 = AXIS[cell.column], DOWN[cell.row]
    elif cell.trace in KEYS:
        x1, x2 = (AXIS[np.abs(AXIS - place).argmin()] for place in points.keys[cell.row])
    else:
        return
    controls.move(QUERY_AT, float(x1))
    controls.move(QUERY_AT_2, float(x2))


@shared
def drawn(
    _points: PlanePoints, fingerprint: str, kernel: str, x2: float, kept: Kept = (None, None)
) -> tuple[Strides, Packed]:
    """Return the strides offered; and the message that draws them, and a sentence for each."""
    return fitting(PlaneSweep(_points, kernel, ARRAYS, kept=kept, x2=x2), _draw)


def _draw(sweep: PlaneSweep) -> Scene:
    scene, (steps, estimates, effective) = sweep.plane, sweep.plane_estimates()
    cursor = Cursor(len(scene.queries), **plane_cursor(scene, steps))
    says = _say(sweep, steps, estimates, effective)
    return Scene([plane.spec(scene, steps[0])], cursor, plane_moves(scene, steps), says)


def _say(
    sweep: PlaneSweep, steps: list[PlaneEstimate], estimates: Numbers, effective: Numbers
) -> CaptionTemplates:
    """Say of each bandwidth and each query what it shows."""
    points, offered = sweep.points, sweep.bandwidths()
    tried = np.union1d(BANDWIDTH.values, offered)
    found = errors(points, points.fingerprint, sweep.kernel, tuple(tried.tolist()))
    training, left_out = found.training_errors.numpy(), found.leave_one_out_errors.numpy()
    best = found.best, float(left_out[tried == found.best][0])
    answered = Answered(
        bandwidths=[step.bandwidth for step in steps],
        places=sweep.place_names(),
        nearest=sweep.plane.distances.min(axis=1).tolist(),
        estimates=estimates,
        weights=np.concatenate([step.weights for step in steps]),
        effective=effective,
    )
    at = np.searchsorted(tried, answered.bandwidths)
    each = zip(training[at].tolist(), left_out[at].tolist(), strict=True)
    supported = found.n_supported.numpy()[at].tolist()
    return estimates_said(
        points,
        answered,
        [
            error_readout(points, h, both, count, best)
            for h, both, count in zip(answered.bandwidths, each, supported, strict=True)
        ],
        [hatched(int(np.isnan(step.on_map).sum()), step.on_map.size, sweep.kernel) for step in steps],
    )
