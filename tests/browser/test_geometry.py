"""Figures at all sizes: no words on other words or on a map, none cut off, none left out without need."""

from urllib.parse import quote_plus

import pytest

from tests.browser.app_page import AppPage
from tests.browser.geometry import MEASURE, Drawn, faults, read

SIZES = ((1280, 800), (1920, 1080), (820, 1180), (390, 844))
LONG = quote_plus(
    "unsere zufriedenen Nachbarn verbringen jeden langen Winterabend gemeinsam singend neben einem "
    "knisternden Kaminfeuer ganz zufrieden"
)
FIGURES = {
    "": "story",
    "single-head?stage=all+at+once": "walk",
    f"single-head?stage=all+at+once&text={LONG}": "walk",
    f"single-head?stage=scores&text={LONG}": "walk",
    "multi-head": "maps",
    "multi-head?heads=8&text=cats+like+warm+milk": "maps",
    f"multi-head?text={LONG}": "maps",
    f"multi-head?view=two+heads&text={LONG}": "maps",
    f"positional-encoding?text={LONG}": "attention",
    "learned-heads": "learned",
    "learned-heads?task=sort": "learned",
}


def measured(app: AppPage, key: str) -> Drawn:
    """Measure a figure as it stands."""
    return read(app.figure(key).evaluate(MEASURE))


@pytest.mark.still
@pytest.mark.parametrize("link", FIGURES)
def test_all_words_can_be_read_at_every_size(app: AppPage, link: str) -> None:
    app.open(link)
    for width, height in SIZES:
        app.page.set_viewport_size({"width": width, "height": height})
        app.settle()
        drawn = measured(app, FIGURES[link])
        assert faults(drawn) == [], (width, height)
        assert drawn.smallest >= 8, (width, height)


@pytest.mark.still
@pytest.mark.parametrize("link", ["learned-heads", "multi-head", f"multi-head?text={LONG}"])
def test_a_phone_scrolls_rather_than_leave_labels_out(app: AppPage, link: str) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open(link)
    said = app.figure(FIGURES[link]).locator(".xtick text, .ytick text").all_inner_texts()
    columns = app.trace(FIGURES[link], next(iter(_names(app, FIGURES[link]))), "z")
    assert len(said) >= 2 * len(columns)
    assert measured(app, FIGURES[link]).cell >= 9


def _names(app: AppPage, key: str) -> list[str]:
    names: list[str] = app.figure(key).evaluate(
        "figure => figure.querySelector('.live-plot')._fullData.filter(t => t.type === 'heatmap')"
        ".map(t => t.name)"
    )
    return names


@pytest.mark.still
def test_what_is_in_the_way_or_cut_off_is_found(app: AppPage) -> None:
    app.open("multi-head")
    assert faults(measured(app, "maps")) == []
    captions = app.figure("maps").locator(".annotation-text")
    captions.nth(0).evaluate("text => text.setAttribute('transform', 'translate(0, -60)')")
    (wrong,) = faults(measured(app, "maps"))
    assert wrong == "'head 1' lies on 'head 1'"
    captions.nth(0).evaluate("text => text.setAttribute('transform', 'translate(-2000, 0)')")
    assert faults(measured(app, "maps")) == ["'head 1' is cut off"]
