"""What a finger means, on a phone and on a tablet: a tap chooses, all else scrolls or zooms."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.app_page import AppPage
from tests.browser.fingers import Fingers, Point, at
from tests.pages import PAGES

pytestmark = [pytest.mark.still, pytest.mark.sample(1)]

SIZES = {"phone": (390, 844), "tablet": (820, 1180)}
LONG = 1.5  # seconds: nobody taps so slowly
FAR = 120  # pixels
SCROLLED = "() => document.querySelector('.stMain').scrollTop"
ZOOM = "() => window.visualViewport.scale"
# What of the same cell is framed beside it, and what the label beside the finger says.
FRAMED = "figure => figure.querySelectorAll('.live-frames > *').length"
LABEL = (
    "figure => [...figure.querySelectorAll('.hoverlayer .hovertext')].map(label => label.textContent).join()"
)
# All that a read-out says from now on.
LEAST, MAIN_LEAST = 24, 44  # pixels a side that a finger can hit, by WCAG 2.2 and by Apple's advice
# Whatever is pressed and smaller; a link within a sentence may be.
SMALL = """(least) => [...document.querySelectorAll('.stApp :is(button, a[href], input, [role=tab])')]
    .filter((node) => !node.matches('p a, [type=range], [type=radio]')
        && node.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .map((node) => [node, node.matches('[type=checkbox]') ? node.closest('label') : node])
    .map(([node, area]) => [node, area.getBoundingClientRect()])
    .filter(([, box]) => box.width > 1 && box.right > 0 && Math.min(box.width, box.height) < least)
    .map(([node, box]) => `${node.innerText || node.ariaLabel} ${box.width} x ${box.height}`)"""
# All that a read-out says from now on.
WATCH = """(output) => {
    output.said = [];
    new MutationObserver(() => output.said.push(output.textContent))
        .observe(output, { childList: true, characterData: true, subtree: true });
}"""
SAID = "output => output.said"
DRAWN = """([slider, step]) => slider.closest('.live-figure').dataset.step === String(step)"""


@pytest.fixture(params=SIZES)
def touched(
    request: pytest.FixtureRequest, touch: Callable[[int, int], Page], server: str
) -> Iterator[AppPage]:
    """The app on a screen that is touched."""
    page = AppPage(touch(*SIZES[request.param]), server)
    yield page
    assert page.errors == []


def cell(app: AppPage, row: int, column: int) -> Point:
    """Where a cell of the masked scores is, in the middle of the screen."""
    app.figure("walk").evaluate("figure => figure.scrollIntoView({ block: 'center' })")
    return app.cell_centre("walk", "masked", row, column)


def label_of(app: AppPage) -> str:
    text: str = app.figure("walk").evaluate(LABEL)
    return text


@pytest.mark.essential
def test_tap_selects_its_cell_shows_its_value_and_frames_it_everywhere(touched: AppPage) -> None:
    touched.open("single-head")
    hand = Fingers(touched)
    hand.tap(*cell(touched, 2, 1))
    assert touched.query == "q=2&k=1"
    value = touched.trace("walk", "masked")[2][1]
    assert f"{value:.3f}".removeprefix("-") in label_of(touched)
    assert touched.figure("walk").evaluate(FRAMED) == 3  # scores, masked scores and weights
    # Two quick taps are two, not a wish to zoom.
    hand.tap(*cell(touched, 3, 3))
    hand.tap(*cell(touched, 3, 2))
    assert touched.query == "q=3&k=2"
    assert touched.page.evaluate(ZOOM) == 1


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.parametrize(("right", "down"), [(0, -FAR), (0, FAR), (FAR, 0), (-FAR, 0)])
def test_swipe_over_a_figure_scrolls_the_page_and_selects_nothing(
    touched: AppPage, right: float, down: float
) -> None:
    touched.open("single-head?tab=Code")
    asked, address = touched.n_asked, touched.page.url
    place = cell(touched, 2, 2)
    before = touched.page.evaluate(SCROLLED)
    Fingers(touched).swipe(*place, right, down)
    moved = touched.page.evaluate(SCROLLED) - before
    assert (moved * down < 0) if down else (moved == 0)
    assert (touched.page.url, label_of(touched)) == (address, "")
    assert touched.n_asked == asked


@pytest.mark.slow
def test_pinch_zooms_the_page_and_selects_nothing(touched: AppPage) -> None:
    touched.open("single-head")
    asked, address = touched.n_asked, touched.page.url
    hand = Fingers(touched)
    hand.tap_with_two(*cell(touched, 2, 1), 60)
    assert (touched.page.url, label_of(touched)) == (address, "")
    hand.spread(*cell(touched, 2, 2), 60)
    assert touched.page.evaluate(ZOOM) > 1.2
    assert (touched.page.url, label_of(touched)) == (address, "")
    assert touched.n_asked == asked


@pytest.mark.slow
def test_long_press_on_a_cell_selects_nothing(touched: AppPage) -> None:
    touched.open("single-head")
    address = touched.page.url
    place = cell(touched, 2, 1)
    Fingers(touched).tap(*place, LONG)
    assert (touched.page.url, label_of(touched)) == (address, "")
    Fingers(touched).tap(*place)
    assert touched.query == "q=2&k=1"


@pytest.mark.slow
def test_scroll_over_a_figure_waits_for_no_listener(touched: AppPage) -> None:
    touched.open("single-head")
    session = touched.page.context.new_cdp_session(touched.page)
    figure = session.send(
        "Runtime.evaluate", {"expression": "document.querySelector('.st-key-walk .live-figure')"}
    )["result"]["objectId"]
    # Drawn anew: Plotly then listens anew.
    touched.press("walk", "ArrowRight")
    heard: list[dict[str, Any]] = session.send(
        "DOMDebugger.getEventListeners", {"objectId": figure, "depth": -1, "pierce": True}
    )["listeners"]
    kinds = {each["type"] for each in heard}
    assert {"pointerdown", "click", "mousedown"} <= kinds, "the listeners of the figure were not found"
    waits = [e["type"] for e in heard if e["type"] in ("touchstart", "touchmove") and not e["passive"]]
    assert waits == []


@pytest.mark.essential
def test_live_slider_follows_a_finger_sideways_only(touched: AppPage) -> None:
    touched.open("single-head?tab=Code")
    slider = touched.slider("walk")
    slider.scroll_into_view_if_needed()
    output = touched.figure("walk").locator(".live-row:has(input[data-live=step]) output")
    output.evaluate(WATCH)
    stood, address, asked = slider.input_value(), touched.page.url, touched.n_asked
    hand = Fingers(touched)
    # Up, down, and up at a slant: the page scrolls, and the picture does not as much as start.
    for right, down in ((3, -FAR), (3, FAR), (40, -FAR)):
        slider.scroll_into_view_if_needed()
        before = touched.page.evaluate(SCROLLED)
        hand.swipe(*at(slider, 0.8), right, down)
        assert (touched.page.evaluate(SCROLLED) - before) * down < 0
        assert output.evaluate(SAID) == []
        assert (slider.input_value(), touched.page.url, touched.n_asked) == (stood, address, asked)
    # Sideways the picture moves before the finger is lifted, and nothing is asked of the server till then.
    slider.scroll_into_view_if_needed()
    before = touched.page.evaluate(SCROLLED)
    hand.move(*at(slider, 0.5), 90, 4)
    assert slider.input_value() != stood
    touched.page.wait_for_function(DRAWN, arg=[slider.element_handle(), slider.input_value()])
    assert len(output.evaluate(SAID)) > 3
    assert (touched.page.url, touched.n_asked) == (address, asked)
    hand.lift()
    assert f"t={touched.readout('walk')}" in touched.query
    assert touched.page.evaluate(SCROLLED) == before
    # A tap sets it where the finger was.
    hand.tap(*at(slider, 0.1))
    assert int(slider.input_value()) < int(stood)
    assert f"t={touched.readout('walk')}" in touched.query


@pytest.mark.sample(2)
@pytest.mark.parametrize("address", PAGES)
def test_touch_targets_are_large_enough(touched: AppPage, address: str) -> None:
    touched.open(address)
    small: list[str] = touched.page.evaluate(SMALL, LEAST)
    assert small == []
    figure = touched.page.locator(".live-figure").first
    for main in figure.locator(".live-controls :is(button, input)").all():
        if main.is_visible():
            box = main.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= MAIN_LEAST
    assert at_least_half(figure)


def at_least_half(figure: Locator) -> bool:
    """Whether the sliders of a figure are half as long as it is wide."""
    half: bool = figure.evaluate(
        """figure => [...figure.querySelectorAll('input[type=range]')]
            .every(slider => slider.offsetWidth >= figure.offsetWidth / 2)"""
    )
    return half
