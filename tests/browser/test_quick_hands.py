"""Who presses again before a run has begun has the page that was asked for last."""

from playwright.sync_api import expect

from tests.browser.app_page import READY, AppPage
from tests.browser.conftest import serving


def test_a_run_that_is_called_off_in_line_leaves_the_next_its_page(app: AppPage) -> None:
    with serving("tests/browser/waiting_app.py") as address:
        app.page.goto(f"{address}/kernel-regression")
        app.page.wait_for_selector(READY)
        views = app.page.get_by_test_id("stButtonGroup")
        for view in ("Four kernels", "Bridge to attention"):
            views.get_by_text(view, exact=True).click()
        app.page.wait_for_function("() => location.search.includes('Bridge')")
        app.page.wait_for_selector(READY)
        expect(app.page.get_by_test_id("stAlert")).to_have_count(0)
        expect(app.figure("bridge")).to_have_attribute("data-state", "drawn")
