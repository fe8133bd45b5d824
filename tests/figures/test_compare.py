"""Two figures compared: what is read back, the largest change, one scale, colours about zero."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.compare import FADES, compare, comparison_steps
from attn_figures.frame import Side
from attn_figures.matrix import ColourScale, Hover, Matrix, Pick
from attn_figures.panels import compose
from attn_figures.scene import CurvePanel, MapPanel, PanelData, Scene
from attn_live.packing import pack
from tests.messages import figure_at

RNG = np.random.default_rng(5)
QUERIES = ["the", "<b>cat", "a very long word, that is cut"]
KEYS = ["a", "b&c", "d", "e", "f"]


def read_back(*panels: Any) -> dict[str, PanelData]:
    return Scene([compose(list(panels))]).at(0).parts()


def a_map(values: NDArray[Any], **more: Any) -> PanelData:
    settings: dict[str, Any] = {
        "rows": Side.queries(QUERIES),
        "columns": Side.keys(KEYS),
        "hover": Hover("share"),
    } | more
    return read_back(Matrix("weights", values, "weights", **settings))["weights"]


def a_chart(y: NDArray[Any], x: Sequence[float] = (1.0, 2.0, 4.0, 8.0), name: str = "loss") -> PanelData:
    drawn = [
        marks.line(name, np.array(x), y, theme.LIGHT.query),
        marks.line("same", x, np.ones(len(x)), "#000000"),
    ]
    chart = Chart("course", drawn, 6, 4, "course", x_title="steps", y_title="loss")
    return next(iter(read_back(chart).values()))


def traces_and_layout(steps: Sequence[Any], at: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    figure = figure_at(pack(steps), at)
    return {each["name"]: each for each in figure["data"]}, figure["layout"]


def test_scene_map_equals_the_drawn_matrix() -> None:
    values = RNG.dirichlet(np.ones(5), size=3)
    mask = np.tri(3, 5, dtype=bool)
    found = a_map(values, mask=mask, ramp=ColourScale(power=2.0), pick=Pick("query", "key"))
    assert isinstance(found, MapPanel)
    matrix = found.matrix
    np.testing.assert_allclose(matrix.values, np.where(mask, values, 0), rtol=1e-6)
    assert replace(matrix.rows, labels=[*matrix.rows.labels]) == Side.queries(QUERIES)
    assert replace(matrix.columns, labels=[*matrix.columns.labels]) == Side.keys(KEYS)
    assert (matrix.hover.quantity, found.title) == ("share", "weights")
    assert matrix.ramp.power == pytest.approx(2.0)
    assert matrix.mask is not None
    np.testing.assert_array_equal(matrix.mask, mask)
    assert (matrix.pick.row, matrix.pick.column) == ("query", "key")
    assert (matrix.words, matrix.size) == (("query", "key"), None)


def test_compare_largest_change_equals_a_naive_search() -> None:
    before, after = RNG.dirichlet(np.ones(5), size=3), RNG.dirichlet(np.ones(5), size=3)
    after[1] = before[1]
    found = compare(a_map(before), a_map(after))
    largest, place = 0.0, ("", "")
    for row in range(3):
        for column in range(5):
            if abs(after[row, column] - before[row, column]) > largest:
                largest, place = abs(after[row, column] - before[row, column]), (QUERIES[row], KEYS[column])
    assert found.largest is not None
    assert found.largest.place == place
    assert abs(found.largest.after - found.largest.before) == pytest.approx(largest, rel=1e-5)
    assert (list(found.unchanged), found.total, found.count, found.why) == (["<b>cat"], 3, 15, "")


def test_compare_rounding_is_no_change() -> None:
    before = RNG.dirichlet(np.ones(5), size=3)
    found = compare(a_map(before), a_map(before + 1e-7))
    assert found.largest is None
    assert len(found.unchanged) == found.total == 3
    steps = comparison_steps(a_map(before), [a_map(before + 1e-7)])
    assert traces_and_layout(steps)[1]["coloraxis2"]["cmax"] == pytest.approx(before.max(), rel=1e-5)


def test_compare_masked_weight_is_zero_and_masked_score_nan() -> None:
    values, mask = RNG.dirichlet(np.ones(5), size=3), np.tri(3, 5, dtype=bool)
    found = compare(a_map(values), a_map(values, mask=mask))
    assert found.largest is not None
    assert found.largest.after == 0
    assert found.largest.before == pytest.approx(values[~mask].max(), rel=1e-5)
    scores = RNG.normal(size=(3, 5))
    before, after = (a_map(scores, ramp=ColourScale("scores"), **more) for more in ({}, {"mask": mask}))
    found = compare(before, after)
    assert found.largest is None
    assert found.n_unpaired == (~mask).sum()
    traces, _ = traces_and_layout(comparison_steps(before, [after]))
    assert np.isnan(np.array(traces["difference"]["z"])[~mask]).all()
    np.testing.assert_array_equal(np.isfinite(np.array(traces["difference masked"]["z"])), ~mask)
    assert "masked</b> in A or in B" in traces["difference masked"]["hovertemplate"]


def test_compare_maps_share_a_scale_and_difference_is_symmetric() -> None:
    a = RNG.normal(size=(3, 5))
    near, far = 0.5 * a, 4 * a
    steps = comparison_steps(
        a_map(a, ramp=ColourScale("scores")),
        [a_map(each, ramp=ColourScale("scores")) for each in (near, far)],
    )
    largest = np.abs(far - a).max()
    for step, (b, end) in enumerate([(near, FADES * largest), (far, largest)]):
        traces, layout = traces_and_layout(steps, step)
        assert traces["A"]["coloraxis"] == traces["B"]["coloraxis"] != traces["difference"]["coloraxis"]
        own, other = layout[traces["A"]["coloraxis"]], layout[traces["difference"]["coloraxis"]]
        assert own["cmax"] == -own["cmin"] == pytest.approx(max(np.abs(a).max(), np.abs(b).max()), rel=1e-5)
        assert other["cmax"] == -other["cmin"] == pytest.approx(end, rel=1e-5)
        assert other["colorscale"] == theme.colorscale(theme.LIGHT.scores)
        np.testing.assert_allclose(traces["A"]["z"], a, rtol=1e-6)
        np.testing.assert_allclose(traces["difference"]["z"], b - a, atol=1e-6)


def test_compare_unpaired_cells_have_no_difference() -> None:
    values = RNG.dirichlet(np.ones(5), size=3)
    a = a_map(values)
    cases: dict[str, PanelData | None] = {
        "shape": a_map(values[:2], rows=Side.queries(QUERIES[:2])),
        "names": a_map(values, columns=Side.keys([*KEYS[:4], "g"])),
        "absent": None,
    }
    for why, b in cases.items():
        assert compare(a, b).why == why
        traces, _ = traces_and_layout(comparison_steps(a, [a_map(values), b]), 1)
        assert traces["difference"].get("visible") is False
        assert (traces["B"].get("visible") is False) == (b is None)
        np.testing.assert_allclose(traces["A"]["z"], values, rtol=1e-6)


def test_compare_curves_share_a_chart_and_difference_has_its_own() -> None:
    before, after = np.array([4.0, 3.0, 2.0, 1.0]), np.array([4.0, 1.0, 2.5, np.nan])
    a, b = a_chart(before), a_chart(after)
    assert isinstance(a, CurvePanel)
    found = compare(a, b)
    assert found.largest is not None
    assert found.largest.place == ("loss", "2")
    assert (found.largest.before, found.largest.after) == (3.0, 1.0)
    assert (found.n_unpaired, list(found.unchanged), found.total) == (1, ["same"], 2)
    traces, _ = traces_and_layout(comparison_steps(a, [b]))
    assert traces["A: loss"]["line"]["dash"] == "dash"
    assert "dash" not in traces["B: loss"]["line"]
    np.testing.assert_array_equal(traces["A: loss"]["y"], before)
    np.testing.assert_array_equal(traces["difference: loss"]["y"], after - before)
    assert traces["A: loss"]["xaxis"] != traces["difference: loss"]["xaxis"]
    moved = a_chart(after, x=(1.0, 3.0, 4.0, 8.0))
    assert compare(a, a_chart(before, name="other")).largest is None
    assert compare(a, moved).why == "places"
    traces, _ = traces_and_layout(comparison_steps(a, [moved]))
    assert not [name for name in traces if name.startswith("difference")]


def test_compare_ignores_arrows_boxes_and_areas() -> None:
    x, gap = np.arange(4.0), np.array([0, 1, np.nan, 2])
    chart = Chart(
        "drawn",
        [
            marks.line("arrow", gap, x, "#000000"),
            marks.area("area", x, x, "#000000"),
            marks.line("back", -x, x, "#000000"),
            marks.points("points", x, x, "#000000"),
        ],
        4,
        4,
    )
    assert read_back(chart) == {}
