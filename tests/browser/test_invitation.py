"""What the overview says to whoever never moved a slider, and that nobody else meets it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.app_page import AppPage
from tests.browser.save_panel import SavePanel

INVITES = ".live-invites"
MOVES = "node => getComputedStyle(node.querySelector('svg')).animationName"


@pytest.fixture
def stranger(browser: Browser, server: str) -> Iterator[AppPage]:
    """The app in a browser that was never here."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = AppPage(context.new_page(), server)
    yield page
    assert page.errors == []
    context.close()


def test_invitation_explains_the_figure_until_the_first_drag(stranger: AppPage, tmp_path: Path) -> None:
    page = stranger.page
    stranger.open()
    said = page.locator(INVITES)
    expect(said).to_have_count(1)  # of all figures of the page
    expect(said).to_be_in_viewport()
    expect(said).to_contain_text("move the slider")
    assert said.evaluate(MOVES) == "live-drag-me"
    page.emulate_media(reduced_motion="reduce")
    assert said.evaluate(MOVES) == "none"
    # Neither a saved picture nor a projector has it.
    panel = SavePanel(stranger, "opening")
    saved = panel.save(tmp_path, "html")
    drawing = panel.save(tmp_path, "svg").read_text()
    panel.close()
    assert "move the slider" not in drawing
    stranger.figure("opening").get_by_role("button", name="Fill the screen").click()
    expect(said).to_be_hidden()
    page.keyboard.press("Escape")
    expect(said).to_be_visible()
    # The first move takes it away, and moves nothing else.
    slider = stranger.slider("opening", "row")
    place = slider.bounding_box()
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_be_hidden()
    assert slider.bounding_box() == place
    stranger.settle()
    stranger.open()
    expect(said).to_have_count(1)
    expect(said).to_be_hidden()
    page.goto(saved.as_uri())
    expect(page.locator(".live-figure")).to_have_attribute("data-state", "drawn")
    expect(page.locator(INVITES)).to_be_hidden()


@pytest.mark.slow
def test_invitation_is_absent_on_other_pages(stranger: AppPage) -> None:
    stranger.open("single-head")
    expect(stranger.page.locator(INVITES)).to_be_hidden()
