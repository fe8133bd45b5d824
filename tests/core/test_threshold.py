"""Weights above a threshold and the k largest, against a naive loop and torch.topk."""

from typing import Any

import pytest
import torch

from attn_core.threshold import audit_threshold, threshold_weights


def _weights(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    return torch.softmax(3 * torch.randn(*shape, generator=generator, dtype=torch.float64), dim=-1)


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.3, 1.0])
def test_threshold_equals_a_loop(threshold: float) -> None:
    weights = _weights(2, 5, 7)
    found = threshold_weights(weights, threshold=threshold)
    for head, rows in enumerate(weights.tolist()):
        for query, row in enumerate(rows):
            left = [each if each >= threshold else 0.0 for each in row]
            mass = sum(left)
            assert found.mask[head, query].tolist() == [each > 0 for each in left]
            assert found.mass[head, query].item() == pytest.approx(mass, abs=1e-15)
            wanted = [each / mass if mass else 0.0 for each in left]
            assert found.weights[head, query].tolist() == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize("top", [1, 3, 7])
def test_top_equals_torch_topk(top: int) -> None:
    weights = _weights(2, 5, 7)
    found = threshold_weights(weights, top=top)
    values, places = torch.topk(weights, top)
    assert torch.equal(found.mask, torch.zeros_like(found.mask).scatter(-1, places, value=True))
    torch.testing.assert_close(found.mass, values.sum(dim=-1), rtol=0, atol=1e-15)


def test_batch_of_steps_equals_each_alone() -> None:
    weights, thresholds, tops = _weights(4, 6), torch.tensor([0.0, 0.1, 0.5]), torch.tensor([1, 2, 9])
    above = threshold_weights(weights, threshold=thresholds[:, None, None].double())
    largest = threshold_weights(weights, top=tops[:, None, None])
    for step in range(3):
        one = threshold_weights(weights, threshold=float(thresholds[step]))
        other = threshold_weights(weights, top=int(tops[step]))
        assert torch.equal(above.mask[step], one.mask)
        assert torch.equal(largest.weights[step], other.weights)


def test_top_k_keeps_weights_that_tie_with_its_last() -> None:
    third = 1 / 3
    found = threshold_weights(
        torch.tensor([[third, third + 1e-15, third], [0.5, 0.3, 0.2]], dtype=torch.float64), top=1
    )
    assert found.mask.tolist() == [[True] * 3, [True, False, False]]


def test_zeros_are_dropped_and_empty_rows_zero() -> None:
    weights = torch.tensor([[0.0, 0.0], [1.0, 0.0]])
    for found in (threshold_weights(weights, top=2), threshold_weights(weights, threshold=0.0)):
        assert found.mask.tolist() == [[False, False], [True, False]]
        assert found.mass.tolist() == [0.0, 1.0]
        assert found.weights.tolist() == weights.tolist()


def test_audit_threshold_passes() -> None:
    assert audit_threshold(_weights(5, 7), top=3).passed
    assert audit_threshold(_weights(5, 7), threshold=0.2).passed


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "exactly one"),
        ({"top": 1, "threshold": 0.1}, "exactly one"),
        ({"top": 0}, ">= 1"),
        ({"threshold": -0.1}, ">= 0"),
        ({"threshold": float("nan")}, ">= 0"),
        ({"top": torch.tensor([0])[:, None, None]}, ">= 1"),
    ],
)
def test_threshold_refuses_misfits(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        threshold_weights(_weights(2, 3), **asked)


def test_small_weights_tie_as_large_ones() -> None:
    # Each is a billionth of the one before: all but the last two differ.
    weights = torch.tensor([[1.0, 1e-9, 1e-18, 1e-27, 1e-36, 1e-36]], dtype=torch.float64)
    for top, kept in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (6, 6)):
        assert int(threshold_weights(weights, top=top).mask.sum()) == kept
