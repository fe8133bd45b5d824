"""Who presses again before a run has begun has what was asked for last, on a server where each run waits."""

from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from tests.browser.app_page import READY, AppPage
from tests.browser.conftest import serving


@pytest.fixture(scope="module")
def waiting() -> Iterator[str]:
    """The product, on which each run stands in line for a second."""
    with serving("tests/browser/waiting_app.py") as address:
        yield address


@pytest.fixture
def quick(app: AppPage, waiting: str) -> AppPage:
    """The page of kernel regression there, with the picture that opens first."""
    app.page.goto(f"{waiting}/kernel-regression")
    expect(app.figure("fit")).to_have_attribute("data-state", "drawn")
    app.page.wait_for_selector(READY)
    return app


def view(app: AppPage, name: str) -> None:
    app.page.get_by_test_id("stButtonGroup").get_by_text(name, exact=True).click()


def test_a_run_that_is_called_off_in_line_leaves_the_next_its_page(quick: AppPage) -> None:
    view(quick, "Four kernels")
    view(quick, "Bridge to attention")
    quick.page.wait_for_function("() => location.search.includes('Bridge')")
    expect(quick.figure("bridge")).to_have_attribute("data-state", "drawn")
    expect(quick.page.get_by_test_id("stAlert")).to_have_count(0)


def test_a_slider_that_is_let_go_while_another_view_is_opened_is_followed(quick: AppPage) -> None:
    view(quick, "Choose the bandwidth")
    quick.slider("fit").press("End")
    expect(quick.page.get_by_text("Learn from h = 25")).to_be_visible()
    quick.page.wait_for_function("() => new URLSearchParams(location.search).get('h') === '25'")


def test_a_slider_that_is_let_go_on_the_way_back_keeps_nobody_from_going_there(quick: AppPage) -> None:
    view(quick, "Four kernels")
    expect(quick.figure("compare")).to_have_attribute("data-state", "drawn")
    quick.page.wait_for_selector(READY)
    quick.page.go_back()
    quick.slider("compare").press("End")
    expect(quick.figure("fit")).to_have_attribute("data-state", "drawn")
    quick.page.wait_for_selector(READY)
    asked = parse_qs(quick.query)
    assert set(asked) <= {
        "h"
    }  # with the slider's place or without, but the same on the page as in the address
    assert quick.readout("fit") == asked.get("h", ["0.5"])[0]
