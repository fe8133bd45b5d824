"""The tabs FlashAttention and Linear attention: their own example, their numbers, their programs."""

from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from attn_core import causal_mask, score_attention
from pages.single_head.example import SEED, WIDTH, draw_vectors
from pages.single_head.programs import output_program
from pages.single_head.tabs import flashattention, linear_attention
from tests.pages import open_sound
from tests.run_programs import leaves
from tests.walk import said_now

WORDS = ["the", "cat", "sat", "on", "the", "mat"]


def test_tile_and_state_programs_print_torch_results() -> None:
    query, key, value = draw_vectors([*WORDS, "too"])
    tiled = F.scaled_dot_product_attention(query, key, value)
    causal = score_attention("linear", query, key, value, causal_mask(7)).output
    for program, wanted in (
        (output_program("tiled_attention(Q, K, V, 2)", query, key, value), tiled),
        (output_program("linear_attention(Q, K, V)", query, key, value), causal),
    ):
        torch.testing.assert_close(leaves(program)["output"], wanted, atol=1e-10, rtol=0)


def test_tabs_without_a_map_have_counts_and_passing_checks() -> None:
    generator = torch.Generator().manual_seed(SEED)
    query, key, _value = torch.randn(3, 6, WIDTH, generator=generator, dtype=torch.float64)
    said = " ".join(said_now(open_sound("single-head", tab="FlashAttention", tile="1", text="other words")))
    row = query[0] @ key[:4].mT / WIDTH**0.5
    assert f"largest score {float(row.max()):.3g}".replace("-", "−") in said
    assert "24 numbers" in said  # 6 x 2 scores, 6 maxima, 6 sums
    assert "36" in said
    said = " ".join(said_now(open_sound("single-head", tab="Linear attention", written="3")))
    features = F.elu(query) + 1, F.elu(key) + 1
    similar = features[0][3] @ features[1][:4].mT
    assert f"linear {float(similar[0] / similar.sum()):.2g}" in said
    assert "20 numbers" in said
    assert "cache of keys and values 32" in said


@pytest.mark.parametrize("tab", [flashattention, linear_attention])
def test_wrong_output_fails_its_check(tab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    query, key, value = draw_vectors(WORDS)
    assert all(check.passed for check in tab.checks(query, key, value))
    name = "tiled_attention" if tab is flashattention else "linear_attention_steps"
    right = getattr(tab, name)

    def wrong(*given: object) -> list[object]:
        return [replace(each, output=each.output * 1.001) for each in right(*given)]

    monkeypatch.setattr(tab, name, wrong)
    assert not any(check.passed for check in tab.checks(query, key, value))
