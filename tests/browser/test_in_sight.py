"""The first sight of a laptop and of a phone: pictures above their sliders, rows of views whole."""

import pytest

from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still

# Where the picture, its panels and its sliders end, in the window.
EDGES = """() => {
    const box = (node) => node.getBoundingClientRect();
    const of = (selector) => document.querySelector(selector);
    const words = [...document.querySelectorAll(".live-plot .annotation-text")].map((node) => [
        node.textContent, box(node).bottom]);
    return { picture: box(of(".live-stage")).bottom, words: Object.fromEntries(words),
        sliders: [box(of(".live-controls")).top, box(of(".live-controls")).bottom] };
}"""
# The sides of a row of choices whose border cannot be seen.
OPEN = """() => [...document.querySelectorAll(".stMain [data-testid=stButtonGroup] button")].flatMap(
    (button) => ["Left", "Right", "Top", "Bottom"].filter((side) => {
        const colour = getComputedStyle(button)[`border${side}Color`];
        return colour === "transparent" || / 0\\)$|, 0\\)$/.test(colour);
    }).map((side) => `${button.textContent}: ${side}`))"""
LINES = """() => new Set([...document.querySelectorAll(".stMain [data-testid=stButtonGroup] button")]
    .map((button) => button.getBoundingClientRect().top)).size"""


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.parametrize("use", ["images", "captions", "speech"])
def test_laptop_shows_the_picture_with_captions_and_sliders(app: AppPage, use: str) -> None:
    app.page.set_viewport_size({"width": 1366, "height": 768})
    app.open(f"applications?use={use}")
    edges = app.page.evaluate(EDGES)
    top, bottom = edges["sliders"]
    assert edges["picture"] <= top + 1
    assert max(edges["words"].values()) <= top
    assert bottom <= 768 - 16


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "link",
    [
        "single-head",
        "single-head?stage=hard+or+soft",
        "single-head?stage=threshold",
        "multi-head",
        "multi-head?view=points",
        "multi-head?view=encoder+and+decoder",
        "kernel-regression?picture=Bridge+to+attention",
    ],
)
@pytest.mark.parametrize("window", [(1024, 768), (1366, 768)], ids=str)
def test_low_window_shows_the_whole_picture_above_its_sliders(
    app: AppPage, window: tuple[int, int], link: str
) -> None:
    app.page.set_viewport_size({"width": window[0], "height": window[1]})
    app.open(link)
    edges = app.page.evaluate(EDGES)
    assert edges["picture"] <= edges["sliders"][0] + 1  # its last row and its captions too


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.parametrize("use", ["images", "captions"])
def test_phone_shows_picture_and_weights_above_the_sliders(app: AppPage, use: str) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open(f"applications?use={use}")
    edges = app.page.evaluate(EDGES)
    said = {words: bottom for words, bottom in edges["words"].items() if "looks" in words or "keys" in words}
    first, second, every = sorted(said.values())
    assert first == pytest.approx(second, abs=1)  # side by side
    assert second <= edges["sliders"][0] < every  # all rows come below


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "link", ["applications?use=captions", "applications?use=images", "positional-encoding"]
)
def test_wrapped_row_of_views_has_all_its_borders(app: AppPage, link: str) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open(link)
    assert app.page.evaluate(LINES) > 1
    assert app.page.evaluate(OPEN) == []
