"""Share, "Put it on my page": what it hands over, pasted into a file on a disk, is the figure of the app."""

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_page import AppPage
from tests.browser.axe import violations
from tests.browser.test_share import open_panel

pytestmark = pytest.mark.still

PAGE = "<!doctype html><html lang=en><title>mine</title><h1>Mine</h1>\n{}<p>And on.</p>"
DRAWN = ".live-figure[data-state=drawn]"
WEIGHTS = """(figure) => {
    const { z } = figure.querySelector(".live-plot").data.find((trace) => trace.name === "weights");
    return Array.from(z, (row) => Array.from(row, (weight) => (Number.isNaN(weight) ? null : weight)));
}"""

SHOWS = f"([figure, wanted]) => JSON.stringify(({WEIGHTS})(figure)) === JSON.stringify(wanted)"


def handed_over(app: AppPage, folder: Path) -> Path:
    """Take what Share hands over, as a teacher does; return the page that it was pasted into."""
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_panel(app)
    app.page.locator(".st-key-share-page label").first.click()
    app.page.get_by_role("button", name="Copy the HTML").click()
    expect(app.page.get_by_text("Copied.")).to_be_visible()
    text = app.page.evaluate("() => navigator.clipboard.readText()")
    with app.page.expect_download() as download:
        app.page.get_by_role("link", name="Download the folder as a ZIP").click()
    assert download.value.suggested_filename == "attention-lab.zip"
    with zipfile.ZipFile(download.value.path()) as packed:
        packed.extractall(folder)
    page = folder / "mine.html"
    page.write_text(PAGE.format(text), encoding="utf-8")
    return page


def weights_and_sentence(page: Page, where: str) -> tuple[object, str]:
    """The weights that a figure has drawn, and its sentence."""
    figure = page.locator(f"{where} .live-figure")
    return figure.evaluate(WEIGHTS), figure.locator(".live-says").inner_text()


def test_shared_snippet_moves_on_a_page_from_a_disk(app: AppPage, browser: Browser, tmp_path: Path) -> None:
    app.open("single-head?mask=causal&q=3")
    steps = [weights_and_sentence(app.page, ".st-key-walk")]
    path = handed_over(app, tmp_path)
    app.page.keyboard.press("Escape")
    app.press("walk", "ArrowRight", times=3)
    steps.append(weights_and_sentence(app.page, ".st-key-walk"))
    assert steps[0] != steps[1]

    page = browser.new_page(viewport={"width": 900, "height": 800})
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector(DRAWN)
    assert weights_and_sentence(page, "live-figure") == steps[0]
    page.locator("live-figure input[data-live=step]").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(SHOWS, arg=[page.query_selector("live-figure .live-figure"), steps[1][0]])
    assert weights_and_sentence(page, "live-figure") == steps[1]
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()


def test_shared_snippet_without_scripts_is_described_in_words(
    app: AppPage, browser: Browser, tmp_path: Path
) -> None:
    app.open("single-head")
    said = weights_and_sentence(app.page, ".st-key-walk")[1]
    path = handed_over(app, tmp_path)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    figure = page.locator("live-figure")
    alt = figure.locator("noscript p")
    expect(alt).to_be_visible()
    expect(alt).to_contain_text("weights 6 × 6; V 6 × 4")
    opening = figure.locator(".live-likeness > :first-child")
    assert " ".join(opening.inner_text().split()) == " ".join(said.split())
    box = figure.locator(".live-stage").bounding_box()
    assert box is not None
    assert box["height"] < 100  # no room for a picture that does not come
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_shared_snippet_panel_is_accessible_and_fits(app: AppPage, width: int, scheme: str) -> None:
    app.page.set_viewport_size({"width": width, "height": 844})
    app.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    app.open("single-head?mask=causal")
    open_panel(app)
    app.page.locator(".st-key-share-page label").first.click()
    field = app.page.get_by_label("The figure as HTML")
    expect(field).to_be_visible()
    app.settle()
    field.scroll_into_view_if_needed()
    panel, box = (each.bounding_box() for each in (app.page.get_by_role("dialog"), field))
    assert panel is not None
    assert box is not None
    assert panel["x"] <= box["x"]
    assert box["x"] + box["width"] <= panel["x"] + panel["width"]
    assert violations(app) == []
