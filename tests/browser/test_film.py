"""The film: pictures that Plotly drew beforehand, pixel by pixel what it draws at rest."""

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

from tests.browser.app_page import AppPage

pytestmark = pytest.mark.browser

PAGES = ("", "kernel-regression", "multi-head")
# All of a figure is in sight: a window that changed its size for a screenshot would begin another film.
WINDOW = {"width": 1280, "height": 1500}
SHADE = 8  # of 255: below it an edge is smoothed differently, which no eye sees
MOST_DIFFERENT = 0.002  # of all pixels
READY = "() => document.querySelector('.live-film')?.dataset.film === 'ready'"
# Moves the first slider, takes a copy of the film's picture, and waits until the real figure stands there.
MOVE = """
async (step) => {
    const figure = document.querySelector('.live-figure');
    const film = figure.querySelector('.live-film');
    const slider = figure.querySelector('input[data-live=step]');
    const there = () => film.hidden && figure.dataset.step === String(step);
    slider.value = step;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    window.copy = film.hidden ? null : film.firstElementChild.cloneNode(true);
    for (const start = performance.now(); !there() && performance.now() - start < 15000;)
        await new Promise(requestAnimationFrame);
    return [window.copy !== null, there()];
}
"""
COVER = "() => { const f = document.querySelector('.live-film'); f.hidden = false; f.append(window.copy); }"
UNCOVER = "() => { const f = document.querySelector('.live-film'); f.hidden = true; f.replaceChildren(); }"


def pixels(page: Page) -> np.ndarray:
    """The first figure, as it stands in the window."""
    box = page.locator(".live-stage").first.bounding_box()
    assert box
    left, top, width, height = (round(box[side]) for side in ("x", "y", "width", "height"))
    assert 0 <= top <= top + height <= WINDOW["height"]
    shot = np.asarray(Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB"), int)
    return shot[top : top + height, left : left + width]


@pytest.mark.parametrize("path", PAGES)
def test_a_picture_of_the_film_is_what_plotly_draws(app: AppPage, path: str) -> None:
    page = app.page
    page.set_viewport_size(WINDOW)
    page.set_default_timeout(90_000)
    app.open(path)
    page.wait_for_function(READY)
    page.locator(".live-stage").first.scroll_into_view_if_needed()
    page.mouse.move(2, 2)
    last = int(page.locator("input[data-live=step]").first.get_attribute("max") or 0)
    for step in sorted({0, last // 3, last}):
        assert page.evaluate(MOVE, step) == [True, True], f"step {step} has no picture"
        real = pixels(page)
        page.evaluate(COVER)
        film = pixels(page)
        page.evaluate(UNCOVER)
        assert np.ptp(film) > 100, f"step {step} is blank"
        different = np.abs(real - film).max(axis=-1) > SHADE
        assert different.mean() < MOST_DIFFERENT, f"step {step}: {different.sum()} of {different.size} pixels"
