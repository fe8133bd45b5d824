"""Studies of kernel regression: errors by bandwidth, and where the estimate fails."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import kernel_parts as parts
from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.kernel_scene import DataScene
from attn_figures.marks import Mark, readings, upright
from attn_figures.matrix import Numbers
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import N_, _, _c

LIGHT = theme.LIGHT


@dataclass(frozen=True)
class Errors:
    """Errors at many bandwidths, and over how many points.

    Attributes:
        bandwidths, training, left_out: (steps,) each; a leave-one-out error over no points is infinite.
        n_supported: (steps,), the number of points with another point in the window.
        best: the bandwidth with the least leave-one-out error, and that error; None if all are infinite.
        path: learned bandwidths and their errors, (n_learned, 2), from the start to the end.
    """

    bandwidths: Numbers
    training: Numbers
    left_out: Numbers
    n_supported: NDArray[np.int_]
    best: tuple[float, float] | None
    path: Numbers


def choose(scene: DataScene, errors: Errors, step: int, on_grid: Numbers) -> Spec:
    """Draw training and leave-one-out error against the bandwidth, and the fit at the chosen step."""
    here = float(errors.bandwidths[step])
    left_out = np.where(np.isfinite(errors.left_out), errors.left_out, np.nan)
    most = errors.n_supported == errors.n_supported.max()  # where most points have another in the window
    comparable = np.where(most, left_out, np.nan)
    # The dotted piece begins where the solid one ends, so that the curve has no gap.
    apart = np.isnan(comparable)
    few = np.where(apart | np.roll(apart, 1) | np.roll(apart, -1), left_out, np.nan)
    top = 1.08 * float(np.nanmax(np.concatenate((comparable, errors.training))))
    curves = Chart(
        "errors",
        [
            _error(N_("training error"), errors.bandwidths, errors.training, LIGHT.key),
            _error(N_("leave-one-out error"), errors.bandwidths, comparable, LIGHT.query),
            marks.line(
                "leave-one-out error of some points",
                errors.bandwidths,
                few,
                LIGHT.query,
                width=2.5,
                dash="dot",
                label=_("leave-one-out error of some points"),
            ),
            marks.line(
                "learned",
                errors.path[:, 0],
                errors.path[:, 1],
                LIGHT.output,
                dots=6,
                hover=readings(("h", "%{x:.4g}"), (_("leave-one-out error"), "%{y:.4g}"), of=_("learned")),
                label=_("learned"),
            ),
            _dot(
                "best",
                *(errors.best or (np.nan, np.nan)),
                LIGHT.query,
                symbol="star",
                size=15,
                hover=readings(("h", "%{x:.4g}"), (_("leave-one-out error"), "%{y:.4g}")),
            ),
            _dot("training here", here, float(errors.training[step]), LIGHT.key),
            _dot("left out here", here, float(left_out[step]), LIGHT.query),
        ],
        columns=9,
        rows=6.8,
        x_title=_("bandwidth h in days, logarithmic") if scene.dated else _("bandwidth h, logarithmic"),
        y_title=_("mean squared error"),
        x={
            "type": "log",
            "range": [float(np.log10(edge)) for edge in errors.bandwidths[[0, -1]]],
            "dtick": 1,
        },
        y={"range": [-0.03 * top, top]},
        marks=[upright(here, LIGHT.ink, dash="dash")],
        legend=[
            (_("━ training"), LIGHT.key),
            (_("━ leave-one-out"), LIGHT.query),
            *([(_("★ best tried"), LIGHT.query)] if errors.best else []),
            *([(_("● learned"), LIGHT.output)] if len(errors.path) else []),
        ],
    )
    return compose([curves, parts.plain_fit(scene, on_grid)], largest_unit=70.0)


@dataclass(frozen=True)
class LimitEstimates:
    """The limits of an estimate, as the bandwidth goes to zero and to infinity.

    Attributes:
        nearest: the value of the nearest key, on the grid.
    """

    nearest: Numbers
    mean: float
    keys_range: tuple[float, float]


def fails(scene: DataScene, limits: LimitEstimates, on_grid: Numbers, bias: Numbers) -> Spec:
    """Draw an estimate far beyond its data, with its limits, and its bias.

    `bias` (n_grid,) is the smoothed true curve, without any noise, minus the true curve; it has its own axis.
    """
    low, high = limits.keys_range
    wide = Chart(
        "wide",
        [
            _no_support(scene, on_grid),
            parts.truth_line(scene),
            marks.line(
                "nearest key's value",
                scene.grid,
                limits.nearest,
                LIGHT.key,
                width=1,
                shape="hvh",
                label=_("nearest key's value"),
            ),
            marks.line(
                "mean of all values", scene.grid[[0, -1]], np.full(2, limits.mean), LIGHT.query, width=1
            ),
            parts.points(scene),
            parts.estimate_line(scene, on_grid),
        ],
        columns=11,
        rows=6.8,
        x_title=scene.x_title,
        y_title=scene.y_title,
        x=parts.place_axis(scene, x_range=(float(scene.grid[0]), float(scene.grid[-1]))),
        y=parts.value_axis(scene),
        marks=[upright(low), upright(high)],
        legend=parts.legend(
            scene,
            (_("━ estimate"), LIGHT.output),
            (_("─ nearest key"), LIGHT.key),
            (_("─ mean"), LIGHT.query),
            (_("▨ no key"), LIGHT.muted),
        ),
    )
    inside = (scene.grid >= low) & (scene.grid <= high)
    assert scene.truth is not None
    reach = 0.5 * float(np.ptp(scene.truth[inside])) or 1.0
    beside = Chart(
        "bias",
        [
            marks.line("no bias", [low, high], np.zeros(2), LIGHT.muted, width=1),
            marks.line(
                "bias",
                scene.grid[inside],
                bias[inside],
                LIGHT.output,
                width=2.5,
                hover=readings(("x", "%{x:.3~g}"), (_c("statistics", "bias"), "%{y:.4~g}")),
                label=_c("statistics", "bias"),
            ),
        ],
        columns=6,
        rows=6.8,
        x_title=scene.x_title,
        y_title=_c("statistics", "bias"),
        x={"range": [low, high], "nticks": 5},
        y={"range": [-reach, reach]},
        legend=[(_("━ smoothed truth − truth"), LIGHT.output)],
    )
    return compose([wide, beside], largest_unit=70.0)


def _error(name: str, bandwidths: Numbers, errors: Numbers, colour: str) -> Mark:
    hover = f"h <b>%{{x:.3g}}</b><br>{_(name)} <b>%{{y:.4g}}</b>"
    return marks.line(name, bandwidths, errors, colour, width=2.5, hover=hover, label=_(name))


def _dot(name: str, x: float, y: float, colour: str, *, size: float = 11, **more: Any) -> Mark:
    return marks.points(name, [x], [y], colour, size=size, ring=LIGHT.paper, **more)


def _no_support(scene: DataScene, on_grid: Numbers) -> Mark:
    """Hatch the stretches where no key lies in the window."""
    empty = np.concatenate(([0], np.isnan(on_grid).astype(np.int8), [0]))
    edges = np.flatnonzero(np.diff(empty)).reshape(-1, 2)
    low, high = scene.y_range
    xs: list[float] = []
    ys: list[float] = []
    for start, end in edges:
        first, last = float(scene.grid[start]), float(scene.grid[end - 1])
        xs += [first, last, last, first, first, np.nan]
        ys += [low, low, high, high, low, np.nan]
    return marks.hatch_area("no key in the window", xs, ys)
