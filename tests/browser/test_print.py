"""A page on paper: one sheet of A4 with its figure, sentence and settings in words, and nothing else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.browser.app_page import AppPage
from tests.browser.geometry import MEASURE, faults, read
from tests.browser.read_pdf import rendered, size_of
from tests.browser.test_geometry import FOUR, NINE, SIXTEEN
from tests.pages import PAGES

A4 = 595.3, 841.9  # points
PIXELS_WIDE = 703  # of A4 between its margins of 12 mm, at 96 to the inch
LEAST = 6.0  # pixels of the smallest words
SHEET = ".live-paper"
BEFORE = "window.dispatchEvent(new Event('beforeprint'))"
LINKS = (
    f"single-head?text={FOUR}",
    f"single-head?text={NINE}&mask=causal",
    f"single-head?text={SIXTEEN}",
    "single-head?stage=diagram&mask=causal",
    f"multi-head?text={SIXTEEN}&mask=causal",
    "multi-head?heads=8",
    f"positional-encoding?text={NINE}",
    "kernel-regression?picture=Bridge+to+attention",
    "learned-heads",
    "what-courses-say?claim=syntax",
)
Printed = Callable[[], tuple[Path, str]]


@pytest.fixture
def printed(app: AppPage, tmp_path: Path) -> Printed:
    """Print what is open, as the browser's own command does; the file and all that it says."""

    def printed() -> tuple[Path, str]:
        file = tmp_path / "page.pdf"
        app.page.pdf(path=file, prefer_css_page_size=True)
        (page,) = PdfReader(file).pages
        return file, " ".join(page.extract_text().replace("\n", " ").split())

    return printed


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.parametrize("address", PAGES)
def test_printed_page_is_one_sheet(app: AppPage, printed: Printed, address: str) -> None:
    app.open(address)
    figure = app.page.locator(".live-figure").first
    sentence = " ".join(figure.locator(".live-says").inner_text().split())
    file, said = printed()
    assert size_of(file) == pytest.approx(A4, abs=1)
    title = app.page.locator("h1").first.inner_text().strip()
    assert said.startswith(title)
    plain = said.replace("ﬀ", "ff").replace("ﬁ", "fi").replace("ﬃ", "ffi").replace("ﬂ", "fl")
    assert sentence[:60] in plain
    for label, output in zip(
        figure.locator(".live-row label").all(), figure.locator(".live-row output").all(), strict=True
    ):
        assert f"{label.inner_text()} {output.inner_text()}" in plain
    for words in ("Experiments", "Share", "Save"):
        assert words not in plain


@pytest.mark.slow
def test_printed_settings_are_current(app: AppPage, printed: Printed) -> None:
    app.open("single-head?text=cats+like+warm+milk&mask=causal&ramp=true&seed=7")
    app.press("walk", "ArrowRight", times=3)
    moved = app.readout("walk")
    assert moved != "1.00"
    _, said = printed()
    for pair in (
        ("Sentence", "cats like warm milk"),
        ("Mask", "causal"),
        ("Add the ramp: position p adds p/2", "yes"),
        ("Normalise rows to length 1", "no"),
        ("Seed", "7"),
        ("Stage", "all at once"),
        ("Temperature T", moved),
    ):
        assert " ".join(pair) in said
    # A stage is chosen where a part of the page alone runs again.
    app.segment("weights")
    app.settle()
    _, said = printed()
    assert "Mask causal" in said
    assert "Stage weights" in said
    assert f"Temperature T {moved}" in said


def test_printed_page_is_dark_on_white_in_any_theme(app: AppPage, printed: Printed) -> None:
    app.page.emulate_media(color_scheme="dark")
    app.open("single-head")
    file, _ = printed()
    pixels = rendered(file, 600)
    assert (pixels[:20] == 255).all()  # the margin
    assert (pixels > 240).all(axis=-1).mean() > 0.7
    assert pixels.min() < 40


@pytest.mark.sample(1)
@pytest.mark.parametrize("link", LINKS)
def test_printed_words_are_readable(app: AppPage, link: str) -> None:
    app.open(link)
    app.page.evaluate(BEFORE)
    sheet = app.page.locator(SHEET)
    plot = sheet.locator(".live-paper-plot > div")
    plot.evaluate("(node) => node.classList.add('live-plot')")
    drawn = read(plot.evaluate(MEASURE))
    left, right = drawn.figure[:2, 0]
    assert right - left <= PIXELS_WIDE + 1
    # It stands far out of sight, where no window cuts it off.
    assert faults(replace(drawn, window=np.inf)) == []
    assert drawn.smallest >= LEAST
    assert sheet.evaluate("(node) => node.offsetHeight") <= 273 * 96 / 25.4
    for inner in sheet.locator("h1, p, dl > div").all():
        assert inner.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")


@pytest.mark.slow
def test_printed_page_returns_to_the_screen_unchanged(app: AppPage, printed: Printed) -> None:
    app.open("single-head")
    before = app.figure("walk").locator(".live-stage").screenshot()
    printed()
    expect(app.page.locator(SHEET)).to_be_hidden()
    app.page.keyboard.press("Shift")
    expect(app.page.locator(SHEET)).to_have_count(0)
    assert app.figure("walk").locator(".live-stage").screenshot() == before
    # Printed again after another step, the sheet is of that.
    app.press("walk", "ArrowRight")
    _, said = printed()
    assert f"Temperature T {app.readout('walk')}" in said


@pytest.mark.slow
def test_printed_page_without_its_figure_is_complete(app: AppPage) -> None:
    app.page.route("**/plotly.min.js*", lambda route: route.abort())
    app.page.goto(f"{app.server}/single-head")
    expect(app.page.locator(".live-figure[data-state=failed]")).to_be_visible()
    app.page.evaluate(BEFORE)
    expect(app.page.locator(SHEET)).to_have_count(0)
    app.errors.clear()  # Plotly was kept away on purpose


@pytest.mark.slow
def test_printed_page_omits_typed_text_not_on_screen(app: AppPage, printed: Printed) -> None:
    app.open("single-head?text=cats+purr")
    field = app.page.get_by_label("Sentence", exact=True)
    field.fill(" ")
    field.press("Enter")
    expect(app.page.get_by_text("No word here yet.")).to_be_visible()
    app.settle()
    _, said = printed()
    assert "Sentence cats purr" in said
