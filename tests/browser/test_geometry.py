"""Figures at all sizes: no words on other words or on a map, none cut off, none left out without need."""

import itertools
from collections.abc import Sequence
from typing import TypeVar
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect

from attn_figures.matrix import NUMBERS_UP_TO
from attn_ui.base.parameters import Choice
from tests.browser.app_page import AppPage
from tests.browser.geometry import MEASURE, MEASURE_SAVED, Drawn, faults, read
from tests.browser.save_panel import SavePanel
from tests.browser.test_save import SHAPES, first_figure
from tests.pages import PAGES

SIZES = ((1280, 800), (1920, 1080), (820, 1180), (390, 844))
SIXTEEN = quote_plus(
    "unsere zufriedenen Nachbarn verbringen jeden langen Winterabend gemeinsam singend neben einem großen "
    "knisternden Kaminfeuer ganz zufrieden"
)
FIGURES = {
    "": "opening",
    "single-head?stage=all+at+once": "walk",
    f"single-head?stage=all+at+once&text={SIXTEEN}": "walk",
    f"single-head?stage=scores&text={SIXTEEN}": "walk",
    "single-head?stage=diagram&mask=causal&cross=true": "walk",
    "multi-head": "maps",
    "multi-head?view=diagram&heads=8&free=true&dh=128&cross=true": "maps",
    "multi-head?heads=8&text=cats+like+warm+milk": "maps",
    f"multi-head?text={SIXTEEN}": "maps",
    f"multi-head?view=two+heads&text={SIXTEEN}": "maps",
    f"positional-encoding?text={SIXTEEN}": "attention",
    "learned-heads": "learned",
}


NINE = quote_plus("zufriedene Nachbarn verbringen lange Winterabende gemeinsam neben knisternden Kaminfeuern")
FOUR = quote_plus("zufriedene Nachbarn singen gemeinsam")
# What is shown large and saved: a sample of all views with 6 words, and 9 and 16 long ones, masked and not.
SAMPLE = (
    "single-head",
    f"single-head?text={NINE}&mask=causal",
    f"single-head?stage=weights&text={SIXTEEN}",
    f"multi-head?text={SIXTEEN}",
    f"multi-head?heads=8&text={NINE}&mask=causal",
    f"positional-encoding?show=shift+test&text={SIXTEEN}",
    "kernel-regression?picture=Bridge+to+attention",
    "learned-heads",
)
Form = TypeVar("Form")
PROJECTORS = ((1024, 768), (1280, 720), (1366, 768), (1920, 1080), (2560, 1440))
FEW, LEAST_DIGIT = 8, 0.02  # rows and columns of maps whose numbers have this part of a screen's height
OF_1280 = 900 / 720  # pixels of a saved picture to one of the slide of 1280 x 720 on which it stands


def all_views() -> list[str]:
    """Return a link to every view of every page, with 4, 9 and 16 words where a sentence is asked for."""
    links = [""]
    for address, (_, settings) in PAGES.items():
        names = {each.name for each in settings}
        views = [
            (each.name, name)
            for each in settings
            if isinstance(each, Choice) and each.views
            for name in each.options
            if name != "your own"  # draws nothing before a file was chosen
        ]
        for view, option in views:
            link = f"{address}?{view}={quote_plus(option)}"
            if "text" not in names or address == "learned-heads":
                links.append(link)
                continue
            for text in (FOUR, NINE, SIXTEEN):
                mask = "&mask=causal" if "mask" in names and len(links) % 2 else ""
                links.append(f"{link}&text={text}{mask}")
    return links


def looked_at(config: pytest.Config) -> list[str]:
    """Return the links of this run: the sample, or all views too."""
    return [*dict.fromkeys([*SAMPLE, *(all_views() if config.getoption("--wide") else ())])]


def some(forms: Sequence[Form], count: int, shown: str, request: pytest.FixtureRequest) -> list[Form]:
    """Return a few forms for a link, others for the next: the three links of a view have them all."""
    start = looked_at(request.config).index(shown) * count
    return [forms[(start + number) % len(forms)] for number in range(count)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Look at a sample, or at all."""
    if "shown" in metafunc.fixturenames:
        metafunc.parametrize("shown", looked_at(metafunc.config))


def measure(app: AppPage, key: str) -> Drawn:
    """Measure a figure as it stands."""
    return read(app.figure(key).evaluate(MEASURE))


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.still
@pytest.mark.parametrize("link", FIGURES)
def test_words_are_readable_at_every_size(app: AppPage, link: str) -> None:
    app.open(link)
    for width, height in SIZES:
        app.page.set_viewport_size({"width": width, "height": height})
        app.settle()
        drawn = measure(app, FIGURES[link])
        assert faults(drawn) == [], (width, height)
        assert drawn.smallest >= 8, (width, height)


@pytest.mark.still
@pytest.mark.parametrize("link", ["learned-heads", "multi-head", f"multi-head?text={SIXTEEN}"])
@pytest.mark.slow
def test_phone_figure_scrolls_rather_than_omits_labels(app: AppPage, link: str) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open(link)
    said = app.figure(FIGURES[link]).locator(".xtick text, .ytick text").all_inner_texts()
    columns = app.trace(FIGURES[link], next(iter(_names(app, FIGURES[link]))), "z")
    assert len(said) >= 2 * len(columns)
    assert measure(app, FIGURES[link]).cell >= 9


def _names(app: AppPage, key: str) -> list[str]:
    names: list[str] = app.figure(key).evaluate(
        "figure => figure.querySelector('.live-plot')._fullData.filter(t => t.type === 'heatmap')"
        ".map(t => t.name)"
    )
    return names


@pytest.mark.still
def test_overlapping_or_cut_off_elements_are_detected(app: AppPage) -> None:
    app.open("multi-head")
    assert faults(measure(app, "maps")) == []
    captions = app.figure("maps").locator(".annotation-text")
    captions.nth(0).evaluate("text => text.setAttribute('transform', 'translate(0, -60)')")
    (wrong,) = faults(measure(app, "maps"))
    assert wrong == "'head 1' lies on 'head 1'"
    captions.nth(0).evaluate("text => text.setAttribute('transform', 'translate(-2000, 0)')")
    assert faults(measure(app, "maps")) == ["'head 1' is cut off"]


def bars_fault(drawn: Drawn) -> bool:
    """Whether a map has neither numbers nor a bar for its colours, or a bar lacks an end or the middle."""
    bars, numbers = drawn.bars
    return numbers != 3 * bars or bool(drawn.most and not bars and not drawn.sizes("digit"))


@pytest.mark.sample(1)
@pytest.mark.still
def test_projector_figure_fills_the_screen_and_is_readable(
    app: AppPage, shown: str, request: pytest.FixtureRequest
) -> None:
    app.page.add_init_script(REFUSED)
    app.open(shown)
    key = first_figure(app)
    for width, height in some(PROJECTORS, 2, shown, request):
        app.page.set_viewport_size({"width": width, "height": height})
        app.page.wait_for_function(FITTED)
        page = measure(app, key)
        app.figure(key).get_by_role("button", name="Fill the screen").click()
        expect(app.page.locator(".live-figure[data-projector]")).to_have_attribute("data-state", "drawn")
        app.page.wait_for_function(FILLED)
        large = measure(app, key)
        where = (shown, width, height)
        assert faults(large) == [], where
        assert large.cell >= 0.99 * page.cell, where
        assert min(large.sizes("word"), default=99) >= 12, where
        labels = large.sizes("label")
        assert min(labels, default=99) >= 9, where
        assert labels or not large.most, where
        assert not bars_fault(large), where
        if 0 < large.most <= FEW:
            assert min(large.sizes("digit")) >= LEAST_DIGIT * height, where
        app.page.keyboard.press("Escape")
        expect(app.page.locator(".live-figure[data-projector]")).to_have_count(0)


@pytest.mark.still
@pytest.mark.slow
def test_projector_names_what_has_no_room(app: AppPage) -> None:
    app.page.add_init_script(REFUSED)
    app.page.set_viewport_size({"width": 1024, "height": 768})
    app.open(f"single-head?stage=weights&text={SIXTEEN}")
    figure, said = app.figure("walk"), app.figure("walk").locator(".live-lacking")
    expect(said).to_be_hidden()
    figure.get_by_role("button", name="Fill the screen").click()
    expect(said).to_have_text("one label in 2 is shown")
    expect(said).to_be_visible()
    app.page.set_viewport_size({"width": 1920, "height": 1080})
    expect(said).to_be_empty()
    app.page.set_viewport_size({"width": 1366, "height": 768})
    app.open(f"multi-head?text={SIXTEEN}&projector=true")
    said = app.figure("maps").locator(".live-lacking")
    expect(app.page.locator(".live-figure[data-projector]")).to_have_attribute("data-state", "drawn")
    app.page.keyboard.press("End")  # eight heads have no room for all labels, four do
    expect(said).to_have_text("one label in 2 is shown")
    app.page.keyboard.press("ArrowLeft")
    expect(said).to_be_empty()
    app.page.keyboard.press("End")
    app.page.keyboard.press("Escape")  # on a page the pointer tells all
    expect(said).to_be_empty()


# A browser that gives its whole screen stops drawing for a second or two on the way; the window does as well.
REFUSED = "Element.prototype.requestFullscreen = () => Promise.reject(new Error('refused'))"
# Every figure in sight is drawn as wide as its room.
FITTED = """() => [...document.querySelectorAll('.live-figure')].filter((each) => each.offsetParent).every(
    (each) => each.dataset.state === 'drawn' && Math.abs(each.querySelector('.live-stage').clientWidth
        - each.querySelector('.main-svg').getBoundingClientRect().width) <= 1)"""
# The figure is drawn for the projector's room, and stands above what is under it.
FILLED = """() => {
    const figure = document.querySelector('.live-figure[data-projector]');
    const plot = figure.querySelector('.main-svg').getBoundingClientRect();
    const below = figure.querySelector('.live-controls').getBoundingClientRect();
    const [drawn, zoom] = ['--drawn', '--zoom'].map((name) =>
        Number.parseFloat(figure.style.getPropertyValue(name)));
    return Math.abs(plot.width - drawn * zoom) < 2 && plot.left >= -1 && plot.right <= innerWidth + 1
        && plot.bottom <= below.top + 1;
}"""


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.still
def test_saved_picture_is_readable_in_every_shape(
    app: AppPage, shown: str, request: pytest.FixtureRequest
) -> None:
    app.open(shown)
    key = first_figure(app)
    panel = SavePanel(app, key)
    panel.choose(format="svg")
    for shape, large in some([*itertools.product(SHAPES, (True, False))], 4, shown, request):
        panel.choose(shape=shape, large=large)
        panel.made("svg")
        saved = read(app.figure(key).evaluate(MEASURE_SAVED))
        where = (shown, shape, large)
        assert faults(saved) == [], where
        labels, digits, words = (saved.sizes(kind) for kind in ("label", "digit", "word"))
        assert labels or not saved.most, where
        assert not bars_fault(saved), where
        assert min([*labels, *digits], default=99) >= 9 * OF_1280 * 0.99, where
        assert min(words) >= (15 if large else 11), where
        assert digits or not 0 < saved.most <= FEW or shape == "half slide", where
        if not digits and 0 < saved.most <= NUMBERS_UP_TO:
            assert "gowithouttheirnumbers" in "".join(text.said for text in saved.texts).replace(" ", "")
    panel.close()


@pytest.mark.still
@pytest.mark.parametrize(("shape", "count"), [("16:9", 16), ("square", 12)])
def test_saved_picture_names_omitted_labels(app: AppPage, shape: str, count: int) -> None:
    text = "we walked home along an old stony path while it got dark and very cold outside"
    words = text.split()[:count]
    app.open(f"multi-head?heads=4&text={'+'.join(words)}")
    panel = SavePanel(app, "maps")
    panel.choose(format="svg", shape=shape, large=True)
    panel.made("svg")
    saved = read(app.figure("maps").evaluate(MEASURE_SAVED))
    assert "onelabelin" not in "".join(text.said for text in saved.texts).replace(" ", "")
    said = [text.said for text in saved.texts if text.kind == "label"]
    assert len({said.count(word) for word in words}) == 1, said
    assert said.count(words[0]) >= 4
    panel.close()
