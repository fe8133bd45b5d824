"""Nothing on a page moves while its slider is dragged, nor when it is let go."""

import pytest

from tests.browser.app_page import AppPage

PAGES = ("", "kernel-regression", "single-head", "positional-encoding", "multi-head", "learned-heads")
LEAST = 0.002  # of the window, weighed by how far it moved: a number in a table that becomes a digit wider
WATCH = """
() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries())
            window.shifts.push([value, ...sources.map(({ node }) => `${node?.className || node?.nodeName}`)]);
    }).observe({ type: 'layout-shift' });
}
"""


@pytest.mark.parametrize("path", PAGES)
def test_nothing_moves_while_a_slider_is_dragged_nor_when_it_is_let_go(app: AppPage, path: str) -> None:
    page = app.page
    app.open(path)
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
    shifts = page.evaluate("() => window.shifts")
    assert sum(value for value, *_ in shifts) < LEAST, shifts
