"""Arcs between words, by hand: a click on a word asks there, and pointing at it tells its weight."""

import re

from tests.browser.app_page import AppPage

PAGE = "single-head?stage=arcs&text=the+cat+sat+on+the+mat&mask=causal"


def widths(app: AppPage) -> list[float]:
    """How thick the arcs are, as Plotly draws them; those that are none are left out."""
    found: list[float] = app.page.evaluate(
        """() => [...document.querySelectorAll('.live-plot .scatterlayer .js-line')]
            .map((line) => parseFloat(line.style.strokeWidth)).filter((width) => width > 0)"""
    )
    return found


def test_a_click_on_a_word_asks_there(app: AppPage) -> None:
    app.open(PAGE)
    says = app.page.locator(".live-says")
    word = app.page.locator(".live-plot .textpoint text").filter(has_text=re.compile("^sat$")).first
    box = word.bounding_box()
    assert box
    app.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    says.filter(has_text="The thickest arcs of “sat”").wait_for()
    app.page.wait_for_url(re.compile(r"[?&]q=2\b"))
    assert len(widths(app)) <= 3  # a causal mask leaves three keys
    app.page.get_by_role("slider", name="Query").press("ArrowRight")
    says.filter(has_text="The thickest arcs of “on”").wait_for()
    app.page.wait_for_url(re.compile(r"[?&]q=3\b"))
    assert says.locator("text=2 keys are masked").count() == 1


def test_hover_on_a_word_tells_its_weight(app: AppPage) -> None:
    app.open(PAGE + "&q=3")
    word = app.page.locator(".live-plot .textpoint text").filter(has_text=re.compile("^cat$")).first
    box = word.bounding_box()
    assert box
    app.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    told = app.page.locator(".hoverlayer .hovertext").filter(has_text="weight")
    told.wait_for()
    weight = re.search(r"weight\s*(\d\.\d{6})", told.text_content() or "")
    assert weight
    said = re.search(r"“cat” (\d\.\d{3})", app.page.locator(".live-says").inner_text())
    assert said
    assert abs(float(weight[1]) - float(said[1])) < 6e-4
