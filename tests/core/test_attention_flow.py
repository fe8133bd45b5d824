"""Maximum flow against shortest augmenting paths, one pair of places after the other."""

from collections import deque

import pytest
import torch

from attn_core.attention_flow import attention_flow
from attn_core.text_flow import attention_rollout

Node = tuple[int, int]


def drawn(n_layer: int, n: int, *, sharp: float = 1.0, causal: bool = False, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    scores = sharp * torch.randn(n_layer, n, n, generator=generator, dtype=torch.float64)
    if causal:
        scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)
    return scores.softmax(-1)


def by_paths(mixed: torch.Tensor, source: int, sink: int) -> float:
    """Return the maximum flow from a place after the last layer to a token (Edmonds and Karp)."""
    n_layer, n, _ = mixed.shape
    left: dict[Node, dict[Node, float]] = {}
    for level in range(n_layer):
        for i in range(n):
            for j in range(n):
                left.setdefault((level + 1, i), {})[level, j] = float(mixed[level, i, j])
                left.setdefault((level, j), {}).setdefault((level + 1, i), 0.0)
    start, end, flow = (n_layer, source), (0, sink), 0.0
    while True:
        before: dict[Node, Node] = {start: start}
        queue = deque([start])
        while queue and end not in before:
            node = queue.popleft()
            for other, room in left[node].items():
                if room > 1e-13 and other not in before:
                    before[other] = node
                    queue.append(other)
        if end not in before:
            return flow
        path = [end]
        while path[-1] != start:
            path.append(before[path[-1]])
        edges = list(zip(path[1:], path[:-1], strict=True))
        least = min(left[one][other] for one, other in edges)
        for one, other in edges:
            left[one][other] -= least
            left[other][one] += least
        flow += least


@pytest.mark.parametrize("sharp", [0.5, 4.0])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n_layer", "n"), [(1, 4), (2, 5), (3, 4), (5, 3), (4, 6)])
def test_flow_is_that_of_paths(n_layer: int, n: int, causal: bool, sharp: float) -> None:
    weights = drawn(n_layer, n, sharp=sharp, causal=causal, seed=n)
    mixed = (weights + torch.eye(n, dtype=torch.float64)) / 2
    found = attention_flow(weights)
    for layer in range(n_layer):
        for i in range(n):
            for j in range(n):
                assert float(found[layer, i, j]) == pytest.approx(
                    by_paths(mixed[: layer + 1], i, j), abs=1e-9
                )


def test_flow_is_never_below_the_rollout() -> None:
    weights = drawn(4, 7, sharp=3.0)
    assert (attention_flow(weights) >= attention_rollout(weights) - 1e-12).all()
    assert attention_flow(weights).max() <= 1 + 1e-12


def test_two_layers_have_a_closed_form() -> None:
    weights = drawn(2, 9)
    first, second = (weights + torch.eye(9, dtype=torch.float64)) / 2
    narrowest = torch.minimum(second[:, :, None], first[None]).sum(dim=1)
    torch.testing.assert_close(attention_flow(weights)[1], narrowest)
