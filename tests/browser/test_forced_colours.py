"""Forced colours (Windows' high contrast): what is on, chosen or dragged is seen, by the pixels."""

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import FloatRect, Locator, expect

from tests.browser.app_page import AppPage

LESSON = "lesson=one-numbers-way-through-a-head.three-words-twelve-numbers"
TRACK = "label > div:not([data-testid])"


@pytest.fixture
def forced(app: AppPage) -> AppPage:
    """The app in a system that forces its colours."""
    app.page.emulate_media(forced_colors="active")
    return app


def pixels(control: Locator) -> np.ndarray:
    """What is seen of a control."""
    return np.asarray(Image.open(io.BytesIO(control.screenshot())).convert("RGB")).astype(int)


def ink(control: Locator) -> float:
    """The share of a control's pixels that stand out from the white page by 3 to 1 and more."""
    linear = (pixels(control) / 255) ** 2.2
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return float(np.mean(1.05 / (luminance + 0.05) >= 3))


def test_selected_or_dragged_controls_are_visible_in_forced_colours(forced: AppPage) -> None:
    page = forced.page
    forced.open("single-head")
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    forced.unfold()
    switch = page.get_by_test_id("stCheckbox").filter(has_text="Keys from a second sentence")
    off = pixels(switch.locator(TRACK))
    assert ink(switch.locator(TRACK)) > 0.1
    switch.locator(TRACK).click()
    expect(switch.locator("input")).to_be_checked()
    forced.settle()
    page.mouse.move(640, 10)
    on = pixels(switch.locator(TRACK))
    assert np.mean(np.abs(on - off).sum(axis=2) > 150) > 0.3

    group = page.get_by_test_id("stButtonGroup").first
    chosen = group.locator("[aria-checked=true]")
    others = group.locator("[aria-checked=false]")
    assert ink(chosen) > 0.5
    assert ink(others.first) < 0.4

    opened = page.get_by_role("tab", selected=True).first
    closed = page.get_by_role("tab", selected=False).first
    assert np.mean(pixels(opened)[-3:].sum(axis=2) < 600) > 0.5
    assert np.mean(pixels(closed)[-3:].sum(axis=2) < 600) < 0.1

    assert ink(forced.slider("walk")) > 0.1  # a live figure's


def test_sidebar_slider_is_visible_in_forced_colours(forced: AppPage) -> None:
    forced.open("kernel-regression")
    slider = forced.page.get_by_test_id("stSidebar").get_by_test_id("stSlider").first
    track = slider.locator("[data-rac][style*=relative]")
    thumb = slider.locator("[data-rac][style*=absolute]")
    rail = track.locator("> div").first
    assert ink(rail) > 0.6  # its ends are round
    assert ink(thumb) > 0.3


def test_explained_words_do_not_look_selected_in_forced_colours(app: AppPage) -> None:
    app.open("single-head")
    about = app.page.locator(".st-key-page-about")
    app.page.wait_for_function("() => CSS.highlights.get('terms')?.size > 3")
    app.page.emulate_media(forced_colors="active")
    app.page.wait_for_function("() => !CSS.highlights.has('terms')")
    assert ink(about) < 0.1  # letters
    app.page.emulate_media(forced_colors="none")
    app.page.wait_for_function("() => CSS.highlights.get('terms')?.size > 3")


def test_magnifier_and_lesson_bars_are_visible_in_forced_colours(forced: AppPage) -> None:
    page = forced.page
    forced.open(f"single-head?{LESSON}")
    bars = page.locator(".lesson-head li a")
    assert bars.count() > 1
    assert ink(page.locator(".lesson-head li a[aria-current]")) > 0.2
    assert np.mean(pixels(bars.nth(1)).sum(axis=2) < 700) > 0.1
    forced.open("single-head")
    box = page.locator(".search").bounding_box()
    assert box is not None
    handle: FloatRect = {"x": box["x"] + 21, "y": box["y"] + 22, "width": 9, "height": 9}
    seen = np.asarray(Image.open(io.BytesIO(page.screenshot(clip=handle))).convert("RGB"))
    assert (seen.sum(axis=2) < 400).sum() > 5
