"""The sweep over widths: unscaled, the variance grows and the softmax saturates; scaled, neither does."""

import pytest
import torch

from attn_core import scale_study
from tests.core.kinds import Refuses


def test_variance_unscaled_is_width_and_scaled_one() -> None:
    study = scale_study([3, 13, 101, 509], n_query=503, n_key=47, seed=5)
    widths = torch.tensor(study.widths, dtype=torch.float64)
    torch.testing.assert_close(study.variance[0], widths, rtol=0.2, atol=0)
    torch.testing.assert_close(study.variance[1] * widths, study.variance[0])


def test_gradient_is_the_jacobian_norm() -> None:
    study = scale_study([7], n_query=2, n_key=5, seed=11)
    generator = torch.Generator().manual_seed(11)
    query = torch.randn(2, 1, 7, generator=generator, dtype=torch.float64)
    key = torch.randn(2, 5, 7, generator=generator, dtype=torch.float64)
    for index, scale in enumerate((1.0, 7**-0.5)):
        rows = [keys @ each[0] * scale for each, keys in zip(query, key, strict=True)]
        jacobians = [torch.func.jacrev(lambda s: torch.softmax(s, dim=-1))(row) for row in rows]
        expected = sum(float(torch.linalg.norm(each)) for each in jacobians) / 2
        assert float(study.gradient[index, 0]) == pytest.approx(expected, rel=1e-12)
        largest = sum(float(torch.softmax(row, dim=-1).max()) for row in rows) / 2
        assert float(study.largest[index, 0]) == pytest.approx(largest, rel=1e-12)
        torch.testing.assert_close(study.weights[index, 0], torch.softmax(rows[0], dim=-1))


def test_unscaled_softmax_saturates() -> None:
    study = scale_study([2, 512], seed=3)
    assert study.entropy[0, 1] < 0.3
    assert study.entropy[1, 1] > 2
    assert study.gradient[0, 1] < study.gradient[0, 0] / 2
    assert study.largest[0, 1] > 0.9 > study.largest[1, 1]


def test_width_one_is_the_same_either_way() -> None:
    study = scale_study([1, 2], seed=0)
    assert torch.equal(study.weights[0, 0], study.weights[1, 0])


def test_scale_study_refuses_misfits(refuses: Refuses) -> None:
    with refuses("at least one width; got none"):
        scale_study([], seed=0)
    with refuses("each width must be a whole number >= 1; got 0"):
        scale_study([4, 0], seed=0)
