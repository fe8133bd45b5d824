"""Pin what is on screen, drag, swap, clear and reload, in a browser."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from pages import PAGES
from tests.browser.app_page import AppPage


def weights(link: str) -> Any:
    """The weights of a link, without the app."""
    return next(
        each["z"] for each in PAGES["single-head"].at(link).figure()["data"] if each["name"] == "weights"
    )


@pytest.mark.essential
@pytest.mark.still
def test_pin_stays_while_the_slider_moves_b(app: AppPage) -> None:
    app.open("single-head?t=2")
    button = app.page.get_by_role("button", name="Pin to compare")
    button.click()
    app.settle()
    assert "pin=t%3D2" in app.page.url
    np.testing.assert_allclose(app.trace("walk", "A"), weights("t=2"), atol=1e-6)
    assert np.abs(app.trace("walk", "difference")).max() < 1e-6

    # Dragged, not yet let go: the browser alone moves B.
    runs, slider = app.n_asked, app.slider("walk")
    box = slider.bounding_box()
    assert box is not None
    app.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    app.page.mouse.down()
    app.page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2, steps=5)
    at = app.readout("walk")
    expect(app.figure("walk").locator(".live-says")).to_contain_text("changed most")
    app.page.wait_for_function("() => document.querySelector('.st-key-walk .live-film').hidden")
    assert app.n_asked == runs
    app.page.mouse.up()
    app.settle()
    before, after = weights("t=2"), weights(f"t={at}")
    np.testing.assert_allclose(app.trace("walk", "A"), before, atol=1e-6)
    np.testing.assert_allclose(app.trace("walk", "B"), after, atol=1e-6)
    np.testing.assert_allclose(app.trace("walk", "difference"), after - before, atol=1e-6)

    # Swapped: what was A is what the page shows, its slider too; twice swapped it is as before.
    pinned = app.page.url
    app.page.get_by_role("button", name="Swap").click()
    app.settle()
    assert app.readout("walk") == "2.00"
    np.testing.assert_allclose(app.trace("walk", "A"), after, atol=1e-6)
    np.testing.assert_allclose(app.trace("walk", "B"), before, atol=1e-6)
    app.page.get_by_role("button", name="Swap").click()
    app.settle()
    assert sorted(app.page.url.split("?")[1].split("&")) == sorted(pinned.split("?")[1].split("&"))

    # What the sidebar changes is B's; a reload shows the same.
    app.choose("mask", "causal")
    line = app.page.locator(".st-key-pinned")
    expect(line).to_contain_text("A: Mask none")
    expect(line).to_contain_text("B: Mask causal")
    for a, b in (("causal", "none"), ("none", "causal")):
        app.page.get_by_role("button", name="Swap").click()
        expect(line).to_contain_text(f"A: Mask {a}")
        expect(line).to_contain_text(f"B: Mask {b}")
        app.settle()
    shown = app.trace("walk", "difference")
    app.page.reload()
    app.settle()
    assert app.trace("walk", "difference") == shown
    expect(line).to_contain_text("A: Mask none")

    # Another panel, then clear: the page is as if nothing had been pinned.
    app.choose("compare-panel", "scores QKᵀ")
    expect(app.figure("walk").locator(".live-says")).to_contain_text("did not change at all")
    assert "compare=scores" in app.page.url
    app.page.get_by_role("button", name="Clear").click()
    app.settle()
    assert "pin" not in app.page.url
    assert "compare" not in app.page.url
    expect(app.figure("walk")).to_be_visible()
    expect(line).to_have_count(0)
    assert app.errors == []
