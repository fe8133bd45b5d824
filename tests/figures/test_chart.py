"""A chart beside matrices: its axes, its legend in words, its markers on the colours of the map."""

import numpy as np

from attn_figures import theme
from attn_figures.chart import Chart
from attn_figures.frame import Side
from attn_figures.geometry import ColourRange
from attn_figures.matrix import Matrix
from attn_figures.panels import compose
from tests.plotly_figure import as_plotly

LINE = {"type": "scatter", "x": np.arange(3.0), "y": np.array([1.0, 4.0, 2.0])}
MAP = Matrix("w", np.array([[0.25, 0.75]]), "w", Side(["q"]), Side(["a", "b"], role="key"))


def test_chart_legend_is_coloured_words_above_the_body() -> None:
    chart = Chart("c", [LINE], 6, 4, legend=[("estimate", theme.LIGHT.value), ("data", theme.LIGHT.ink)])
    words = as_plotly(compose([chart, MAP])).layout.annotations[-1]
    assert (words.xref, words.yref, words.y, words.yanchor) == ("x domain", "y domain", 1, "bottom")
    assert f"<span style='color:{theme.LIGHT.value}'>estimate</span>" in words.text


def test_chart_captions_keep_their_places_beside_a_legend() -> None:
    captions = as_plotly(
        compose([Chart("c", [LINE], 6, 4, title="said", legend=[("a", "#000000")]), MAP])
    ).layout.annotations
    assert "said" in captions[0].text
    assert captions[2].text.startswith("w")


def test_chart_markers_share_the_colours_of_a_map() -> None:
    shared = ColourRange(theme.LIGHT.weights, 0.0, 1.0, "weight")
    dots = LINE | {"marker": {"color": np.array([0.0, 0.5, 1.0]), "coloraxis": "panel"}}
    figure = as_plotly(compose([Chart("c", [dots], 6, 4, colours=shared), MAP]))
    assert figure.data[0].marker.coloraxis == figure.data[1].coloraxis == "coloraxis"


def test_chart_keeps_its_axis_labels_at_any_place() -> None:
    figure = as_plotly(compose([MAP, Chart("c", [LINE], 6, 4, y_title="value", y={"showticklabels": False})]))
    assert figure.layout.yaxis2.title.text == "value"
    assert figure.layout.yaxis2.showticklabels is False


def test_chart_title_stands_below_the_axis_labels() -> None:
    plain = as_plotly(compose([Chart("c", [LINE], 6, 4, title="said")])).layout.annotations[0]
    named = as_plotly(compose([Chart("c", [LINE], 6, 4, title="said", x_title="x")])).layout.annotations[0]
    assert plain.text == named.text == "said"
    assert named.yshift < plain.yshift < -20
