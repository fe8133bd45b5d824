"""A slider that is let go runs its part of the page alone; what it leaves is what the page's link opens."""

import pytest
from playwright.sync_api import expect

from tests.browser.app_page import AppPage

FIGURES = {
    "kernel-regression": "fit",
    "single-head": "walk",
    "positional-encoding": "attention",
    "learned-heads": "learned",
}


def words_of(app: AppPage) -> str:
    """Return all words of the page: its sidebar and its main part."""
    return "\n".join(app.page.get_by_test_id(part).inner_text() for part in ("stSidebar", "stMain"))


@pytest.mark.essential
@pytest.mark.still
@pytest.mark.sample(1)
@pytest.mark.parametrize("address", FIGURES)
def test_tab_after_a_release_equals_its_link(app: AppPage, address: str) -> None:
    app.open(address)
    key = FIGURES[address]
    for tab in ("Arithmetic", "Break it", "Code"):
        app.tab(tab)
        app.press(key, "ArrowLeft", times=2)
        after = words_of(app)
        app.open(app.page.url.removeprefix(f"{app.server}/"))
        assert words_of(app) == after, tab


@pytest.mark.still
def test_release_sends_nothing_of_the_rest_of_the_page(app: AppPage) -> None:
    app.open("positional-encoding")
    app.press("attention", "ArrowLeft")
    before = len(app.received)
    app.press("attention", "ArrowLeft")
    part = sum(app.received[before:])
    before = len(app.received)
    app.page.get_by_role("button", name="Dog bites man").click()
    app.settle()
    assert part < sum(app.received[before:]) / 2


@pytest.mark.still
@pytest.mark.slow
def test_blocked_cell_updates_the_sidebar(app: AppPage) -> None:
    app.open("single-head?mask=own&stage=masked")
    free = app.page.get_by_role("button", name="Free all cells")
    expect(free).to_be_disabled()
    app.click_cell("walk", "mask", 1, 2)
    app.settle()
    expect(free).to_be_enabled()


@pytest.mark.still
@pytest.mark.slow
def test_open_panel_follows_a_slider(app: AppPage) -> None:
    app.open("single-head")
    app.page.get_by_role("button", name="Share").click()
    link = app.page.get_by_role("textbox", name="Link").first
    expect(link).to_be_visible()
    app.press("walk", "ArrowLeft", times=3)
    assert "t=0.71" in app.page.url
    expect(link).to_have_value(app.page.url)


@pytest.mark.still
def test_sliders_of_one_setting_follow_one_another(app: AppPage) -> None:
    app.open("multi-head?view=arcs")
    app.press("maps", "ArrowRight", times=2, name="row")
    app.tab("Heads add up")
    sliders = (("maps", "row"), ("adds-up", "step"))
    for moved, name in (*sliders, *reversed(sliders)):
        app.press(moved, "ArrowRight", name=name)
        where = app.query.partition("q=")[2][:1]
        assert [app.slider(*each).input_value() for each in sliders] == [where, where]
        assert [app.figure(each).get_attribute(f"data-{name}") for each, name in sliders] == [where, where]
    assert where == "5"  # two, then one of each, twice; the last is at the end already
    app.tab("Maths")
    app.press("maps", "ArrowLeft", times=3, name="row")
    app.tab("Heads add up")
    assert app.slider("adds-up").input_value() == "2"


@pytest.mark.still
def test_picture_keeps_its_place_after_a_tab_adds_another(app: AppPage) -> None:
    app.open("multi-head?view=arcs&tab=Maths")
    app.press("maps", "ArrowRight", times=3, name="row")
    app.tab("Heads add up")
    app.press("maps", "ArrowRight", name="row")
    app.press("maps", "ArrowLeft")
    assert "q=4&heads=2" in app.query
    assert app.slider("maps", "row").input_value() == "4"
    assert app.readout("maps") == "2"
