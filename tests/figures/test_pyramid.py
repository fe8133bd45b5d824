"""A map at every scale, against a plain loop over the cells of each block."""

import math
import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_live.pyramid import MOST_BYTES, MOST_MAKING, MOST_PLACES, TILE, TOP, Keep, Pyramid


def by_loop(weights: NDArray[np.float64], size: int, keep: Keep) -> NDArray[np.float64]:
    """Go over the cells of each block, one by one; masked ones are NaN."""
    n_query, n_key = weights.shape
    found = np.full((math.ceil(n_query / size), math.ceil(n_key / size)), np.nan)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            cells = [
                weights[row, column]
                for row in range(i * size, min(n_query, (i + 1) * size))
                for column in range(j * size, min(n_key, (j + 1) * size))
                if not math.isnan(weights[row, column])
            ]
            if cells:
                found[i, j] = max(cells) if keep == "max" else math.fsum(cells) / len(cells)
    return found


def rows(n_query: int, n_key: int, seed: int = 0) -> NDArray[np.float64]:
    scores = np.exp(3 * np.random.default_rng(seed).standard_normal((n_query, n_key)))
    found: NDArray[np.float64] = scores / scores.sum(axis=1, keepdims=True)
    return found


@pytest.mark.parametrize("keep", ["max", "mean"])
@pytest.mark.parametrize("shape", [(257, 300), (1, 513), (385, 1), (129, 131), (256, 256)])
@pytest.mark.parametrize("masked", [False, True])
def test_pyramid_levels_equal_a_loop_over_blocks(shape: tuple[int, int], keep: Keep, masked: bool) -> None:
    weights = rows(*shape)
    may = np.tri(*shape, dtype=bool) if masked else None
    pyramid = Pyramid(weights, keep, may)
    cells = weights if may is None else np.where(may, weights, np.nan)
    np.testing.assert_array_equal(pyramid.level(0), cells)
    for number, size in enumerate(pyramid.sizes):
        level = pyramid.level(number)
        assert level.shape == size
        np.testing.assert_allclose(level, by_loop(cells, 2**number, keep), rtol=1e-6)
    assert max(pyramid.sizes[-1]) <= TOP


def test_pyramid_max_keeps_a_sink_and_the_diagonal_visible() -> None:
    n = 2048
    weights = np.full((n, n), 0.5 / n, dtype=np.float32)
    weights[:, 0] += 0.3
    weights[np.arange(n), np.arange(n)] += 0.2
    largest, mean = (Pyramid(weights, keep).level(4) for keep in ("max", "mean"))
    assert largest[1:, 0].min() > 0.3
    assert np.diag(largest).min() > 0.2
    assert np.diag(mean)[1:].max() < 0.02


@pytest.mark.parametrize("first", [0, 1])
def test_pyramid_tiles_are_squares_of_the_levels(first: int) -> None:
    pyramid = Pyramid(rows(600, 300), may=np.tri(600, 300, dtype=bool))
    data = pyramid.tiles(first)
    at = 0
    for number, (n_query, n_key) in enumerate(pyramid.sizes):
        if number < first:
            continue
        for top in range(0, n_query, TILE):
            for left in range(0, n_key, TILE):
                cells = pyramid.level(number)[top : top + TILE, left : left + TILE]
                read = np.frombuffer(data, "<f4", cells.size, at).reshape(cells.shape)
                np.testing.assert_array_equal(read, cells.astype(np.float32))
                assert pyramid.tile(number, top // TILE, left // TILE) == read.tobytes()
                at += 4 * cells.size
    assert at == len(data)


@pytest.mark.parametrize("keep", ["max", "mean"])
@pytest.mark.parametrize("masked", [False, True])
def test_pyramid_of_the_largest_map_stays_within_its_bytes(keep: Keep, masked: bool) -> None:
    weights = np.zeros((MOST_PLACES, MOST_PLACES), dtype=np.float32)
    pyramid = Pyramid(weights, keep, np.tri(MOST_PLACES, dtype=bool) if masked else None)
    tracemalloc.start()
    pyramid.level(1)
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < pyramid.n_bytes + 100_000
    assert pyramid.n_bytes <= MOST_BYTES
    assert most < MOST_MAKING


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((MOST_PLACES + 1, 2), r"1 to 4,096 places, got shape \(4097, 2\)"),
        ((0, 2), "got shape"),
        ((3,), "two axes"),
    ],
)
def test_pyramid_of_no_map_raises(shape: tuple[int, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Pyramid(np.zeros(shape))


def test_pyramid_mask_or_keep_that_does_not_fit_raises() -> None:
    with pytest.raises(ValueError, match=r"the mask must be \(2, 3\), as the weights, got \(3, 2\)"):
        Pyramid(np.zeros((2, 3)), may=np.ones((3, 2), dtype=bool))
    with pytest.raises(ValueError, match="keep must be one of max, mean, got 'median'"):
        Pyramid(np.zeros((2, 3)), "median")  # type: ignore[arg-type]  # a reader may type it
    with pytest.raises(ValueError, match=r"has no tile \(1, 0\)"):
        Pyramid(np.zeros((2, 3))).tile(0, 1, 0)
    with pytest.raises(ValueError, match="level must be from 0 to 0, got 1"):
        Pyramid(np.zeros((2, 3))).tile(1, 0, 0)


@pytest.mark.parametrize(("side", "n_levels"), [(TOP, 1), (TOP + 1, 2), (2 * TOP, 2), (2 * TOP + 1, 3)])
def test_pyramid_of_a_small_map_has_one_level(side: int, n_levels: int) -> None:
    assert len(Pyramid(np.zeros((side, 1), np.float32)).sizes) == n_levels
