"""Back and forward: a page is one step, each settled change of it is one, and each comes back as it was."""

from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Locator, expect

from pages.kernel_regression.settings import BANDWIDTH
from tests.browser.app_page import READY, AppPage


def steps(app: AppPage) -> int:
    """Count the entries of this tab's history."""
    count: int = app.page.evaluate("history.length")
    return count


def wait_at(app: AppPage, title: str, **settings: str) -> None:
    """Wait until a page stands there, with these settings and no others in its address."""
    expect(app.page.locator("h1")).to_have_text(title)
    app.page.wait_for_function(
        """wanted => {
            const found = [...new URLSearchParams(location.search)].map(pair => pair.join('=')).sort();
            return JSON.stringify(found) === JSON.stringify(wanted);
        }""",
        arg=sorted(f"{name}={value}" for name, value in settings.items()),
    )
    app.page.wait_for_selector(READY)


def wait_for_readout(app: AppPage, key: str, text: str) -> None:
    """Wait until a live figure is drawn and its slider says this."""
    expect(app.figure(key)).to_have_attribute("data-state", "drawn")
    expect(app.figure(key).locator(".live-row:has(input[data-live=step]) output")).to_have_text(text)


def go_to(app: AppPage, link: str) -> None:
    app.page.get_by_test_id("stTopNavLink").filter(has_text=link).click()


def open_and_set_eight_heads(app: AppPage) -> tuple[int, str]:
    """Go from the overview to eight heads; return the length of the history and the heading before."""
    app.open()
    before, overview = steps(app), app.page.locator("h1").inner_text()
    go_to(app, "Multi-head")
    wait_at(app, "Multi-head attention")
    wait_for_readout(app, "maps", "4")
    app.slider("maps").press("ArrowRight")
    wait_at(app, "Multi-head attention", heads="8")
    return before, overview


@pytest.mark.essential
@pytest.mark.still
def test_back_returns_to_a_page_as_it_was_left(app: AppPage) -> None:
    before, overview = open_and_set_eight_heads(app)
    app.unfold()
    app.page.get_by_text("Biases", exact=True).click()
    wait_at(app, "Multi-head attention", heads="8", bias="true")
    go_to(app, "Single head")
    expect(app.page.locator("h1")).to_have_text("Single-head attention")
    app.page.wait_for_selector(READY)
    assert steps(app) == before + 4

    app.page.go_back()
    wait_at(app, "Multi-head attention", heads="8", bias="true")
    wait_for_readout(app, "maps", "8")
    expect(app.page.get_by_role("switch", name="Biases")).to_be_checked()
    app.page.go_back()
    wait_at(app, "Multi-head attention", heads="8")
    app.unfold()
    expect(app.page.get_by_role("switch", name="Biases")).not_to_be_checked()
    app.page.go_back()
    wait_at(app, "Multi-head attention")
    wait_for_readout(app, "maps", "4")
    app.page.go_back()
    wait_at(app, overview)


@pytest.mark.still
@pytest.mark.slow
def test_forward_returns_to_what_back_left(app: AppPage) -> None:
    before, overview = open_and_set_eight_heads(app)
    go_to(app, "Single head")
    wait_at(app, "Single-head attention")
    wait_for_readout(app, "walk", "1.00")
    app.slider("walk").press("ArrowRight")
    temperature = app.readout("walk")
    head = {"t": temperature}
    wait_at(app, "Single-head attention", **head)
    app.option("weights").click()
    wait_at(app, "Single-head attention", **head, stage="weights")
    app.page.get_by_role("tab", name="Maths").click()  # a stage within a second would be the same step
    wait_at(app, "Single-head attention", **head, stage="weights", tab="Maths")
    assert steps(app) == before + 6

    app.page.go_back()
    wait_at(app, "Single-head attention", **head, stage="weights")
    expect(stage(app, "weights")).to_be_checked()
    app.page.go_back()
    wait_at(app, "Single-head attention", **head)
    expect(stage(app, "all at once")).to_be_checked()
    app.page.go_back()
    wait_at(app, "Single-head attention")
    app.page.go_back()
    wait_at(app, "Multi-head attention", heads="8")
    wait_for_readout(app, "maps", "8")
    app.page.evaluate("history.go(-2)")
    wait_at(app, overview)

    app.page.evaluate("history.go(2)")
    wait_at(app, "Multi-head attention", heads="8")
    wait_for_readout(app, "maps", "8")
    app.page.evaluate("history.go(2)")
    wait_at(app, "Single-head attention", **head)
    wait_for_readout(app, "walk", temperature)
    app.page.go_forward()
    wait_at(app, "Single-head attention", **head, stage="weights")
    expect(stage(app, "weights")).to_be_checked()
    app.page.go_forward()
    wait_at(app, "Single-head attention", **head, stage="weights", tab="Maths")
    assert steps(app) == before + 6


def stage(app: AppPage, name: str) -> Locator:
    """The button of a stage of one head."""
    return app.page.get_by_test_id("stButtonGroup").get_by_role("radio", name=name, exact=True)


@pytest.mark.still
def test_view_change_and_slider_release_are_history_steps(app: AppPage) -> None:
    app.open("kernel-regression")
    before = steps(app)
    app.slider("fit").press("ArrowRight")
    app.slider("fit").press("ArrowRight")
    h = app.readout("fit")
    wait_at(app, "Kernel regression", h=h)
    assert steps(app) == before + 1
    app.option("Four kernels").click()
    wait_at(app, "Kernel regression", h=h, picture="Four kernels")
    assert steps(app) == before + 2
    expect(app.figure("compare")).to_have_attribute("data-state", "drawn")
    app.slider("compare").press("Home")
    app.page.wait_for_function("h => new URLSearchParams(location.search).get('h') !== h", arg=h)
    app.option("Bridge to attention").click()
    app.page.wait_for_function("() => location.search.includes('Bridge')")
    assert steps(app) == before + 4
    app.page.evaluate("history.go(-3)")
    wait_at(app, "Kernel regression", h=h)
    wait_for_readout(app, "fit", h)


@pytest.mark.film
@pytest.mark.slow
def test_view_change_while_the_slider_plays_keeps_the_bandwidth(app: AppPage) -> None:
    app.open("kernel-regression")
    start = int(app.slider("fit").input_value())
    app.figure("fit").locator("button[data-live=play]").click()
    app.page.wait_for_function(
        "n => Number(document.querySelector('.st-key-fit input[data-live=step]').value) > n", arg=start + 2
    )
    app.option("Four kernels").click()
    app.page.wait_for_function("() => location.search.includes('Four')")
    expect(app.figure("compare")).to_have_attribute("data-state", "drawn")
    app.page.wait_for_selector(READY)
    assert float(parse_qs(app.query)["h"][0]) > BANDWIDTH.values[start + 2] * 0.99
    assert app.readout("compare") == parse_qs(app.query)["h"][0]
