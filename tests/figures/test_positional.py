from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.position_curves import far_offsets, turning, turning_cursor
from attn_figures.position_maps import bias, encoding, encoding_cursor, similarity, similarity_cursor
from attn_figures.position_sum import Summand, scores, vectors
from attn_figures.positional import Trial, attention_maps, before_and_after, trial
from attn_live import paths
from tests.plotly_figure import as_plotly

RNG = np.random.default_rng(5)
TOKENS = ["<b>a</b>", "bee", "sea"]


def softmax(x: NDArray[np.float64]) -> Any:
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


def trace(figure: go.Figure, name: str) -> Any:
    return next(t for t in figure.data if t.name == name)


def test_before_and_after_has_both_maps_and_the_difference() -> None:
    before, after = softmax(RNG.normal(size=(3, 3))), softmax(RNG.normal(size=(3, 3)))
    figure = as_plotly(before_and_after(TOKENS, before, after, names=("without", "with"), limit=0.8))
    np.testing.assert_allclose(trace(figure, "before").z, before)
    np.testing.assert_allclose(trace(figure, "after").z, after)
    np.testing.assert_allclose(trace(figure, "difference").z, after - before)
    assert figure.layout.yaxis.range == (2.5, -0.5)
    assert figure.layout.xaxis.title.text == "Key (attended to)"
    assert figure.layout.yaxis.title.text == "Query (attending)"
    assert figure.layout.xaxis.ticktext[0] == "&lt;b&gt;a&lt;/b&gt;"
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    assert (figure.layout.coloraxis2.cmin, figure.layout.coloraxis2.cmax) == (-0.8, 0.8)


def test_attention_maps_have_the_schemes_names() -> None:
    maps = {name: softmax(RNG.normal(size=(3, 3))) for name in ("none", "ramp", "rotary", "ALiBi")}
    figure = as_plotly(attention_maps(TOKENS, maps))
    for name, weights in maps.items():
        np.testing.assert_allclose(trace(figure, name).z, weights)
        assert trace(figure, name).coloraxis == "coloraxis"


def test_long_sentence_has_few_labels() -> None:
    tokens = [f"w{i}" for i in range(26)]
    weights = softmax(RNG.normal(size=(26, 26)))
    figure = as_plotly(before_and_after(tokens, weights, weights, names=("a", "b"), limit=1.0))
    assert list(figure.layout.yaxis.ticktext) == tokens[::2]
    figure = as_plotly(attention_maps(tokens, {"none": weights, "ramp": weights}))
    assert list(figure.layout.xaxis.ticktext) == [str(place) for place in range(0, 26, 4)]
    assert figure.layout.coloraxis.showscale  # for numbers that have no room
    np.testing.assert_allclose(trace(figure, "ramp").z, weights)


def a_trial() -> Trial:
    expected, found = RNG.normal(size=(3, 5)), RNG.normal(size=(3, 5))
    return Trial(
        *(expected, found, ("expected", "found"), TOKENS, [str(i) for i in range(5)], "Word", "Dimension"),
        "output",
        (2.0, 3.0),
    )


def test_trial_has_the_difference_and_a_bar_for_each_scheme() -> None:
    tried = a_trial()
    figure = as_plotly(trial(tried, {"none": 1e-16, "ramp": 1.25, "ALiBi": 0.0, "far": 1234.0}, "ramp", 2.0))
    np.testing.assert_allclose(trace(figure, "difference").z, tried.actual - tried.expected)
    bars = trace(figure, "errors")
    assert bars.textfont.family is None  # that of the figure, which no PDF lacks
    assert list(bars.y) == ["none", "ramp", "ALiBi", "far"]
    np.testing.assert_allclose(bars.x, [1e-16, 1.25, 0, 1234])
    assert list(bars.text) == ["1e-16", "1.2", "0", "1,234"]
    assert list(bars.marker.color) == [
        theme.LIGHT.hatch, theme.LIGHT.query, theme.LIGHT.hatch, theme.LIGHT.hatch,
    ]  # fmt: skip
    assert figure.layout.coloraxis.cmax == 2
    assert figure.layout.coloraxis2.cmax == 3


def test_encoding_cursor_equals_the_drawn_row() -> None:
    values = RNG.normal(size=(2, 20, 7))
    figure = as_plotly(encoding(values[0], (5, 2), limit=3.0, n_visible=11))
    np.testing.assert_allclose(trace(figure, "encoding").z, values[0])
    np.testing.assert_allclose(trace(figure, "dimension 5").y, values[0][:, 5])
    np.testing.assert_allclose(trace(figure, "dimension 2").y, values[0][:, 2])
    assert figure.layout.yaxis.range == (10.5, -0.5)
    assert figure.layout.xaxis2.range == (-0.5, 10.5)
    assert "11 × 7" in figure.layout.annotations[0].text
    rows, by_step = encoding_cursor(values, (5, 2))
    path = next(iter(by_step))
    assert paths.at(figure.to_dict(), paths.resolve(figure.to_dict(), path)) is not None
    assert path == "data[cursor].y"
    np.testing.assert_allclose(by_step[path][1, 13], values[1, 13, [5, 2]])
    assert rows["layout.shapes[position].x0"][13] == 13
    assert (rows["layout.shapes[encoding marked].y0"][13], rows["layout.shapes[encoding marked].y1"][13]) == (
        12.5,
        13.5,
    )
    refs = {shape.name: (shape.xref, shape.yref) for shape in figure.layout.shapes}
    assert refs == {"encoding marked": ("x", "y"), "position": ("x2", "y2 domain")}


def test_wide_encoding_has_few_labels() -> None:
    figure = as_plotly(encoding(RNG.normal(size=(9, 384)), (0,), limit=1.0, n_visible=9))
    assert 6 <= len(figure.layout.xaxis.tickvals) <= 8


def test_similarity_cursor_equals_the_drawn_row() -> None:
    values = RNG.normal(size=(6, 6))
    bands = (RNG.normal(size=11), RNG.normal(size=11), RNG.normal(size=11))
    figure = as_plotly(similarity(values, bands, limits=(-2.0, 1.0), quantity="dot product", n_visible=4))
    np.testing.assert_allclose(trace(figure, "similarity").z, values)
    np.testing.assert_allclose(trace(figure, "mean").y, bands[1])
    np.testing.assert_allclose(trace(figure, "mean").x, np.arange(-5, 6))
    assert figure.layout.coloraxis.cmin == -2
    assert figure.layout.xaxis.range == (-0.5, 3.5)
    assert "4 × 4" in figure.layout.annotations[0].text
    rows, copies = similarity_cursor(6)
    (path, source), *_ = copies.items()
    assert (path, source) == ("data[own].y", "data[similarity].z")
    assert trace(figure, "own").y is not None
    np.testing.assert_allclose(rows[path.replace(".y", ".x")][2], np.arange(6) - 2)


def test_turning_arrows_have_their_angles() -> None:
    frequencies, curve = np.array([1.0, 0.1]), np.cos(np.arange(5.0))
    angles = np.array([[0.5, 0.05], [2.0, 0.2]])
    figure = as_plotly(turning(angles, [0, 3], frequencies, curve, n_visible=5))
    for name, row, column, pair in (
        ("query", 0, 0, 0),
        ("key", 1, 0, 0),
        ("query", 0, 1, 3),
        ("key", 1, 1, 3),
    ):
        arrow = trace(figure, f"{name} {pair}")
        np.testing.assert_allclose(arrow.x, [0, np.cos(angles[row, column])])
        np.testing.assert_allclose(arrow.y, [0, np.sin(angles[row, column])])
        assert arrow.line.color == getattr(theme.LIGHT, name)
    rows, by_step = turning_cursor(RNG.normal(size=(3, 4, 2)), [0, 3], curve)
    assert {paths.parse(p)[1] for p in by_step} == {"key 0", "key 3"}
    assert {paths.parse(p)[1] for p in rows} == {"here"}
    for path in (*rows, *by_step):
        paths.resolve(figure.to_dict(), path)


def test_bias_highlights_one_head() -> None:
    curves = RNG.normal(size=(4, 9))
    figure = as_plotly(bias(RNG.normal(size=(5, 5)), curves, 2, buckets=np.arange(25.0).reshape(5, 5)))
    colours = [trace(figure, f"head {n}").line.color for n in range(1, 5)]
    assert colours == [theme.LIGHT.hatch, theme.LIGHT.hatch, theme.LIGHT.query, theme.LIGHT.hatch]
    np.testing.assert_allclose(trace(figure, "head 2").y, curves[1])
    assert trace(figure, "bias").customdata[3][4][0] == 19


def test_far_offsets_past_training_are_shaded() -> None:
    curves = {"sinusoidal": np.cos(np.arange(12.0)), "ALiBi": np.exp(-np.arange(12.0))}
    figure = as_plotly(far_offsets(curves, 3, {"sinusoidal": 6}))
    assert trace(figure, "sinusoidal return").x == (6,)
    assert list(trace(figure, "ALiBi return").x) == []
    assert [(s.x0, s.x1) for s in figure.layout.shapes] == [(2.5, 11.5)] * 2


@pytest.mark.parametrize("shown", [1, 2, 9])
def test_encoding_of_one_position_is_drawn(shown: int) -> None:
    values = RNG.normal(size=(9, 1))
    assert as_plotly(encoding(values, (0,), limit=1.0, n_visible=shown)).layout.yaxis.range == (
        shown - 0.5,
        -0.5,
    )


def test_sum_of_matrices_has_one_ramp_and_operators() -> None:
    e, p = RNG.normal(size=(3, 20)), RNG.normal(size=(3, 20))
    parts = [
        Summand("E", e, "E", "word"),
        Summand("P", p, "P", "place", "+"),
        Summand("X", e + p, "X", "sum", "="),
    ]
    figure = as_plotly(vectors(TOKENS, parts, limit=4.0, longest_title=9))
    np.testing.assert_allclose(trace(figure, "X").z, trace(figure, "E").z + trace(figure, "P").z)
    assert {trace(figure, name).coloraxis for name in "EPX"} == {"coloraxis"}
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-4, 4)
    assert [each.text for each in figure.layout.annotations][1::2] == ["", "+", "="]
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;a&lt;/b&gt;"
    assert figure.layout.xaxis2.ticktext == tuple(str(place) for place in range(0, 20, 4))


def test_sum_of_scores_has_query_rows_and_key_columns() -> None:
    maps = [Summand(name, RNG.normal(size=(3, 3)), name, "score") for name in ("S", "B", "scores")]
    figure = as_plotly(scores(TOKENS, maps, limit=4.0, longest_title=9))
    assert figure.layout.xaxis.title.text == "Key (attended to)"
    assert figure.layout.xaxis3.ticktext == figure.layout.yaxis3.ticktext
