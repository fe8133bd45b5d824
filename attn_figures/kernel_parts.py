"""The parts that pictures of kernel regression share: marks, axes, the map of weights."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from attn_figures import marks, theme
from attn_figures.chart import Chart, ticks
from attn_figures.frame import Side, Ticks, key_title
from attn_figures.geometry import ColourRange
from attn_figures.kernel_scene import SCENES, DataScene, Estimate, QueryWeights, hover_values, round_numbers
from attn_figures.marks import Mark, readings
from attn_figures.masked_cells import masked_cells
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers, Pick, SideBars, bar_lengths, frame_at
from attn_figures.numbers import distinct
from attn_words import _, cached

WEIGHTS = "weights"  # the name of the map whose cells can be clicked
LIGHT = theme.LIGHT
WIDEST_BUBBLE = 46  # pixels of the point with all the weight, among forty points


def empty_window() -> str:
    """Return the hover text where no key is in the window."""
    return _("<b>no key in the window</b>: nothing to average")


@cached(SCENES)
def points(scene: DataScene) -> Mark:
    """Return the data as small rings, or as dots where there are more than 150."""
    many = len(scene.keys) > 150

    return scene.with_place_names(
        marks.points(
            "data",
            scene.keys,
            scene.values,
            LIGHT.ink if many else LIGHT.paper,
            size=3 if many else 5,
            ring=LIGHT.ink,
            ring_width=0 if many else 1.2,
            hover=readings((_("key at"), scene.hover_place), (_("value"), f"%{{y:{scene.value_form}}}")),
        )
    )


@lru_cache(maxsize=SCENES)
def place_axis(scene: DataScene, most: int = 7, x_range: tuple[float, float] | None = None) -> dict[str, Any]:
    """Return the axis of the keys, with round numbers or dates written in full, however far from zero."""
    low, high = x_range or scene.x_range
    long = scene.dated or scene.digits >= 6
    places = scene.ticks(low, high, most if not long else 3 if most < 7 else 4)
    return {"range": [low, high], **ticks([value for value, _ in places], [text for _, text in places])}


@lru_cache(maxsize=SCENES)
def value_axis(scene: DataScene, most: int = 7) -> dict[str, Any]:
    """Return the axis of the values, with round numbers, and none beside the kernel below the data."""
    lowest = min(scene.values if scene.truth is None else [*scene.values, *scene.truth])
    places = [value for value, _ in round_numbers(*scene.y_range, most) if value >= lowest]
    return {"range": [*scene.y_range], **ticks(places, distinct(places))}


@cached(SCENES)
def truth_line(scene: DataScene) -> Mark:
    """Return the true curve; all NaN if it is unknown."""
    truth = np.full(len(scene.grid), np.nan) if scene.truth is None else scene.truth
    label = _("true curve")
    return marks.line("true curve", scene.grid, truth, LIGHT.muted, width=1.5, dash="dot", label=label)


def estimate_line(scene: DataScene, on_grid: Numbers) -> Mark:
    """Return the curve of estimates; a gap where no key is in the window."""
    return marks.line("estimate", scene.grid, on_grid, LIGHT.output, width=3, label=_("estimate"))


def kernel_shape(scene: DataScene, profile: Numbers, query: float) -> Mark:
    """Return the kernel around the query as an area that stands on the bottom of the chart."""
    return marks.area(
        "kernel",
        around_queries(scene, np.array([query]))[0],
        kernel_outline(scene, profile),
        theme.rgba(LIGHT.query, 0.1),
        edge=LIGHT.query,
    )


def kernel_outline(scene: DataScene, profile: Numbers) -> Numbers:
    """Return the heights (..., n_offset + 2) of a kernel's area, 0 at both ends, from its profile."""
    floor = np.full((*profile.shape[:-1], 1), scene.y_range[0])
    return np.concatenate((floor, scene.kernel_height(profile), floor), axis=-1)


def around_queries(scene: DataScene, queries: Numbers) -> Numbers:
    """Return the x of `kernel_outline` around each query, (n_query, n_offset + 2): each end comes twice."""
    offsets = np.concatenate((scene.offsets[:1], scene.offsets, scene.offsets[-1:]))
    return np.asarray(queries[:, None] + offsets)


def bubbles(scene: DataScene, weights: Numbers) -> Mark:
    """Return the data as points whose area and colour show their weight for one query."""
    place = "weight of each point", scene.keys, scene.values
    bubbles = marks.points(*place, weights, size=weights, ring=LIGHT.query, ring_width=1)
    return size_by_area(bubbles, len(scene.keys)) | {"cliponaxis": False}


def size_by_area(mark: Mark, n_key: int) -> Mark:
    """Return a mark with sizes as areas and the panel's colours; with more keys the widest point is wider."""
    widest = WIDEST_BUBBLE * max(1.0, n_key / 40) ** 0.25
    area = {"sizemode": "area", "sizeref": 2 / widest**2, "coloraxis": "panel", "opacity": 1}
    return mark | {"marker": mark["marker"] | area}


def query_estimate(query: float, estimate: float) -> Mark:
    """Return the point of the estimate at the query; a gap if the estimate is NaN."""
    return marks.points(
        "estimate at the query", [query], [estimate], LIGHT.output, size=13, ring=LIGHT.paper, ring_width=2
    )


def query_line(scene: DataScene, query: float, name: str = "query") -> dict[str, Any]:
    """Return the upright line at the query."""
    return {
        "type": "line",
        "name": name,
        "x0": query,
        "x1": query,
        "y0": scene.y_range[0],
        "y1": scene.y_range[1],
        "line": {"color": LIGHT.query, "width": 1.5, "dash": "dash"},
        "layer": "below",
    }


def query_chart(
    scene: DataScene,
    data: Sequence[Mark],
    row: int,
    colours: ColourRange,
    curves: Sequence[tuple[str, str]],
    **more: Any,
) -> Chart:
    """Return a chart of curves with the query of index ``row``, which leaves room for the map beside it."""
    around = [("<b>¦</b> " + _("query"), LIGHT.query), (_("◠ kernel around the query"), LIGHT.query)]
    return Chart(
        "fit",
        data,
        columns=11.5,
        rows=7.6,
        x_title=scene.x_title,
        y_title=scene.y_title,
        x=place_axis(scene),
        y=value_axis(scene),
        colours=colours,
        marks=[query_line(scene, scene.queries[row])],
        legend=legend(scene, *curves, *around),
        legend_lines=2,
        **more,
    )


def follow_query(scene: DataScene) -> dict[str, Any]:
    """Return the settings of `query_chart` and its map that depend on the query alone, by row."""
    queries, rows = scene.queries, np.arange(len(scene.queries))
    return {
        "layout.shapes[query].x0": queries,
        "layout.shapes[query].x1": queries,
        **frame_at(WEIGHTS, row=rows),
        "data[kernel].x": around_queries(scene, queries),
        "data[estimate at the query].x": queries[:, None],
    }


def weight_map(
    scene: DataScene,
    estimate: QueryWeights,
    *,
    size: tuple[float, float],
    row: int | None = None,
    name: str = WEIGHTS,
    title: str = "",
    names_rows: bool = True,
) -> Matrix:
    """Return the map of weights (query, key), keys in the order of their places."""
    shape, has_support = estimate.weights.shape, estimate.has_support
    keys = _("Key (attended to): one column per point") if names_rows else key_title()
    return Matrix(
        name,
        estimate.weights,
        title or _("weights"),
        Side.queries(scene.row_names, _row_ticks(scene)),
        Side(scene.column_names, keys, "key", _key_ticks(scene)),
        mask=np.broadcast_to(has_support[:, None], shape),
        marked=None if row is None else (row, None),
        pick=Pick(together="query-key", moves_cursor=True),
        hover=Hover(
            # The hover has more digits of a number than its label; a date is its label.
            place=None if scene.dated else "",
            words=(_("query at"), _("key at")),
            blocked=empty_window(),
            extra=hover_values(scene),
        ),
        size=size,
        ramp=ColourScale(power=scene.ramp_power),
        names_rows=names_rows,
    )


def fact_map(
    scene: DataScene, estimate: Estimate, *, size: tuple[float, float], row: int | None = None
) -> Matrix:
    """Return the map of weights with each row's effective keys as a bar beside it."""
    weights = weight_map(scene, estimate, size=size, row=row)
    return replace(weights, side_bars=_row_facts(scene, estimate, weights.name))


def map_moves(steps: Sequence[QueryWeights]) -> dict[str, Sequence[Any] | Numbers]:
    """Return the settings in which the maps of weights of several steps differ, by path."""
    masks = [np.broadcast_to(~each.has_support[:, None], each.weights.shape) for each in steps]
    covers = [masked_cells(mask.tobytes(), mask.shape) for mask in masks]
    return {
        f"data[{WEIGHTS}].z": [
            np.where(mask, np.nan, each.weights) for mask, each in zip(masks, steps, strict=True)
        ],
        f"data[{WEIGHTS} hatch].x": [each.xs for each in covers],
        f"data[{WEIGHTS} hatch].y": [each.ys for each in covers],
        f"data[{WEIGHTS} masked].z": [each.cells for each in covers],
        **{f"data[{WEIGHTS} {part}].visible": [each.any for each in covers] for part in ("hatch", "masked")},
    }


def fact_moves(estimates: Sequence[Estimate]) -> dict[str, Sequence[Any] | Numbers]:
    """Return the settings in which the side bars of several steps differ, by path."""
    n_key = estimates[0].weights.shape[1]
    bars = f"data[{WEIGHTS} effective keys]"
    effective = np.stack([each.effective_keys for each in estimates])
    return {
        f"{bars}.x": bar_lengths(effective, float(n_key), n_key),
        f"{bars}.customdata": np.stack([each.facts for each in estimates]),
    }


def _row_facts(scene: DataScene, estimate: Estimate, name: str) -> SideBars:
    n_key = len(scene.keys)
    return SideBars(
        f"{name} effective keys",
        estimate.effective_keys,
        float(n_key),
        readings(
            (_("query at"), "%{hovertext}" if scene.dated else f"%{{customdata[0]:{scene.hover_form}}}"),
            (_("effective keys"), "%{customdata[1]:.2f}" + f" / {n_key}"),
            (_("row sum"), "%{customdata[2]:.6f}"),
        ),
        estimate.facts,
        tuple(scene.names(scene.queries)) if scene.dated else (),
        _("effective keys"),
    )


@lru_cache(maxsize=SCENES)
def _row_ticks(scene: DataScene) -> Ticks:
    rows = np.arange(len(scene.queries))
    return [
        (float(np.interp(value, scene.queries, rows)), text) for value, text in scene.ticks(*scene.x_range)
    ]


@lru_cache(maxsize=SCENES)
def _key_ticks(scene: DataScene) -> Ticks:
    """Return ticks at round numbers, interpolated between the keys, as each column is one key."""
    columns = np.arange(len(scene.keys))
    placed: list[tuple[float, str]] = []
    for value, text in scene.ticks(float(scene.keys[0]), float(scene.keys[-1])):
        column = float(np.interp(value, scene.keys, columns))
        # In a gap of the data two labels would overlap; long numbers need more room.
        if not placed or column - placed[-1][0] > len(columns) * max(
            0.07, (0.045 if scene.dated else 0.028) * len(text)
        ):
            placed.append((column, text))
    return placed


def legend(scene: DataScene, *curves: tuple[str, str]) -> list[tuple[str, str]]:
    """Return a legend of the data, the true curve and other curves, each entry with its colour."""
    truth = [] if scene.truth is None else [(_("┅ truth"), LIGHT.muted)]
    return [(_("○ data"), LIGHT.ink), *truth, *curves]


def plain_fit(scene: DataScene, on_grid: Numbers) -> Chart:
    """Return a chart of the data, the true curve and one curve of estimates."""
    return Chart(
        "fit",
        [truth_line(scene), points(scene), estimate_line(scene, on_grid)],
        columns=9,
        rows=6.8,
        x_title=scene.x_title,
        y_title=scene.y_title,
        x=place_axis(scene),
        y=value_axis(scene),
        legend=legend(scene, (_("━ estimate"), LIGHT.output)),
    )
