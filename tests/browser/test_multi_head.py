"""The multi-head page as a lesson: heads, one cell, ablation, combination, the ledger, cross-attention."""

import numpy as np
import pytest
import torch

from attn_core import MultiHeadAttention, sentence_vectors, tokenize
from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still

SENTENCE = "the cat sat on the mat"


def by_torch(
    n_head: int, text: str = SENTENCE, memory: str | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights and output by torch's own module, with the projections that the page draws from seed 4."""
    x = sentence_vectors(tokenize(text), 8, seed=4)
    y = x if memory is None else sentence_vectors(tokenize(memory), 8, seed=4)
    module = MultiHeadAttention(8, n_head, bias=False, seed=4, dtype=torch.float64).to_torch().eval()
    with torch.no_grad():
        output, weights = module(x, y, y, average_attn_weights=False)
    return weights, output


def shown_heads(app: AppPage) -> list[str]:
    names: list[str] = app.figure("maps").evaluate(
        """figure => figure.querySelector('.live-plot')._fullData
            .filter(t => t.visible === true && /^head \\d+$/.test(t.name)).map(t => t.name)"""
    )
    return names


@pytest.mark.essential
def test_heads_follow_the_slider_and_the_address_restores_them(app: AppPage) -> None:
    app.open("multi-head")
    assert app.readout("maps") == "4"
    weights, output = by_torch(4)
    for head in range(4):
        np.testing.assert_allclose(app.trace("maps", f"head {head + 1}"), weights[head], atol=1e-6)
    np.testing.assert_allclose(app.trace("maps", "output"), output, atol=1e-6)
    app.press("maps", "ArrowRight")
    assert shown_heads(app) == [f"head {head}" for head in range(1, 9)]
    weights, _ = by_torch(8)
    np.testing.assert_allclose(app.trace("maps", "head 7"), weights[6], atol=1e-6)
    assert app.query == "heads=8"
    app.press("maps", "Home")
    assert shown_heads(app) == ["head 1"]
    assert "1 head of width 8" in app.page.get_by_test_id("stMain").inner_text()
    app.page.reload()
    app.settle()
    assert app.readout("maps") == "1"
    np.testing.assert_allclose(app.trace("maps", "head 1"), by_torch(1)[0][0], atol=1e-6)


@pytest.mark.slow
def test_width_change_updates_the_head_counts(app: AppPage) -> None:
    app.open("multi-head?heads=2&dm=12")
    assert app.readout("maps") == "2"
    slider = app.slider("maps")
    assert slider.get_attribute("max") == "5"  # 1, 2, 3, 4, 6, 12
    width = app.page.locator(".st-key-dm input[type=range]")
    width.focus()
    app.page.keyboard.press("ArrowRight")
    app.settle()
    # 13 is prime: one head is left of the two that were asked for, and the page says so.
    assert app.readout("maps") == "1"
    assert "Heads: 2 is not possible with d_model = 13" in app.page.get_by_test_id("stMain").inner_text()
    width.focus()
    app.page.keyboard.press("ArrowRight")
    app.settle()
    assert app.readout("maps") == "2"
    assert shown_heads(app) == ["head 1", "head 2"]


@pytest.mark.slow
def test_clicked_cell_is_computed_to_the_last_digit(app: AppPage) -> None:
    app.open("multi-head")
    app.tab("Arithmetic")
    app.click_cell("maps", "head 3", 2, 1)
    said = app.page.get_by_test_id("stMain").inner_text()
    assert "In head 3, sat asks cat" in said
    weight = f"{by_torch(4)[0][2, 2, 1]:.6f}"
    formulas = app.page.locator(".katex-mathml annotation").all_text_contents()
    assert any(weight in formula for formula in formulas)
    assert {"head=3", "q=2", "k=1"} <= set(app.query.split("&"))


@pytest.mark.essential
def test_switched_off_heads_leave_the_output(app: AppPage) -> None:
    app.open("multi-head")
    _, output = by_torch(4)
    app.press("adds-up", "ArrowRight", times=2)
    assert app.readout("adds-up") == "sat"
    rows = np.array(app.trace("adds-up", "contributions"), dtype=float)
    np.testing.assert_allclose(rows[4], output[2], atol=1e-6)
    np.testing.assert_allclose(rows[:4].sum(axis=0), output[2], atol=1e-6)
    app.page.locator(".st-key-off button").nth(2).click()
    app.settle()
    assert "off=3" in app.query
    left = np.array(app.trace("adds-up", "contributions"), dtype=float)
    assert np.isnan(left[2]).all()
    np.testing.assert_allclose(left[5], (output[2] - torch.tensor(rows[2])).numpy(), atol=1e-6)
    np.testing.assert_allclose(left[6], -rows[2], atol=1e-6)
    np.testing.assert_allclose(np.array(app.trace("maps", "output"))[2], left[5], atol=1e-6)
    said = app.page.get_by_test_id("stMain").inner_text()
    assert f"the output moves by {np.linalg.norm(rows[2]):.3g}" in said


def test_clicked_cell_is_blocked_in_every_head(app: AppPage) -> None:
    app.open("multi-head?hmask=own")
    app.click_cell("maps", "head 2", 3, 1)
    app.page.wait_for_url(lambda url: "blocked=3.1" in url)
    app.settle()
    for head in range(1, 5):
        # A masked cell is drawn by a map of its own: there is no number in it.
        assert np.isnan(np.array(app.trace("maps", f"head {head}"), dtype=float)[3, 1])
    app.click_cell("maps", "head 4", 3, 1)
    app.page.wait_for_url(lambda url: "blocked" not in url)
