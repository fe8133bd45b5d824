"""The plane of queries and keys, against numpy's singular values and what can be said without them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from attn_core.plane import audit_plane, chosen_dimensions, count_rank_changes, main_directions


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("width", [2, 3, 16])
def test_main_directions_equal_numpy(width: int) -> None:
    queries, keys = draw(5, width), draw(7, width, seed=1)
    plane = main_directions(queries, keys)
    rows = np.vstack([queries.numpy(), keys.numpy()])
    _, sigma, found = np.linalg.svd(rows, full_matrices=False)
    for direction, same in zip(plane.directions.numpy(), found, strict=False):
        np.testing.assert_allclose(direction, same * np.sign(same[np.abs(same).argmax()]), atol=1e-10)
        assert direction[np.abs(direction).argmax()] > 0
    np.testing.assert_allclose(plane.explained, (sigma**2 / (sigma**2).sum())[:2], atol=1e-12)
    np.testing.assert_allclose(plane.keys, keys.numpy() @ plane.directions.numpy().T, atol=1e-12)


def test_main_directions_keep_most() -> None:
    queries, keys = draw(6, 5), draw(4, 5, seed=1)
    best = main_directions(queries, keys).explained.sum()
    others = [chosen_dimensions(queries, keys, i, j) for i in range(5) for j in range(5) if i != j]
    assert all(other.explained.sum() < best for other in others)


@pytest.mark.parametrize("rank", [1, 2])
def test_plane_scores_of_rank_two_are_exact(rank: int) -> None:
    spanned = draw(rank, 8, seed=2)
    queries, keys = draw(5, rank) @ spanned, draw(3, rank, seed=1) @ spanned
    plane = main_directions(queries, keys)
    torch.testing.assert_close(plane.scores, queries @ keys.T)
    torch.testing.assert_close(plane.queries @ plane.directions, queries)
    assert plane.explained.sum().item() == pytest.approx(1.0)
    assert (count_rank_changes(queries @ keys.T, plane.scores) == 0).all()


def test_rank_one_lies_on_one_line() -> None:
    line = torch.tensor([0.0, -3.0, 4.0], dtype=torch.float64)
    along = torch.tensor([1.0, 2.0, -1.0], dtype=torch.float64)
    plane = main_directions(along[:2, None] * line, along[2:, None] * line)
    torch.testing.assert_close(plane.directions[0], line / 5)
    expected = torch.tensor([[5.0, 0.0], [10.0, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(plane.queries, expected)
    torch.testing.assert_close(plane.explained, torch.tensor([1.0, 0.0], dtype=torch.float64))


def test_one_dimension_has_zero_second_axis() -> None:
    queries, keys = draw(3, 1), draw(2, 1, seed=1)
    plane = main_directions(queries, keys)
    torch.testing.assert_close(plane.queries, torch.cat([queries, 0 * queries], dim=1))
    assert plane.directions.tolist() == [[1.0], [0.0]]
    torch.testing.assert_close(plane.scores, queries @ keys.T)


def test_one_word_and_equal_words() -> None:
    word = draw(1, 6)
    for count in (1, 4):
        plane = main_directions(word.expand(count, 6), word.expand(count, 6))
        assert plane.explained[0].item() == pytest.approx(1.0)
        torch.testing.assert_close(plane.scores, (word @ word.T).expand(count, count))


def test_vectors_of_zeros_explain_nothing() -> None:
    nothing = torch.zeros(2, 3, dtype=torch.float64)
    plane = main_directions(nothing, nothing)
    assert plane.explained.isnan().all()
    assert plane.scores.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_rotation_keeps_plane_scores() -> None:
    queries, keys = draw(5, 4), draw(6, 4, seed=1)
    turned = torch.linalg.qr(draw(4, 4, seed=2)).Q
    plane, other = main_directions(queries, keys), main_directions(queries @ turned, keys @ turned)
    torch.testing.assert_close(plane.scores, other.scores)
    torch.testing.assert_close(plane.explained, other.explained)
    torch.testing.assert_close(plane.queries.abs(), other.queries.abs())


def test_signs_are_stable_under_small_changes() -> None:
    queries, keys, change = draw(5, 6), draw(6, 6, seed=1), draw(5, 6, seed=2)
    before = main_directions(queries, keys)
    for step in range(1, 50):
        plane = main_directions(queries + 1e-4 * step * change, keys)
        assert (plane.queries - before.queries).abs().max() < 0.05


def test_batch_equals_its_parts() -> None:
    queries, keys = draw(3, 5, 4), draw(3, 6, 4, seed=1)
    together = main_directions(queries, keys)
    for head in range(3):
        alone = main_directions(queries[head], keys[head])
        torch.testing.assert_close(together.keys[head], alone.keys)
        torch.testing.assert_close(together.explained[head], alone.explained)
    torch.testing.assert_close(chosen_dimensions(queries, keys, 1, 3).keys, keys[..., [1, 3]])


def test_count_rank_changes_counts_as_a_loop_does() -> None:
    scores, shown = draw(20, 7), draw(20, 7, seed=1)
    for row, other, count in zip(scores, shown, count_rank_changes(scores, shown), strict=True):
        order, same = (sorted(each.tolist(), reverse=True) for each in (row, other))
        ranks = [order.index(each) for each in row.tolist()]
        assert count == sum(a != same.index(b) for a, b in zip(ranks, other.tolist(), strict=True))
    assert (count_rank_changes(scores, scores.exp()) == 0).all()


@pytest.mark.parametrize(
    ("queries", "keys", "says"),
    [
        (torch.zeros(2, 3), torch.zeros(2, 4), r"got \(2, 3\) and \(2, 4\)"),
        (torch.zeros(0, 3), torch.zeros(2, 3), r"one row or more; got \(0, 3\)"),
        (torch.zeros(2, 3), torch.zeros(2, 3).double(), "one floating-point dtype"),
    ],
)
def test_plane_refuses_misfits(queries: Tensor, keys: Tensor, says: str) -> None:
    checked = getattr(main_directions, "__wrapped__", main_directions)
    with pytest.raises(ValueError, match=says):
        checked(queries, keys)


@pytest.mark.parametrize(
    ("first", "second", "says"), [(0, 0, "two different dimensions"), (0, 3, "second must be a whole number")]
)
def test_dimensions_must_be_there(first: int, second: int, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        chosen_dimensions(torch.ones(2, 3), torch.ones(2, 3), first, second)


@pytest.mark.parametrize("width", [1, 2, 5])
def test_audit_passes_main_plane_and_fails_others(width: int) -> None:
    queries, keys = draw(5, width), draw(4, width, seed=1)
    plane = main_directions(queries, keys)
    assert all(check.passed for check in audit_plane(plane, queries, keys))
    if width < 3:
        return
    turned = replace(plane, directions=-plane.directions, queries=-plane.queries, keys=-plane.keys)
    assert all(check.passed for check in audit_plane(turned, queries, keys))
    other = chosen_dimensions(queries, keys, 0, 2)
    assert [check.passed for check in audit_plane(other, queries, keys)] == [False, True]
    assert [check.passed for check in audit_plane(other, queries, keys, is_main=False)] == [True]
    wrong = replace(plane, keys=plane.keys + 0.01)
    assert not audit_plane(wrong, queries, keys)[-1].passed


def test_audit_passes_with_equal_eigenvalues() -> None:
    queries = torch.eye(4, dtype=torch.float64)
    assert all(check.passed for check in audit_plane(main_directions(queries, queries), queries, queries))


def test_coordinates_have_no_negative_zero() -> None:
    plane = main_directions(-draw(3, 1).abs(), -draw(2, 1).abs())
    assert not np.signbit(plane.keys[:, 1].numpy()).any()
