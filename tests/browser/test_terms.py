"""Words and letters explained where they stand, as a hand, a finger and a keyboard find them."""

import pytest
from playwright.sync_api import Locator, expect

from attn_live.bundle import content_hash
from attn_ui.base import latex, terms
from attn_ui.screen import terms as line
from tests.browser.app_page import AppPage
from tests.browser.axe import faults_in_both_themes
from tests.browser.test_history import wait_at

pytestmark = pytest.mark.still

# The middle of the first place where a word stands in a piece of prose.
WORD = """([selector, word]) => {
    for (const block of document.querySelectorAll(selector)) {
        const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(word);
            if (at < 0) continue;
            block.scrollIntoView({ block: "center" });
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            const { left, right, top, bottom } = range.getBoundingClientRect();
            return [(left + right) / 2, (top + bottom) / 2];
        }
    }
}"""
UNDERLINED = "() => [...(CSS.highlights.get('terms') ?? [])].map((each) => {" + (
    "const range = document.createRange(); range.setStart(each.startContainer, each.startOffset);"
    "range.setEnd(each.endContainer, each.endOffset); return range.toString(); })"
)
# The letters that the script finds in each formula on the page, and the LaTeX that it was drawn from.
DRAWN = """async ([module, list]) => {
    const { symbolsIn } = await import(module);
    const { named } = await (await fetch(list)).json();
    return [...document.querySelectorAll('.stMain .katex')].map((formula) => [
        formula.querySelector('annotation').textContent,
        symbolsIn({ named: new Set(named) }, formula.querySelector('.katex-html')),
    ]);
}"""


def card(app: AppPage) -> Locator:
    return app.page.locator(".term-card:not([hidden])")


def ready(app: AppPage) -> None:
    """Wait until the script has marked the words."""
    app.page.wait_for_function("() => (CSS.highlights.get('terms')?.size ?? 0) > 0")


@pytest.mark.essential
def test_term_hover_explains_words_and_letters_and_links_on(app: AppPage) -> None:
    app.open("single-head?tab=Maths&mask=causal")
    ready(app)
    app.page.mouse.move(*app.page.evaluate(WORD, [".live-says", "weight"]))
    expect(card(app)).to_contain_text("A weight is the share of one key's value")
    for text in ("α", "Attention.weights", "A, w"):
        expect(card(app)).to_contain_text(text)
    app.page.mouse.move(5, 5)
    expect(card(app)).to_have_count(0)
    formula = app.page.locator(".stMain .katex-html", has_text="softmax").first
    formula.scroll_into_view_if_needed()
    root = formula.locator(".sqrt .mathnormal").first
    box = root.bounding_box()
    assert box
    app.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(card(app)).to_contain_text("d_k is the width of queries and keys.")
    app.page.keyboard.press("Escape")
    expect(card(app)).to_have_count(0)
    letter = app.page.locator(".stMain .katex-html .accent").first
    letter.scroll_into_view_if_needed()
    accent = letter.bounding_box()
    assert accent
    app.page.mouse.move(accent["x"] + accent["width"] / 2, accent["y"] + accent["height"] * 0.65)
    expect(card(app).locator("strong")).to_have_text("Scaled score")
    app.page.mouse.move(*centre(card(app).get_by_role("link")), steps=4)  # the card stays on the way to it
    card(app).get_by_role("link").click()
    wait_at(app, "Single-head attention", stage="scaled")
    app.settle()


def centre(node: Locator) -> tuple[float, float]:
    box = node.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.slow
def test_term_keyboard_reaches_all_and_escape_closes(app: AppPage) -> None:
    app.open("positional-encoding?tab=Maths")
    ready(app)
    summary = app.page.get_by_text("Words and symbols here")
    summary.focus()
    app.page.keyboard.press("Enter")
    buttons = app.page.locator(".terms-here button")
    expect(buttons.first).to_be_visible()  # the list may still be on its way
    keys = buttons.evaluate_all("nodes => nodes.map((node) => node.dataset.term)")
    # All of the figure's sentences, as Python has them, and the letters of the open tab's formulas.
    wanted = app.page.locator(".terms-here").get_attribute("data-here")
    assert wanted
    formulas = [each for each, _ in formulas_on_page(app)]
    meant = terms.meanings("positional_encoding")
    letters = {meant[each].key for formula in formulas for each in latex.symbols(formula, terms.compounds())}
    assert {*wanted.split("|")} | letters <= {*keys}
    app.page.keyboard.press("Tab")
    expect(buttons.first).to_be_focused()
    expect(card(app).locator("strong")).to_have_text(keys[0])
    app.page.keyboard.press("Escape")
    expect(card(app)).to_have_count(0)
    expect(buttons.first).to_be_focused()
    app.page.keyboard.press("Tab")
    expect(card(app).locator("strong")).to_have_text(keys[1])
    app.page.keyboard.press("Enter")
    expect(card(app).get_by_role("link")).to_be_focused()
    app.page.keyboard.press("Tab")
    expect(buttons.nth(1)).to_be_focused()
    app.page.keyboard.press("Enter")
    app.page.keyboard.press("Escape")
    expect(buttons.nth(1)).to_be_focused()
    expect(card(app)).to_have_count(0)


@pytest.mark.slow
def test_term_popups_survive_a_slider_drag(app: AppPage) -> None:
    app.open("single-head")
    ready(app)
    app.page.get_by_text("Words and symbols here").click()
    says = app.figure("walk").locator(".live-says")
    app.page.mouse.move(*app.page.evaluate(WORD, [".live-says", "weight"]))
    expect(card(app)).to_have_count(1)
    slider = app.slider("walk")
    x, y = centre(slider)
    before = says.inner_text()
    app.page.mouse.move(x, y)
    app.page.mouse.down()
    for step in range(12):
        app.page.mouse.move(x - 15 * step, y)
    expect(card(app)).to_have_count(0)
    app.page.mouse.up()
    app.settle()
    assert says.inner_text() != before
    expect(app.page.locator(".terms-here")).to_have_attribute("open", "")  # also after the run
    expect(app.page.locator(".terms-here button").first).to_be_visible()
    app.page.wait_for_function(
        "() => [...(CSS.highlights.get('terms') ?? [])].some(({ startContainer: node }) =>"
        " node.isConnected && node.parentElement.closest('.live-says'))"
    )
    assert "weight" in app.page.evaluate(UNDERLINED)
    # What Streamlit and the figure drew is as they drew it: no element of ours is in it.
    assert app.page.locator(".live-says .term, .stMarkdown .term, .live-says mark").count() == 0


@pytest.mark.parametrize(
    "link", ["multi-head?tab=Maths&bias=true&pos=ALiBi", "what-courses-say?claim=robust+to+noise"]
)
def test_term_letters_found_in_the_browser_equal_python(app: AppPage, link: str) -> None:
    app.open(link)
    ready(app)
    for formula, found in formulas_on_page(app):
        assert {*found} == {*latex.symbols(formula, terms.compounds())}, formula
    if "claim" in link:
        letter = app.page.locator(".stMain p .katex-html", has_text="σ")
        letter.scroll_into_view_if_needed()
        app.page.mouse.move(*centre(letter))
        expect(card(app)).to_contain_text("is standard normal noise of the same shape")


def formulas_on_page(app: AppPage) -> list[tuple[str, list[str]]]:
    app.page.locator(".stMain .katex-html").first.wait_for()
    found: list[tuple[str, list[str]]] = app.page.evaluate(
        DRAWN,
        [f"{app.server}/plotly/terms.js?v={content_hash(line.module())}", f"{app.server}/plotly/terms.json"],
    )
    assert found
    return found


def test_term_tap_explains_on_a_phone_and_passes_axe(app: AppPage) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open("single-head")
    ready(app)
    figure = app.figure("walk").bounding_box()
    app.page.mouse.click(*app.page.evaluate(WORD, [".live-says", "weight"]))
    expect(card(app)).to_contain_text("A weight is the share")
    box = card(app).bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    app.page.get_by_text("Words and symbols here").click()
    app.page.locator(".terms-here button").first.click()
    expect(card(app)).to_have_count(1)
    assert faults_in_both_themes(app) == []
    assert app.page.evaluate("document.documentElement.scrollWidth") <= 390
    app.page.mouse.click(195, 10)
    expect(card(app)).to_have_count(0)
    assert figure
    app.page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
    moved = app.figure("walk").bounding_box()
    assert moved
    assert moved["height"] == figure["height"]
