"""The pictures of kernel regression: what stands where, what follows the query, what is a gap."""

from typing import Any

import numpy as np
import pytest

from attn_figures import theme
from attn_figures.kernel_bridge import Terms, bridge
from attn_figures.kernel_parts import empty_window
from attn_figures.kernel_regression import compare, compare_cursor, fit, fit_cursor
from attn_figures.kernel_scene import DataScene, Estimate, facts_of, round_numbers
from attn_figures.kernel_studies import Errors, LimitEstimates, choose, fails
from attn_figures.panels import IN_SIGHT
from attn_live import paths
from tests.plotly_figure import as_plotly

N_QUERY, N_KEY, N_GRID = 13, 7, 37
RNG = np.random.default_rng(5)


def scene(*, truth: bool = True) -> DataScene:
    grid = np.linspace(-1.0, 5.0, N_GRID)
    return DataScene(
        keys=np.sort(RNG.uniform(0, 4, N_KEY)),
        values=RNG.normal(size=N_KEY),
        queries=np.linspace(-1.0, 5.0, N_QUERY),
        grid=grid,
        truth=np.sin(grid) if truth else None,
        offsets=np.array([-1.0, -0.5, 0.0, 0.5, 1.0]),
        y_range=(-3.0, 3.0),
    )


def estimate(empty: tuple[int, ...] = (), shape: tuple[int, int] = (N_QUERY, N_KEY)) -> Estimate:
    weights = RNG.dirichlet(np.ones(shape[1]), size=shape[0])
    at_queries = RNG.normal(size=shape[0])
    effective = RNG.uniform(1, shape[1], shape[0])
    on_grid = RNG.normal(size=N_GRID)
    for row in empty:
        weights[row], at_queries[row], effective[row] = 0.0, np.nan, 0.0
        on_grid[3 * row] = np.nan
    facts = facts_of(np.linspace(-1.0, 5.0, shape[0]), weights, effective, at_queries)
    return Estimate(weights, at_queries, effective, on_grid, np.array([0.0, 0.5, 1.0, 0.5, 0.0]), facts)


def by_name(figure: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


def test_fit_map_has_query_rows_and_key_columns() -> None:
    one = estimate()
    cells = by_name(as_plotly(fit(scene(), one)))["weights"]
    np.testing.assert_array_equal(cells.z, one.weights)
    layout = as_plotly(fit(scene(), one)).layout
    assert layout.yaxis2.title.text == "Query (attending)"
    assert layout.xaxis2.title.text.startswith("Key (attended to)")
    assert layout.yaxis2.range[0] > layout.yaxis2.range[1]  # row 0 on top


def test_fit_points_have_area_and_colour_of_the_row_s_weights() -> None:
    one = estimate()
    marker = by_name(as_plotly(fit(scene(), one, row=4)))["weight of each point"].marker
    np.testing.assert_array_equal(marker.size, one.weights[4])
    np.testing.assert_array_equal(marker.color, one.weights[4])
    assert marker.sizemode == "area"
    figure = as_plotly(fit(scene(), one))
    assert marker.coloraxis == by_name(figure)["weights"].coloraxis
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)


def test_fit_cursor_equals_the_drawn_row() -> None:
    """Each path of the cursor leads to the field that `fit` itself draws for that row."""
    here, steps = scene(), [estimate(), estimate((2, 5))]
    cursor = fit_cursor(here, steps)
    for step, one in enumerate(steps):
        for row in (0, 2, 5, N_QUERY - 1):
            spec = fit(here, one, row)
            for path, values in cursor["changes"].items():
                np.testing.assert_allclose(at(spec, path), np.asarray(values)[row], err_msg=path)
            for path, values in cursor["by_step"].items():
                np.testing.assert_allclose(at(spec, path), np.asarray(values)[step, row], err_msg=path)
            for path, source in cursor["rows_of"].items():
                drawn, row_of_map = np.asarray(at(spec, path)), np.asarray(at(spec, source))[row]
                np.testing.assert_allclose(drawn, np.nan_to_num(row_of_map), err_msg=path)


def test_kernel_compare_has_chart_map_and_cursor_for_each_kernel() -> None:
    here = scene()
    steps = [{"gaussian": estimate(), "boxcar": estimate((1,)), "triangular": estimate()} for _ in range(2)]
    cursor = compare_cursor(here, steps)
    figure = as_plotly(compare(here, steps[0]))
    assert [
        trace.name for trace in figure.data if trace.type == "heatmap" and "masked" not in trace.name
    ] == ["gaussian weights", "boxcar weights", "triangular weights"]
    for step, kernels in enumerate(steps):
        for row in (0, 1, N_QUERY - 1):
            spec = compare(here, kernels, row)
            for path, values in cursor["changes"].items():
                np.testing.assert_allclose(at(spec, path), np.asarray(values)[row], err_msg=path)
            for path, values in cursor["by_step"].items():
                np.testing.assert_allclose(at(spec, path), np.asarray(values)[step, row], err_msg=path)
            for path, source in cursor["rows_of"].items():
                row_of_map = np.asarray(at(spec, source))[row]
                np.testing.assert_allclose(at(spec, path), np.nan_to_num(row_of_map), err_msg=path)


def at(spec: Any, path: str) -> Any:
    return paths.at(spec, paths.resolve(spec, path))


def test_fit_query_without_keys_is_hatched_and_a_gap() -> None:
    one = estimate((3,))
    traces = by_name(as_plotly(fit(scene(), one, row=3)))
    assert np.isnan(traces["weights"].z[3]).all()
    assert np.isfinite(traces["weights"].z[4]).all()
    assert empty_window() in traces["weights masked"].hovertemplate
    assert np.isfinite(traces["weights masked"].z[3]).all()
    assert traces["estimate"].connectgaps is False
    assert np.isnan(traces["estimate at the query"].y).all()
    # One of the two lines of words shows, and neither tells a number that is none.
    assert np.isnan(traces["read-out"].x).all()
    assert np.isfinite(traces["read-out of an empty window"].x).all()
    assert np.isfinite(traces["read-out"].customdata).all()


def test_fit_side_bars_show_effective_keys_and_row_sums() -> None:
    one = estimate((2,))
    figure = as_plotly(fit(scene(), one))
    bars = by_name(figure)["weights effective keys"]
    (label,) = (each for each in figure.layout.annotations if each.text == "effective keys")
    assert bars.base <= label.x <= figure.layout.xaxis2.range[1]
    np.testing.assert_allclose(bars.customdata[:, 1], one.effective_keys)
    np.testing.assert_allclose(bars.customdata[:, 2], np.arange(N_QUERY) != 2)
    np.testing.assert_allclose(bars.x / bars.x[0], one.effective_keys / one.effective_keys[0])


def test_fit_click_on_a_point_selects_the_nearest_query() -> None:
    here = scene()
    rows = by_name(as_plotly(fit(here, estimate())))["data"].meta["cursor"]
    assert rows == [int(np.argmin([abs(query - key) for query in here.queries])) for key in here.keys]


def test_fit_kernel_stands_on_the_floor_around_the_query() -> None:
    here = scene(truth=False)
    figure = as_plotly(fit(here, estimate(), row=6))
    kernel = by_name(figure)["kernel"]
    assert kernel.y[0] == kernel.y[-1] == here.y_range[0]
    assert kernel.x[np.argmax(kernel.y)] == here.queries[6]
    assert min(figure.layout.yaxis.tickvals) >= min(here.values)


def test_fit_without_truth_draws_and_names_none() -> None:
    figure = as_plotly(fit(scene(truth=False), estimate()))
    assert np.isnan(by_name(figure)["true curve"].y).all()
    assert not any("truth" in (words.text or "") for words in figure.layout.annotations)


def test_bandwidth_errors_of_some_points_are_dotted_and_finite() -> None:
    errors = Errors(
        bandwidths=np.array([0.1, 0.3, 1.0, 3.0]),
        training=np.array([0.0, 0.2, 0.4, 0.9]),
        left_out=np.array([np.inf, 0.1, 0.5, 1.0]),
        n_supported=np.array([0, 3, 7, 7]),
        best=(1.0, 0.5),
        path=np.array([[3.0, 1.0], [1.5, 0.6]]),
    )
    figure = as_plotly(choose(scene(), errors, 2, estimate().on_grid))
    traces = by_name(figure)
    np.testing.assert_array_equal(traces["leave-one-out error"].y, [np.nan, np.nan, 0.5, 1.0])
    dotted = traces["leave-one-out error of some points"]
    assert dotted.line.dash == "dot"
    np.testing.assert_array_equal(dotted.y[:3], [np.nan, 0.1, 0.5])
    assert figure.layout.xaxis.type == "log"
    assert (traces["best"].x[0], traces["best"].y[0]) == (1.0, 0.5)
    assert (traces["left out here"].x[0], traces["left out here"].y[0]) == (1.0, 0.5)
    np.testing.assert_array_equal(traces["learned"].x, [3.0, 1.5])


def test_wide_estimate_gaps_are_hatched() -> None:
    here, on_grid = scene(), np.ones(N_GRID)
    on_grid[:4], on_grid[20:23] = np.nan, np.nan
    limits = LimitEstimates(np.zeros(N_GRID), 0.5, (float(here.keys[0]), float(here.keys[-1])))
    hatch = by_name(as_plotly(fails(here, limits, on_grid, on_grid)))["no key in the window"]
    corners = hatch.x.reshape(-1, 6)
    np.testing.assert_allclose(corners[:, 0], here.grid[[0, 20]])
    np.testing.assert_allclose(corners[:, 1], here.grid[[3, 22]])


def test_bias_is_drawn_between_first_and_last_key() -> None:
    here = scene()
    limits = LimitEstimates(np.zeros(N_GRID), 0.5, (float(here.keys[0]), float(here.keys[-1])))
    bias = by_name(as_plotly(fails(here, limits, np.ones(N_GRID), np.ones(N_GRID))))["bias"]
    assert here.keys[0] <= bias.x.min() <= bias.x.max() <= here.keys[-1]


@pytest.mark.parametrize("keeps_lengths", [True, False])
def test_bridge_terms_sum_to_the_scores(keeps_lengths: bool) -> None:
    q, k = RNG.normal(size=(3, 1)), RNG.normal(size=(5, 1))
    products = q @ k.T
    terms = Terms(
        products,
        np.broadcast_to((k**2).T / 2, products.shape),
        np.broadcast_to(q**2 / 2, products.shape),
        ["a", "b", "c"],
        list("klmno"),
    )
    gaussian, attention = RNG.dirichlet(np.ones(5), 3), RNG.dirichlet(np.ones(5), 3)
    figure = as_plotly(bridge(terms, gaussian, attention, h_squared=0.25, keeps_lengths=keeps_lengths))
    drawn = {name: np.asarray(trace.z) for name, trace in by_name(figure).items() if trace.type == "heatmap"}
    if keeps_lengths:
        np.testing.assert_allclose(
            drawn["q·k"] - drawn["half |k|²"] - drawn["half |q|²"], drawn["scores"], atol=1e-12
        )
        np.testing.assert_allclose(drawn["scores"], -((q - k.T) ** 2) / 2, atol=1e-12)
    else:
        assert np.isnan(drawn["half |k|²"]).all()  # hatched: left out
        np.testing.assert_allclose(drawn["q·k"] - drawn["half |q|²"], drawn["scores"], atol=1e-12)
    np.testing.assert_allclose(drawn["attention"] - drawn["gaussian"], drawn["difference"])
    phones = [screen for screen in figure.layout.meta["screens"] if screen["width"] <= 460]
    for phone in phones:
        assert phone["height"] <= IN_SIGHT
    axis = figure.layout[by_name(figure)["difference"].coloraxis]
    assert (axis.cmin, axis.cmax) == (-1, 1)
    assert axis.colorscale[4][1] == theme.LIGHT.scores[4]  # paper at zero


def test_bridge_maps_keep_their_places_at_all_bandwidths() -> None:
    ones = np.ones((3, 5))
    terms = Terms(ones, ones, ones, ["a", "b", "c"], list("klmno"))
    first, *others = (
        as_plotly(bridge(terms, ones / 5, ones / 5, h_squared=h_squared, keeps_lengths=True))
        for h_squared in (0.0529, 1.0, 2.25, 12.3, 400.0)
    )
    for other in others:  # the number in a caption has other digits, and as much room
        assert other.layout.meta["screens"] == first.layout.meta["screens"]


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (-0.5, 5.5, ["0", "1", "2", "3", "4", "5"]),
        (1990, 2024, ["1990", "1995", "2000", "2005", "2010", "2015", "2020"]),
        (0.001, 0.0042, ["0.001", "0.0015", "0.002", "0.0025", "0.003", "0.0035", "0.004"]),
        (3.0, 3.0, ["3"]),
        (1.7e9, 1.7e9 + 300, [str(1_700_000_000 + 50 * k) for k in range(7)]),
    ],
)
def test_round_numbers_have_short_texts(low: float, high: float, texts: list[str]) -> None:
    assert [text for _, text in round_numbers(low, high)] == texts
