"""Pages where nothing can move, on a phone, and by the names that the overview gives them."""

import pytest
from playwright.sync_api import Browser, expect

from attn_ui.base.navigation import PAGES
from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still

# The words of the links to the pages that a line breaks.
BROKEN = r"""(links) => links.flatMap((link) => {
    const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
    const broken = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const word of text.data.matchAll(/[^\s-]+/g)) {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            if (new Set(Array.from(range.getClientRects(), (box) => box.top)).size > 1) broken.push(word[0]);
        }
    return broken;
})"""

URLS = [page.address for page in PAGES]


@pytest.mark.sample(1)
@pytest.mark.parametrize("url", URLS)
def test_plain_chart_replaces_a_figure_that_cannot_move(browser: Browser, server: str, url: str) -> None:
    page = browser.new_page()
    page.route("**/plotly.min.js*", lambda route: route.abort())
    page.goto(f"{server}/{url}")
    expect(page.get_by_role("status").first).to_contain_text("plain chart below")
    drawn = page.get_by_test_id("stPlotlyChart").first.locator(".heatmaplayer image, .scatterlayer path")
    expect(drawn.first).to_be_attached()
    assert page.get_by_test_id("stException").count() == 0
    page.close()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("address", "key"),
    [("", "opening"), ("kernel-regression?picture=Bridge+to+attention", "bridge"), ("single-head", "walk")],
)
def test_phone_shows_a_whole_figure_above_its_slider(app: AppPage, address: str, key: str) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open(address)
    stage = app.figure(key).locator(".live-stage")
    slider = app.slider(key, "row" if key == "opening" else "step")
    for place in ("start", "end"):
        stage.evaluate("(stage, block) => stage.scrollIntoView({ block })", place)
        expect(slider).to_be_in_viewport(ratio=1)
    room = app.figure(key).locator(".live-controls").bounding_box()
    header = app.page.get_by_test_id("stHeader").bounding_box()
    drawn = stage.bounding_box()
    heights = [box["height"] for box in (room, header, drawn) if box]
    assert len(heights) == 3
    assert sum(heights) <= 844


@pytest.mark.sample(2)
@pytest.mark.parametrize("width", [390, 660, 760, 820, 1024, 1280])
def test_overview_has_every_page_title_in_full(app: AppPage, width: int) -> None:
    app.page.set_viewport_size({"width": width, "height": 900})
    app.open()
    cut = (
        app.page.get_by_test_id("stPageLink")
        .locator("*")
        .evaluate_all(
            "parts => parts.filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth)"
            ".map((part) => part.textContent)"
        )
    )
    assert cut == []
    links = app.page.locator(".st-key-chapters").get_by_test_id("stPageLink")
    expect(links).to_have_count(len(PAGES) - 1)
    assert links.evaluate_all(BROKEN) == []
    lines = links.evaluate_all(
        "links => new Set(links.map((link) => link.getBoundingClientRect().left)).size"
    )
    assert lines == (1 if width < 820 else 3)
    narrowest = links.evaluate_all(
        "links => Math.min(...links.map((link) => link.closest('[data-testid=stVerticalBlock]').clientWidth))"
    )
    assert narrowest >= 220


def test_operators_between_maps_are_whole_at_400_percent(app: AppPage) -> None:
    app.page.set_viewport_size({"width": 320, "height": 900})
    for address, key in (("", "opening"), ("multi-head", "maps")):
        app.open(address)
        cut = app.figure(key).evaluate(
            """(figure) => {
                const { left, right } = figure.querySelector(".main-svg").getBoundingClientRect();
                const isCut = (box) => box.left < left - 0.5 || box.right > right + 0.5;
                const words = [...figure.querySelectorAll(".annotation-text-g text")];
                const out = words.filter((word) => isCut(word.getBoundingClientRect()));
                return out.map((word) => word.textContent);
            }"""
        )
        assert cut == []


# Of formulas side by side: each line of each, as the reader sees it.
