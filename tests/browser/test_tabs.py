"""Tabs in their groups: none is cut off at any width, a keyboard opens them, the link follows."""

import pytest
from playwright.sync_api import expect

from tests.browser.app_page import AppPage
from tests.pages import PAGES, tabs_of

# Of each row of tabs: how much of it lies outside of its own room, and each tab outside of the window.
CUT_OFF = """() => [...document.querySelectorAll("[role=tablist]")].flatMap((row) => {
    const { clientWidth: width } = document.documentElement;
    const out = [...row.children].filter((tab) => {
        const box = tab.getBoundingClientRect();
        return box.left < 0 || box.right > width || box.width === 0;
    });
    return [...(row.scrollWidth > row.clientWidth ? ["a row"] : []), ...out.map((tab) => tab.textContent)];
})"""


@pytest.mark.still
@pytest.mark.sample(1)
@pytest.mark.parametrize("page", [page for page in PAGES if page])
def test_tabs_are_all_whole(app: AppPage, page: str) -> None:
    app.open(page)
    for _, (first, *_more) in tabs_of(page).row:
        app.tab(first)
        for width in (1280, 820, 390):
            app.page.set_viewport_size({"width": width, "height": 800})
            app.page.wait_for_function(f"() => ({CUT_OFF})().length === 0")
        app.page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.essential
@pytest.mark.still
def test_tabs_open_by_keyboard_and_the_link_follows(app: AppPage) -> None:
    app.open("multi-head")
    app.page.get_by_role("tab", name="Maths").focus()
    app.page.keyboard.press("ArrowRight")
    app.settle()
    expect(app.page.get_by_role("tab", name="Experiments")).to_have_attribute("aria-selected", "true")
    assert app.query == "tab=Break+it"
    app.page.keyboard.press("Tab")
    listed = app.page.get_by_role("combobox", name="Experiments")
    expect(listed).to_be_focused()
    app.page.keyboard.press("ArrowDown")
    app.page.keyboard.press("Enter")
    app.settle()
    expect(app.page.get_by_role("tab", name="Experiments")).to_have_attribute("aria-selected", "true")
    assert app.query == "tab=Block"
    app.tab("Heads add up")
    assert app.query == ""


@pytest.mark.still
@pytest.mark.parametrize("name", ["Shared heads", "Checks"])
def test_tabs_on_a_phone_show_each_check_beside_its_result(app: AppPage, name: str) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open(f"multi-head?tab={name.replace(' ', '+')}")
    table = app.page.get_by_role("tabpanel").locator("table", has_text="What must hold").last
    expect(table.locator("code").first).to_be_visible()
    hidden, highest = table.evaluate(
        "table => [table.scrollWidth - table.clientWidth,"
        " Math.max(...Array.from(table.rows, (row) => row.offsetHeight))]"
    )
    assert hidden <= 0
    assert highest <= 150
