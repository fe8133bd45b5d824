"""Where kernel regression fails: gaps, ends, beyond the data, and both limits of the bandwidth."""

from dataclasses import replace
from functools import partial

import numpy as np
import torch

from attn_core import kernel_estimate
from attn_figures.kernel_scene import DataScene
from attn_figures.kernel_studies import LimitEstimates, fails
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_words import N_, _, paragraph
from pages.kernel_regression.compute import Result, Sweep, values_between
from pages.kernel_regression.data_points import Numbers, Points
from pages.kernel_regression.settings import BANDWIDTH, KERNEL
from pages.kernel_regression.state import State
from pages.kernel_regression.words import empty_warning, format_amount, kernel_name

BEYOND = 0.4  # of the data's width, drawn on each side
PLACES = 361
INSIDE = slice(80, 281)  # the places from the first key to the last
Smoothed = tuple[Numbers, Numbers]  # the estimate on the grid, and its bias
# Each failure, with a kernel and a bandwidth that show it.
CASES = {
    N_("An empty window"): ("boxcar", 0.3),
    N_("Bias at the ends"): ("gaussian", 0.8),
    N_("Beyond the data"): ("gaussian", 0.4),
    N_("Bandwidth to 0"): ("gaussian", 0.01),
    N_("Bandwidth to infinity"): ("gaussian", 25.0),
}


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the estimate with its limits and its bias; buttons set the cases in which it fails."""
    points, kernel = state.points, state.kernel
    with controls.row():
        for what, case in CASES.items():
            controls.button(_(what), partial(_set, controls, *case), key=f"case_{what}")
    sweep = Sweep(points, kernel, between=values_between(controls))
    figure = Figure(
        _draw(sweep, points.fingerprint, kernel, sweep.bandwidth),
        key="fails",
        name=f"where it fails {points.name} {kernel}",
        slider=sweep.slider,
        caption=sweep.caption(),
    )
    return View(Result(state, sweep.select(controls)), figure)


def _sentence(
    sweep: Sweep, bandwidth: float, scene: DataScene, limits: LimitEstimates, step: Smoothed
) -> str:
    """Say how near the estimate is to its two limits, and its bias without noise."""
    points, (on_grid, bias) = sweep.points, step
    here = np.isfinite(on_grid)
    shows = _(
        "A small h copies the nearest key's value or finds none, a large one gives the mean of all. At the "
        "ends all keys lie on one side; beyond them no trend is continued."
    )
    nearest, mean = (
        format_amount(points, float(np.abs(on_grid - limit)[here].mean()) if here.any() else np.nan)
        for limit in (limits.nearest, limits.mean)
    )
    readout = _(
        "h = {h}, {kernel}: on average {nearest} from the nearest key's value and {mean} from the mean of "
        "all.",
        h=points.slider_width_text(bandwidth),
        kernel=kernel_name(sweep.kernel),
        nearest=nearest,
        mean=mean,
    )
    most = np.nanmax(np.abs(bias[INSIDE]), initial=0.0)
    first, last, largest = (format_amount(points, float(each)) for each in (*bias[INSIDE][[0, -1]], most))
    bent = _(
        "Without noise it is off the true curve by {first} where the keys begin, by {last} where they end, "
        "and by at most {most} at the places drawn between.",
        first=first,
        last=last,
        most=largest,
    )
    return paragraph(shows, readout, bent, empty_warning(int((~here).sum()), PLACES, sweep.kernel))


def _set(controls: Controls, kernel: str, bandwidth: float) -> None:
    controls.answer(KERNEL, kernel)
    controls.move(BANDWIDTH, bandwidth)


def _wide(points: Points) -> tuple[DataScene, LimitEstimates]:
    scene = Sweep(points, "gaussian").floorless
    low, high = float(points.keys[0]), float(points.keys[-1])
    assert points.truth is not None
    grid = np.linspace(low - BEYOND * (high - low), high + BEYOND * (high - low), PLACES)
    nearest = points.values[np.abs(grid[:, None] - points.keys).argmin(axis=1)]
    return replace(scene, grid=grid, truth=points.truth(grid)), LimitEstimates(
        nearest, float(points.values.mean()), (low, high)
    )


def _estimates(points: Points, kernel: str, scene: DataScene, bandwidths: Numbers) -> list[Smoothed]:
    """Return the estimate and its bias on the grid, for each bandwidth."""
    assert points.truth is not None
    assert scene.truth is not None
    keys, values = points.tensors()
    # Two columns of values, smoothed by the same weights: the data, and the true curve without noise.
    columns = [values, torch.from_numpy(points.truth(points.keys))]
    smoothed = kernel_estimate(
        torch.from_numpy(scene.grid),
        keys,
        torch.stack(columns, dim=-1),
        kernel=kernel,
        bandwidth=torch.from_numpy(bandwidths),
    ).numpy()
    return list(zip(smoothed[..., 0], smoothed[..., 1] - scene.truth, strict=True))


@shared_scene
def _draw(_sweep: Sweep, fingerprint: str, kernel: str, bandwidth: Steps) -> Scene:
    scene, limits = _wide(_sweep.points)
    bandwidths = _sweep.bandwidths()
    steps = _estimates(_sweep.points, kernel, scene, bandwidths)
    return Scene(
        LazyMap(lambda step: fails(scene, limits, *step), steps),
        captions=LazyMap(
            lambda each: _sentence(_sweep, each[0], scene, limits, each[1]),
            list(zip(bandwidths.tolist(), steps, strict=True)),
        ),
    )
