"""A page as it opens, in each of its tabs and views: sound, in its window, open to everybody, and still.

Nothing on it moves while it opens, while its slider is dragged, nor after that.
"""

import itertools
import zlib
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from attn_figures import theme
from attn_ui.base.navigation import PAGES
from pages.applications import settings as applications
from pages.kernel_regression import settings as kernel_regression
from pages.learned_heads import settings as learned_heads
from pages.multi_head import settings as multi_head
from pages.positional_encoding import settings as positional_encoding
from pages.single_head import settings as single_head
from pages.what_courses_say import settings as what_courses_say
from tests.browser.app_page import AppPage
from tests.browser.axe import faults_in_both_themes, violations, wear

# What is looked at side by side: every tab once and every view once.
WALKS = {
    "kernel-regression": (kernel_regression.TAB, kernel_regression.KERNEL_VIEW),
    "single-head": (single_head.TAB, single_head.STAGE),
    "positional-encoding": (positional_encoding.TAB, positional_encoding.PICTURE),
    "multi-head": (multi_head.TAB, multi_head.VIEW),
    "learned-heads": (learned_heads.TAB, learned_heads.MODEL),
    "what-courses-say": (what_courses_say.TAB, what_courses_say.CLAIM),
    "applications": (applications.TAB, applications.USE),
}
LINKS = [
    *(page.address for page in PAGES),  # a picture stands before these
    *(
        f"{address}?{urlencode({tabs.name: tab or tabs.options[-1], views.name: view or views.options[-1]})}"
        for address, (tabs, views) in WALKS.items()
        for tab, view in itertools.zip_longest(tabs.options, views.options)
    ),
]
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
# What moved so far, of ours: where a page stands beside the sidebar, and the list of pages above it, are
# Streamlit's own to move.
OURS = """
() => new Promise((done) => {
    const shifts = [];
    new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries()) {
            const ours = sources.filter(({ node, previousRect, currentRect }) => {
                const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
                // All of the page at once, when the sidebar comes.
                const isPage = element?.matches('.stMainBlockContainer') && previousRect.y === currentRect.y;
                return !isPage && element?.closest('.stMainBlockContainer, .stSidebar');
            });
            if (ours.length) shifts.push([value, ...ours.map(({ node }) => node.className)]);
        }
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => done(shifts), 50);  // what is kept is told at once, but not before this has returned
})
"""
SEEN = """
(element) => {
    while (element && getComputedStyle(element).opacity !== '0') element = element.parentElement;
    return !element;
}
"""


# What is drawn wider than the window: a page never scrolls sideways.
BEYOND = "() => document.querySelector('[data-testid=stMain]').scrollWidth - window.innerWidth"


@pytest.mark.essential
@pytest.mark.sample(5)
@pytest.mark.parametrize("link", LINKS)
def test_page_opens_fits_passes_axe_and_moves_nothing(
    app: AppPage, link: str, request: pytest.FixtureRequest
) -> None:
    page = app.page
    wide, dark = divmod(zlib.crc32(link.encode()) % 4, 2)
    page.set_viewport_size({"width": 1280 if wide else 390, "height": 844})
    app.open(link)
    shifts = page.evaluate(OURS)
    assert sum(value for value, *_ in shifts) < LEAST, shifts
    assert page.locator("[data-testid=stMarkdown]").last.evaluate(SEEN)
    assert page.locator("h1").count() == 1
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate(BEYOND) <= 0
    if "tab=Code" in link:
        expect(page.locator(".stCode .token").first).to_be_visible()  # coloured a moment later
    if request.config.getoption("--wide"):
        assert faults_in_both_themes(app) == []
    else:
        wear(app, theme.DARK if dark else theme.LIGHT)
        assert violations(app) == []
    if wide:
        drag(app)
        shifts = page.evaluate("() => window.moved")
        assert sum(value for value, *_ in shifts) < LEAST, shifts
        page.set_viewport_size({"width": 1920, "height": 1080})
        app.settle()
        assert page.evaluate(BEYOND) <= 0


def drag(app: AppPage) -> None:
    """Drag the first slider of the page, if any, from end to end and back to its middle, and let it go."""
    page = app.page
    page.evaluate(WATCH)
    slider = page.locator("input[data-live=step]").first
    if not slider.count():
        return
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box
    left, right, middle = box["x"] + 8, box["x"] + box["width"] - 8, box["y"] + box["height"] / 2
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(right, middle, steps=12)
    page.mouse.move((left + right) / 2, middle, steps=6)
    page.mouse.up()
    app.settle()


def test_own_html_styles_are_counted_once(app: AppPage) -> None:
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
