"""What is said of one query's arcs asks for the weights of this query alone."""

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_figures import head_arcs, ties
from attn_figures.arcs import LEAST


def test_head_arcs_of_a_row_read_no_other_row(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(12), (4, 12))
    several = head_arcs.HeadArcs(weights, range(4))
    keys = several.thickest()[0]
    sizes = []

    def largest_first(numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        sizes.append(numbers.size)
        return ties.largest_first(numbers)

    monkeypatch.setattr(head_arcs, "largest_first", largest_first)
    for row in range(12):
        drawn = np.take_along_axis(weights[:, row], np.reshape(keys[row], (4, -1)), axis=-1)
        drawn = np.where(drawn < LEAST, 0, drawn)
        assert [*several.left_out(row).values()] == pytest.approx(
            (1 - drawn.sum(axis=-1)).tolist(), abs=1e-12
        )
        assert several.counts(row) == np.count_nonzero(drawn, axis=-1).tolist()
    assert max(sizes) == 4 * 12
