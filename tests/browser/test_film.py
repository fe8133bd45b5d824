"""The film: pictures that Plotly drew beforehand, pixel by pixel what it draws at rest."""

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

from tests.browser.app_page import AppPage

pytestmark = pytest.mark.browser

PAGES = ("", "kernel-regression")
READY = "() => [...document.querySelectorAll('.live-film')][0]?.dataset.film === 'ready'"
# Moves the first slider, takes a copy of the film's picture, and waits until the real figure stands there.
MOVE = """
async (step) => {
    const figure = document.querySelector('.live-figure');
    const film = figure.querySelector('.live-film');
    const slider = figure.querySelector('input[data-live=step]');
    slider.value = step;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    window.copy = film.hidden ? null : film.firstElementChild.cloneNode(true);
    while (!film.hidden || figure.dataset.step !== String(step)) await new Promise(requestAnimationFrame);
    return window.copy !== null;
}
"""
COVER = "() => { const f = document.querySelector('.live-film'); f.hidden = false; f.append(window.copy); }"
UNCOVER = "() => { const f = document.querySelector('.live-film'); f.hidden = true; f.replaceChildren(); }"


def pixels(page: Page) -> np.ndarray:
    shot = page.locator(".live-stage").first.screenshot(animations="disabled")
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=int)


@pytest.mark.parametrize("path", PAGES)
def test_a_picture_of_the_film_is_what_plotly_draws(app: AppPage, path: str) -> None:
    app.open(path)
    page = app.page
    page.wait_for_function(READY, timeout=60_000)
    slider = page.locator("input[data-live=step]").first
    last = int(slider.get_attribute("max") or 0)
    page.mouse.move(2, 2)
    for step in sorted({0, last // 3, last}):
        assert page.evaluate(MOVE, step), f"step {step} has no picture"
        real = pixels(page)
        page.evaluate(COVER)
        film = pixels(page)
        page.evaluate(UNCOVER)
        off = np.abs(real - film).max(axis=-1)
        print(path, step, (off > 0).sum(), off.max(), off.size)
        # Edges of lines may be smoothed a shade differently: fewer than one pixel in a thousand.
        assert (off > 8).mean() < 1e-3, f"step {step}"
