"""Clouds laid on one another: by numpy, by a naive loop, and by what softmax cannot see."""

import numpy as np
import pytest
import torch
from torch import Tensor

from attn_core.clouds import align_clouds, audit_clouds
from attn_core.plane import main_directions


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def pair() -> tuple[Tensor, Tensor]:
    return 3 * draw(5, 4) + 2, draw(7, 4, seed=1) - torch.arange(4)


def test_clouds_keep_every_softmax() -> None:
    queries, keys = pair()
    clouds = align_clouds(queries, keys)
    for i, query in enumerate(clouds.queries.tolist()):
        grown = [
            sum(a * b for a, b in zip(query, key, strict=True)) - float(queries[i] @ keys[j])
            for j, key in enumerate(clouds.keys.tolist())
        ]
        assert grown == pytest.approx([float(queries[i] @ clouds.shift)] * len(keys))
    weights = torch.softmax(0.5 * queries @ keys.T, dim=-1)
    torch.testing.assert_close(torch.softmax(0.5 * clouds.queries @ clouds.keys.T, dim=-1), weights)
    assert all(check.passed for check in audit_clouds(clouds, weights, 0.5))
    assert not audit_clouds(clouds, weights.roll(1, dims=0), 0.5)[0].passed


def test_clouds_have_equal_mean_and_spread() -> None:
    clouds = align_clouds(*pair())
    queries, keys = clouds.queries.numpy(), clouds.keys.numpy()
    np.testing.assert_allclose(queries.mean(axis=0), keys.mean(axis=0), atol=1e-12)
    spread = [np.sqrt(each.var(axis=0).sum()) for each in (queries, keys)]
    assert spread[0] == pytest.approx(spread[1])
    around = np.vstack([each.numpy() for each in clouds.around])
    plane = main_directions(*clouds.around)
    sigma = np.linalg.svd(around, compute_uv=False)
    np.testing.assert_allclose(plane.explained, (sigma**2 / (sigma**2).sum())[:2], atol=1e-12)


def test_nearer_of_equally_long_keys_scores_higher() -> None:
    queries, keys = pair()
    clouds = align_clouds(queries, keys)
    alike = clouds.keys / clouds.keys.norm(dim=-1, keepdim=True)
    distances, scores = torch.cdist(clouds.queries, alike), clouds.queries @ alike.T
    assert (distances.argsort(dim=-1) == scores.argsort(dim=-1, descending=True)).all()


def test_masked_keys_and_a_mask_in_the_audit() -> None:
    queries, keys = draw(4, 3), draw(4, 3, seed=1)
    mask = torch.ones(4, 4).tril().bool()
    weights = torch.softmax((queries @ keys.T).masked_fill(~mask, -torch.inf), dim=-1)
    clouds = align_clouds(queries, keys)
    assert all(check.passed for check in audit_clouds(clouds, weights, 1.0, mask))
    assert not audit_clouds(clouds, weights, 1.0)[0].passed


@pytest.mark.parametrize("count", [1, 3])
def test_clouds_without_spread_are_not_scaled(count: int) -> None:
    queries, keys = draw(1, 4).expand(count, 4), draw(3, 4, seed=1)
    clouds = align_clouds(queries, keys)
    assert float(clouds.factor) == 1.0
    torch.testing.assert_close(clouds.queries, queries)
    torch.testing.assert_close(clouds.keys.mean(dim=0), queries[0])


@pytest.mark.parametrize(
    ("queries", "keys", "says"),
    [
        (torch.zeros(2, 3), torch.zeros(2, 4), r"got \(2, 3\) and \(2, 4\)"),
        (torch.zeros(0, 3), torch.zeros(2, 3), r"a query and a key; got \(0, 3\)"),
        (torch.zeros(2, 3), torch.zeros(2, 3).double(), "one floating-point dtype"),
    ],
)
def test_clouds_refuse_misfits(queries: Tensor, keys: Tensor, says: str) -> None:
    checked = getattr(align_clouds, "__wrapped__", align_clouds)
    with pytest.raises(ValueError, match=says):
        checked(queries, keys)
