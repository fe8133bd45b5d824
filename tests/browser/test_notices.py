"""What a page says of a link that it could not use; tables and programs that are wider than a phone."""

import pytest
from playwright.sync_api import expect

from attn_figures import theme
from tests.browser.app_page import AppPage
from tests.browser.axe import violations, wear

pytestmark = pytest.mark.still

SIZE = "node => parseFloat(getComputedStyle(node).fontSize)"
# What scrolls sideways and cannot be reached by the keyboard, nor anything in it.
OUT_OF_REACH = """() => [...document.querySelectorAll('.stMain *')].filter(box =>
    box.clientWidth && box.scrollWidth > box.clientWidth + 1
    && ['auto', 'scroll'].includes(getComputedStyle(box).overflowX)
    && ![box, ...box.querySelectorAll('*')].some(stop => stop.tabIndex >= 0)).map(box => box.outerHTML)"""

SIDEWAYS = """() => Math.max(...[document.documentElement, document.querySelector(".stMain")]
    .map(box => box.scrollWidth - box.clientWidth))"""


def test_dropped_link_notice_is_readable(app: AppPage) -> None:
    app.open("single-head?t=soon&nothing=" + "x" * 60)
    said = app.page.get_by_role("alert").filter(has_text="The link's")
    expect(said).to_have_count(2)
    body = app.page.get_by_test_id("stMain").locator("p").first.evaluate(SIZE)
    for words in ("p", "code"):
        for node in said.locator(words).all():
            assert node.evaluate(SIZE) >= body
    for palette in (theme.DARK, theme.LIGHT):
        wear(app, palette)
        assert violations(app) == []


TABLE = "single-head?tab=Arithmetic", "table", "Table, wider than its room: dimension, the, the, product"
FORMULA = "positional-encoding?tab=Maths", ".katex-display", "Formula, wider than its room"


@pytest.mark.slow
@pytest.mark.parametrize(("link", "kind", "name"), [TABLE, FORMULA])
def test_wide_parts_on_a_phone_scroll_by_keyboard(app: AppPage, link: str, kind: str, name: str) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open(link)
    box = app.page.get_by_role("tabpanel").locator(f"{kind}[tabindex='0']").first
    expect(box).to_have_accessible_name(name)
    box.focus()
    app.page.keyboard.press("ArrowRight")
    app.page.wait_for_function("() => document.activeElement.scrollLeft > 0")
    assert app.page.evaluate(OUT_OF_REACH) == []
    app.page.set_viewport_size({"width": 1280, "height": 800})
    expect(app.page.get_by_role("tabpanel").locator(f"{kind}[tabindex]")).to_have_count(0)


@pytest.mark.parametrize("link", ["single-head?tab=Code", "multi-head?tab=Spellings"])
def test_program_keeps_its_lines_and_scrolls_by_keyboard(app: AppPage, link: str) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open(link)
    program = app.page.locator(".stCode pre:has(.token)[tabindex='0']").first
    expect(program).to_have_accessible_name("Code, wider than its room")
    # As many lines are drawn as are written.
    drawn, written = program.locator("code").evaluate(
        """code => { const { lineHeight } = getComputedStyle(code);
            return [code.getBoundingClientRect().height / parseFloat(lineHeight),
                code.textContent.trimEnd().split("\\n").length]; }"""
    )
    assert drawn == pytest.approx(written, abs=0.5)
    program.focus()
    app.page.keyboard.press("ArrowRight")
    app.page.wait_for_function("() => document.activeElement.scrollLeft > 0")
    assert app.page.evaluate(OUT_OF_REACH) == []
    assert app.page.evaluate(SIDEWAYS) == 0
    for palette in (theme.DARK, theme.LIGHT):
        wear(app, palette)
        assert violations(app) == []


def test_formula_source_wraps_at_its_width(app: AppPage) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open("single-head?tab=Code&code=LaTeX")
    expect(app.page.locator(".stCode .token").first).to_be_visible()
    expect(app.page.locator(".stCode pre[tabindex]")).to_have_count(0)
    assert app.page.evaluate(OUT_OF_REACH) == []
    assert app.page.evaluate(SIDEWAYS) == 0
