"""A whole model's heads in one picture: thumbnails keep what is large, and a click finds its head."""

import itertools
import math

import numpy as np
import plotly.graph_objects as go
import pytest
from numpy.typing import NDArray

from attn_figures.multi_head import ROOT
from attn_figures.whole_model import MOST_CELLS, OVERVIEW, Model, head_at, montage, steps, thumbnail_side
from attn_live.packing import pack
from tests.messages import figure_at

Numbers = NDArray[np.float64]
TOKENS = [f"<w{place}>" for place in range(130)]


def layers(*shapes: tuple[int, int, int]) -> list[Numbers]:
    rng = np.random.default_rng(5)
    drawn = [rng.random(shape) for shape in shapes]
    return [each / each.sum(axis=-1, keepdims=True) for each in drawn]


def model(maps: list[Numbers]) -> Model:
    scores = [float(head[0, 0]) for layer in maps for head in layer]
    order = sorted(range(len(scores)), key=lambda head: -scores[head])
    return Model(
        maps,
        scores,
        "previous token",
        order,
        [TOKENS[: each.shape[1]] for each in maps],
        [TOKENS[: each.shape[2]] for each in maps],
    )


def test_thumbnails_of_small_maps_are_the_maps() -> None:
    maps = layers((3, 5, 5), (2, 5, 5))
    shown = montage(maps, thumbnail_side(maps))
    assert shown.shape == (2 * 6 - 1, 3 * 6 - 1)
    np.testing.assert_array_equal(shown[6:11, 6:11], maps[1][1])
    assert np.isnan(shown[6:11, 12:17]).all()  # there is no third head
    assert np.isnan(shown[5]).all()


@pytest.mark.parametrize("n", [40, 128, 256])
def test_thumbnail_has_the_largest_weight_of_each_part(n: int) -> None:
    maps = [np.stack([np.eye(n)] * 12)] * 12
    side = thumbnail_side(maps)
    shown = montage(maps, side)
    assert shown.size <= MOST_CELLS + 2000
    one = shown[:side, :side]
    edges = [*(place * n // side for place in range(side)), n]
    naive = [
        [np.eye(n)[top:bottom, left:right].max() for left, right in itertools.pairwise(edges)]
        for top, bottom in itertools.pairwise(edges)
    ]
    np.testing.assert_array_equal(one, naive)
    assert (np.diagonal(one) == 1).all()


def test_head_at_returns_the_head_that_a_cell_shows() -> None:
    maps = layers((3, 6, 6), (4, 6, 6))
    figure = go.Figure(steps(model(maps), [0])[0])
    cells = next(trace for trace in figure.data if trace.name == OVERVIEW)
    for row, column in itertools.product(*map(range, np.shape(cells.z))):
        head = head_at(maps, row, column)
        named = cells.hovertext[row][column]
        assert named == ("" if head is None else model(maps).name(head))
        assert (head is None) == np.isnan(cells.z[row][column])


def test_whole_model_large_map_is_the_framed_head() -> None:
    maps = layers((3, 6, 6), (4, 6, 6))
    whole = model(maps)
    drawn = steps(whole, range(7))
    for place, spec in enumerate(drawn):
        layer, within = whole.at(whole.order[place])
        large = next(trace for trace in spec["data"] if trace["name"] == "weights")
        np.testing.assert_array_equal(large["z"], maps[layer][within])
        (frame,) = [shape for shape in spec["layout"]["shapes"] if shape.get("name") == "head here"]
        row, column = (frame["y0"] + frame["y1"]) / 2, (frame["x0"] + frame["x1"]) / 2
        assert head_at(maps, round(row), round(column)) == whole.order[place]
        said = [note["text"] for note in spec["layout"]["annotations"]]
        head = whole.order[place]
        assert f"{whole.name(head)}: previous token {whole.scores[head]:.2f}" in said
    thumbnails = [next(t for t in spec["data"] if t["name"] == OVERVIEW)["z"] for spec in drawn]
    assert all(np.shares_memory(each, thumbnails[0]) or (each is thumbnails[0]) for each in thumbnails)


def test_whole_model_colours_are_fixed_and_words_escaped() -> None:
    figure = go.Figure(steps(model(layers((2, 6, 6))), [1])[0])
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    assert ROOT == 2.0
    assert "&lt;w0&gt;" in figure.layout.yaxis2.ticktext


def test_whole_model_layers_may_differ_in_length() -> None:
    maps = layers((2, 5, 5), (2, 3, 3), (2, 3, 5))
    drawn = steps(model(maps), range(6))
    assert len(drawn) == 6
    shown = montage(maps, thumbnail_side(maps))
    assert not np.isnan(shown[6:11, :5]).any()  # a shorter map fills its thumbnail


def test_model_at_of_a_missing_head_raises() -> None:
    with pytest.raises(IndexError, match="no such head"):
        model(layers((2, 3, 3))).at(2)


@pytest.mark.parametrize("n", [300, 1024])
def test_long_map_shows_block_maxima_and_names_their_ends(n: int) -> None:
    rng = np.random.default_rng(6)
    weights = rng.random((1, n, n), dtype=np.float32)
    may = np.tri(n, dtype=bool)
    words = [f"<w{place}>" for place in range(n)]
    long = Model([weights], [0.5], "itself", [0], [words], [words], may=[may])
    spec = figure_at(pack(steps(long, [0])), 0, 0)
    trace = next(each for each in spec["data"] if each["name"] == "weights")
    size = 2 ** math.ceil(math.log2(n / 64))
    drawn = np.asarray(trace["z"], dtype=np.float64)
    assert drawn.shape == (math.ceil(n / size),) * 2
    for row, column in itertools.product(range(drawn.shape[0]), repeat=2):
        part = np.s_[row * size : (row + 1) * size, column * size : (column + 1) * size]
        if not may[part].any():
            assert np.isnan(drawn[row, column])
        else:
            assert drawn[row, column] == pytest.approx(weights[0][part][may[part]].max(), abs=1e-7)
    assert f"query <b>&lt;w0&gt; … &lt;w{size - 1}&gt;</b>" in trace["hovertext"][0][0]
    assert f"{size} × {size} weights" in str(spec["layout"])
