"""Kernel regression of two inputs drawn: the estimate as a map, and the keys by their distance."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.frame import Side
from attn_figures.geometry import ColourRange
from attn_figures.kernel_parts import empty_window, size_by_area
from attn_figures.marks import Mark, readings
from attn_figures.masked_cells import MaskedCells, masked_cells
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers, comma
from attn_figures.numbers import number
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _, cached

LIGHT = theme.LIGHT
Where = tuple[Numbers, Numbers, Numbers]  # the keys' two coordinates in a chart, and their weights
MAP = "estimate map"  # the name of the heatmap that can be clicked
KEYS = ("keys", "keys by distance")  # the points that can be clicked
SIDE = 7.6  # units of the square map, on which circles are round
ROOM = 0.08  # of an axis, for the point with all the weight
NEAR_ENOUGH = 7  # pixels from a key within which the pointer picks it and not the map under it
_CLEAR = [[end, theme.rgba(theme.LIGHT.masked, 0)] for end in (0, 1)]


@dataclass(frozen=True, eq=False)
class PlaneScene:
    """What stays the same when a slider moves: the data, and the queries in the plane.

    Attributes:
        keys: places of the data, (n_key, 2); values: (n_key,).
        axis: places of the map's columns and rows, (n_side,), ascending and evenly spaced.
        queries: the second slider's, (n_query, 2), all with the same second coordinate.
        offsets: distances at which the kernel is drawn, (n_offset,), ascending.
        reaches: radii of the circles around the query, in bandwidths.
        titles: names of the two coordinates; escape users' words.
        value_digits: significant digits that distinguish the values.
    """

    keys: Numbers
    values: Numbers
    key_names: Sequence[str]
    axis: Numbers
    queries: Numbers
    offsets: Numbers
    reaches: tuple[float, ...]
    titles: tuple[str, str]
    value_digits: int = 4

    @cached_property
    def distances(self) -> Numbers:
        """The distance of each query from each key, (n_query, n_key)."""
        return np.asarray(np.linalg.norm(self.queries[:, None] - self.keys, axis=-1))

    @property
    def step(self) -> float:
        """The width of a cell of the map."""
        return float(self.axis[1] - self.axis[0])

    @property
    def range(self) -> list[float]:
        """The range of both axes: from edge to edge of the map."""
        return [float(self.axis[0]) - self.step / 2, float(self.axis[-1]) + self.step / 2]

    @property
    def longest(self) -> float:
        """The end of the axis of distances: from corner to corner of the map."""
        return float(np.ptp(self.axis)) * 2**0.5

    @cached_property
    def value_form(self) -> str:
        """Plotly's format of a value."""
        return f",.{self.value_digits}~r"

    @property
    def colours(self) -> ColourRange:
        """One ramp for the values of the keys and for the estimates, which lie between them."""
        limit = float(np.abs(self.values).max()) or 1.0
        return ColourRange(LIGHT.scores, -limit, limit, _("value"))


@dataclass(frozen=True)
class PlaneEstimate:
    """The estimates and weights of one bandwidth.

    Attributes:
        on_map: estimates, (n_side, n_side), the largest second coordinate in row 0; NaN in an empty window.
        weights, profile: w and K(u) of each query and key, (n_query, n_key) each.
        on_offsets: K at the scene's ``offsets``, (n_offset,).
    """

    bandwidth: float
    on_map: Numbers
    weights: Numbers
    profile: Numbers
    on_offsets: Numbers

    @property
    def cover(self) -> MaskedCells:
        """The cells of the map that have no estimate."""
        empty: NDArray[np.bool_] = np.isnan(self.on_map)
        return masked_cells(empty.tobytes(), empty.shape)


def plane(scene: PlaneScene, estimate: PlaneEstimate, row: int = 0) -> Spec:
    """Draw the map of estimates under the keys, and one query's weights by distance."""
    x1, x2 = scene.titles
    place = {"range": scene.range, "nticks": 7}
    points: Where = (scene.keys[:, 0], scene.keys[:, 1], estimate.weights[row])
    left = Chart(
        "plane",
        [
            *_map(scene, estimate),
            _bubbles(scene, "weight of each key", points),
            _keys(scene, KEYS[0], points),
            _query(scene.queries[row]),
        ],
        columns=SIDE,
        rows=SIDE,
        x_title=x1,
        y_title=x2,
        x=place | {"showgrid": False},
        y=place | {"showgrid": False},
        colours=scene.colours,
        shows_bar=True,
        marks=_circles(scene, estimate.bandwidth, row),
        maps=[_as_matrix(scene, estimate)],
        legend=_legend(scene),
        title=" ",  # a few pixels more under the titles of the axes, whose digits hang low
        title_lines=0,
    )
    distances: Where = (scene.distances[row], estimate.profile[row], estimate.weights[row])
    apart = f"<br>|q − k| <b>%{{x:.4~g}}</b>{comma()}K(u) <b>%{{y:.4~g}}</b>"
    by_distance = Chart(
        "by distance",
        [
            _kernel(scene, estimate),
            _bubbles(scene, "weight by distance", distances),
            _keys(scene, KEYS[1], distances, apart),
        ],
        columns=SIDE,
        rows=SIDE,
        x_title=_("distance |q − k|"),
        y_title="K(u)",
        x={"range": [-ROOM * scene.longest, scene.longest]},
        y={"range": [-ROOM, 1 + ROOM], "nticks": 6},
        colours=scene.colours,
        marks=[
            marks.upright(reach * estimate.bandwidth, LIGHT.query, dash="dash", name=f"reach {reach:g}")
            for reach in scene.reaches
        ],
        legend=[(_("◠ kernel around the query"), LIGHT.query), (_("○ key"), LIGHT.ink)],
    )
    spec = compose([left, by_distance], largest_unit=70.0)
    spec["layout"]["hoverdistance"] = NEAR_ENOUGH
    return spec


def plane_moves(scene: PlaneScene, estimates: Sequence[PlaneEstimate]) -> dict[str, Sequence[Any] | Numbers]:
    """Return the settings in which the steps of `plane` differ, by path; the cursor sets the others."""
    h = np.array([each.bandwidth for each in estimates])
    second = float(scene.queries[0, 1])
    gaps = [_map(scene, each)[1:] for each in estimates]
    moves: dict[str, Sequence[Any] | Numbers] = {
        f"data[{MAP}].z": np.stack([each.on_map for each in estimates]),
        "data[kernel].y": np.stack([np.pad(each.on_offsets, 1) for each in estimates]),
    }
    for at, name in enumerate((f"{MAP} hatch", f"{MAP} masked")):
        fields = ("x", "y", "visible") if at == 0 else ("z", "visible")
        moves |= {f"data[{name}].{field}": [gap[at][field] for gap in gaps] for field in fields}
    for reach in scene.reaches:
        for name in _names_of_circle(reach):
            moves[f"layout.shapes[{name}].y0"] = second - reach * h
            moves[f"layout.shapes[{name}].y1"] = second + reach * h
        for end in ("x0", "x1"):
            moves[f"layout.shapes[reach {reach:g}].{end}"] = reach * h
    return moves


def plane_cursor(scene: PlaneScene, estimates: Sequence[PlaneEstimate]) -> dict[str, dict[str, Any]]:
    """Return the fields ``changes`` and ``by_step`` of the `Cursor` that moves the query of `plane`."""
    h = np.array([each.bandwidth for each in estimates])[:, None]
    first = scene.queries[:, 0]
    weights = np.stack([each.weights for each in estimates])
    profiles = np.stack([each.profile for each in estimates])
    by_step: dict[str, Any] = {}
    for name, where in zip(KEYS, ("weight of each key", "weight by distance"), strict=True):
        by_step |= {f"data[{name}].customdata": weights, f"data[{where}].marker.size": weights}
    for name in (KEYS[1], "weight by distance"):
        by_step[f"data[{name}].y"] = profiles
    for reach in scene.reaches:
        for name in _names_of_circle(reach):
            by_step[f"layout.shapes[{name}].x0"] = first - reach * h
            by_step[f"layout.shapes[{name}].x1"] = first + reach * h
    return {
        "changes": {
            "data[query].x": first[:, None],
            **{f"data[{name}].x": scene.distances for name in (KEYS[1], "weight by distance")},
        },
        "by_step": by_step,
    }


def _map(scene: PlaneScene, estimate: PlaneEstimate) -> list[Mark]:
    """Return the estimates, a hatch over empty windows, and the hover of these cells."""
    cover, down = estimate.cover, scene.axis[::-1]
    place = _("query at {place}", place="(%{x:.4~g}, %{y:.4~g})")
    estimate_text = _("estimate <b>{value}</b>", value=f"%{{z:{scene.value_form}}}")
    common = {"type": "heatmap", "x": scene.axis, "y": down, "hoverongaps": False, "meta": {"cells": MAP}}
    return [
        common
        | {
            "name": MAP,
            "z": estimate.on_map,
            "coloraxis": "panel",
            "hovertemplate": f"{place}<br>{estimate_text}<extra></extra>",
        },
        marks.hatch_area(
            f"{MAP} hatch", scene.axis[0] + scene.step * cover.xs, down[0] - scene.step * cover.ys
        )
        | {"visible": cover.any},
        common
        | {
            "name": f"{MAP} masked",
            "visible": cover.any,
            "z": cover.cells,
            "colorscale": _CLEAR,
            "showscale": False,
            "hovertemplate": f"{place}<br>{empty_window()}<extra></extra>",
        },
    ]


def _as_matrix(scene: PlaneScene, estimate: PlaneEstimate) -> Matrix:
    """Return the map of estimates as a matrix with its rows and columns."""
    names = [number(float(place)) for place in scene.axis]
    return Matrix(
        MAP,
        estimate.on_map,
        "",
        Side(names[::-1], scene.titles[1], "ink"),
        Side(names, scene.titles[0], "ink"),
        ramp=ColourScale("scores", scene.colours.high),
        mask=~np.isnan(estimate.on_map),
        hover=Hover(_("estimate"), blocked=empty_window()),
        size=(SIDE, SIDE),
    )


def _bubbles(scene: PlaneScene, name: str, at: Where) -> Mark:
    """Return the keys as points whose area shows the weight for one query, in the colour of their value."""
    x, y, weights = at
    bubbles = marks.points(name, x, y, scene.values, size=weights, ring=LIGHT.ink, ring_width=1)
    return size_by_area(bubbles, len(scene.keys))


def _keys(scene: PlaneScene, name: str, at: Where, place: str = "") -> Mark:
    """Return the keys as points of equal size, in the colour of their value."""
    x, y, weights = at
    hover = readings(
        (_("key at"), f"%{{text}}{place}"),
        (_("value"), f"%{{marker.color:{scene.value_form}}}"),
        (_("weight"), "%{customdata:.6f}"),
    )
    size, width = (4, 0.75) if len(scene.keys) > 150 else (7, 1.5)
    keys = marks.points(name, x, y, scene.values, size=size, ring=LIGHT.ink, ring_width=width, hover=hover)
    hover_fields = {"text": list(scene.key_names), "customdata": weights, "meta": {"picks": True}}
    return keys | hover_fields | {"marker": keys["marker"] | {"coloraxis": "panel", "opacity": 1}}


def _query(query: Numbers) -> Mark:
    return marks.points(
        "query", [query[0]], [query[1]], LIGHT.query, size=13, symbol="x", ring=LIGHT.paper, ring_width=2
    )


def _kernel(scene: PlaneScene, estimate: PlaneEstimate) -> Mark:
    ends = scene.offsets[:1], scene.offsets, scene.offsets[-1:]
    heights = np.pad(estimate.on_offsets, 1)  # both ends are at 0
    return marks.area("kernel", np.concatenate(ends), heights, theme.rgba(LIGHT.query, 0.1), edge=LIGHT.query)


def _names_of_circle(reach: float) -> tuple[str, str]:
    return f"circle {reach:g} ground", f"circle {reach:g}"


def _circles(scene: PlaneScene, bandwidth: float, row: int) -> list[Mark]:
    """Return a circle for each of the scene's ``reaches``, with a pale rim to be visible on every colour."""
    first, second = scene.queries[row].tolist()
    strokes = ((theme.rgba(LIGHT.paper, 0.7), 4.0), (LIGHT.ink, 1.5))
    return list(
        chain.from_iterable(
            [
                {
                    "type": "circle",
                    "name": name,
                    "x0": first - reach * bandwidth,
                    "x1": first + reach * bandwidth,
                    "y0": second - reach * bandwidth,
                    "y1": second + reach * bandwidth,
                    "line": {"color": colour, "width": width},
                }
                for name, (colour, width) in zip(_names_of_circle(reach), strokes, strict=True)
            ]
            for reach in scene.reaches
        )
    )


@cached(16)
def _legend(scene: PlaneScene) -> list[tuple[str, str]]:
    """Return the entries of the legend, with their colours."""
    circles = ", ".join("h" if reach == 1 else f"{reach:g}h" for reach in scene.reaches)
    gap = [(_("▨ no key"), LIGHT.muted)] if scene.reaches == (1.0,) else []
    return [(_("✕ query"), LIGHT.query), (f"◯ {circles}", LIGHT.ink), (_("○ key"), LIGHT.ink), *gap]
