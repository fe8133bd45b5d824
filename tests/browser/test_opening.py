"""The sentence that the overview opens with: pointing at a word moves all of it, and nothing is sent."""

from playwright.sync_api import expect

from pages.overview.sentences import SENTENCES
from tests.browser.app_page import AppPage

WORDS = ".live-plot .scatterlayer .textpoint text"
ANIMAL = next(iter(SENTENCES.values()))


def test_word_hover_moves_row_frame_and_sentence_without_a_run(app: AppPage) -> None:
    app.page.set_viewport_size({"width": 1280, "height": 800})
    app.open()
    figure = app.figure("opening")
    for name in ("cross", "tired", "animal"):
        row = ANIMAL.tokens.index(name)
        box = figure.locator(WORDS).filter(has_text=name).first.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        app.page.mouse.move(x - 12, y - 60)
        app.page.mouse.move(x, y, steps=4)
        expect(figure).to_have_attribute("data-row", str(row))
        largest = f"{ANIMAL.weights[row].max():.2f}"
        expect(figure.locator(".live-says")).to_contain_text(name)
        expect(figure.locator(".live-says")).to_contain_text(largest)
        expect(figure.locator(".live-row output")).to_have_text(name)
        assert figure.get_attribute("data-unsent") is None
    assert "opening=" not in app.page.url


def test_word_key_moves_to_the_next_and_updates_the_address(app: AppPage) -> None:
    app.open()
    app.press("opening", "ArrowRight", name="row")
    app.settle()
    assert "opening=1" in app.page.url
    expect(app.figure("opening").locator(".live-says")).to_contain_text(ANIMAL.tokens[ANIMAL.opens + 1])
