import pytest
import torch
from jaxtyping import TypeCheckError

from attn_core.attention import Attention, scaled_dot_product_attention
from tests.core.kinds import Draw, Refuses


def test_shapes_in_signatures_are_checked_while_tests_run(draw: Draw) -> None:
    with pytest.raises(TypeCheckError, match="d_k"):
        scaled_dot_product_attention(draw(2, 3), draw(5, 7), draw(5, 11))


def test_shapes_in_dataclasses_are_checked_while_tests_run(draw: Draw) -> None:
    right = scaled_dot_product_attention(draw(2, 3), draw(5, 3), draw(5, 11))
    with pytest.raises(TypeCheckError, match="n_key"):
        Attention(right.scores, right.scaled_scores, None, right.weights.mT, right.output)


def test_refuses_meets_our_own_error(refuses: Refuses) -> None:
    with refuses(r"same width d_k >= 1; got query \(2, 3\), key \(5, 7\), value \(5, 11\)"):
        scaled_dot_product_attention(torch.zeros(2, 3), torch.zeros(5, 7), torch.zeros(5, 11))
