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


def drawn(app: AppPage, key: str, name: str, field: str = "z") -> Any:
    return np.array(app.trace(key, name, field), dtype=float)


def show(app: AppPage, picture: str) -> None:
    app.page.get_by_test_id("stMain").get_by_role("radio", name=picture, exact=True).click()
    app.settle()


def said(app: AppPage) -> str:
    return app.page.get_by_test_id("stMain").inner_text()


@pytest.mark.slow
def test_does_order_matter(app: AppPage) -> None:
    app.open("positional-encoding")
    x, p = one_hot(16), sinusoids(6, 16)
    np.testing.assert_allclose(drawn(app, "attention", "before"), attention(x), atol=1e-6)
    np.testing.assert_allclose(drawn(app, "attention", "after"), attention(x + p), atol=1e-6)
    app.press("attention", "Home")
    np.testing.assert_allclose(drawn(app, "attention", "after"), attention(x), atol=1e-6)
    np.testing.assert_allclose(drawn(app, "attention", "difference"), np.zeros((6, 6)), atol=1e-6)
    app.press("attention", "End")
    np.testing.assert_allclose(drawn(app, "attention", "after"), attention(x + 2 * p), atol=1e-6)
    assert "strength=2.0" in app.query
    app.click_cell("attention", "after", 4, 1)
    weight = attention(x + 2 * p)[4, 1]
    assert f"= {weight:.6f}." in said(app)
    app.page.reload()
    app.settle()
    assert app.readout("attention") == "2.0"
    assert f"= {weight:.6f}." in said(app)


@pytest.mark.slow
def test_i_love_dogs_has_its_digits(app: AppPage) -> None:
    app.open("positional-encoding")
    app.page.get_by_role("button", name="I love dogs").click()
    app.settle()
    digits = [[0.359867, 0.280265, 0.359867], [0.111457, 0.389025, 0.499518], [0.040690, 0.142023, 0.817287]]
    np.testing.assert_allclose(drawn(app, "attention", "after"), digits, atol=1e-6)
    assert drawn(app, "attention", "before")[0, 0] == pytest.approx(0.451863, abs=1e-6)


@pytest.mark.essential
def test_the_shuffle_test(app: AppPage) -> None:
    app.open("positional-encoding")
    show(app, "shuffle test")
    app.page.get_by_role("radio", name="reverse", exact=True).click()
    app.settle()
    x = one_hot(16)
    output = attention(x + sinusoids(6, 16)) @ (x + sinusoids(6, 16))
    turned = x[::-1] + sinusoids(6, 16)
    np.testing.assert_allclose(drawn(app, "shuffle", "expected"), output[::-1], atol=1e-6)
    np.testing.assert_allclose(drawn(app, "shuffle", "found"), attention(turned) @ turned, atol=1e-6)
    names, errors = app.trace("shuffle", "errors", "y"), drawn(app, "shuffle", "errors", "x")
    by_name = dict(zip(names, errors, strict=True))
    assert by_name["none"] < 1e-12
    assert by_name["ALiBi"] < 1e-12
    assert by_name["sinusoidal"] == pytest.approx(
        abs(attention(turned) @ turned - output[::-1]).max(), abs=1e-6
    )


@pytest.mark.slow
def test_how_distance_is_seen(app: AppPage) -> None:
    app.open("positional-encoding?show=similarity")
    p = sinusoids(64, 16)
    np.testing.assert_allclose(drawn(app, "similarity", "similarity"), p @ p.T, atol=1e-5)
    np.testing.assert_allclose(
        drawn(app, "similarity", "least", "y"), drawn(app, "similarity", "greatest", "y"), atol=1e-5
    )
    app.press("similarity", "ArrowRight", times=5, name="row")
    np.testing.assert_allclose(drawn(app, "similarity", "own", "y"), (p @ p.T)[15], atol=1e-5)
    np.testing.assert_allclose(drawn(app, "similarity", "own", "x"), np.arange(64) - 15)
    app.press("similarity", "Home")
    at_one = sinusoids(64, 16, base=1.0)
    np.testing.assert_allclose(drawn(app, "similarity", "similarity"), at_one @ at_one.T, atol=1e-5)
    show(app, "shift test")
    app.press("shift", "End")
    assert drawn(app, "shift", "errors", "x")[1] < 1e-9
    assert "only the offset counts" in said(app)


def test_the_encoding_with_its_cursor(app: AppPage) -> None:
    app.open("positional-encoding?show=encoding&dims=0,3")
    p = sinusoids(64, 16)
    np.testing.assert_allclose(drawn(app, "encoding", "encoding"), p, atol=1e-6)
    app.press("encoding", "ArrowRight", times=2, name="row")
    np.testing.assert_allclose(drawn(app, "encoding", "cursor", "x"), [12, 12])
    np.testing.assert_allclose(drawn(app, "encoding", "cursor", "y"), p[12, [0, 3]], atol=1e-6)
    app.click_cell("encoding", "encoding", 40, 5)
    assert app.readout("encoding", "row") == "40"  # beside “Position”, also in captions and names of files
    np.testing.assert_allclose(drawn(app, "encoding", "cursor", "y"), p[40, [0, 3]], atol=1e-6)


@pytest.mark.essential
def test_rotary_turns_and_keeps_its_score(app: AppPage) -> None:
    app.open("positional-encoding?show=encoding&scheme=rotary")
    before = drawn(app, "turning", "here", "y")
    app.press("turning", "ArrowRight", times=4)
    np.testing.assert_allclose(drawn(app, "turning", "query 0", "x")[1], math.cos(12), atol=1e-6)
    np.testing.assert_allclose(drawn(app, "turning", "key 0", "y")[1], math.sin(15), atol=1e-6)
    np.testing.assert_allclose(drawn(app, "turning", "here", "y"), before)
    score = sum(math.cos(3 * 10000 ** (-2 * i / 16)) for i in range(8)) / 8
    assert before[0] == pytest.approx(score, abs=1e-6)
    assert f"Their score is {score:.4f}" in said(app)


def test_words_are_dragged_and_moved_by_keys(app: AppPage) -> None:
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


@pytest.mark.slow
def test_past_the_training_length(app: AppPage) -> None:
    app.open("positional-encoding?show=past training&drive=length")
    app.press("past", "ArrowRight")
    assert app.readout("past") == "20 positions"
    curve = drawn(app, "past", "sinusoidal", "y")
    expected = [sum(math.cos(k * 10000 ** (-2 * i / 16)) for i in range(8)) / 8 for k in range(80)]
    np.testing.assert_allclose(curve, expected, atol=1e-6)
    np.testing.assert_allclose(drawn(app, "past", "ALiBi", "y"), np.exp(-0.5 * np.arange(80)), atol=1e-6)
    highest = 20 + int(np.argmax(expected[20:]))
    assert drawn(app, "past", "sinusoidal return", "x")[0] == highest
    assert f"at offset {highest}" in said(app)


def test_what_is_typed_is_shown_as_typed(app: AppPage) -> None:
    app.open("positional-encoding")
    field = app.page.get_by_label("Sentence")
    field.fill("<img src=x onerror=alert(1)>")
    field.press("Enter")
    app.settle()
    assert app.page.locator(".live-figure img, .stMarkdown img").count() == 0
    labels = app.figure("attention").locator(".xtick text").all_text_contents()
    assert "<" in labels
    assert "onerror" in labels


@pytest.mark.slow
def test_tabs_and_mistakes(app: AppPage) -> None:
    app.open("positional-encoding")
    app.tab("Break it")
    app.page.get_by_role("radio", name="off by one", exact=True).click()
    app.settle()
    broken = drawn(app, "mistaken", "found")
    assert [int(row.argmax()) for row in broken] == [0, 0, 1, 2, 3, 4]
    assert "the broken one fails" in said(app)
    app.tab("Checks")
    assert "fails" not in said(app)
    app.tab("Code")
    assert "weights = torch.softmax(scores, dim=-1)" in said(app)
