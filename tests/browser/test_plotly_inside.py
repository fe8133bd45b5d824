"""What is used of Plotly and not documented: where all of it is gone, the figure is drawn and moves."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from attn_live.bundle import MODULES
from tests.browser.app_page import AppPage

INSIDE = MODULES / "plotly_inside.js"
NAMES = (
    *("_fullData", "_fullLayout", "_hoverdata", "_ontouchstart", "_offset", "l2p", "c2p", "__data__"),
    *(".heatmaplayer", ".heatmap-label", ".draglayer", ".hoverlayer", ".zoomlayer", ".svg-container > svg"),
    *('"crisp"', '"tick"]', ".scatterlayer", '"g-x"', ".textpoint"),
)
DRAWN = """() => [...document.querySelectorAll('.live-plot .heatmaplayer image')]
    .map((image) => image.getAttribute('href')).join()"""


def without(page: Page) -> list[str]:
    """Serve the scripts as if Plotly had renamed all; return those that were changed."""
    changed: list[str] = []

    def spoil(route: Route) -> None:
        answer = route.fetch()
        text = answer.text()
        for name in NAMES:
            text = text.replace(name, re.sub("[a-z]", "z", name, count=1))
        changed.append(route.request.url)
        route.fulfill(response=answer, body=text)

    page.route(re.compile(r"/plotly/live\.js"), spoil)
    return changed


@pytest.mark.essential
def test_plotly_internals_are_named_in_one_module() -> None:
    inside = INSIDE.read_text(encoding="utf-8")
    assert [name for name in NAMES if name not in inside] == []
    for path in Path(MODULES).glob("*.js"):
        if path != INSIDE:
            text = path.read_text(encoding="utf-8")
            assert [name for name in NAMES if name in text] == [], path.name


def test_figure_draws_and_moves_without_plotly_internals(app: AppPage) -> None:
    changed = without(app.page)
    app.open("single-head")
    assert changed
    expect(app.page.locator(".live-figure[data-state=drawn]").first).to_be_visible()
    before = app.page.evaluate(DRAWN)
    assert before
    slider = app.page.locator("input[data-live=step]").first
    slider.focus()
    app.page.keyboard.press("End")
    app.page.wait_for_function(f"(before) => ({DRAWN})() !== before", arg=before)
    cell = app.page.locator(".live-plot .nsewdrag").first
    cell.hover()
    cell.click()  # tells and chooses by what Plotly documents
    expect(app.page.locator(".live-frame")).to_have_count(0)  # plainer: nothing is framed
    assert app.errors == []
