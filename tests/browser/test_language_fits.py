"""Longer and shorter words break no page: in disguise, two fifths longer, and in Chinese."""

import pytest

from attn_ui.base.navigation import PAGES as LISTED
from attn_words import PSEUDO
from tests.browser.app_page import AppPage
from tests.browser.geometry import MEASURE, faults, read
from tests.browser.test_opens import BEYOND

pytestmark = pytest.mark.still

PAGES = [page.address for page in LISTED]
# Words of buttons, tabs, labels and notices that have less room than they take and are cut off.
CUT = """() => [...document.querySelectorAll(
        'button, label, h1, h2, h3, [role=tab], [data-testid=stMarkdownContainer] p, .live-row *'
    )].filter((element) => {
        const { overflowX, textOverflow, whiteSpace } = getComputedStyle(element);
        const cuts = ['hidden', 'clip'].includes(overflowX) || textOverflow === 'ellipsis';
        return element.offsetParent && cuts && element.clientWidth > 1
            && element.scrollWidth > element.clientWidth + 1;
    }).map((element) => element.textContent.trim()).filter(Boolean)"""


@pytest.mark.sample(4)
@pytest.mark.parametrize("spoken", [PSEUDO, "zh"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", PAGES)
def test_words_never_overflow(app: AppPage, page: str, width: int, spoken: str) -> None:
    app.page.set_viewport_size({"width": width, "height": 844})
    app.open(f"{page}?lang={spoken}")
    assert app.page.evaluate(BEYOND) <= 0
    assert app.page.evaluate(CUT) == []
    found = faults(read(app.page.locator(".live-figure").first.evaluate(MEASURE)))
    if (page, width, spoken) == ("kernel-regression", 390, PSEUDO):
        # Its read-out is as wide as a phone in English: a longer language writes it in three lines.
        found = [fault for fault in found if not fault.endswith("is cut off")]
    assert found == []
    assert app.errors == []


# Words of a page's title that begin on one line and end on another.
BROKEN = """() => {
    const title = document.querySelector(".stMainBlockContainer h1");
    const words = document.createTreeWalker(title, NodeFilter.SHOW_TEXT);
    const found = [];
    while (words.nextNode())
        for (const { 0: word, index } of words.currentNode.data.matchAll(/[A-Za-z]+/g)) {
            const range = document.createRange();
            range.setStart(words.currentNode, index);
            range.setEnd(words.currentNode, index + word.length);
            const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
            if (lines.size > 1) found.push(word);
        }
    return found;
}"""


@pytest.mark.sample(3)
@pytest.mark.parametrize("spoken", ["en", "zh"])
@pytest.mark.parametrize("page", PAGES)
def test_titles_break_between_words_at_400_percent(app: AppPage, page: str, spoken: str) -> None:
    app.page.set_viewport_size({"width": 320, "height": 256})
    app.open(f"{page}?lang={spoken}")
    for width in (320, 340, 348, 375):
        app.page.set_viewport_size({"width": width, "height": 256})
        app.settle()
        assert app.page.evaluate(BROKEN) == [], width
    assert app.page.evaluate(BEYOND) <= 0
