"""Local lines: at each query a line is fitted to the near points, in place of their mean."""

from functools import partial

import numpy as np
import torch

from attn_core import KERNELS, kernel_estimate, local_linear, local_linear_estimate
from attn_figures import local_linear as pictures
from attn_figures.local_linear import LocalLinearFit
from attn_figures.numbers import number
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import View
from attn_words import _, paragraph
from pages.kernel_regression.compute import Result, Sweep, figure_at_sliders
from pages.kernel_regression.data_points import Numbers
from pages.kernel_regression.settings import BANDWIDTH, LINES_TAB
from pages.kernel_regression.state import State
from pages.kernel_regression.words import format_amount, kernel_name

BELOW = 1e-6  # a weight is counted as negative below minus this


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the estimates by line and by mean, and the line's equivalent weights."""
    points, kernel = state.points, state.kernel
    sweep, figure = figure_at_sliders(
        controls,
        Sweep(points, kernel),
        draw,
        key="lines",
        name=f"local linear regression {points.name} {kernel}",
    )
    return View(Result(state, sweep.select(controls)), figure, tabs=LINES_TAB)


def draw(sweep: Sweep) -> Scene:
    """Draw the picture at each bandwidth of the slider."""
    scene, steps = sweep.scene, _steps(sweep)
    limit = _limit(sweep)
    cursor = Cursor(len(scene.queries), **pictures.cursor(scene, steps))
    first = pictures.lines(scene, steps[0], limit)
    captions = LazyMap(partial(_caption, sweep), list(zip(steps, sweep.bandwidths().tolist(), strict=True)))
    return Scene([first], cursor, pictures.moves(scene, steps), captions)


def _limit(sweep: Sweep) -> float:
    """Return the end of the colour scale: three times the median over queries of the largest weight.

    It is taken at the default bandwidth and serves all. Weights are one and more at the narrowest, about 0.01
    at the widest, larger outside the data; the hover shows weights beyond the scale's ends.
    """
    usual = np.array([sweep.points.unit * BANDWIDTH.default])
    largest = np.abs(_fit_lines(sweep, usual)[0].weights).max(axis=1)
    return 3 * float(np.median(largest[largest > 0])) if largest.any() else 1.0


def _steps(sweep: Sweep) -> list[LocalLinearFit]:
    return _fit_lines(sweep, sweep.bandwidths())


def _fit_lines(sweep: Sweep, bandwidths: Numbers) -> list[LocalLinearFit]:
    """Fit a line around each query at all bandwidths (steps,) in one batch."""
    keys, values = sweep.points.tensors()
    scene, kernel, h = sweep.scene, sweep.kernel, torch.from_numpy(bandwidths)
    grid = torch.from_numpy(scene.grid)
    fit = local_linear(torch.from_numpy(scene.queries), keys, values, kernel=kernel, bandwidth=h)
    arrays = (
        fit.weights,
        fit.estimate,
        fit.slope,
        local_linear_estimate(grid, keys, values, kernel=kernel, bandwidth=h),
        kernel_estimate(grid, keys, values, kernel=kernel, bandwidth=h),
        KERNELS[kernel].profile(torch.from_numpy(np.abs(scene.offsets)) / h[:, None]),
    )
    return [LocalLinearFit(*each) for each in zip(*(array.numpy() for array in arrays), strict=True)]


def _caption(sweep: Sweep, step: tuple[LocalLinearFit, float]) -> list[str]:
    """Say of each query what line and mean give at one bandwidth."""
    fit, bandwidth = step
    keys, values = sweep.points.tensors()
    queries = torch.from_numpy(sweep.queries)
    means = kernel_estimate(queries, keys, values, kernel=sweep.kernel, bandwidth=bandwidth).numpy()
    return _sentences(sweep, fit, means, _from_truth(sweep, bandwidth))


def _sentences(sweep: Sweep, fit: LocalLinearFit, means: Numbers, from_truth: str) -> list[str]:
    """Say of each query what its line gives beside the weighted mean; `means` is (n_query,)."""
    shows = _("A line is fitted around the query, by the kernel's weights; its height there is the estimate.")
    readout = _(
        "**Query** {place}: line {line} with slope {slope}, weighted mean {mean}; weights below −0.000001: "
        "{count} of {n_key}, the least weight {least}."
    )
    gap = _("**Query** {place}: no **key** in the window of the {kernel} kernel, so there is nothing to fit.")
    line, none = (paragraph(shows, captions, from_truth).format for captions in (readout, gap))
    amount, n_key, name = sweep.points.amount, fit.weights.shape[1], kernel_name(sweep.kernel)
    rows = zip(
        sweep.place_names(),
        fit.at_queries.tolist(),
        fit.slopes.tolist(),
        means.tolist(),
        np.count_nonzero(fit.weights < -BELOW, axis=1).tolist(),
        fit.weights.min(axis=1).tolist(),
        strict=True,
    )
    return [
        none(place=place, kernel=name)
        if np.isnan(estimate)
        else line(
            place=place,
            line=amount(estimate),
            slope=number(slope),
            mean=amount(mean),
            count=count,
            n_key=n_key,
            least=number(least, 3),
        )
        for place, estimate, slope, mean, count, least in rows
    ]


def _from_truth(sweep: Sweep, bandwidth: float) -> str:
    """Say how far line and mean are from the true curve at the keys; "" if that curve is unknown."""
    points = sweep.points
    if points.truth is None:
        return ""
    keys, values = points.tensors()
    line, mean = (
        estimate(keys, keys, values, kernel=sweep.kernel, bandwidth=bandwidth).numpy()
        - points.truth(points.keys)
        for estimate in (local_linear_estimate, kernel_estimate)
    )
    amount = partial(format_amount, points)
    return _(
        "Off the true curve at the keys (root mean square): line {line}, mean {mean}; at the first key "
        "{line_first} and {mean_first}, at the last {line_last} and {mean_last}.",
        line=amount(float(np.sqrt(np.mean(line**2)))),
        mean=amount(float(np.sqrt(np.mean(mean**2)))),
        line_first=amount(float(line[0])),
        mean_first=amount(float(mean[0])),
        line_last=amount(float(line[-1])),
        mean_last=amount(float(mean[-1])),
    )
