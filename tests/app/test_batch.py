"""Several sentences in one batch: padded, masked apart, and each as it is alone."""

import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

from attn_core import sentence_vectors
from pages.multi_head.batch import MOST_SENTENCES, MOST_WORDS, split_sentences
from pages.multi_head.compute import draw
from tests.pages import open_sound
from tests.walk import said_now

TEXT = "the cat sat / rain / cats like milk"


def opened(**query: str) -> AppTest:
    return open_sound("multi-head", tab="Batch", **({"batch": TEXT} | query))


def everything(at: AppTest) -> str:
    return "\n".join(
        [*(each.value for each in at.markdown), *(each.value for each in at.caption), *said_now(at)]
    )


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary", "ALiBi"])
def test_a_sentence_in_a_batch_is_what_it_is_alone(mask: str, positions: str) -> None:
    said = everything(opened(hmask=mask, pos=positions))
    assert "| each sentence's output is what it is alone | :material/check:" in said
    assert ":material/close:" not in said


def test_shapes_are_those_of_the_tensors() -> None:
    said = everything(opened(heads="2", dm="8"))
    for row in (
        "| X | `B, n, d_model` | `3, 3, 8` |",
        "| Q, K and V | `B, n_head, n, d_head` | `3, 2, 3, 4` |",
        "| mask of the padding | `B, 1, n, n` | `3, 1, 3, 3` |",
        "| scores and weights | `B, n_head, n, n` | `3, 2, 3, 3` |",
        "| output | `B, n, d_out` | `3, 3, 8` |",
    ):
        assert row in said


def test_weight_that_padding_would_get_is_that_of_a_plain_softmax() -> None:
    """One head whose Q and K are those of the page, by torch alone."""
    at = opened(heads="1", seed="5", batch="the cat sat / rain")
    words = sentence_vectors(["rain"], 8, seed=5)
    x = torch.cat([words, torch.zeros(2, 8, dtype=torch.float64)])
    module = draw(8, 1, d_head=None, d_key=8, bias=False, projection=True, seed=5)
    weights = torch.softmax(
        F.linear(x, module.W_q.weight) @ F.linear(x, module.W_k.weight).T / 8**0.5, dim=-1
    )
    wasted = float(weights[0, 1:].sum())
    said = everything(at)
    assert "Sentence 2 is filled up to 3 tokens." in said
    assert f"would give padding {wasted:.3f} of the weight" in said


def test_equal_lengths_have_no_padding() -> None:
    assert "All sentences have 2 tokens, so there is no padding" in everything(opened(batch="a b / c d"))


def test_no_word_is_said_and_another_sequence_too() -> None:
    assert "got no word" in everything(opened(batch=" / "))
    assert "attend to themselves" in everything(opened(cross="true"))
    assert "here only *causal* counts" in everything(opened(hmask="prefix"))


def test_sentences_are_parted_and_cut() -> None:
    many = split_sentences("/".join(["a b"] * 9))
    assert many == [["a", "b"]] * MOST_SENTENCES
    assert len(split_sentences(" ".join(["a"] * 40))[0]) == MOST_WORDS
