"""Block diagrams under a pointer and a finger: a box says what it is, and a click opens it."""

import re
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect

from tests.browser.app_page import AppPage
from tests.browser.save_panel import SavePanel

pytestmark = pytest.mark.still

MIDDLE = """(figure, name) => {
    const plot = figure.querySelector('.live-plot');
    const { x, y } = plot._fullData.find((trace) => trace.name === name);
    const { left: at, top } = plot.getBoundingClientRect();
    const layout = plot._fullLayout;
    return [
        at + layout.xaxis._offset + layout.xaxis.l2p(x[0] + 0.9 * (x[1] - x[0])),
        top + layout.yaxis._offset + layout.yaxis.l2p((y[0] + y[2]) / 2),
    ];
}"""


def place(app: AppPage, key: str, box: str) -> tuple[float, float]:
    """Where a box stands in the window, near its right edge."""
    app.figure(key).scroll_into_view_if_needed()
    x, y = app.figure(key).evaluate(MIDDLE, box)
    return x, y


def hovered(app: AppPage, key: str, box: str) -> str:
    """Point at a box; return what it says."""
    app.page.mouse.move(*place(app, key, box))
    said = app.figure(key).locator(".hoverlayer text")
    said.first.wait_for()
    return " ".join(said.all_text_contents())


@pytest.mark.essential
def test_diagram_box_click_opens_its_stage(app: AppPage) -> None:
    app.open("single-head?stage=diagram&mask=causal")
    assert "−∞ where a query may not attend" in hovered(app, "walk", "mask")
    opened = {"mask": "masked", "scores": "scores", "W_k": "Q, K, V"}
    for box, stage in opened.items():
        app.page.mouse.move(*place(app, "walk", box))
        app.figure("walk").locator(".hoverlayer text").first.wait_for()
        app.page.mouse.click(*place(app, "walk", box))
        app.page.wait_for_url(re.compile(f"stage={re.escape(quote_plus(stage))}(&|$)"))
        app.settle()
        app.page.go_back()
        app.page.wait_for_url(re.compile("stage=diagram"))
        app.settle()
    panel = SavePanel(app, "walk")
    panel.choose(format="csv")
    panel.made("csv")
    assert "the file is empty" in panel.said  # boxes are no numbers
    panel.close()


@pytest.mark.slow
def test_diagram_box_click_of_many_heads_opens_a_picture_or_a_tab(app: AppPage) -> None:
    app.open("multi-head?view=diagram&kv=2")
    assert "2 heads read the same keys and values" in hovered(app, "maps", "attention")
    app.page.mouse.click(*place(app, "maps", "W_o"))
    expect(app.page.get_by_role("tab", name="Arithmetic")).to_have_attribute("aria-selected", "true")
    app.settle()
    assert "W_o: 8 × 8" in hovered(app, "maps", "W_o")
    app.press("maps", "Home")
    assert "W_o: 8 × 8" in hovered(app, "maps", "W_o")
    assert "head" not in app.trace("maps", "boxes", "text")[4]
    hovered(app, "maps", "attention")
    app.page.mouse.click(*place(app, "maps", "attention"))
    expect(app.figure("maps").locator(".xtick")).not_to_have_count(0)
    assert "view=" not in app.query
