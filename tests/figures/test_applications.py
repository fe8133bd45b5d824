"""Where attention is used, drawn: rows over a picture, ribbons, masks and frames hold the true numbers."""

import numpy as np
import pytest

from attn_figures import theme
from attn_figures.matrix import Numbers
from attn_figures.patch_weights import PatchedImage, over_picture, over_picture_cursor
from attn_figures.ribbons import WIDE, outlines, ribbons
from attn_figures.speech import Sound, speech_cursor, speech_weights
from attn_figures.three_masks import MaskedWeights, three_masks
from attn_live.packing import Cursor, pack
from tests.messages import figure_at
from tests.plotly_figure import as_plotly

N_STEPS, ROWS, COLUMNS = 3, 2, 5
PATCHES = [f"{at + 1} {'ab'[at % 2]}" for at in range(ROWS * COLUMNS)]


def weights(*shape: int) -> Numbers:
    drawn = np.random.default_rng(5).random(shape)
    found: Numbers = drawn / drawn.sum(axis=-1, keepdims=True)
    return found


def patched_image(*queries: str) -> PatchedImage:
    ink = np.random.default_rng(6).random((ROWS * 3, COLUMNS * 3))
    return PatchedImage(ink, (ROWS, COLUMNS), PATCHES, queries or PATCHES, "word" if queries else "patch")


def test_over_picture_overlay_is_the_row_at_every_step() -> None:
    who, every = patched_image(), weights(N_STEPS, 10, 10)
    by_row, by_step = over_picture_cursor(who, every)
    packed = pack([over_picture(who, every[0])], Cursor(10, by_row, by_step), {"data[weights].z": every})
    for step in range(N_STEPS):
        for query in range(10):
            figure = figure_at(packed, step, query)
            drawn = {trace["name"]: trace for trace in figure["data"]}
            np.testing.assert_allclose(drawn["weights"]["z"], every[step], rtol=1e-6)
            over = np.array(drawn["laid over"]["z"])
            for patch in range(10):
                assert over[patch // COLUMNS, patch % COLUMNS] == pytest.approx(every[step, query, patch])
            frames = {
                shape["name"]: [shape[edge] for edge in ("x0", "x1", "y0", "y1")]
                for shape in figure["layout"]["shapes"]
                if "marked" in shape.get("name", "")
            }
            row, column = divmod(query, COLUMNS)
            around = [column - 0.5, column + 0.5, row - 0.5, row + 0.5]
            assert frames == {
                "picture marked": around,
                "laid over marked": around,
                "weights marked": [-0.5, 9.5, query - 0.5, query + 0.5],
            }


def test_over_picture_ink_lies_over_its_own_patches() -> None:
    who = patched_image()
    figure = as_plotly(over_picture(who, weights(10, 10), 3))
    drawn = {trace.name: trace for trace in figure.data}
    assert drawn["picture"].hovertext[1][2] == PATCHES[7]
    for panel in ("picture", "laid over"):
        ink = drawn[f"{panel} ink"]
        assert (ink.xaxis, ink.yaxis) == (drawn[panel].xaxis, drawn[panel].yaxis)
        for pixel, place in enumerate(ink.x):
            assert round(place) == pixel // 3
        np.testing.assert_allclose([np.mean(ink.y[:3]), np.mean(ink.y[3:])], [0, 1], atol=1e-12)
        inked = who.ink >= 0.01
        np.testing.assert_array_equal(np.array(ink.z)[inked], who.ink[inked])
        assert ink.hoverinfo == "skip"  # what lies under it is told
    mean = np.array(drawn["picture"].z)[1, 2]
    assert mean == pytest.approx(who.ink[3:6, 6:9].mean())


def test_over_picture_word_queries_have_rows_and_no_frame() -> None:
    who, every = patched_image("sky", "<b>"), weights(N_STEPS, 2, 10)
    figure = as_plotly(over_picture(who, every[0], 1))
    drawn = {trace.name: trace for trace in figure.data}
    np.testing.assert_array_equal(np.array(drawn["laid over"].z).ravel(), every[0, 1])
    assert [shape.name for shape in figure.layout.shapes if "marked" in (shape.name or "")] == [
        "weights marked"
    ]
    by_row, _ = over_picture_cursor(who, every)
    assert all("weights marked" in path for path in by_row)
    assert "&lt;b&gt;" in str(figure.layout)
    assert "<b>" not in str(figure.layout)


def parts(y: Numbers) -> list[Numbers]:
    """The ribbons of one query, each an outline."""
    return [piece[~np.isnan(piece)] for piece in np.split(y, np.flatnonzero(np.isnan(y)) + 1)][:-1]


def test_ribbons_are_as_wide_as_weights_without_overlap() -> None:
    every = weights(N_STEPS, 4, 3)
    x, y = outlines(every)
    assert y.shape == (N_STEPS, 4, len(x))
    for step in range(N_STEPS):
        ends: list[list[tuple[float, float]]] = [[] for _ in range(3)]
        for query in range(4):
            starts = []
            for key, piece in enumerate(parts(y[step, query])):
                upper, lower = np.split(piece, 2)
                np.testing.assert_allclose(lower[::-1] - upper, WIDE * every[step, query, key])
                starts += [upper[0], lower[-1]]
                ends[key].append((upper[-1], lower[0]))
            assert starts == pytest.approx(np.sort(starts))  # in the order of the keys
            assert np.mean([starts[0], starts[-1]]) == pytest.approx(query)  # beside the word
            assert starts[-1] - starts[0] == pytest.approx(WIDE)  # the row sums to one
        for key, found in enumerate(ends):
            edges = np.ravel(found)
            assert edges == pytest.approx(np.sort(edges))
            assert np.mean([edges[0], edges[-1]]) == pytest.approx((key + 0.5) * 4 / 3 - 0.5)


def test_ribbons_end_beside_both_sentences() -> None:
    every = weights(4, 3)
    figure = as_plotly(ribbons(every, ["le", "<i>", "noir", "boit"], ["the", "cat", "&"]))
    drawn = {trace.name: trace for trace in figure.data}
    assert list(drawn["queries"].text) == ["le", "&lt;i&gt;", "noir", "boit"]
    assert list(drawn["keys"].text) == ["the", "cat", "&amp;"]
    assert max(drawn["queries"].x) < np.nanmin(drawn["ribbons 1"].x)
    assert np.nanmax(drawn["ribbons 1"].x) < min(drawn["keys"].x)
    assert list(drawn["queries"].y) == [0, 1, 2, 3]
    assert drawn["queries"].textfont.color == theme.LIGHT.query
    np.testing.assert_array_equal(drawn["weights"].z, every)
    low, high = sorted(figure.layout.yaxis.range)
    _, y = outlines(np.array([[[0.0, 0.0, 1.0]] * 2 + [[1.0, 0, 0]] * 2]))  # two look at the last key
    assert low <= np.nanmin(y)
    assert np.nanmax(y) <= high


def test_three_masks_count_pairs_and_frame_the_last_row() -> None:
    words = ["a", "b", "c"]
    may = [np.ones((3, 3), bool), np.tri(3, dtype=bool), np.eye(3, dtype=bool)]
    names = ("full", "causal", "self")
    masked = [MaskedWeights(name, weights(3, 3), each) for name, each in zip(names, may, strict=True)]
    figure = as_plotly(three_masks(masked, words))
    said = [note.text for note in figure.layout.annotations]
    assert {"full: 9 pairs", "causal: 6 pairs", "self: 3 pairs"} <= set(said)
    assert [(shape.y0, shape.y1) for shape in figure.layout.shapes] == [(1.5, 2.5)] * 3
    drawn = {trace.name: trace for trace in figure.data}
    assert np.isnan(np.array(drawn["causal"].z, dtype=float)).sum() == 3
    assert drawn["causal masked"].visible
    assert not drawn["full masked"].visible


def test_spectrogram_lowest_band_is_at_the_bottom() -> None:
    energies = np.arange(12.0).reshape(4, 3)
    sound = Sound(energies, [0.0, 100.0, 200.0], ["a", "a", "pause", "u"])
    near = np.tri(4, dtype=bool)
    figure = as_plotly(speech_weights(sound, weights(4, 4), weights(4, 4), near, 2))
    drawn = {trace.name: trace for trace in figure.data}
    heard = np.array(drawn["sound"].z)
    assert heard[2].tolist() == [0.0, 3.0, 6.0, 9.0]  # band 0 over the frames, in the last row
    assert heard[0].tolist() == [2.0, 5.0, 8.0, 11.0]
    assert sound.ticks == [(0.5, "a"), (3.0, "u")]
    assert np.isnan(np.array(drawn["local"].z, dtype=float)).sum() == 6
    assert not np.isnan(np.array(drawn["global"].z, dtype=float)).any()
    packed = pack([speech_weights(sound, weights(4, 4), weights(4, 4), near)], Cursor(4, speech_cursor(4)))
    shapes = {each["name"]: each for each in figure_at(packed, 0, 2)["layout"]["shapes"]}
    own = {each.name: each for each in figure.layout.shapes}
    assert set(shapes) == set(own)
    for name, shape in shapes.items():
        assert [shape[edge] for edge in ("x0", "x1", "y0", "y1")] == [
            own[name][edge] for edge in ("x0", "x1", "y0", "y1")
        ]
    assert (own["sound marked"].x0, own["local marked"].y0) == (1.5, 1.5)
