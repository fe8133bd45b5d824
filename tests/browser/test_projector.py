"""Projector mode: one figure fills the screen in large type; keys step, play and leave."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_page import NAMES, AppPage
from tests.browser.axe import violations
from tests.browser.save_panel import SavePanel

LEAST_LABEL = 17  # pixels on the screen; 20 where no more can be said in smaller type
ON = ".live-figure[data-projector]"


def filled(page: Page) -> bool:
    """Whether the figure stands over the whole window, with nothing of the page to be seen or hit."""
    found: bool = page.locator(ON).evaluate(
        """figure => {
            const box = figure.getBoundingClientRect();
            const [right, bottom] = [innerWidth - 3, innerHeight - 3];
            const corners = [[2, 2], [right, 2], [2, bottom], [right, bottom]];
            return box.x === 0 && box.y === 0 && box.width === innerWidth && box.height === innerHeight
                && corners.every(([x, y]) => figure.contains(document.elementFromPoint(x, y)));
        }"""
    )
    return found


@pytest.mark.essential
@pytest.mark.film
def test_projector_figure_fills_the_screen_and_follows_the_keys(app: AppPage) -> None:
    app.open("single-head")
    page, figure = app.page, app.figure("walk")
    before = app.readout("walk")
    figure.get_by_role("button", name="Fill the screen").click()
    expect(page.locator(ON)).to_have_count(1)
    page.wait_for_function("() => document.fullscreenElement !== null")
    page.wait_for_function(f"() => document.querySelector('{ON}').dataset.state === 'drawn'")
    page.wait_for_function(
        f"""() => {{
            const plot = document.querySelector('{ON} .live-plot');
            const scale = plot.getBoundingClientRect().width / plot.offsetWidth;
            return scale * plot._fullLayout.font.size >= {LEAST_LABEL} - 0.1;
        }}"""
    )
    assert filled(page)
    inside = figure.evaluate(
        """figure => {
            const box = figure.querySelector('.main-svg').getBoundingClientRect();
            const controls = figure.querySelector('.live-controls').getBoundingClientRect();
            return box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= controls.top;
        }"""
    )
    assert inside
    sentence = figure.locator(".live-says")
    assert sentence.evaluate("says => says.getBoundingClientRect().width") > 300
    page.keyboard.press("ArrowRight")
    expect(figure.locator("output").first).not_to_have_text(before)
    page.keyboard.press("PageUp")  # a presenter's remote
    expect(figure.locator("output").first).to_have_text(before)
    # Hover still tells the cell under the pointer, though the figure is enlarged.
    left, top, size = figure.evaluate(
        """figure => {
            const image = figure.querySelector('.heatmaplayer image');
            const { left, top, width } = image.getBoundingClientRect();
            return [left, top, width];
        }"""
    )
    page.mouse.move(left + size / 4 - 2, top + size / 4)
    page.mouse.move(left + size / 4, top + size / 4, steps=3)
    expect(figure.locator(".hovertext").first).to_contain_text("query cat, key cat")
    play = figure.locator("button[data-live=play]")
    play.evaluate(NAMES)
    for _ in range(2):
        page.keyboard.press(" ")
    assert play.evaluate("button => button.names") == ["Play", "Pause", "Play"]
    for _ in range(5):  # the keyboard stays with the figure
        page.keyboard.press("Tab")
        assert page.evaluate(f"() => document.querySelector('{ON}').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(page.locator(ON)).to_have_count(0)
    page.wait_for_function("() => document.fullscreenElement === null")
    expect(figure.get_by_role("button", name="Fill the screen")).to_be_focused()
    app.settle()
    assert figure.locator(".live-plot").evaluate(
        "plot => plot.getBoundingClientRect().width === plot.offsetWidth"
    )
    # The page has what was stepped to.
    assert f"t={app.readout('walk')}" in app.query or app.readout("walk") == before


@pytest.mark.still
@pytest.mark.parametrize("size", [(844, 390), (320, 256)])
def test_projector_sliders_cover_no_caption_on_a_low_screen(
    touch: Callable[[int, int], Page], server: str, size: tuple[int, int]
) -> None:
    app = AppPage(touch(*size), server)
    app.open("single-head?projector=true")
    app.page.wait_for_selector(f"{ON}[data-state=drawn]")
    app.settle()
    low, controls = app.figure("walk").evaluate(
        """figure => [
            Math.max(...[...figure.querySelectorAll('.main-svg text')]
                .map((text) => text.getBoundingClientRect().bottom)),
            figure.querySelector('.live-controls').getBoundingClientRect().top,
        ]"""
    )
    assert low <= controls
    figure = app.figure("walk")
    figure.evaluate("figure => figure.scrollTo(0, figure.scrollHeight)")
    end = figure.locator(".live-says").evaluate("says => says.getBoundingClientRect().bottom")
    assert end <= size[1]  # all that is said can be scrolled to
    assert app.errors == []


@pytest.mark.slow
def test_projector_link_starts_on_a_phone_too(app: AppPage) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open("?projector=true")
    expect(app.page.locator(ON)).to_have_count(1)
    assert filled(app.page)
    assert violations(app) == []
    app.page.wait_for_function(
        f"""() => {{
            const figure = document.querySelector('{ON}');
            const box = figure.querySelector('.main-svg').getBoundingClientRect();
            const controls = figure.querySelector('.live-controls').getBoundingClientRect();
            return box.width > 200 && box.left >= 0 && box.right <= innerWidth
                && box.top >= -1 && box.bottom <= controls.top + 1;
        }}"""
    )
    app.page.keyboard.press("Escape")
    expect(app.page.locator(ON)).to_have_count(0)
    # The panel that saves fits a phone as well, and axe finds nothing in it.
    panel = SavePanel(app, "opening")
    expect(app.page.locator("dialog[data-made=png]")).to_be_visible()
    assert violations(app) == []
    assert panel.dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
    panel.close()
