"""What stands before a newcomer: how many controls, chips, rows of tabs and words, how small the digits."""

import pytest

from tests.browser.app_page import AppPage
from tests.pages import PAGES

CONTROLS, CHIPS, WORDS, DIGIT = 25, 8, 160, 12.0
COUNTED = """() => {
    const inView = (each) => {
        const box = each.getBoundingClientRect(), style = getComputedStyle(each);
        return box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight && box.right > 0
            && box.left < innerWidth && style.visibility !== 'hidden' && style.display !== 'none';
    };
    // The navigation with its languages, the search field and what folds the sidebar lead elsewhere.
    const navigates = (each) =>
        each.closest("header, [data-testid=stSidebarCollapseButton], .search, .st-key-languages");
    const all = (selector) => [...document.querySelectorAll(selector)]
        .filter((each) => inView(each) && !navigates(each));
    const reached = all('a[href], button, input, select, textarea, summary, [tabindex], [role=tab]')
        .filter((each) => !each.disabled && (each.tabIndex >= 0 || each.role === 'tab'))
        .filter((each) => !each.closest('.live-plot')); // a map and its cells are none
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let words = 0;
    while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (!parent || parent.closest('script, style, svg, header') || !inView(parent)) continue;
        words += (walker.currentNode.textContent.match(/\\p{L}{2,}/gu) ?? []).length;
    }
    const isNumber = (each) => /^[−-]?\\d*\\.\\d+$/.test(each.textContent.trim());
    const digits = all('.live-plot svg text').filter(isNumber);
    const holds = (each) => reached.some((other) => other !== each && each.contains(other));
    return {
        controls: reached.filter((each) => !holds(each)).length,
        chips: all('[data-testid=stButtonGroup] button').length,
        rows: all('[role=tablist]').length,
        words,
        digit: Math.min(99, ...digits.map((each) => parseFloat(getComputedStyle(each).fontSize))),
    };
}"""


@pytest.mark.essential
@pytest.mark.still
@pytest.mark.sample(3)
@pytest.mark.parametrize("page", [page for page in PAGES if page])
def test_first_view_has_few_controls_and_readable_digits(app: AppPage, page: str) -> None:
    app.open(page)
    counted = app.page.evaluate(COUNTED)
    print(page, counted)
    assert counted["controls"] <= CONTROLS
    assert counted["chips"] <= CHIPS
    assert counted["rows"] <= 1
    assert counted["words"] <= WORDS
    assert counted["digit"] >= DIGIT


LEFT = """() => {
    const left = (selector) => document.querySelector(selector).getBoundingClientRect().left;
    const name = document.querySelector('[data-testid=stToolbar] > :first-child');
    const inset = Number.parseFloat(getComputedStyle(name, '::before').paddingLeft);
    const texts = [...document.querySelectorAll('.live-plot svg text')];
    return {
        name: name.getBoundingClientRect().left + inset,
        title: left('h1'), prose: left('.st-key-page-about p'), figure: left('.live-stage'),
        first: Math.min(...texts.map((each) => each.getBoundingClientRect()).filter((box) => box.width)
            .map((box) => box.left)),
        controls: Math.min(...[...document.querySelectorAll('.live-play, .live-row label')]
            .map((each) => each.getBoundingClientRect().left)),
        says: left('.live-says'),
    };
}"""


@pytest.mark.still
@pytest.mark.parametrize("width", [1280, 1920, 390])
@pytest.mark.parametrize("page", ["", "single-head", "multi-head", "learned-heads"])
def test_first_view_parts_have_one_left_edge(app: AppPage, page: str, width: int) -> None:
    app.page.set_viewport_size({"width": width, "height": 844})
    app.open(page)
    edges = app.page.evaluate(LEFT)
    first = edges.pop("first")  # of the words in the picture: titles of axes have room of their own
    assert max(edges.values()) - min(edges.values()) <= 1, edges
    assert edges["figure"] <= first <= edges["figure"] + 48
