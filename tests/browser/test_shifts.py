"""A page fits its window; nothing on it moves while it opens, while its slider is dragged, nor after that."""

import pytest

from tests.browser.app_page import AppPage

PAGES = (
    "",
    *("kernel-regression", "single-head", "positional-encoding", "multi-head", "learned-heads"),
    *("what-courses-say", "applications"),
)
LEAST = 0.002  # of the window, weighed by how far it moved: a number in a table that becomes a digit wider
WATCH = """
() => {
    window.moved = [];
    new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries())
            window.moved.push([value, ...sources.map(({ node }) => `${node?.className || node?.nodeName}`)]);
    }).observe({ type: 'layout-shift' });
}
"""
# Where a page stands beside the sidebar, and the list of pages above it, are Streamlit's own to move.
WATCH_OURS = """
window.shifts = [];
new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
        const ours = sources.filter(({ node }) => {
            const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
            return element?.closest('.stMainBlockContainer, .stSidebar');
        });
        if (ours.length) window.shifts.push([value, ...ours.map(({ node }) => node.className)]);
    }
}).observe({ type: 'layout-shift', buffered: true });
"""
SEEN = """
(element) => {
    while (element && getComputedStyle(element).opacity !== '0') element = element.parentElement;
    return !element;
}
"""


# What is drawn wider than the window: a page never scrolls sideways.
BEYOND = "() => document.querySelector('[data-testid=stMain]').scrollWidth - window.innerWidth"


@pytest.mark.always
@pytest.mark.sample(5)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_fits_and_stays_where_it_is(app: AppPage, path: str, width: int) -> None:
    page = app.page
    page.set_viewport_size({"width": width, "height": 844})
    page.add_init_script(WATCH_OURS)
    app.open(path)
    shifts = page.evaluate("() => window.shifts")
    assert sum(value for value, *_ in shifts) < LEAST, shifts
    assert page.locator("[data-testid=stMarkdown]").last.evaluate(SEEN)
    assert page.locator("h1").count() == 1
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate(BEYOND) <= 0
    if width == 390:
        return
    drag(app)
    shifts = page.evaluate("() => window.moved")
    assert sum(value for value, *_ in shifts) < LEAST, shifts
    page.set_viewport_size({"width": 1920, "height": 1080})
    app.settle()
    assert page.evaluate(BEYOND) <= 0


def drag(app: AppPage) -> None:
    """Drag the first slider of the page from end to end and back to its middle, and let it go."""
    page = app.page
    slider = page.locator("input[data-live=step]").first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box
    left, right, middle = box["x"] + 8, box["x"] + box["width"] - 8, box["y"] + box["height"] / 2
    page.mouse.move(left, middle)
    page.mouse.down()
    page.evaluate(WATCH)
    page.mouse.move(right, middle, steps=12)
    page.mouse.move((left + right) / 2, middle, steps=6)
    page.mouse.up()
    app.settle()


def test_the_style_of_our_own_html_counts_once(app: AppPage) -> None:
    """The app brings it too, for hosts with an HTML of their own: twice is twice the work of a picture."""
    app.open("single-head")
    page = app.page
    page.wait_for_function(
        "() => [...document.querySelectorAll('style')].some((each) => each.media === 'not all')"
    )
    own = page.locator("link[rel=stylesheet][href*='/page.css']").get_attribute("href")
    other = page.locator("style[media='not all']")
    assert other.count() == 1
    assert f'@import url("{own}")' in (other.text_content() or "")
    assert (
        page.locator(".live-controls").first.evaluate("(each) => getComputedStyle(each).position") == "sticky"
    )
