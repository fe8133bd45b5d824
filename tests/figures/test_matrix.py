"""A drawn matrix: orientation, true values, masked cells that never look like small weights."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_figures import theme
from attn_figures.frame import SIDE_SHARE, Side
from attn_figures.geometry import Axes
from attn_figures.matrix import ColourScale, Extra, Hover, Matrix, SideBars
from attn_figures.panels import compose
from tests.plotly_figure import as_plotly

RNG = np.random.default_rng(11)
ROWS = ["the", "cat", "sat"]
COLUMNS = ["a", "b", "c", "d", "e"]


def weights(name: str = "weights", **more: Any) -> Matrix:
    values = RNG.dirichlet(np.ones(5), size=3)
    return Matrix(name, values, "weights", Side.queries(ROWS), Side.keys(COLUMNS), **more)


def test_matrix_rows_are_queries_with_row_0_on_top() -> None:
    panel = weights()
    figure = as_plotly(compose([panel]))
    np.testing.assert_array_equal(figure.data[0].z, panel.values)
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert figure.layout.xaxis.range[0] < figure.layout.xaxis.range[1]
    assert list(figure.layout.yaxis.ticktext) == ROWS
    assert list(figure.layout.xaxis.ticktext) == COLUMNS
    assert figure.layout.xaxis.title.text == "Key (attended to)"
    assert figure.layout.yaxis.title.text == "Query (attending)"


def test_matrix_labels_have_the_colours_of_their_roles() -> None:
    figure = as_plotly(compose([weights()]))
    assert figure.layout.xaxis.tickfont.color == theme.LIGHT.key
    assert figure.layout.yaxis.tickfont.color == theme.LIGHT.query


def test_weights_colour_range_is_0_to_1_for_any_values() -> None:
    figure = as_plotly(compose([weights()]))
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)


def test_scores_colour_range_is_symmetric_around_zero() -> None:
    panel = Matrix(
        "s",
        np.array([[-3.0, 1.0]]),
        "scores",
        Side(["q"]),
        Side(["a", "b"], role="key"),
        ramp=ColourScale("scores"),
    )
    figure = as_plotly(compose([panel]))
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-3, 3)


def test_panels_with_equal_ranges_share_a_colour_axis() -> None:
    figure = as_plotly(compose([weights("a"), weights("b"), weights("c", ramp=ColourScale("scores", 2.0))]))
    axes = [trace.coloraxis for trace in figure.data if trace.name in "abc"]
    assert axes == ["coloraxis", "coloraxis", "coloraxis2"]


def test_masked_cells_are_hatched_and_hover_says_masked() -> None:
    mask = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 1, 0]], dtype=bool)
    cells, hatch, hover = as_plotly(compose([weights(mask=mask)])).data
    assert (np.isnan(cells.z) == ~mask).all()
    assert (np.isfinite(hover.z) == ~mask).all()
    assert "masked" in hover.hovertemplate
    assert hatch.fillpattern.shape == "/"
    # Five points and a gap for each run of masked cells.
    assert len(hatch.x) == 6 * 3
    assert np.nanmin(hatch.x) == 0.5
    assert np.nanmax(hatch.x) == 4.5


def test_matrix_hover_has_six_digits() -> None:
    cells = as_plotly(compose([weights(hover=Hover(extra=Extra([("score", np.ones((3, 5)))])))])).data[0]
    assert "%{z:.6f}" in cells.hovertemplate
    assert "score %{customdata[0]:.6~g}" in cells.hovertemplate
    assert cells.customdata.shape == (3, 5, 1)


def test_matrix_numbers_are_in_cells_while_they_fit() -> None:
    small = as_plotly(compose([weights()]))
    assert small.data[0].texttemplate == "%{z:.2f}"
    assert not small.layout.coloraxis.showscale
    n = 13
    labels = [str(i) for i in range(n)]
    large = as_plotly(compose([Matrix("w", np.eye(n), "w", Side(labels), Side(labels, role="key"))]))
    assert large.data[0].texttemplate == ""
    assert large.layout.coloraxis.showscale


def test_matrix_labels_are_shown_as_typed() -> None:
    hostile = ["<b>x</b>", "<script>", "&amp;"]
    figure = as_plotly(compose([Matrix("w", np.eye(3), "w", Side(hostile), Side(hostile, role="key"))]))
    assert list(figure.layout.xaxis.ticktext) == ["&lt;b&gt;x&lt;/b&gt;", "&lt;script&gt;", "&amp;amp;"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"values": np.ones((5, 3))}, r"values must be \(3, 5\) to fit its labels, got \(5, 3\)"),
        ({"mask": np.ones((3, 3), dtype=bool)}, r"mask must be \(3, 5\) like the values, got \(3, 3\)"),
        (
            {"hover": Hover(extra=Extra([("score", np.ones((2, 5)))]))},
            r"score must be \(3, 5\), got \(2, 5\)",
        ),
        (
            {"side_bars": SideBars("s", np.ones(5), 1.0, "", np.ones((5, 1)))},
            r"side bars must be \(3,\), got \(5,\)",
        ),
    ],
)
def test_matrix_shapes_that_do_not_fit_raise(more: dict[str, Any], message: str) -> None:
    settings: dict[str, Any] = {"values": np.ones((3, 5)), "title": "w"}
    with pytest.raises(ValueError, match=message):
        Matrix("w", rows=Side(ROWS), columns=Side(COLUMNS), **(settings | more))


def test_panels_with_equal_names_raise() -> None:
    with pytest.raises(ValueError, match="different names"):
        as_plotly(compose([weights(), weights()]))


def test_row_labels_stand_on_the_first_panel_of_a_line() -> None:
    figure = as_plotly(compose([weights("a"), weights("b")]))
    assert figure.layout.yaxis.showticklabels
    assert not figure.layout.yaxis2.showticklabels
    phone = figure.layout.meta["screens"][0]["settings"]
    assert phone["layout.yaxis2.showticklabels"]


def test_side_bars_stand_beside_their_rows() -> None:
    bars = SideBars(
        "keys used", np.array([1.0, 2.0, 4.0]), 5.0, "%{customdata[0]}", np.array([[1], [2], [4]])
    )
    plain, figure = as_plotly(compose([weights()])), as_plotly(compose([weights(side_bars=bars)]))
    drawn = figure.data[-1]
    assert (drawn.type, drawn.name, drawn.orientation) == ("bar", "keys used", "h")
    np.testing.assert_allclose(drawn.x / drawn.x[0], [1, 2, 4])
    assert drawn.base > 4.5  # to the right of the last cell's edge
    assert drawn.base + 5 * drawn.x[0] == pytest.approx(figure.layout.xaxis.range[1])
    assert figure.layout.xaxis.range[1] == plain.layout.xaxis.range[1] + SIDE_SHARE * 5


def test_large_map_has_the_requested_size() -> None:
    values = RNG.dirichlet(np.ones(41), size=61)
    rows = Side([f"q{i}" for i in range(61)], ticks=[(0, "a"), (30.5, "b")])
    figure = as_plotly(
        compose([Matrix("w", values, "w", rows, Side([f"k{j}" for j in range(41)]), size=(6.0, 6.0))])
    )
    width = np.diff(figure.layout.xaxis.domain)[0] * figure.layout.width
    assert width == pytest.approx(np.diff(figure.layout.yaxis.domain)[0] * figure.layout.height, rel=1e-3)
    assert list(figure.layout.yaxis.tickvals) == [0, 30.5]
    assert list(figure.layout.yaxis.ticktext) == ["a", "b"]


def test_ramp_with_power_keeps_its_range_and_colours() -> None:
    even, bent = (
        as_plotly(compose([weights()])).layout.coloraxis,
        as_plotly(compose([weights(ramp=ColourScale(power=2.0))])).layout.coloraxis,
    )
    assert (bent.cmin, bent.cmax) == (0, 1)
    assert [colour for _, colour in bent.colorscale] == [colour for _, colour in even.colorscale]
    assert bent.colorscale[4][0] == even.colorscale[4][0] ** 2


def test_row_labels_stand_on_any_panel_that_names_its_rows() -> None:
    figure = as_plotly(compose([weights("a"), weights("b", names_rows=True)]))
    assert figure.layout.yaxis2.showticklabels
    assert figure.layout.yaxis2.title.text == Side.queries(ROWS).title


def test_column_labels_are_slanted_if_many_and_flat_if_few() -> None:
    columns = [f"word{i}" for i in range(26)]
    every = list(enumerate(columns))
    for chosen, angle in ((every[::2], -45), (every[::6], 0)):
        matrix = Matrix(
            "m", np.zeros((2, 26)), "m", Side(["a", "b"]), Side(columns, role="key", ticks=chosen)
        )
        assert matrix.axes(Axes(0))["xaxis"]["tickangle"] == angle


def test_hover_has_whole_labels_where_the_axis_shortens_them() -> None:
    short = Matrix("m", np.eye(2), "m", Side(["a", "b"]), Side(["a", "b"], role="key")).traces(
        Axes(0), "coloraxis"
    )[0]
    assert "hovertext" not in short
    long = ["<b>antidisestablishmentarianism", "b"]
    cut = Matrix("m", np.eye(2), "m", Side(long), Side(["c", "d"], role="key")).traces(Axes(0), "coloraxis")
    whole = "query <b>&lt;b&gt;antidisestablishmentarianism</b>, key <b>d</b>"
    assert cut[0]["hovertext"].tolist()[0][1] == cut[2]["hovertext"].tolist()[0][1] == whole
    assert cut[0]["hovertemplate"].startswith("%{hovertext}<br>")
    many = [str(i) for i in range(40)]
    left_out = Matrix("m", np.eye(40), "m", Side(many), Side(many, role="key")).traces(Axes(0), "coloraxis")[
        0
    ]
    assert left_out["hovertext"].tolist()[39][1] == "query <b>39</b>, key <b>1</b>"


def test_matrix_minus_diverges_around_zero_with_the_same_labels() -> None:
    one, other = weights(), weights("other")
    drawn = one.minus(other, "what changes", operator="=")
    np.testing.assert_array_equal(drawn.values, one.values - other.values)
    colours, _ = drawn.colour_range()
    assert colours.low == -colours.high == -np.abs(one.values - other.values).max()
    assert (drawn.name, drawn.title, drawn.operator) == ("difference", "what changes", "=")
    assert (drawn.rows, drawn.columns) == (one.rows, one.columns)
    assert one.minus(other, limit=2.0).colour_range()[0].high == 2.0


def test_matrix_minus_hatches_common_masks_and_hides_rounding() -> None:
    mask = np.tri(3, 5, 1, dtype=bool)
    one, other = weights(mask=mask), weights("other", mask=mask.copy())
    np.testing.assert_array_equal(one.minus(other).mask, mask)
    assert one.minus(weights("other")).mask is None
    same = one.minus(replace(one, name="same", values=one.values * (1 + 1e-7)))
    assert same.colour_range()[0].high == pytest.approx(np.abs(one.values).max(), rel=1e-6)
    nothing = replace(one, values=np.zeros_like(one.values))
    assert nothing.minus(nothing).colour_range()[0].high == 1.0
    gap = replace(one, values=np.where(mask, one.values, np.nan)).minus(other)
    assert np.isnan(gap.values[~mask]).all()
    assert np.isfinite(gap.colour_range()[0].high)


def test_matrix_minus_of_unequal_shapes_raises_with_both() -> None:
    small = Matrix("small", np.zeros((3, 2)), "", Side(ROWS), Side(COLUMNS[:2], role="key"))
    with pytest.raises(ValueError, match=r"\(3, 5\) and \(3, 2\)"):
        weights().minus(small)


@pytest.mark.parametrize("n", [3, 8, 12])
def test_numbers_fit_their_cells_at_nine_pixels_or_are_absent(n: int) -> None:
    labels = [str(place) for place in range(n)]
    panel = Matrix(
        "m", RNG.normal(size=(n, n)), "", Side(labels), Side(labels, role="key"), ramp=ColourScale("scores")
    )
    drawn = 0
    for screen in compose([panel, replace(panel, name="other")])["layout"]["meta"]["screens"]:
        settings = screen["settings"]
        start, end = settings["layout.xaxis.domain"]
        cell = (end - start) * screen["width"] / n
        if settings["data[0].texttemplate"]:
            drawn += 1
            size = settings["data[0].textfont.size"]
            assert size >= 9
            assert 4 * 0.5 * size <= cell  # "-1.2" at the least
    assert drawn >= 8


def test_caption_counts_visible_rows_and_columns() -> None:
    matrix = Matrix(
        "m", np.ones((8, 6)), "m", Side(list("abcdefgh"), n_visible=3), Side(list("uvwxyz"), role="key")
    )
    figure = as_plotly(compose([matrix]))
    assert tuple(figure.layout.yaxis.range) == (2.5, -0.5)
    assert tuple(figure.layout.xaxis.range) == (-0.5, 5.5)
    assert "3 × 6" in figure.layout.annotations[0].text


def test_caption_says_all_zero_where_nothing_shows_it() -> None:
    words = [f"w{place}" for place in range(14)]
    first = Matrix("first", np.eye(14), "first", Side.queries(words), Side.keys(words))

    def captions(values: Any, **more: Any) -> tuple[list[str], Any]:
        other = replace(first, name="other", values=values, **more)
        spec = compose([first, other, first.minus(other, limit=1.0)])
        return [each["text"] for each in spec["layout"]["annotations"]], spec["layout"]["meta"]["screens"]

    same, room = captions(np.eye(14))
    assert any("14 × 14, all 0<" in each for each in same)
    assert sum("all" in each for each in same) == 1  # the weights are seen
    rounded, _ = captions(np.eye(14) * (1 - 1e-16) - np.full((14, 14), 1e-17))
    assert any("14 × 14, all ≈ 0<" in each for each in rounded)
    moved, room_then = captions(np.eye(14) / 2)
    assert not any(", all" in each for each in moved)
    assert [(each["width"], each["height"], each["unit"]) for each in room] == [
        (each["width"], each["height"], each["unit"]) for each in room_then
    ]
    hidden = replace(
        first, ramp=ColourScale("scores"), values=np.zeros((14, 14)), mask=np.zeros((14, 14), dtype=bool)
    )
    assert hidden.caption().endswith("14 × 14</span>")  # its cells are hatched
    causal = np.where(np.tri(14) > 0, 0, -np.inf)
    assert replace(hidden, values=causal, mask=None).caption().endswith("14 × 14</span>")
    few = Matrix(
        "few", np.zeros((3, 5)), "few", Side.queries(ROWS), Side.keys(COLUMNS), ramp=ColourScale("scores")
    )
    assert few.caption().endswith("3 × 5</span>")  # each cell says 0.00
