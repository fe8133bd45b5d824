"""Back and forward: a page is one step, a view of it is one, and each comes back as it was left."""

import pytest

from tests.browser.app_page import AppPage

pytestmark = pytest.mark.browser


def go_to(app: AppPage, title: str) -> None:
    app.page.get_by_role("link", name=title, exact=True).first.click()
    app.page.locator("h1", has_text=title).wait_for()
    app.settle()


def heading(app: AppPage) -> str:
    return app.page.locator("h1").inner_text()


def test_one_press_goes_back_to_a_page_as_it_was_left(app: AppPage) -> None:
    app.open("multi-head?bias=true&seed=7&view=two+heads&tab=Checks")
    left, steps = app.query, app.page.evaluate("history.length")
    go_to(app, "Single head")
    assert app.page.evaluate("history.length") == steps + 1
    app.page.go_back()
    app.settle()
    assert heading(app).startswith("Multi-head")
    assert set(app.query.split("&")) == set(left.split("&"))


def test_a_view_is_a_step_and_a_slider_is_not(app: AppPage) -> None:
    app.open("multi-head")
    steps = app.page.evaluate("history.length")
    app.segment("mean and max")
    app.segment("two heads")
    assert app.page.evaluate("history.length") == steps + 2
    app.page.get_by_text("Bias", exact=False).first.click()
    app.settle()
    assert app.page.evaluate("history.length") == steps + 2
    app.page.go_back()
    app.settle()
    assert "view=mean+and+max" in app.query
    app.page.go_back()
    app.settle()
    assert "view=" not in app.query
    app.page.go_forward()
    app.settle()
    assert "view=mean+and+max" in app.query
