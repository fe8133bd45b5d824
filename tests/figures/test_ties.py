"""Orders that do not hang on the last digit, in which processors differ, against a plain loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attn_figures.head_arcs import HeadArcs
from attn_figures.ties import TIE, largest_first, largest_indices

FEW = st.sampled_from([0.0, 1e-30, 2e-12, 0.1, 0.3, 1 / 3, 0.3 + 1e-7, 1.0, 250.0])
ROWS = arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 12)), elements=FEW)


def by_a_loop(row: list[float]) -> list[int]:
    """Take the largest that is left, and of those that tie with it the first."""
    left, found = [*range(len(row))], []
    while left:
        most = max(row[place] for place in left)
        tied = [place for place in left if most - row[place] <= max(TIE * abs(most), 1e-15)]
        found += tied
        left = [place for place in left if place not in tied]
    return found


@given(ROWS)
def test_largest_first_equals_a_loop(rows: np.ndarray) -> None:
    assert largest_first(rows).tolist() == [by_a_loop(row) for row in rows.tolist()]
    assert [largest_indices(row)[0] for row in rows] == largest_first(rows)[:, 0].tolist()


@given(ROWS, st.integers(0, 9))
def test_largest_first_ignores_rounding(rows: np.ndarray, seed: int) -> None:
    noise = np.random.default_rng(seed).uniform(-2e-16, 2e-16, rows.shape)
    assert largest_first(rows * (1 + noise)).tolist() == largest_first(rows).tolist()


def test_largest_first_of_nothing_is_empty() -> None:
    assert largest_first(np.zeros((2, 0))).shape == (2, 0)


def test_head_arcs_of_equal_keys_keep_their_order() -> None:
    weights = np.tile([0.2, 0.3, 0.2, 0.3], (2, 4, 1))
    weights[1] += np.array([0.0, 0.0, 2e-17, 1e-16])
    keys = HeadArcs(weights, [0, 1]).thickest()[0].reshape(4, 2, 4)
    assert (keys[:, 0] == keys[:, 1]).all()
    assert keys[0, 0].tolist() == [1, 3, 2, 0]  # its own last
