"""The audit passes what is right, and names what each mistake breaks."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from attn_core import (
    ATTENTION_MISTAKES,
    Attention,
    audit_attention,
    causal_mask,
    compare,
    scaled_dot_product_attention,
)
from attn_core.checks import ROWS_SUM_TO_ONE, SAME_AS_TORCH, WITHIN_HULL
from tests.core.kinds import Draw, Refuses


def failed(
    result: Attention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> set[str]:
    return {check.name for check in audit_attention(result, query, key, value, mask) if not check.passed}


def test_passes_what_is_right(draw: Draw) -> None:
    query, key, value = draw(5, 11), draw(7, 11), draw(7, 3)
    mask = draw(5, 7) > 0
    mask[2] = False
    assert (
        failed(scaled_dot_product_attention(query, key, value, mask), query, key, value, mask=mask) == set()
    )


def test_scale_is_the_whole_factor(draw: Draw) -> None:
    query, key, value = draw(5, 11), draw(7, 11), draw(7, 3)
    result = scaled_dot_product_attention(query, key, value, scale=0.5, temperature=2.0)
    checks = audit_attention(result, query, key, value, scale=0.25)
    assert all(check.passed for check in checks)
    assert not all(check.passed for check in audit_attention(result, query, key, value))


@pytest.mark.parametrize("name", ATTENTION_MISTAKES)
def test_names_what_a_mistake_breaks(draw: Draw, name: str) -> None:
    query, key, value = draw(5, 11), draw(5, 11), draw(5, 3)
    mask = causal_mask(5)
    mask[3] = False
    mistake = ATTENTION_MISTAKES[name]
    assert mistake.check.name in failed(mistake.broken(query, key, value, mask), query, key, value, mask=mask)


def test_hull_check_finds_outputs_between_axes() -> None:
    # Along each axis (0.9, 0.9) stays within [0, 1]; the hull ends at the line from (1, 0) to (0, 1).
    value = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    query, key = torch.ones(1, 2, dtype=torch.float64), torch.ones(3, 2, dtype=torch.float64)
    right = scaled_dot_product_attention(query, key, value)
    beyond = replace(right, output=torch.tensor([[0.9, 0.9]], dtype=torch.float64))
    by_name = {check.name: check for check in audit_attention(beyond, query, key, value)}
    assert by_name[WITHIN_HULL].error == pytest.approx(0.8 / 2**0.5, rel=0.05)
    assert by_name[ROWS_SUM_TO_ONE].passed
    assert not by_name[SAME_AS_TORCH].passed


def test_hull_is_that_of_the_values_seen() -> None:
    value = torch.tensor([[0.0], [1.0], [5.0]], dtype=torch.float64)
    query = key = torch.zeros(3, 1, dtype=torch.float64)
    everything = scaled_dot_product_attention(query, key, value)
    assert WITHIN_HULL in failed(everything, query, key, value, mask=causal_mask(3))


@pytest.mark.parametrize("emptied", [[3], [0, 1, 2, 3, 4]])
def test_fully_masked_row_passes_and_nan_fails(draw: Draw, emptied: list[int]) -> None:
    query, key, value = draw(5, 11), draw(5, 11), draw(5, 3)
    mask = causal_mask(5)
    mask[emptied] = False
    right = scaled_dot_product_attention(query, key, value, mask)
    assert failed(right, query, key, value, mask=mask) == set()
    broken = ATTENTION_MISTAKES["unguarded-softmax"].broken(query, key, value, mask)
    assert {ROWS_SUM_TO_ONE, WITHIN_HULL} <= failed(broken, query, key, value, mask=mask)
    half = replace(right, weights=right.weights.index_fill(0, torch.tensor(emptied), 0.05))
    assert ROWS_SUM_TO_ONE in failed(half, query, key, value, mask=mask)


def test_refuses_shapes_that_do_not_fit(draw: Draw, refuses: Refuses) -> None:
    query, key, value = draw(5, 11), draw(7, 11), draw(7, 3)
    result = scaled_dot_product_attention(query, key, value)
    with refuses(r"same width d_k >= 1; got query \(5, 11\), key \(7, 2\)"):
        audit_attention(result, query, draw(7, 2), value)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 4e5, 1e12])
def test_compare_is_relative_to_scale(scale: float) -> None:
    generator = torch.Generator().manual_seed(5)
    values = scale * torch.rand(7, 3, generator=generator, dtype=torch.float64)
    weights = torch.rand(5, 7, generator=generator, dtype=torch.float64).softmax(dim=-1)
    loop = torch.stack([sum((row[j] * values[j] for j in range(7)), torch.zeros(3)) for row in weights])
    assert compare("the same", weights @ values, loop).passed
    assert not compare("the same", weights @ values * (1 + 1e-6), loop).passed


@pytest.mark.parametrize(
    ("ours", "theirs", "error"),
    [
        ([1.0, torch.nan], [1.0, torch.nan], 0.0),
        ([1.0, torch.nan], [1.0, 2.0], torch.inf),
        ([1.0, 2.0], [1.0, torch.nan], torch.inf),
        ([torch.inf], [torch.inf], 0.0),
        ([torch.inf], [-torch.inf], torch.inf),
        ([], [], 0.0),
    ],
)
def test_compare_nan_equals_nan_alone(ours: list[float], theirs: list[float], error: float) -> None:
    found = compare("x", torch.tensor(ours), torch.tensor(theirs))
    assert found.error == error
    assert found.passed == (error == 0)
