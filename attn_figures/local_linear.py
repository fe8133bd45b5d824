"""A line fitted around each query, beside the weighted mean: both curves, and the equivalent weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attn_figures import kernel_parts as parts
from attn_figures import marks, theme
from attn_figures.geometry import ColourRange
from attn_figures.kernel_parts import WEIGHTS
from attn_figures.kernel_scene import DataScene, QueryWeights
from attn_figures.marks import Mark, readings
from attn_figures.matrix import ColourScale, Matrix, Numbers
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

LIGHT = theme.LIGHT
MAP = (7.6, 7.6)  # units that the map takes
REACH = 0.11  # of the axis: how far a fitted line extends to each side of its query
BUBBLE = 9  # pixels of a point that is coloured by its weight


@dataclass(frozen=True, eq=False)
class LocalLinearFit(QueryWeights):
    """The fitted lines of one bandwidth: equivalent weights (n_query, n_key), and both estimates.

    ``at_queries`` and ``slopes`` are the lines' heights and slopes, (n_query,), NaN without support;
    ``on_grid`` and ``means_on_grid`` the curves; ``profile`` the kernel's heights, as in `Estimate`.
    """

    slopes: Numbers
    on_grid: Numbers
    means_on_grid: Numbers
    profile: Numbers


def lines(scene: DataScene, fit: LocalLinearFit, limit: float, row: int = 0) -> Spec:
    """Draw both curves with the line of one query, beside the map of all weights, from -limit to limit."""
    ends, heights = (each[row] for each in tangents(scene, [fit]))
    chart = parts.query_chart(
        scene,
        [
            parts.kernel_shape(scene, fit.profile, scene.queries[row]),
            parts.truth_line(scene),
            _weighted_points(scene, fit.weights[row]),
            marks.line(
                "mean", scene.grid, fit.means_on_grid, LIGHT.value, dash="dash", label=_("weighted mean")
            ),
            marks.line("estimate", scene.grid, fit.on_grid, LIGHT.output, width=3, label=_("fitted lines")),
            marks.line("fitted line", ends, heights[0], LIGHT.query, width=4, label=_("the query's line")),
            parts.query_estimate(scene.queries[row], fit.at_queries[row]),
        ],
        row,
        ColourRange(LIGHT.scores, -limit, limit, _("weight")),
        [(_("┅ mean"), LIGHT.value), (_("━ line"), LIGHT.output)],
    )
    return compose([chart, _map(scene, fit, limit, row)], largest_unit=70.0)


def moves(scene: DataScene, steps: Sequence[LocalLinearFit]) -> dict[str, Sequence[Any] | Numbers]:
    """Return the settings in which the steps of `lines` differ, by path; the cursor sets the others."""
    return {
        "data[kernel].y": parts.kernel_outline(scene, np.stack([each.profile for each in steps])),
        "data[mean].y": np.stack([each.means_on_grid for each in steps]),
        "data[estimate].y": np.stack([each.on_grid for each in steps]),
        **parts.map_moves(steps),
    }


def cursor(scene: DataScene, steps: Sequence[LocalLinearFit]) -> dict[str, dict[str, Any]]:
    """Return the settings of `lines` that change with the query, sorted into the fields of `Cursor`."""
    ends, heights = tangents(scene, steps)
    return {
        "changes": parts.follow_query(scene) | {"data[fitted line].x": ends},
        "by_step": {
            "data[fitted line].y": heights,
            "data[estimate at the query].y": np.stack([each.at_queries for each in steps])[..., None],
        },
        "rows_of": {"data[weight of each point].marker.color": f"data[{WEIGHTS}].z"},
    }


def tangents(scene: DataScene, steps: Sequence[LocalLinearFit]) -> tuple[Numbers, Numbers]:
    """Return both ends of each query's line, (n_query, 2), and its heights there, (steps, n_query, 2)."""
    left, right = scene.x_range
    aside = np.array([-1.0, 1.0]) * REACH * (right - left)
    at, slopes = (
        np.stack(each)[..., None] for each in zip(*((s.at_queries, s.slopes) for s in steps), strict=True)
    )
    return scene.queries[:, None] + aside, at + slopes * aside


def _map(scene: DataScene, fit: LocalLinearFit, limit: float, row: int) -> Matrix:
    weights = parts.weight_map(scene, fit, size=MAP, row=row, title=_("equivalent weights"))
    return replace(weights, ramp=ColourScale("scores", limit, bar=_("weight")))


def _weighted_points(scene: DataScene, weights: Numbers) -> Mark:
    """Return the data, each point in the colour of its weight for one query."""
    hover = readings(
        (_("key at"), scene.hover_place),
        (_("value"), f"%{{y:{scene.value_form}}}"),
        (_("weight"), "%{marker.color:.6~g}"),
    )
    place = "weight of each point", scene.keys, scene.values
    points = marks.points(*place, weights, size=BUBBLE, ring=LIGHT.ink, ring_width=1, hover=hover)
    points["marker"] |= {"coloraxis": "panel", "opacity": 1}
    return scene.with_place_names(points) | {"meta": {"cursor": scene.rows_of_keys}}
