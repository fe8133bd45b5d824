"""Positions as a lesson: does order matter, how is distance seen, what lies past the training length."""

import math
from typing import Any

import numpy as np
import pytest

from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still

WORDS = ["the", "cat", "sat", "on", "the", "mat"]


def sinusoids(length: int, width: int, base: float = 10000.0) -> Any:
    encoding = np.zeros((length, width))
    for p in range(length):
        for i in range(width):
            angle = p * base ** (-(i - i % 2) / width)
            encoding[p, i] = math.cos(angle) if i % 2 else math.sin(angle)
    return encoding


def one_hot(width: int) -> Any:
    names = list(dict.fromkeys(WORDS))
    return np.eye(width)[[names.index(word) for word in WORDS]]


def attention(x: Any) -> Any:
    exponentials = np.exp(x @ x.T / math.sqrt(x.shape[1]))
    return exponentials / exponentials.sum(-1, keepdims=True)


def numbers(app: AppPage, key: str, name: str, field: str = "z") -> Any:
    return np.array(app.trace(key, name, field), dtype=float)


def show(app: AppPage, picture: str) -> None:
    app.page.get_by_test_id("stMain").get_by_role("radio", name=picture, exact=True).click()
    app.settle()


def text_of(app: AppPage) -> str:
    return app.page.get_by_test_id("stMain").inner_text()


@pytest.mark.slow
def test_order_of_words_changes_the_output_with_positions_only(app: AppPage) -> None:
    app.open("positional-encoding")
    x, p = one_hot(16), sinusoids(6, 16)
    np.testing.assert_allclose(numbers(app, "attention", "before"), attention(x), atol=1e-6)
    np.testing.assert_allclose(numbers(app, "attention", "after"), attention(x + p), atol=1e-6)
    app.press("attention", "Home")
    np.testing.assert_allclose(numbers(app, "attention", "after"), attention(x), atol=1e-6)
    np.testing.assert_allclose(numbers(app, "attention", "difference"), np.zeros((6, 6)), atol=1e-6)
    app.press("attention", "End")
    np.testing.assert_allclose(numbers(app, "attention", "after"), attention(x + 2 * p), atol=1e-6)
    assert "strength=2.0" in app.query
    app.click_cell("attention", "after", 4, 1)
    weight = attention(x + 2 * p)[4, 1]
    assert f"= {weight:.6f}." in text_of(app)
    app.page.reload()
    app.settle()
    assert app.readout("attention") == "2.0"
    assert f"= {weight:.6f}." in text_of(app)


def test_words_are_moved_by_drag_and_by_keys(app: AppPage) -> None:
    app.open("positional-encoding?show=shuffle test&order=own")
    words = app.page.locator(".word-order button")

    def names() -> list[str]:
        return words.all_text_contents()

    assert names() == ["the", "cat", "sat", "on", "the₂", "mat"]
    held, past = words.nth(0).bounding_box(), words.nth(2).bounding_box()
    assert held
    assert past
    app.page.mouse.move(held["x"] + 8, held["y"] + 8)
    app.page.mouse.down()
    app.page.mouse.move(past["x"] + past["width"] - 4, past["y"] + 8, steps=8)
    app.page.mouse.up()
    assert names() == ["cat", "sat", "the", "on", "the₂", "mat"]
    app.page.wait_for_url("**from=1%2C2%2C0%2C3%2C4%2C5*")
    app.settle()
    words.nth(5).focus()
    app.page.keyboard.press("Home")
    app.page.keyboard.press("ArrowRight")
    app.page.wait_for_url("**from=1%2C5%2C2%2C0%2C3%2C4*")
    app.settle()
    assert names() == ["cat", "mat", "sat", "the", "on", "the₂"]
    assert words.nth(1).evaluate("word => word === document.activeElement")
    assert words.nth(1).get_attribute("aria-label") == "mat, 2 of 6; arrow keys move it"
