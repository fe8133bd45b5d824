"""The picture of two inputs: what moves, what is a gap, and that a circle of radius h is one."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.kernel_plane import KEYS, MAP, PlaneEstimate, PlaneScene, plane, plane_cursor, plane_moves
from attn_live import paths
from attn_live.packing import Cursor, pack
from tests.messages import figure_at
from tests.plotly_figure import as_plotly

N_KEY, N_QUERY, N_SIDE = 6, 5, 7
AXIS = np.linspace(-1.0, 2.0, N_SIDE)
CHANCE = np.random.default_rng(3)


def scene(reaches: tuple[float, ...] = (1.0,)) -> PlaneScene:
    keys = CHANCE.uniform(-1, 2, (N_KEY, 2))
    queries = np.stack((np.linspace(-1, 2, N_QUERY), np.full(N_QUERY, 0.5)), axis=-1)
    offsets = np.array([0.0, 0.5, 1.0, 4.0])
    names = [f"key {j}" for j in range(N_KEY)]
    return PlaneScene(keys, CHANCE.normal(size=N_KEY), names, AXIS, queries, offsets, reaches, ("x₁", "x₂"))


def estimate(h: float, empty: tuple[tuple[int, int], ...] = ()) -> PlaneEstimate:
    on_map = CHANCE.normal(size=(N_SIDE, N_SIDE))
    for row, column in empty:
        on_map[row, column] = np.nan
    weights, profile = CHANCE.dirichlet(np.ones(N_KEY), N_QUERY), CHANCE.uniform(size=(N_QUERY, N_KEY))
    return PlaneEstimate(h, on_map, weights, profile, np.array([1.0, 0.75, 0.0, 0.0]))


def traces(spec: Any) -> dict[str, Any]:
    return {each["name"]: each for each in spec["data"]}


def shapes(spec: Any) -> dict[str, Any]:
    return {each["name"]: each for each in spec["layout"]["shapes"]}


def covers(hatch: Any, x: float, y: float) -> bool:
    """Whether a place lies in one of the rectangles of a hatch."""
    corners: NDArray[np.float64] = np.stack([hatch["x"], hatch["y"]], axis=-1).reshape(-1, 6, 2)[:, :5]
    low, high = corners.min(axis=1), corners.max(axis=1)
    return bool(((low <= (x, y)) & ((x, y) <= high)).all(axis=1).any())


def test_plane_keys_have_colours_of_values_and_sizes_of_weights() -> None:
    here, one = scene(), estimate(0.7)
    figure = as_plotly(plane(here, one, row=3))
    drawn = {each.name: each for each in figure.data}
    for name in ("weight of each key", "weight by distance"):
        np.testing.assert_array_equal(drawn[name].marker.size, one.weights[3])
        np.testing.assert_array_equal(drawn[name].marker.color, here.values)
        assert drawn[name].marker.coloraxis == drawn[MAP].coloraxis
    far = [np.hypot(*(here.queries[3] - key)) for key in here.keys]
    np.testing.assert_allclose(drawn[KEYS[1]].x, far)
    np.testing.assert_array_equal(drawn[KEYS[1]].y, one.profile[3])


def test_plane_moves_and_cursor_equal_the_drawn_steps() -> None:
    here = scene((1.0, 2.0))
    steps = [estimate(0.3), estimate(0.7, ((0, 0), (0, 1), (6, 6))), estimate(1.5, ((2, 3),))]
    cursor = Cursor(N_QUERY, **plane_cursor(here, steps))
    packed = pack([plane(here, steps[0])], cursor, plane_moves(here, steps))
    compared = pack([plane(here, one) for one in steps], cursor)
    for step, one in enumerate(steps):
        for row in range(N_QUERY):
            np.testing.assert_equal(figure_at(packed, step, row), figure_at(compared, step, row))
            wanted = plane(here, one, row)
            for path in (*plane_moves(here, steps), *cursor.changes, *cursor.by_step):
                where = paths.resolve(wanted, path)
                got = np.asarray(paths.at(figure_at(packed, step, row), where), dtype=float)
                drawn = np.asarray(paths.at(wanted, where), dtype=float)
                np.testing.assert_allclose(got, drawn, rtol=1e-6, err_msg=path)


def test_plane_circle_has_radius_h_in_square_units() -> None:
    here = scene((1.0, 2.0))
    spec = plane(here, estimate(0.7), row=1)
    found = shapes(spec)
    for reach in (1.0, 2.0):
        circle = found[f"circle {reach:g}"]
        middle = (circle["x0"] + circle["x1"]) / 2, (circle["y0"] + circle["y1"]) / 2
        np.testing.assert_allclose(middle, here.queries[1])
        assert circle["x1"] - circle["x0"] == pytest.approx(circle["y1"] - circle["y0"]) == 1.4 * reach
        assert found[f"reach {reach:g}"]["x0"] == 0.7 * reach
    layout = spec["layout"]
    for screen in layout["meta"]["screens"]:
        settings = {**screen["settings"]}
        x, y = (np.ptp(settings[f"layout.{side}axis.domain"]) for side in "xy")
        assert x * screen["width"] == pytest.approx(y * screen["height"], rel=0.01)
    assert layout["xaxis"]["range"] == layout["yaxis"]["range"]


def test_plane_hatch_covers_exactly_the_empty_cells() -> None:
    empty = ((0, 0), (0, 1), (3, 6), (6, 2))
    drawn = traces(plane(scene(), estimate(0.7, empty)))
    for row in range(N_SIDE):
        for column in range(N_SIDE):
            x, y = AXIS[column], AXIS[::-1][row]
            assert drawn[MAP]["x"][column] == x
            assert drawn[MAP]["y"][row] == y
            is_empty = (row, column) in empty
            assert covers(drawn[f"{MAP} hatch"], x, y) == is_empty
            assert np.isnan(drawn[MAP]["z"][row, column]) == is_empty
            assert np.isfinite(drawn[f"{MAP} masked"]["z"][row, column]) == is_empty
    assert not traces(plane(scene(), estimate(0.7)))[f"{MAP} hatch"]["visible"]


def test_plane_ramp_holds_all_values_around_zero() -> None:
    colours = scene().colours
    assert colours.low == -colours.high
    assert colours.ramp == theme.LIGHT.scores


def test_plane_kernel_ends_on_the_floor() -> None:
    here, one = scene(), estimate(0.7)
    drawn = traces(plane(here, one))["kernel"]
    np.testing.assert_array_equal(drawn["x"], [0.0, 0.0, 0.5, 1.0, 4.0, 4.0])
    np.testing.assert_array_equal(drawn["y"], [0.0, 1.0, 0.75, 0.0, 0.0, 0.0])
