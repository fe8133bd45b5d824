"""The book as it is built, in both languages, from a plain file server and from a disk."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from attn_live.packing import count_steps
from attn_ui.lessons import shelf
from attn_words import LANGUAGES, speaking
from tests.browser.conftest import ROOT
from tests.browser.test_published import NUMBERS, SHIFTS, at, figure, move, sentence_of, served
from tests.messages import figure_at

pytestmark = pytest.mark.slow  # to build it takes minutes
STEPS = 5
LESSONS = [name for name in shelf.shelf().lessons if name != "lecture"]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built by the command that publishes it; nothing in it may be wrong."""
    out: Path = tmp_path_factory.mktemp("book")
    subprocess.run([sys.executable, "-m", "docs.book.build", "--out", str(out)], check=True, cwd=ROOT)
    return out


@pytest.fixture(scope="module")
def web(book: Path) -> Iterator[str]:
    """The site on a plain file server."""
    with served(book) as address:
        yield address


def same(home: Locator, wanted: dict[str, Any]) -> None:
    """Hold all numbers that are drawn against those of the app's own figure at a step."""
    drawn = home.evaluate(NUMBERS)
    assert [name for name, _ in drawn] == [trace.get("name") for trace in wanted["data"]]
    for (_name, numbers), trace in zip(drawn, wanted["data"], strict=True):
        for read, own in zip(numbers, (trace.get(side) for side in "xyz"), strict=True):
            if own is not None and np.asarray(own).dtype.kind in "fiu":
                np.testing.assert_allclose(np.asarray(read, float), np.asarray(own, float), rtol=1e-6)


def chapter(name: str, spoken: str) -> str:
    """Where the book has a lesson."""
    return f"{spoken}/chapters/{name}.html"


@pytest.mark.parametrize("spoken", LANGUAGES)
@pytest.mark.parametrize("name", LESSONS)
def test_book_figures_of_a_chapter_move_as_in_the_app(tab: Page, web: str, name: str, spoken: str) -> None:
    with speaking(spoken):
        lesson = shelf.shelf().lessons[name]
        tab.add_init_script(SHIFTS)
        tab.goto(f"{web}{chapter(name, spoken)}")
        expect(tab.locator("live-figure")).to_have_count(len(lesson.steps))
        for number, step in enumerate(lesson.steps):
            home = figure(tab, number)
            shown = at(step.link.strip("/"))
            assert sentence_of(home) == " ".join(shown.sentence.split())
            own = shown.view.figure
            assert own is not None
            same(home, figure_at(own.steps, *shown.position))
            count = count_steps(own.steps)
            longest = home.locator("input[data-live=step], .live-says").first.get_attribute("max")
            if count == 1 or longest != str(count - 1):
                continue  # no slider, or in larger steps than in the app
            for place in range(0, count, -(-count // STEPS)):
                move(home, place)
                same(home, figure_at(own.steps, place, shown.position[1]))
        assert sum(each[0] for each in tab.evaluate("() => window.shifts")) < 0.002


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_book_chapter_opens_from_a_disk(tab: Page, book: Path, spoken: str) -> None:
    tab.goto((book / chapter(LESSONS[0], spoken)).as_uri())
    home = figure(tab, 0)
    before = sentence_of(home)
    move(home, 1)
    assert sentence_of(home) != before


@pytest.mark.parametrize("spoken", LANGUAGES)
@pytest.mark.parametrize(
    "path", ["index", "chapters/why-divide-by-the-root", "glossary/index", "reference/index"]
)
def test_book_page_fits_a_phone_and_passes_axe(browser: Browser, web: str, path: str, spoken: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{web}{spoken}/{path}.html")
    for number in range(page.locator("live-figure").count()):
        figure(page, number)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    context.close()
    assert [(each["id"], each["nodes"][0]["target"]) for each in found] == []


def test_book_on_paper_has_the_still_pictures(browser: Browser, web: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{web}{chapter(LESSONS[1], 'en')}")
    figure(page, 0)
    page.emulate_media(media="print")
    shown = page.locator("live-figure").first.locator(".live-still img:visible")
    expect(shown).to_have_count(1)
    expect(page.locator("live-figure").first.locator(".live-plot")).to_be_hidden()
    context.close()
