"""Points in a browser: pointing at a key tells its part of q·k, a click on a query asks in every plane."""

import re
from itertools import combinations

import pytest
from playwright.sync_api import expect

from tests.browser.app_page import AppPage

PAGE = "single-head?stage=points&text=the+cat+sat+on+the+mat&along=two+dimensions"


def test_views_that_ask_in_the_sidebar_are_opened_by_a_press(app: AppPage) -> None:
    app.open("single-head")
    aside = app.page.get_by_test_id("stSidebar")
    for view, asked in (("points", "Plane of queries and keys"), ("arcs", "Queries together")):
        app.segment(view)
        expect(aside.get_by_text(asked)).to_be_visible()
        expect(app.page.get_by_test_id("stAlert")).to_have_count(0)
    app.segment("all at once")
    expect(aside.get_by_text("Queries together")).to_have_count(0)
    expect(app.figure("walk")).to_have_attribute("data-state", "drawn")


def pointed_at(app: AppPage, key: str, trace: str, number: int) -> str:
    """Point at one point of a trace; return what is told."""
    app.page.mouse.move(*app.cell_centre(key, trace, number, number))
    word = app.trace(key, trace, "hovertext")[number]
    told = app.page.locator(".hoverlayer .hovertext").filter(has_text=word)
    told.first.wait_for()
    return told.first.text_content() or ""


def test_pointing_at_a_key_tells_what_the_plane_shows_of_its_product(app: AppPage) -> None:
    app.open(PAGE)
    said = re.search(
        r"q·k = (\S+) of “the” with “(\w+)” the plane shows (\S+) and",
        app.page.locator(".live-says").inner_text(),
    )
    assert said is not None
    hover = re.search(
        r"q·k\s*(\S+), of which the plane shows\s*(\S+)",
        pointed_at(app, "walk", "key points", ["the", "cat", "sat", "on"].index(said[2])),
    )
    assert hover is not None
    numbers = [
        [float(each.replace("−", "-")) for each in pair] for pair in (said.group(1, 3), hover.groups())
    ]
    assert all(abs(one - other) < 1e-4 * (1 + abs(one)) for one, other in zip(*numbers, strict=True))


@pytest.mark.essential
def test_a_click_on_a_query_asks_there_in_every_plane(app: AppPage) -> None:
    app.open("multi-head?view=points&text=the+cat+sat+down")
    names = app.page.locator(".live-plot .textpoint text")
    assert "query sat" in pointed_at(app, "maps", "head 3 query points", 2)
    app.page.mouse.down()
    app.page.mouse.up()
    app.page.wait_for_url(re.compile(r"[?&]q=2\b"))
    app.page.locator(".live-says").filter(has_text="“sat” gives its largest weight").wait_for()
    bold = names.filter(has_text=re.compile(r"^\s*sat\s*$")).evaluate_all(
        "(found) => found.filter((text) => text.innerHTML.includes('bold')).length"
    )
    assert bold == 4
    app.page.get_by_role("slider", name="Query").press("ArrowRight")
    app.page.locator(".live-says").filter(has_text="“down” gives its largest weight").wait_for()


# Every word beside a point, as it is drawn: its letters' box, and that of the pane it stands in.
WRITTEN = """() => {
    const plot = document.querySelector('.live-plot');
    const corner = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll('.cartesianlayer .textpoint text')];
    return texts.filter((text) => text.textContent.trim()).map((text) => {
        const { xaxis, yaxis } = plot._fullLayout._plots[text.closest('.subplot').classList[1]];
        const from = [corner.left + xaxis._offset, corner.top + yaxis._offset];
        const walls = [...from, from[0] + xaxis._length, from[1] + yaxis._length];
        const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
        let node = walk.nextNode();
        while (!node.textContent.trim()) node = walk.nextNode();
        const range = document.createRange();
        range.setStart(node, node.textContent.search(/\\S/));
        range.setEnd(node, node.textContent.trimEnd().length);
        const { left, top, right, bottom } = range.getBoundingClientRect();
        return { word: text.textContent.trim(), box: [left, top, right, bottom], walls };
    });
}"""
LONG = "international+telecommunications+mammogram+COUNTERREVOLUTIONARY+attention+is+all+you+need"


@pytest.mark.sample(5)
@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize(
    "link",
    [
        "multi-head?view=points&heads=8&q=4",
        "multi-head?view=points&heads=4&q=1&text=the+cat+sat+down",
        f"multi-head?view=points&heads=2&q=3&text={LONG}",
        f"single-head?stage=points&q=5&text={LONG}",
    ],
)
def test_no_name_lies_on_another_or_leaves_its_pane(app: AppPage, link: str, width: int) -> None:
    app.page.set_viewport_size({"width": width, "height": 800})
    app.open(link)
    written = app.page.evaluate(WRITTEN)
    assert len(written) > 4
    for each in written:
        left, top, right, bottom = each["box"]
        walls = each["walls"]
        assert walls[0] - 1 <= left, each
        assert right <= walls[2] + 1, each
        assert walls[1] - 3 <= top, each  # a line of words is a little higher than its letters
        assert bottom <= walls[3] + 3, each
    for one, other in combinations(written, 2):
        (left, top, right, bottom), (left_too, top_too, right_too, bottom_too) = one["box"], other["box"]
        across, down = (
            min(right, right_too) - max(left, left_too),
            min(bottom, bottom_too) - max(top, top_too),
        )
        assert across <= 1 or down <= 3, (one, other)
