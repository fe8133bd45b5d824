"""A finger: up or down it scrolls, sideways it sets a slider, it leaves no page; the folded sidebar."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_page import AppPage
from tests.browser.fingers import Fingers, at

pytestmark = pytest.mark.still

FAR = 240  # pixels
SCROLLED = """() => [...document.querySelectorAll('.stMain, [data-testid=stSidebarContent]')]
    .map(box => box.scrollTop)"""
# What scrolls, and would hand a swipe that has nowhere to go on to the browser.
HANDS_ON = """() => [...document.querySelectorAll('html, .stMain, [data-testid=stSidebarContent]')]
    .filter(box => getComputedStyle(box).overscrollBehaviorX !== 'none').map(box => box.className)"""
FOCUSED = """() => {
    const node = document.activeElement;
    return [node.tagName, node.ariaLabel || node.innerText, node.getBoundingClientRect().right];
}"""


@pytest.fixture
def phone(touch: Callable[[int, int], Page], server: str) -> Iterator[AppPage]:
    """The app on a phone that is touched."""
    page = AppPage(touch(390, 560), server)
    yield page
    assert page.errors == []


@pytest.mark.essential
def test_scroll_over_a_live_slider_sets_nothing(phone: AppPage) -> None:
    phone.open("single-head")
    slider = phone.slider("walk")
    slider.scroll_into_view_if_needed()
    before, address, scrolled = phone.readout("walk"), phone.page.url, phone.page.evaluate(SCROLLED)
    runs = phone.n_asked
    Fingers(phone).swipe(*at(slider, 0.8), 4, -FAR)
    assert phone.page.evaluate(SCROLLED) != scrolled
    assert (phone.readout("walk"), phone.page.url) == (before, address)
    assert phone.n_asked == runs
    Fingers(phone).swipe(*at(slider, 0.5), 90, 3)
    assert phone.readout("walk") != before
    assert f"t={phone.readout('walk')}" in phone.query
    assert phone.page.evaluate("() => document.querySelector('.stMain').scrollLeft") == 0


@pytest.mark.slow
def test_scroll_over_a_sidebar_slider_sets_nothing(phone: AppPage) -> None:
    phone.open("kernel-regression")
    phone.page.get_by_test_id("stExpandSidebarButton").click()
    slider = phone.page.get_by_test_id("stSidebar").get_by_test_id("stSlider").first
    slider.scroll_into_view_if_needed()
    thumb = slider.locator("input[type=range]")
    track = slider.locator("[data-rac][style*=relative]")
    expect(track).to_be_in_viewport()
    before, address, scrolled = thumb.input_value(), phone.page.url, phone.page.evaluate(SCROLLED)
    Fingers(phone).swipe(*at(track, 0.8), 3, -FAR / 2)
    assert phone.page.evaluate(SCROLLED) != scrolled
    assert (thumb.input_value(), phone.page.url) == (before, address)
    slider.scroll_into_view_if_needed()
    Fingers(phone).swipe(*at(track, 0.5), 60, 2)
    assert thumb.input_value() != before
    assert f"noise={float(thumb.input_value()):g}" in phone.query


def test_scroll_over_a_bar_of_a_row_keeps_the_row(phone: AppPage) -> None:
    phone.open("single-head?cover=weights&predict=row&q=1")
    bars = phone.page.locator(".row-bars")
    bar = bars.locator("input").nth(1)
    bar.evaluate("bar => bar.scrollIntoView({ block: 'center' })")
    before, runs, scrolled = bars.inner_text(), phone.n_asked, phone.page.evaluate(SCROLLED)
    Fingers(phone).swipe(*at(bar, 0.8), 3, -FAR / 2)
    assert phone.page.evaluate(SCROLLED) != scrolled
    assert (bars.inner_text(), bar.input_value(), phone.n_asked) == (before, "17", runs)
    bar.evaluate("bar => bar.scrollIntoView({ block: 'center' })")
    Fingers(phone).swipe(*at(bar, 0.3), 60, 2)
    assert int(bar.input_value()) > 30
    assert phone.n_asked == runs + 1


def test_pinch_on_one_slider_sets_nothing_and_on_two_sets_both(phone: AppPage) -> None:
    hand = Fingers(phone)

    def two_that_go_up(slider: Locator) -> None:
        slider.evaluate("slider => slider.scrollIntoView({ block: 'center' })")
        (x, y), (other, _) = at(slider, 0.85), at(slider, 0.6)
        hand.touch("touchStart", (x, y))
        hand.touch("touchStart", (x, y), (other, y))
        for up in range(10, FAR // 2, 10):
            hand.touch("touchMove", (x, y - up), (other, y - up))
        hand.touch("touchEnd", (x, y - FAR / 2))
        hand.lift()

    phone.open("single-head?cover=weights&predict=row&q=1")
    slider, bars = phone.slider("walk"), phone.page.locator(".row-bars")
    before = slider.input_value(), phone.readout("walk"), bars.inner_text()
    two_that_go_up(slider)
    two_that_go_up(bars.locator("input").nth(1))
    assert (slider.input_value(), phone.readout("walk"), bars.inner_text()) == before
    assert bars.locator("input").nth(1).input_value() == "17"
    phone.open("kernel-regression")
    bandwidth, query = phone.slider("fit"), phone.slider("fit", "row")
    (x, y), (other, below) = at(bandwidth, 0.5), at(query, 0.5)
    hand.touch("touchStart", (x, y))
    hand.touch("touchStart", (x, y), (other, below))
    for far in range(10, 80, 10):
        hand.touch("touchMove", (x + far, y), (other - far, below))
    hand.touch("touchEnd", (other - 70, below))
    hand.lift()
    assert re.match("h=.+&x0=", phone.query)


def test_curve_drawing_cancelled_by_the_system_is_an_answer(phone: AppPage) -> None:
    phone.open("kernel-regression?cover=estimate&predict=curve")
    pad = phone.page.locator(".curve-pad svg")
    pad.evaluate("pad => pad.scrollIntoView({ block: 'center' })")
    hand = Fingers(phone)
    hand.move(*at(pad, 0.2), 120, 30)
    hand.touch("touchCancel")
    phone.settle()
    phone.page.get_by_role("button", name="Reveal").click()
    phone.settle()
    expect(phone.page.locator(".curve-pad polyline.pad-drawn")).to_have_count(1)
    expect(phone.page.get_by_text("You gave no answer.")).to_have_count(0)


@pytest.mark.slow
def test_sideways_swipe_leaves_no_page(phone: AppPage) -> None:
    phone.open("")
    phone.open("single-head")
    address = phone.page.url
    hand = phone.page.context.new_cdp_session(phone.page)
    for far in (FAR, -FAR):
        x, y = at(phone.figure("walk").locator(".live-row label").first, 0.5)
        hand.send(
            "Input.synthesizeScrollGesture", {"x": max(x, 30), "y": y, "xDistance": far, "yDistance": 0}
        )
    phone.settle()
    assert phone.page.url == address
    assert phone.page.evaluate(HANDS_ON) == []


def test_folded_sidebar_takes_no_keyboard_focus(app: AppPage) -> None:
    page = app.page
    app.open("kernel-regression")
    data = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Data set", include_hidden=True)
    expect(data).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 640})
    app.open("kernel-regression")
    opens = page.get_by_test_id("stExpandSidebarButton")
    expect(opens).to_be_visible()
    expect(page.get_by_role("combobox", name="Data set")).to_have_count(0)
    walked = []
    for _ in range(4):
        page.keyboard.press("Tab")
        walked.append(page.evaluate(FOCUSED))
    assert [right > 0 for _, _, right in walked] == [True] * 4, walked
    assert "MAIN" in [tag for tag, _, _ in walked]
    opens.focus()
    page.keyboard.press("Enter")
    expect(data).to_be_visible()
    data.focus()
    expect(data).to_be_focused()
    page.get_by_test_id("stSidebarCollapseButton").locator("button").focus()
    page.keyboard.press("Enter")
    expect(data).to_be_hidden()
    opens.click()
    page.get_by_test_id("stSidebarCollapseButton").locator("button").click()  # nothing lies on it
    expect(data).to_be_hidden()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)[2] > 0
