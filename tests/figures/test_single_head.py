"""The pictures of one head: what stands where, in whose colours, framed and hatched as the numbers say."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from attn_figures import single_head as pictures
from attn_figures import theme
from attn_figures.matrix import NUMBERS_UP_TO
from attn_figures.scale_study import cost_picture, scale_picture
from attn_figures.single_head import HeadMatrices, Lookup
from tests.plotly_figure import as_plotly

N_QUERY, N_KEY, D_MODEL, D_K, D_V = 3, 5, 7, 2, 4
QUERIES, KEYS = ["<b>a</b>", "%{z}", "c"], ["k", "l", "m", "n", "<script>"]


@pytest.fixture
def head() -> HeadMatrices:
    rng = np.random.default_rng(3)
    draw = rng.standard_normal
    scores = draw((N_QUERY, N_KEY))
    mask = np.ones((N_QUERY, N_KEY), dtype=bool)
    mask[1, 2:] = False
    exponentials = np.where(mask, np.exp(scores - scores.max(axis=1, keepdims=True)), 0.0)
    sums = exponentials.sum(axis=1, keepdims=True)
    return HeadMatrices(
        queries=QUERIES,
        keys=KEYS,
        x=draw((N_QUERY, D_MODEL)),
        memory=draw((N_KEY, D_MODEL)),
        projections=[draw((D_MODEL, width)) for width in (D_K, D_K, D_V)],
        query=draw((N_QUERY, D_K)),
        key=draw((N_KEY, D_K)),
        value=draw((N_KEY, D_V)),
        scores=scores,
        scaled_scores=scores / 2,
        mask=mask,
        weights=exponentials / sums,
        output=draw((N_QUERY, D_V)),
        factor="÷ √2<br>÷ T",
        lookup=partial(
            Lookup, np.where(mask, np.eye(N_QUERY, N_KEY), 0.0), draw((N_QUERY, D_V)), np.arange(3.0)
        ),
    )


def cells(figure: Any) -> dict[str, Any]:
    return {
        trace.name: trace
        for trace in figure.data
        if trace.type == "heatmap" and not trace.name.endswith(" masked")
    }


PANELS = {
    "all_at_once": ["scores", "masked", "weights", "V", "output"],
    "sources": ["X", "Y"],
    "projecting": ["X", "Y", "Wq", "Wk", "Wv", "Q", "K", "V"],
    "dot_products": ["Q", "K transposed", "scores"],
    "scaling": ["scores", "scaled"],
    "masking": ["scaled", "mask", "masked"],
    "softmax": ["masked", "exponentials", "row sums", "weights"],
    "mixing": ["weights", "V", "output"],
    "hard_or_soft": ["masked", "hard weights", "hard output", "weights", "output"],
}
each_stage = pytest.mark.parametrize("stage", PANELS)


def drawn_as(stage: str, head: HeadMatrices) -> Any:
    return as_plotly(getattr(pictures, stage)(head))


@each_stage
def test_stage_shows_its_inputs(head: HeadMatrices, stage: str) -> None:
    assert list(cells(drawn_as(stage, head))) == PANELS[stage]


def test_projecting_shows_biases_beside_projections(head: HeadMatrices) -> None:
    biases = [np.full((1, width), float(number)) for number, width in enumerate((D_K, D_K, D_V))]
    drawn = cells(as_plotly(pictures.projecting(replace(head, biases=biases))))
    assert list(drawn)[2:6] == ["Wq", "Wk", "Wv", "b"]
    gap = [np.nan] * (D_V - D_K)
    wanted = [[0.0] * D_K + gap, [1.0] * D_K + gap, [2.0] * D_V]
    np.testing.assert_array_equal(drawn["b"].z, wanted)


@each_stage
def test_head_maps_have_query_rows_with_row_0_on_top(head: HeadMatrices, stage: str) -> None:
    figure = drawn_as(stage, head)
    for name in ("scores", "scaled", "masked", "mask", "exponentials", "weights"):
        trace = cells(figure).get(name)
        if trace is None:
            continue
        assert np.shape(trace.z) == (N_QUERY, N_KEY)
        y = figure.layout[trace.yaxis.replace("y", "yaxis")]
        assert tuple(y.range) == (N_QUERY - 0.5, -0.5)
        x = figure.layout[trace.xaxis.replace("x", "xaxis")]
        assert x.tickfont.color == theme.LIGHT.key
        assert y.tickfont.color == theme.LIGHT.query
        assert trace.meta["cells"] == "query-key"


def test_head_map_values_are_the_head_s_with_masked_gaps(head: HeadMatrices) -> None:
    drawn = cells(as_plotly(pictures.all_at_once(head)))
    np.testing.assert_array_equal(drawn["scores"].z, head.scores)
    np.testing.assert_array_equal(np.isnan(drawn["weights"].z), ~head.mask)
    np.testing.assert_array_equal(drawn["weights"].z[head.mask], head.weights[head.mask])
    np.testing.assert_array_equal(drawn["weights"].customdata[..., 1], head.scores)
    assert ".6f" in drawn["weights"].hovertemplate


@each_stage
def test_head_matrices_choose_by_rows_and_columns(head: HeadMatrices, stage: str) -> None:
    sides = {N_QUERY: "query", N_KEY: "key"}
    projections = ("Wq", "Wk", "Wv", "bq", "bk", "bv")
    figure = drawn_as(stage, head)
    for name, trace in cells(figure).items():
        if name in projections:
            assert "chosen" not in trace.meta
            continue
        # As many queries and keys as no other side has: the sizes tell what must be named.
        wanted = [sides.get(size) for size in np.shape(trace.z)]
        if name in ("mixing weights",) or (stage == "mixing" and name == "weights"):
            wanted[1] = None  # the whole row is mixed
        assert trace.meta["chosen"] == {"axes": wanted, "part": None}, name
    assert not figure.layout.shapes


def test_lookup_shows_both_outputs_and_their_distance(head: HeadMatrices) -> None:
    figure = as_plotly(pictures.hard_or_soft(head))
    drawn = cells(figure)
    assert head.lookup is not None
    np.testing.assert_array_equal(drawn["hard weights"].z[head.mask], head.lookup().weights[head.mask])
    assert np.isnan(drawn["hard weights"].z[~head.mask]).all()
    np.testing.assert_array_equal(drawn["hard output"].z, head.lookup().output)
    np.testing.assert_array_equal(drawn["output"].z, head.output)
    (bars,) = (trace for trace in figure.data if trace.name == "distance")
    np.testing.assert_array_equal(np.ravel(bars.customdata), head.lookup().output_change)
    with pytest.raises(ValueError, match="got one without"):
        as_plotly(pictures.hard_or_soft(replace(head, lookup=None)))


def test_dot_products_show_k_transposed(head: HeadMatrices) -> None:
    figure = as_plotly(pictures.dot_products(head))
    np.testing.assert_array_equal(cells(figure)["K transposed"].z, head.key.T)
    chosen = [trace.meta["chosen"]["axes"] for trace in cells(figure).values()]
    assert chosen == [["query", None], [None, "key"], ["query", "key"]]


def test_head_words_are_escaped_everywhere(head: HeadMatrices) -> None:
    for stage in PANELS:
        shown = str(drawn_as(stage, head).to_dict())
        assert "<script>" not in shown
        assert "<b>a" not in shown


def test_self_attention_shows_x_once(head: HeadMatrices) -> None:
    same = replace(head, memory=head.x)
    assert list(cells(as_plotly(pictures.sources(same)))) == ["X"]
    given = replace(head, x=None, memory=None, projections=None)
    assert list(cells(as_plotly(pictures.sources(given)))) == ["Q", "K", "V"]


def test_large_maps_hover_their_own_number_only() -> None:
    n = 40
    square = np.full((n, n), 1 / n)
    labels, vectors = [str(i) for i in range(n)], np.ones((n, 2))
    maps = (square, square, square > 0, square)
    head = HeadMatrices(labels, labels, vectors, vectors, vectors, *maps, vectors, "× 1")
    assert cells(as_plotly(pictures.all_at_once(head)))["weights"].customdata is None


def test_large_map_of_minus_infinities_is_not_all_zero(head: HeadMatrices) -> None:
    words = [str(each) for each in range(NUMBERS_UP_TO + 1)]
    some = np.tri(len(words)) > 0
    for mask in (some, some | True):
        full = np.where(some, 1.0, 0.0)
        large = replace(head, queries=words, keys=words, scores=full, scaled_scores=full, mask=mask)
        texts = [each.text for each in as_plotly(pictures.masking(large)).layout.annotations]
        assert any("all 0" in each for each in texts) == mask.all()


def test_bent_ramp_keeps_its_range_and_is_named(head: HeadMatrices) -> None:
    n = NUMBERS_UP_TO + 1
    words, square, column = [str(each) for each in range(n)], np.full((n, n), 1 / n), np.ones((n, 1))
    maps: dict[str, Any] = {
        **dict.fromkeys(("scores", "scaled_scores", "weights"), square),
        "mask": square > 0,
    }
    large = replace(head, queries=words, keys=words, value=column, output=column, **maps)
    for each, power in ((head, 1.0), (large, 2.0)):
        figure = as_plotly(pictures.mixing(each))
        colours = figure.layout[cells(figure)["weights"].coloraxis]
        assert (colours.cmin, colours.cmax) == (0, 1)
        assert colours.colorscale[4][0] == 0.5**power
        assert ("bent" in figure.layout.annotations[0].text) == (power > 1)


def test_scale_study_marks_one_width_on_every_curve() -> None:
    widths = (1, 4, 16)
    curve = np.arange(6.0).reshape(2, 3) + 1
    weights = np.arange(30.0).reshape(2, 3, 5) / 100
    figure = as_plotly(scale_picture(widths, {"variance": curve, "entropy": curve + 1}, weights, 1))
    by_name = {trace.name: trace for trace in figure.data}
    np.testing.assert_array_equal(by_name["weights unscaled"].y, weights[0, 1])
    np.testing.assert_array_equal(by_name["entropy scaled by 1/√dₖ here"].y, [6.0])
    np.testing.assert_array_equal(by_name["variance unscaled"].y, curve[0])
    colours = {trace.line.color for trace in figure.data if trace.name.startswith("variance unscaled")}
    assert theme.LIGHT.series[1] in colours


def test_cost_is_drawn_full_and_masked() -> None:
    both = np.array([[64.0, 256.0], [22.0, 46.0]])
    figure = as_plotly(cost_picture((8, 16), {"pairs": both}, 8, "sliding window mask"))
    full, masked = figure.data
    assert (full.name, masked.name) == ("pairs full", "pairs sliding window mask")
    assert [trace.marker.color for trace in figure.data] == [trace.line.color for trace in figure.data]
    np.testing.assert_array_equal(masked.y, both[1])
    assert figure.layout.shapes[0].x0 == 8
    linear = as_plotly(cost_picture((8, 16), {"flops": np.vstack([both, [9.0, 18.0]])}, 8, "window")).data[2]
    assert (linear.name, *linear.y) == ("flops linear", 9.0, 18.0)
