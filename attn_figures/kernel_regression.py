"""Kernel regression drawn: data and estimate beside the map of all weights; several kernels side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_figures import kernel_parts as parts
from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.geometry import ColourRange
from attn_figures.kernel_parts import WEIGHTS
from attn_figures.kernel_scene import DataScene, Estimate
from attn_figures.marks import Mark, readings
from attn_figures.matrix import Numbers, frame_at
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

LIGHT = theme.LIGHT
MAP = (7.6, 7.6)  # units that the map of `fit` takes
PHONE_HEIGHT = 720  # pixels of four charts and four maps on a phone, two on a line


def fit(scene: DataScene, estimate: Estimate, row: int = 0) -> Spec:
    """Draw the data, the estimate and one query's weights, beside the map of all weights."""
    chart = parts.query_chart(
        scene,
        [
            parts.kernel_shape(scene, estimate.profile, scene.queries[row]),
            parts.truth_line(scene),
            parts.bubbles(scene, estimate.weights[row]),
            parts.points(scene) | {"meta": {"cursor": scene.rows_of_keys}},
            parts.estimate_line(scene, estimate.on_grid),
            _query_points(scene, estimate.at_queries),
            parts.query_estimate(scene.queries[row], estimate.at_queries[row]),
            *_read_outs(scene, estimate, row),
        ],
        row,
        ColourRange(LIGHT.weights, 0.0, 1.0, _("weight"), scene.ramp_power),
        [(_("━ estimate"), LIGHT.output)],
        title=" ",
        title_lines=2,
    )
    return compose([chart, parts.fact_map(scene, estimate, size=MAP, row=row)], largest_unit=70.0)


def fit_moves(scene: DataScene, estimates: Sequence[Estimate]) -> dict[str, Sequence[Any] | Numbers]:
    """Return the settings in which the steps of `fit` differ, by path; the cursor sets the others."""
    profiles = np.stack([each.profile for each in estimates])
    return {
        "data[kernel].y": parts.kernel_outline(scene, profiles),
        "data[estimate].y": np.stack([each.on_grid for each in estimates]),
        "data[queries].y": np.stack([each.at_queries for each in estimates]),
        **parts.map_moves(estimates),
        **parts.fact_moves(estimates),
    }


def fit_cursor(scene: DataScene, estimates: Sequence[Estimate]) -> dict[str, dict[str, Any]]:
    """Return the settings of `fit` that change with the query, sorted into the fields of `Cursor`."""
    at_queries = np.stack([each.at_queries for each in estimates])[..., None]
    empty = np.isnan(at_queries)
    left, right = scene.x_range
    facts = np.stack([each.facts for each in estimates])[:, :, None, :]
    return {
        "changes": parts.follow_query(scene),
        "by_step": {
            "data[estimate at the query].y": at_queries,
            "data[read-out].x": np.where(empty, np.nan, (left + right) / 2),
            "data[read-out].customdata": facts,
            "data[read-out of an empty window].x": np.where(empty, (left + right) / 2, np.nan),
        },
        "rows_of": {
            f"data[weight of each point].marker.{field}": f"data[{WEIGHTS}].z" for field in ("size", "color")
        },
    }


def compare(
    scene: DataScene, kernels: Mapping[str, Estimate], row: int = 0, labels: Mapping[str, str] = {}
) -> Spec:
    """Draw several kernels at one bandwidth: a chart of each, then a map of the weights of each."""
    maps = [
        parts.weight_map(
            scene,
            estimate,
            size=(6.0, 4.4),
            row=row,
            name=f"{name} weights",
            # A title longer than its map would break the line of four maps into two.
            title=labels.get(name, name),
            names_rows=False,
        )
        for name, estimate in kernels.items()
    ]
    query = float(scene.queries[row])
    charts = [
        Chart(
            name,
            [
                _of_kernel(trace, name, labels.get(name, name))
                for trace in (
                    parts.kernel_shape(scene, estimate.profile, query),
                    parts.truth_line(scene),
                    parts.bubbles(scene, estimate.weights[row]),
                    parts.points(scene),
                    parts.estimate_line(scene, estimate.on_grid),
                    parts.query_estimate(query, float(estimate.at_queries[row])),
                )
            ],
            columns=6,
            rows=4.4,
            x=parts.place_axis(scene, 5),
            y=parts.value_axis(scene, 5) | {"showticklabels": name == next(iter(kernels))},
            colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight"), scene.ramp_power),
            marks=[parts.query_line(scene, query, f"{name} query")],
            legend=[(f"<b>{labels.get(name, name)}</b>", LIGHT.ink)],
            under=maps[0].geometry().box,
        )
        for name, estimate in kernels.items()
    ]
    return compose([*charts, *maps], largest_unit=70.0, phone_height=PHONE_HEIGHT)


def compare_cursor(scene: DataScene, steps: Sequence[Mapping[str, Estimate]]) -> dict[str, dict[str, Any]]:
    """Return the settings of `compare` that change with the query."""
    rows = np.arange(len(scene.queries))
    changes: dict[str, Any] = {}
    by_step: dict[str, Any] = {}
    rows_of: dict[str, str] = {}
    for name in steps[0]:
        point, bubbles = f"data[{name} estimate at the query]", f"data[{name} weight of each point]"
        changes |= {
            f"layout.shapes[{name} query].x0": scene.queries,
            f"layout.shapes[{name} query].x1": scene.queries,
            **frame_at(f"{name} weights", row=rows),
            f"data[{name} kernel].x": parts.around_queries(scene, scene.queries),
            f"{point}.x": scene.queries[:, None],
        }
        by_step[f"{point}.y"] = np.stack([step[name].at_queries for step in steps])[..., None]
        rows_of |= {f"{bubbles}.marker.{field}": f"data[{name} weights].z" for field in ("size", "color")}
    return {"changes": changes, "by_step": by_step, "rows_of": rows_of}


def _of_kernel(trace: Mark, name: str, kernel: str) -> Mark:
    """Return a trace with the kernel's name in its own name and label."""
    own = trace | {"name": f"{name} {trace['name']}"}
    if marks.is_line(trace) and (curve := (trace.get("meta") or {}).get("said")):
        own["meta"] = {"said": _("{kernel} {curve}", kernel=kernel, curve=curve)}
    return own


def _query_points(scene: DataScene, at_queries: Numbers) -> Mark:
    """Return invisible points along the estimate, one a query, to point at and to click."""
    return scene.with_place_names(
        marks.points(
            "queries",
            scene.queries,
            at_queries,
            theme.rgba(LIGHT.query, 0),
            size=14,
            hover=readings((_("query at"), scene.hover_place), (_("estimate"), f"%{{y:{scene.value_form}}}")),
        )
    ) | {"meta": {"cursor": True}}


def _read_outs(scene: DataScene, estimate: Estimate, row: int) -> list[Mark]:
    """Return the read-out under the chart and that of an empty window; only one of them has a place."""
    n_key = len(scene.keys)
    low, high = scene.y_range
    floor = [low + 1e-4 * (high - low)]  # text at a point outside the range is not drawn
    middle = sum(scene.x_range) / 2
    empty = not estimate.has_support[row]
    gap = "<br>" * 3
    no_key = gap + parts.empty_window()
    # Translators: a phone has room for 43 letters a line; <br> begins another.
    readout = gap + _(
        "estimate <b>{value}</b>, sum of weights <b>{sum}</b><br>effective keys <b>{effective}</b> of {all}",
        value=f"%{{customdata[3]:{scene.value_form}}}",
        sum="%{customdata[2]:.3f}",
        effective="%{customdata[1]:.1f}",
        all=n_key,
    )
    style = {"textposition": "bottom center", "cliponaxis": False}
    return [
        marks.words("read-out", [np.nan if empty else middle], floor, readout)
        | {"customdata": estimate.facts[[row]], **style},
        marks.words("read-out of an empty window", [middle if empty else np.nan], floor, no_key) | style,
    ]
