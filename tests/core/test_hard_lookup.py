"""The hard look-up against a loop over a dictionary, and against softmax ever colder."""

import random
from itertools import pairwise

import pytest
import torch
from torch.nn import functional as F

from attn_core import scaled_dot_product_attention
from attn_core.hard_lookup import audit_hard_lookup, hard_lookup


def random_inputs(number: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores that tie, values, a mask with empty rows, and the scores as whole numbers."""
    chance = random.Random(number)
    n, m, d = (chance.randint(1, 6) for _ in range(3))
    whole = torch.tensor([[chance.randint(-2, 2) for _ in range(m)] for _ in range(n)])
    value = torch.tensor([[chance.gauss(0, 1) for _ in range(d)] for _ in range(m)], dtype=torch.float64)
    mask = torch.tensor([[chance.random() < 0.6 for _ in range(m)] for _ in range(n)])
    return whole.double() * 0.37, value, mask, whole


@pytest.mark.parametrize("number", range(40))
def test_it_finds_what_a_loop_finds(number: int) -> None:
    scores, value, mask, whole = random_inputs(number)
    found = hard_lookup(scores, value, mask)
    for row, line in enumerate(whole.tolist()):
        seen = {key: score for key, score in enumerate(line) if mask[row, key]}
        top = [key for key, score in seen.items() if score == max(seen.values())]
        below = [score for score in seen.values() if score < max(seen.values())]
        weights = [1 / len(top) if key in top else 0.0 for key in range(len(line))]
        assert found.weights[row].tolist() == pytest.approx(weights)
        assert int(found.best[row]) == len(top)
        gap = 0.37 * (max(seen.values()) - max(below)) if below else float("inf")
        assert float(found.gap[row]) == pytest.approx(gap)
        expected = [
            sum(float(value[key, d]) for key in top) / max(len(top), 1) for d in range(value.shape[1])
        ]
        assert found.output[row].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("number", range(40))
def test_hard_lookup_is_the_limit_of_softmax(number: int) -> None:
    scores, value, mask, _ = random_inputs(number)
    may = mask.any(dim=-1)
    found = hard_lookup(scores, value, mask)
    distances = []
    for temperature in (1.0, 0.1, 0.01, 0.001):
        cold = F.softmax((scores / temperature).masked_fill(~mask, -torch.inf), dim=-1)
        distances.append((cold - found.weights).abs()[may].sum(dim=-1))
    for warm, cold in pairwise(distances):
        assert bool((cold <= warm + 1e-12).all())
    assert float(distances[-1].max() if may.any() else 0.0) < 1e-12


def test_without_ties_it_is_argmax() -> None:
    scores = torch.randn(5, 7, 9, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    found = hard_lookup(scores, torch.eye(9, dtype=torch.float64))
    assert torch.equal(found.weights, F.one_hot(scores.argmax(dim=-1), 9).double())
    ordered = scores.sort(dim=-1, descending=True).values
    torch.testing.assert_close(found.gap, ordered[..., 0] - ordered[..., 1])


def test_equal_keys_tie_despite_rounding() -> None:
    key = torch.randn(5, 16, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    key[3] = key[1]
    scores = key[1:2] @ key.T
    scores[:, 3] += 1e-15 * scores[:, 3]
    found = hard_lookup(scores, key)
    assert found.weights.tolist() == [[0, 0.5, 0, 0.5, 0]]


def test_masks_bring_axes_of_their_own() -> None:
    masks = torch.tensor([[[True, True]], [[True, False]]])
    found = hard_lookup(torch.tensor([[1.0, 2.0]]), torch.eye(2), masks)
    assert found.weights.tolist() == [[[0.0, 1.0]], [[1.0, 0.0]]]


@pytest.mark.parametrize("number", range(20))
def test_audit_holds_and_fails_at_other_temperature(number: int) -> None:
    generator = torch.Generator().manual_seed(number)
    query, key, value = (torch.randn(n, 3, generator=generator, dtype=torch.float64) for n in (4, 6, 6))
    key[-1] = key[0]
    mask = torch.rand(4, 6, generator=generator) < 0.7
    assert audit_hard_lookup(query, key, value, mask).passed
    ours = hard_lookup(query @ key.T, value, mask).output
    mild = scaled_dot_product_attention(query, key, value, mask, scale=1.0).output
    assert not torch.allclose(ours, mild)


def test_hard_lookup_refuses_misfits() -> None:
    with pytest.raises(ValueError, match=r"got \(2, 3\) and \(2, 3\)"):
        hard_lookup(torch.zeros(2, 3), torch.zeros(2, 3))
