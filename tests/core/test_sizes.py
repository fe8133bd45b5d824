"""Parameters and operations of multi-head attention, counted against the module and by hand."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from attn_core import MultiHeadAttention, multi_head_size

Refusal = Callable[[str], AbstractContextManager[None]]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("projection", [True, False])
@pytest.mark.parametrize(("heads", "d_head"), [(1, 12), (3, 4), (4, 3), (5, 7)])
def test_parameters_are_those_of_the_module(bias: bool, projection: bool, heads: int, d_head: int) -> None:
    module = MultiHeadAttention(
        12, heads, d_head=d_head, bias=bias, output_projection=projection, d_key=11, d_value=11
    )
    size = multi_head_size(2, 3, 12, heads, d_head, bias=bias, output_projection=projection, d_key=11)
    assert size.parameters == sum(parameter.numel() for parameter in module.parameters())


def test_parameters_are_equal_for_any_number_of_heads() -> None:
    counts = {multi_head_size(9, 9, 512, heads, 512 // heads).parameters for heads in (1, 2, 4, 8, 16)}
    assert counts == {4 * 512 * 512 + 4 * 512}
    # A head wider than its share does: the worked example with d_model 16, 4 heads of width 8.
    assert multi_head_size(9, 9, 16, 4, 8, bias=False).parameters == 4 * 16 * 32


def test_operations_counted_by_hand() -> None:
    size = multi_head_size(2, 3, 4, 2, 5, bias=False, d_key=7)
    projections = 2 * (2 * 4 * 10) + 2 * (2 * 3 * 7 * 10) + 2 * (2 * 10 * 4)
    attention = 2 * (2 * 3) * (2 * 5 + 5 + 2 * 5)
    assert (size.projection_flops, size.attention_flops) == (projections, attention)
    assert size.flops == projections + attention


def test_sizes_below_one_are_refused(refuses: Refusal) -> None:
    with refuses("d_head must be a whole number >= 1; got 0"):
        multi_head_size(2, 2, 4, 2, 0)
    with refuses("num_heads must be a whole number >= 1; got 0"):
        multi_head_size(2, 2, 4, 0, 2)
