"""Share: the link as text and as a code that a reader of its own reads, files, and lesson links."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from tests.browser.app_page import AppPage
from tests.browser.axe import violations

pytestmark = pytest.mark.still


def open_panel(app: AppPage) -> None:
    app.page.get_by_role("button", name="Share").click()
    expect(app.page.locator(".qr-code").first).to_be_visible()
    app.settle()


def scanned(app: AppPage) -> str:
    """What a camera would read from the code on the screen."""
    code = app.page.locator(".qr-code")
    code.scroll_into_view_if_needed()
    picture = Image.open(io.BytesIO(code.screenshot())).convert("L")
    # Of that kind alone: in one of 2,500 links the reader also sees a bar code among the squares.
    kind = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    found = zxingcpp.read_barcodes(np.asarray(picture), formats=kind)
    assert len(found) == 1
    return str(found[0].text)


@pytest.mark.essential
def test_share_code_and_copied_link_equal_the_address(app: AppPage) -> None:
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.page.emulate_media(color_scheme="dark")
    app.open("single-head?mask=causal")
    app.press("walk", "ArrowRight")
    open_panel(app)
    expect(app.page.get_by_text("This link opens on this machine alone")).to_be_visible()
    assert scanned(app) == app.page.url
    app.page.get_by_role("button", name="Copy the link").click()
    expect(app.page.get_by_text("Copied.")).to_be_visible()
    assert app.page.evaluate("() => navigator.clipboard.readText()") == app.page.url
    assert violations(app) == []


def test_share_panel_opens_at_once_after_its_button(app: AppPage) -> None:
    app.open("single-head")
    button = app.page.get_by_role("button", name="Share")
    link = app.page.get_by_label("Link", exact=True)
    button.focus()
    app.page.keyboard.press("Tab")
    after = app.page.evaluate_handle("() => document.activeElement")  # where there is no panel
    app.page.keyboard.press("Shift+Tab")
    expect(button).to_be_focused()
    app.page.keyboard.press("Enter")
    expect(link).to_be_focused()  # the focus goes in
    app.settle()
    app.page.keyboard.press("Shift+Tab")
    expect(button).to_be_focused()
    app.page.keyboard.press("Tab")
    expect(link).to_be_focused()
    for stop in ("Copy the link", "Save the settings as a file", "Upload"):
        app.page.keyboard.press("Tab")
        expect(app.page.locator("[role=dialog] button:focus", has_text=stop)).to_be_visible()
    app.page.keyboard.press("Tab")
    expect(app.page.get_by_label("Put it on my page")).to_be_focused()
    for chooser in ("Colours of maps", "Decimals in cells"):
        app.page.keyboard.press("Tab")
        expect(app.page.get_by_role("combobox", name=chooser)).to_be_focused()
    app.page.keyboard.press("Tab")
    assert app.page.evaluate("(after) => document.activeElement === after", after)
    link.focus()
    app.page.keyboard.press("Escape")
    expect(link).to_have_count(0)
    expect(button).to_be_focused()  # and comes back
    app.page.keyboard.press("Tab")
    assert app.page.evaluate("(after) => document.activeElement === after", after)


@pytest.mark.slow
def test_settings_are_saved_to_a_file_and_read_back(app: AppPage, tmp_path: Path) -> None:
    app.open("single-head?seed=7&mask=causal")
    before = app.trace("walk", "weights")
    open_panel(app)
    with app.page.expect_download() as download:
        app.page.get_by_role("button", name="Save the settings as a file").first.click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    said = json.loads(path.read_text())
    assert path.name == "single-head.attention.json"
    assert said["settings"]["mask"] == "causal"
    app.open("single-head")
    assert app.trace("walk", "weights") != before
    open_panel(app)
    field = app.page.locator("[class*=st-key-share-file] input[type=file]")
    for content, wrong in (
        ("{", "a whole file"),
        (json.dumps(said | {"page": "multi-head"}), "of another page, multi-head"),
        (json.dumps(said | {"settings": {"seed": "x"}}), "seed cannot be used"),
    ):
        (tmp_path / "bad.json").write_text(content)
        field.set_input_files(tmp_path / "bad.json")
        expect(app.page.get_by_text("The picture stays as it was.")).to_contain_text(wrong)
        app.settle()
    assert app.trace("walk", "weights") != before
    field.set_input_files(path)
    expect(app.page.get_by_text("The file's settings stand on the page.")).to_be_visible()
    app.settle()
    assert app.trace("walk", "weights") == before
    assert "mask=causal" in app.query


def test_lesson_link_is_made_and_opens(app: AppPage) -> None:
    app.open("single-head?seed=7")
    app.page.get_by_role("button", name="Teach").click()
    said = app.page.get_by_label("Say one sentence")
    said.fill("Look at <b>row 2</b>")
    said.press("Enter")
    app.settle()
    app.choose("teach-hide", "All prose: what a page says beside its figure, and its tabs")
    app.choose("teach-hide", "Mask")
    link = app.page.locator(".share-link").input_value()
    assert scanned(app) == link
    app.page.goto(link)
    app.settle()
    expect(app.page.locator(".teacher-says")).to_have_text("Look at <b>row 2</b>")
    assert app.page.locator(".live-says").is_hidden()
    assert app.page.locator(".st-key-mask").is_hidden()
    assert app.page.locator(".st-key-seed").is_visible()
    assert app.page.get_by_test_id("stTabs").first.is_hidden()
    assert app.figure("walk").is_visible()
