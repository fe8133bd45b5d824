"""Evicted caches against a loop that writes token by token and holds its keys in a list."""

import pytest
import torch
from torch.nn import functional as F

from attn_core.eviction import POLICIES, evict


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def by_hand(scores: torch.Tensor, policy: str, budget: int, sinks: int) -> list[list[int]]:
    """Return the keys that each query of one head has."""
    cache: list[int] = []
    weight: dict[int, float] = {}
    rows = []
    for query in range(len(scores)):
        cache.append(query)
        weight[query] = 0.0
        if len(cache) > budget:
            if policy == "window":
                out = cache[0]
            elif policy == "StreamingLLM":
                out = cache[min(sinks, budget - 1)]
            else:
                old = [key for key in cache if key <= query - (budget + 1) // 2]
                out = min(old, key=lambda key: (weight[key], key))
            cache.remove(out)
        for key, share in zip(cache, scores[query, cache].softmax(0).tolist(), strict=True):
            weight[key] += share
        rows.append(list(cache))
    return rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("n", [1, 2, 7, 12])
@pytest.mark.parametrize("sinks", [0, 1, 4])
def test_kept_are_those_of_a_loop(policy: str, n: int, sinks: int) -> None:
    scores, value = 2 * draw(3, n, n, seed=n), draw(3, n, 4, seed=n + 1)
    found = evict(scores, value, policy, sinks=sinks)
    for budget in range(1, n + 1):
        for head in range(3):
            rows = by_hand(scores[head], policy, budget, sinks)
            kept = [[key for key, there in enumerate(row) if there] for row in
                    found.mask[budget - 1, head].tolist()]  # fmt: skip
            assert kept == rows
            output = F.scaled_dot_product_attention(
                torch.eye(n, dtype=torch.float64), scores[head].T, value[head],
                found.mask[budget - 1, head], scale=1.0,
            )  # fmt: skip
            torch.testing.assert_close(found.heads[budget - 1, head], output)


@pytest.mark.parametrize("policy", POLICIES)
def test_evict_with_full_budget_has_no_error(policy: str) -> None:
    scores, value = draw(2, 6, 6), draw(2, 6, 4)
    found = evict(scores, value, policy)
    assert (found.mask[-1] == torch.ones(6, 6).tril().bool()).all()
    assert not found.errors[-1].any()
    full = scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf).softmax(-1) @ value
    for budget in range(6):
        for head in range(2):
            off = (found.heads[budget, head] - full[head]).pow(2).sum().sqrt() / full[head].pow(
                2
            ).sum().sqrt()
            assert float(found.errors[budget, head]) == pytest.approx(float(off), abs=1e-12)


def test_evict_refuses_misfits() -> None:
    with pytest.raises(ValueError, match="policy must be one of window, StreamingLLM, H2O; got 'lru'"):
        evict(torch.zeros(1, 2, 2), torch.zeros(1, 2, 1), "lru")
    with pytest.raises((ValueError, TypeError), match="value"):
        evict(torch.zeros(1, 2, 2), torch.zeros(1, 3, 1))
    with pytest.raises(ValueError, match="sinks"):
        evict(torch.zeros(1, 2, 2), torch.zeros(1, 2, 1), sinks=-1)
