"""The names of pictures and the contrast of digits in cells; axe-core is asked wherever a page is opened."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from attn_figures import theme
from tests.browser.app_page import AppPage
from tests.browser.axe import wear
from tests.browser.save_panel import SavePanel

pytestmark = pytest.mark.still


def test_picture_name_follows_its_view_and_its_slider(app: AppPage) -> None:
    app.open("single-head")
    picture = app.figure("walk").locator(".live-plot")
    panels = re.compile(
        r"^scores.*6 × 6; Query.* by Key.*; weights 6 × 6; V 6 × 4; output 6 × 4; Temperature"
    )
    expect(picture).to_have_attribute("aria-label", panels)
    expect(picture).to_have_attribute("aria-label", re.compile(" 1.00$"))
    app.press("walk", "ArrowRight")
    expect(picture).to_have_attribute("aria-label", re.compile(f" {app.readout('walk')}$"))
    assert app.readout("walk") != "1.00"
    app.segment("scores")
    expect(picture).to_have_attribute("aria-label", "Q 6 × 4; Kᵀ 4 × 6; scores QKᵀ 6 × 6")


@pytest.mark.essential
def test_cell_digits_are_readable_on_their_colours(app: AppPage) -> None:
    app.open("multi-head")
    for palette in (theme.DARK, theme.LIGHT):
        wear(app, palette)
        app.settle()
        cells = app.page.locator(".live-figure").first.evaluate(
            """figure => { const plot = figure.querySelector('.live-plot');
                return [...plot.querySelectorAll('.heatmaplayer .hm')].flatMap(map => {
                    const trace = map.__data__[0].trace;
                    const scale = plot._fullLayout[trace.coloraxis] ?? trace;
                    return [...map.querySelectorAll('.heatmap-label')].map(label => [
                        label.querySelector('text').style.fill, label.__data__.z,
                        scale.cmin ?? scale.zmin, scale.cmax ?? scale.zmax, scale.colorscale]);
                }); }"""
        )
        assert cells
        worst = min(
            contrast(hexadecimal(ink), colour_at(scale, (z - low) / (high - low)))
            for ink, z, low, high, scale in cells
        )
        assert worst >= 4.5


@pytest.mark.slow
def test_saved_picture_digits_are_readable_on_their_colours(app: AppPage, tmp_path: Path) -> None:
    app.open("multi-head")
    app.press("maps", "Home")  # one head, whose output has colours from end to end
    saved = {}
    panel = SavePanel(app, "maps")
    for form in ("svg", "png"):
        saved[form] = panel.save(tmp_path, form)
    app.page.goto(saved["svg"].as_uri())
    digits = app.page.locator(".hm text").evaluate_all(
        """texts => texts.map(text => {
            const { x, y, width } = text.getBoundingClientRect();
            return [getComputedStyle(text).fill, x + width / 2, y - 2, text.textContent];
        })"""
    )
    pixels = np.asarray(Image.open(saved["png"]).convert("RGB"))
    scale = pixels.shape[1] / app.page.locator("svg").first.evaluate("svg => svg.width.baseVal.value")
    assert len(digits) == 6 * 6 + 6 * 8
    assert {ink for ink, *_ in digits} == {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}
    for ink, x, y, said in digits:
        above = f"#{bytes(pixels[round(y * scale), round(x * scale)]).hex()}"
        assert contrast(hexadecimal(ink), above) >= 4.5, (said, ink, above)


def hexadecimal(colour: str) -> str:
    """Write `rgb(1, 2, 3)` as #010203."""
    return "#" + "".join(f"{int(channel):02X}" for channel in colour[4:-1].split(","))


def colour_at(scale: list[tuple[float, str]], place: float) -> str:
    """Mix the colour at a place of a scale, channel by channel, with numpy."""
    places = [at for at, _ in scale]
    channels = [[int(colour[i : i + 2], 16) for _, colour in scale] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(float(np.interp(place, places, channel))):02X}" for channel in channels)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2 contrast ratio of two #RRGGBB colours."""
    channels = [np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255 for colour in (one, other)]
    linear = [np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) for c in channels]
    low, high = sorted(float(c @ [0.2126, 0.7152, 0.0722]) + 0.05 for c in linear)
    return high / low
