"""Another language, chosen on a page or brought by a link: words change, and nothing else."""

import re
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from attn_words import _, speaking
from tests.browser.app_page import AppPage
from tests.browser.save_panel import SavePanel

pytestmark = pytest.mark.still

CHINESE = re.compile(r"[\u4e00-\u9fff]")
LINK = "single-head?mask=causal&stage=weights&t=2"


def in_chinese(message: str) -> str:
    """What a message is in Chinese; it must be something else."""
    with speaking("zh"):
        said = _(message)
    assert said != message
    return said


def settings(app: AppPage) -> dict[str, list[str]]:
    return parse_qs(app.query)


def choose_chinese(app: AppPage) -> None:
    app.page.get_by_role("button", name="中文", exact=True).click()
    app.page.wait_for_function("() => document.documentElement.lang === 'zh'")
    app.settle()


@pytest.mark.essential
def test_language_selection_keeps_all_other_settings(app: AppPage) -> None:
    app.open(LINK)
    app.press("walk", "ArrowRight", times=2)
    before, at = settings(app), app.readout("walk")
    weights = app.trace("walk", "weights")
    assert app.page.evaluate("document.documentElement.lang") == "en"
    assert not app.page.evaluate("Object.keys(window.labWords)")
    choose_chinese(app)
    assert settings(app) == {**before, "lang": ["zh"]}
    assert app.readout("walk") == at
    assert app.trace("walk", "weights") == weights
    # The figure that stood there says its own words anew.
    save = app.figure("walk").locator("[data-live=save]")
    expect(save).to_have_text(in_chinese("Save"))
    expect(app.figure("walk").locator("[data-live=play]")).to_have_attribute(
        "aria-label", in_chinese("Next step")
    )
    fill = app.figure("walk").locator("[data-live=projector]")
    expect(fill).to_have_attribute("title", CHINESE)
    # And back.
    app.page.get_by_role("button", name="English", exact=True).click()
    app.page.wait_for_function("() => document.documentElement.lang === 'en'")
    app.settle()
    expect(save).to_have_text("Save")
    assert settings(app) == {**before, "lang": ["en"]}
    assert app.errors == []


def test_shared_link_opens_in_the_same_language(app: AppPage) -> None:
    app.open(LINK)
    choose_chinese(app)
    app.page.locator(".st-key-share button").first.click()
    field = app.page.locator(".share-link")
    expect(field).to_have_value(re.compile("lang=zh"))
    other = app.page.context.new_page()
    other.goto(field.input_value())
    expect(other.locator(".live-figure [data-live=save]").first).to_have_text(in_chinese("Save"))
    other.close()


def test_file_saved_in_chinese_moves_and_is_chinese(app: AppPage, tmp_path: Path) -> None:
    app.open(f"{LINK}&lang=zh")
    panel = SavePanel(app, "walk")
    expect(panel.dialog.get_by_role("heading")).to_have_text(in_chinese("Save this figure"))
    path = panel.save(tmp_path, "html")
    picture = panel.save(tmp_path, "svg").read_text(encoding="utf-8")
    assert CHINESE.search(picture)
    (page,) = PdfReader(panel.save(tmp_path, "pdf")).pages
    assert CHINESE.search(page.extract_text())
    panel.close()
    app.page.goto(path.as_uri())
    figure = app.page.locator(".live-figure")
    expect(figure).to_have_attribute("data-state", "drawn")
    assert app.page.evaluate("document.documentElement.lang") == "zh"
    expect(figure.locator("[data-live=play]")).to_have_attribute("aria-label", in_chinese("Next step"))
    at = figure.locator("output").first.inner_text()
    figure.locator("input[data-live=step]").press("ArrowRight")
    expect(figure.locator("output").first).not_to_have_text(at)


@pytest.mark.essential
def test_page_language_is_that_of_the_link_or_the_browser(app: AppPage) -> None:
    for address, prefers, lang in (
        ("single-head", "de", "en"),
        ("single-head?lang=zh", "de", "zh"),
        ("single-head", "zh-CN,zh;q=0.9", "zh"),
        ("single-head?lang=en", "zh-CN", "en"),
        ("single-head?lang=xx", "de", "en"),
    ):
        answer = app.page.request.get(
            f"{app.server}/{address}", headers={"Accept": "text/html", "Accept-Language": prefers}
        )
        html = answer.text()
        assert f'<html lang="{lang}">' in html
        title = re.search(r"<title>(.*)</title>", html)
        assert title is not None
        assert bool(CHINESE.search(title[1])) is (lang == "zh")
        assert ("labWords = {" in html) is (lang == "zh")
