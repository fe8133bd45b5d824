"""Maps of heads, sums of heads, blocks that move: fields, order, colours."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.contributions import contributions, shares, similarity
from attn_figures.multi_head import HeadMaps, combine_heads, every_head, two_heads
from attn_figures.repeated_layers import layer_curves
from attn_figures.reshape import N_STEPS, blocks, corners
from tests.plotly_figure import as_plotly

Numbers = NDArray[np.float64]
QUERIES = ["a", "b", "c"]
KEYS = ["p", "q", "r", "s", "t"]


def draw(*shape: int) -> Numbers:
    numbers: Numbers = np.random.default_rng(7).random(shape)
    return numbers


def heads(n_head: int = 4, d_out: int = 7) -> HeadMaps:
    weights = draw(n_head, 3, 5)
    return HeadMaps(weights / weights.sum(-1, keepdims=True), draw(3, d_out), QUERIES, KEYS)


def names(figure: go.Figure) -> list[str]:
    return [trace.name for trace in figure.data if trace.type == "heatmap" and trace.visible is not False]


def test_every_head_has_one_map_with_query_rows() -> None:
    drawn = heads()
    figure = as_plotly(every_head(drawn, slots=4))
    for head in range(4):
        trace = next(trace for trace in figure.data if trace.name == f"head {head + 1}")
        np.testing.assert_array_equal(trace.z, drawn.weights[head])
        assert trace.meta["cells"] == "query-key"
        x = figure.layout["xaxis" + trace.xaxis[1:]]
        assert (list(x.ticktext), x.tickfont.color) == (KEYS, theme.LIGHT.key)
    output = next(trace for trace in figure.data if trace.name == "output")
    np.testing.assert_array_equal(output.z, drawn.output)


def test_every_head_shares_one_fixed_colour_axis() -> None:
    figure = as_plotly(every_head(heads(), slots=4))
    maps = [t for t in figure.data if t.type == "heatmap" and t.name.startswith("head ")]
    used = {trace.coloraxis for trace in maps if trace.coloraxis}
    assert used == {"coloraxis"}
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)


def test_every_head_keeps_its_name_in_another_order() -> None:
    drawn = heads()
    figure = as_plotly(every_head(drawn, slots=6, order=[2, 0, 3, 1]))
    shown = [name for name in names(figure) if name.startswith("head ") and not name.endswith("masked")]
    assert shown == ["head 3", "head 1", "head 4", "head 2"]
    np.testing.assert_array_equal(figure.data[0].z, drawn.weights[2])


def test_wide_output_is_absent_with_its_traces() -> None:
    wide = as_plotly(every_head(heads(d_out=11), slots=4))
    assert "output" not in names(wide)
    assert [trace.type for trace in wide.data] == [
        trace.type for trace in as_plotly(every_head(heads(), slots=4)).data
    ]


def test_head_off_is_named_and_maps_have_their_clicks() -> None:
    drawn = heads()
    off = HeadMaps(drawn.weights, drawn.output, QUERIES, KEYS, off=(1,))
    figure = as_plotly(every_head(off, slots=4, order=[2, 0, 1, 3]))
    captions = [note.text for note in figure.layout.annotations]
    assert "head 2 (off)" in captions
    chosen = [trace.meta["chosen"] for trace in figure.data if trace.name in names(figure)[:4]]
    assert [each["part"] for each in chosen] == [["head", 2], ["head", 0], ["head", 1], ["head", 3]]
    assert all(each["axes"] == ["query", "key"] for each in chosen)
    assert not figure.layout.shapes


def test_mask_is_hatched_in_every_head() -> None:
    drawn = heads()
    mask = np.tril(np.ones((3, 5), dtype=bool))
    figure = as_plotly(every_head(HeadMaps(drawn.weights, drawn.output, QUERIES, KEYS, mask), slots=4))
    for head in range(4):
        trace = next(trace for trace in figure.data if trace.name == f"head {head + 1}")
        np.testing.assert_array_equal(np.isnan(trace.z), ~mask)


def test_combined_heads_are_mean_maximum_and_range() -> None:
    drawn = heads()
    figure = as_plotly(combine_heads(drawn, selection=[0, 3]))
    by_name = {trace.name: trace for trace in figure.data}
    two = drawn.weights[[0, 3]]
    np.testing.assert_allclose(by_name["mean"].z, two.mean(0))
    np.testing.assert_allclose(np.sum(by_name["mean"].z, axis=1), 1)
    np.testing.assert_array_equal(by_name["max"].z, two.max(0))
    np.testing.assert_allclose(by_name["spread"].z, two.max(0) - two.min(0))


def test_two_heads_difference_diverges_around_zero() -> None:
    drawn = heads()
    figure = as_plotly(two_heads(drawn, 3, 1))
    by_name = {trace.name: trace for trace in figure.data}
    np.testing.assert_allclose(by_name["difference"].z, drawn.weights[3] - drawn.weights[1])
    axis = figure.layout[by_name["difference"].coloraxis]
    assert (axis.cmin, axis.cmax) == (-1, 1)


def test_contributions_and_sum_are_rows_with_length_bars() -> None:
    rows = draw(6, 7)
    lengths = np.linalg.norm(rows, axis=1)
    labels = ["head 1", "head 2 (off)", "head 3", "all heads", "without", "change"]
    figure = as_plotly(contributions(rows, labels, lengths, off=[1], ramp_end=2.0, longest=4.0, n_sums=3))
    cells = figure.data[0]
    assert np.isnan(cells.z[1]).all()
    np.testing.assert_array_equal(cells.z[[0, 2, 3, 4, 5]], rows[[0, 2, 3, 4, 5]])
    bars = next(trace for trace in figure.data if trace.type == "bar")
    np.testing.assert_allclose(bars.customdata[:, 0], lengths)
    np.testing.assert_allclose(np.asarray(bars.x) / bars.x[0], lengths / lengths[0])
    (rule,) = figure.layout.shapes
    assert (rule.y0, rule.y1, rule.x1) == (2.5, 2.5, 6.5)
    hover = next(trace for trace in figure.data if trace.name == "contributions masked")
    assert "switched off" in hover.hovertemplate


def test_wide_contributions_keep_readable_rows() -> None:
    labels = ["head 1", "head 2", "output"]
    for width in (16, 128):
        figure = as_plotly(contributions(draw(3, width), labels, np.ones(3), ramp_end=1.0, longest=1.0))
        phone = figure.layout.meta["screens"][1]
        low, high = phone["settings"]["layout.yaxis.domain"]
        assert (high - low) * phone["height"] / 3 >= 9, width
        assert phone["settings"]["layout.yaxis.showticklabels"]


def test_head_shares_sum_to_one_or_to_zero() -> None:
    lengths = draw(3, 4)
    lengths[1] = 0
    figure = as_plotly(shares(lengths, QUERIES, marked=2))
    np.testing.assert_allclose(figure.data[0].z.sum(1), [1, 0, 1])
    np.testing.assert_allclose(figure.data[0].customdata[..., 0], lengths)
    assert (figure.layout.shapes[0].y0, figure.layout.shapes[0].y1) == (1.5, 2.5)


def test_head_similarity_names_heads_from_one() -> None:
    figure = as_plotly(similarity(np.eye(3)))
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "3"]
    assert "head %{y} and head %{x}" in figure.data[0].hovertemplate


def test_reshape_blocks_equal_the_reshaped_array() -> None:
    n, n_head, d_head = 3, 2, 5
    number = np.arange(n * n_head * d_head).reshape(n, n_head * d_head)
    stages = {
        0: number[None],  # one block
        1: number.reshape(n, n_head, d_head),
        2: number.reshape(n, n_head, d_head).transpose(1, 0, 2),
    }
    places = corners(n, n_head, d_head)
    split = number.reshape(n, n_head, d_head)
    for stage, array in stages.items():
        at = {int(split[index]): places[(stage, *index)] for index in np.ndindex(split.shape)}
        for block in array:
            ys = [at[int(line[0])][1] for line in block]
            assert ys == sorted(ys)
            for line in block:
                xs = [at[int(value)][0] for value in line]
                np.testing.assert_allclose(np.diff(xs), 1)
                assert len({at[int(value)][1] for value in line}) == 1
        starts = [min(at[int(value)][0] for value in block.flat) for block in array]
        ends = [max(at[int(value)][0] for value in block.flat) + 1 for block in array]
        assert all(end < start for end, start in zip(ends, starts[1:], strict=False))
    np.testing.assert_array_equal(places[3], places[2])
    np.testing.assert_array_equal(places[4], places[1])
    np.testing.assert_array_equal(places[5], places[0])


def test_reshape_blocks_change_strength_at_attention_only() -> None:
    fills = [blocks(step, ["a", "b"], 2, 2)["data"][0]["fillcolor"] for step in range(N_STEPS)]
    assert len(set(fills)) == 2
    assert fills.index(fills[-1]) == 20


def test_layer_curves_draw_the_highlight_on_top() -> None:
    lengths, alike = draw(2, 5) + 1, draw(2, 5)
    state = draw(3, 7)
    figure = as_plotly(
        layer_curves(
            lengths, alike, ["one", "two"], highlight=0, layer=3, state=state, tokens=QUERIES, limit=1.0
        )
    )
    curves = [trace for trace in figure.data if trace.name.startswith("length: ")]
    assert [trace.name for trace in curves] == ["length: two", "length: one"]
    np.testing.assert_array_equal(curves[1].y, lengths[0])
    assert curves[1].line.color == theme.LIGHT.query
    assert figure.layout.yaxis.type == "log"
    here = next(trace for trace in figure.data if trace.name == "length here")
    assert (here.x[0], here.y[0]) == (3, lengths[0, 3])
    np.testing.assert_array_equal(next(t for t in figure.data if t.name == "vectors").z, state)
