"""What a PDF is made of: words in every script, and paths of every kind."""

from pathlib import Path
from urllib.parse import quote_plus

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attn_live.bundle import bundle
from tests.browser.app_page import AppPage
from tests.browser.read_pdf import check_drawn_as, text_of
from tests.browser.save_panel import SavePanel

pytestmark = pytest.mark.still

# Letters of the fonts, marks over letters, from right to left, of scripts that no font of ours has.
SCRIPTS = ("über", "Ελλάς", "Жук", "x\u0331y", "שלום", "猫", "नमस्ते", "🙂")
KNOWN = 3  # of them are in the fonts
# Every command, absolute and relative, repeated; arcs that are long, short, slanted, too small.
PATHS = (
    "M10,10L30,12l5-4H60h-7V40v3.5e0Z",
    "m10 10 5 5 6-2zm30 0h9v9",
    "M5,50C10,20 20,80 30,50S50,20 60,50s9,9 12-3 4,5 8,1",
    "M5,50Q10,20 20,50T40,50t7,3q3-9 8,1",
    "M50,30A20,20 0 1,1 49,29Z",
    "M20,20A25,12 35 0,1 60,40A25,12 -20 1,0 30,70a9,14 10 1,1 3,-8",
    "M3,0A3,3 0 1,1 0,-3A3,3 0 0,1 3,0Z",
    "M0,0A1,1 0 0,0 10,0a0,4 0 0,1 7,7",
)
# A path, and one made of what a PDF writes for it: so long, and here at each tenth.
COMPARE = """(data) => {
    const operators = pathOperators(data, (x, y) => [x, y]).split("\\n").map((line) => {
        const parts = line.split(" "), name = { m: "M", l: "L", c: "C", h: "Z" }[parts.pop()];
        return name + parts.join(",");
    });
    return [data, operators.join("")].map((each) => {
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        path.setAttribute("d", each);
        const length = path.getTotalLength();
        return [length, ...Array.from({ length: 11 }, (_, i) => path.getPointAtLength((i * length) / 10))
            .flatMap(({ x, y }) => [x, y])];
    });
}"""


@pytest.mark.slow
def test_pdf_paths_are_where_the_browser_draws_them(tab: Page) -> None:
    tab.set_content("<p>paths</p>")
    tab.add_script_tag(content=bundle("pdf_path.js"))
    for data in PATHS:
        drawn, written = tab.evaluate(COMPARE, data)
        np.testing.assert_allclose(written, drawn, rtol=1e-3, atol=0.05, err_msg=data)


def test_pdf_words_of_every_script_are_visible_and_searchable(app: AppPage, tmp_path: Path) -> None:
    """Letters that no font of ours has are a picture of what the browser shows, said so, and text still."""
    app.open(f"single-head?text={quote_plus(' '.join(SCRIPTS))}")
    panel = SavePanel(app, "walk")
    drawing = panel.save(tmp_path, "svg", shape="16:9", caption=True, colours="print")
    panel.choose(format="pdf")
    panel.made("pdf")
    assert [word for word in SCRIPTS if word in panel.said] == [*SCRIPTS[KNOWN:]]
    path = panel.save(tmp_path, "pdf")
    panel.close()
    check_drawn_as(path, drawing, (1600, 900), app.page)
    assert all(word in text_of(path) for word in SCRIPTS)


def test_pdf_without_its_fonts_is_refused(live: AppPage) -> None:
    live.open()
    live.page.route("**/fonts/*", lambda route: route.abort())
    panel = SavePanel(live, "first")
    expect(live.page.locator("dialog[data-made=png]")).to_be_visible()
    panel.choose(format="pdf")
    expect(live.page.locator("dialog[data-made=failed]")).to_be_visible()
    assert "could not be made" in panel.said
    panel.choose(format="svg")
    expect(live.page.locator("dialog[data-made=svg]")).to_be_visible()
    panel.close()
    live.errors.clear()  # the browser's own word on what was refused
