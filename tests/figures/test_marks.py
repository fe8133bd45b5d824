"""Marks are Plotly's own traces and shapes: Plotly accepts them, gaps stay gaps, silence is silence."""

import numpy as np
import plotly.graph_objects as go
import pytest

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.panels import compose
from tests.plotly_figure import as_plotly

X, Y = np.array([0.0, 1.0, 2.0]), np.array([1.0, np.nan, 3.0])
INK = theme.LIGHT.ink
EVERY = {
    "line": marks.line("a", X, Y, INK, dash="dot", shape="hvh", dots=4),
    "points": marks.points("a", X, Y, INK, ring=theme.LIGHT.paper, symbol="star"),
    "area": marks.area("a", X, Y, INK, edge=INK),
    "hatched": marks.hatch_area("a", X, Y),
    "bar": marks.bar("a", X, Y, INK),
    "words": marks.words("a", X, Y, ["p", "q", "r"]),
}


@pytest.mark.parametrize("mark", EVERY.values(), ids=EVERY)
def test_marks_are_valid_for_plotly_with_their_values(mark: marks.Mark) -> None:
    (drawn,) = go.Figure({"data": [mark]}).data
    np.testing.assert_array_equal(drawn.x, X)
    np.testing.assert_array_equal(drawn.y, Y)
    assert drawn.hoverinfo == "skip"


def test_mark_hover_has_its_text_and_no_trace_name() -> None:
    (drawn,) = go.Figure({"data": [marks.line("a", X, Y, INK, hover="at <b>%{x}</b>")]}).data
    assert drawn.hovertemplate == "at <b>%{x}</b><extra></extra>"
    assert drawn.hoverinfo is None


def test_line_gap_is_not_bridged() -> None:
    assert marks.line("a", X, Y, INK)["connectgaps"] is False


def test_band_fills_between_curves_and_hovers_both() -> None:
    low, high = X - 1, X + 1
    drawn = go.Figure({"data": marks.band(("low", "high"), X, low, high, INK, hover="here")}).data
    np.testing.assert_array_equal([trace.y for trace in drawn], [low, high])
    assert [(trace.fill, trace.hoverinfo) for trace in drawn] == [(None, "skip"), ("tonexty", None)]
    np.testing.assert_array_equal(drawn[1].customdata, np.stack([low, high], -1))


def test_words_are_texts_or_one_template() -> None:
    assert marks.words("a", X, Y, ["p", "q", "r"])["text"] == ["p", "q", "r"]
    assert marks.words("a", X, Y, "%{x}")["texttemplate"] == "%{x}"


def test_line_dots_have_one_size_or_one_each() -> None:
    (arrow,) = go.Figure({"data": [marks.line("a", X[:2], X[:2], INK, dots=[0, 11])]}).data
    assert (arrow.mode, list(arrow.marker.size)) == ("lines+markers", [0, 11])


def test_bars_across_have_places_on_the_other_axis() -> None:
    mark = marks.bar("a", ["one", "two"], [3.0, 4.0], INK, across=True)
    assert mark["y"] == ["one", "two"]
    assert mark["x"].tolist() == [3.0, 4.0]
    assert mark["orientation"] == "h"


def test_upright_spans_the_height_of_its_chart() -> None:
    charts = [Chart(name, [EVERY["line"]], 6, 4, marks=[marks.upright(1.0)]) for name in "ab"]
    shapes = as_plotly(compose(charts)).layout.shapes
    assert [(shape.xref, shape.yref) for shape in shapes] == [("x", "y domain"), ("x2", "y2 domain")]
    assert all((shape.x0, shape.x1, shape.y0, shape.y1) == (1, 1, 0, 1) for shape in shapes)
