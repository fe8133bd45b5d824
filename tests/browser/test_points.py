"""Points in a browser: pointing at a key tells its part of q·k, a click on a query asks in every plane."""

import re

import pytest

from tests.browser.app_page import AppPage

PAGE = "single-head?stage=points&text=the+cat+sat+on+the+mat&along=two+dimensions"


def pointed_at(app: AppPage, key: str, trace: str, number: int) -> str:
    """Point at one point of a trace; return what is told."""
    app.page.mouse.move(*app.cell_centre(key, trace, number, number))
    word = app.trace(key, trace, "hovertext")[number]
    told = app.page.locator(".hoverlayer .hovertext").filter(has_text=word)
    told.first.wait_for()
    return told.first.text_content() or ""


def test_points_hover_of_a_key_shows_its_product_in_the_plane(app: AppPage) -> None:
    app.open(PAGE)
    said = re.search(
        r"Query “the”, key “(\w+)”: q · k = (\S+), of which the plane shows (\S+)\. ",
        app.page.locator(".live-says").inner_text(),
    )
    assert said is not None
    hover = re.search(
        r"q·k\s*(\S+), of which the plane shows\s*(\S+)",
        pointed_at(app, "walk", "key points", ["the", "cat", "sat", "on"].index(said[1])),
    )
    assert hover is not None
    numbers = [
        [float(each.replace("−", "-")) for each in pair] for pair in (said.group(2, 3), hover.groups())
    ]
    assert all(abs(one - other) < 1e-4 * (1 + abs(one)) for one, other in zip(*numbers, strict=True))


@pytest.mark.essential
def test_points_click_on_a_query_selects_it_in_every_plane(app: AppPage) -> None:
    app.open("multi-head?view=points&text=the+cat+sat+down")
    names = app.page.locator(".live-plot .textpoint text")
    assert "query sat" in pointed_at(app, "maps", "head 3 query points", 2)
    app.page.mouse.down()
    app.page.mouse.up()
    app.page.wait_for_url(re.compile(r"[?&]q=2\b"))
    app.page.locator(".live-says").filter(has_text="Query “sat”").wait_for()
    bold = names.filter(has_text=re.compile(r"^\s*sat\s*$")).evaluate_all(
        "(found) => found.filter((text) => text.innerHTML.includes('bold')).length"
    )
    assert bold == 4
    app.page.get_by_role("slider", name="Query").press("ArrowRight")
    app.page.locator(".live-says").filter(has_text="Query “down”").wait_for()


# Every word beside a point, as it is drawn: its letters' box, and that of the pane it stands in.
