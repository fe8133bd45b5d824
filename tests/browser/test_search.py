"""The search field: what is typed there finds a page, a view or a term, by keyboard, finger and mouse."""

import json
import re

import pytest
from playwright.sync_api import Locator, expect

from attn_ui.base.navigation import PAGES
from attn_ui.screen import search
from attn_ui.screen.search_words import WORDS
from tests.browser.app_page import AppPage
from tests.browser.axe import faults_in_both_themes
from tests.browser.find_queries import ASKED, READ
from tests.browser.test_history import wait_at

pytestmark = pytest.mark.still

LIST = "plotly/search.json"
# What Enter would go to for each text, by the very functions of the field.


def field(app: AppPage) -> Locator:
    return app.page.get_by_role("searchbox", name="Find a page, a view or a term")


def links(app: AppPage) -> Locator:
    return app.page.locator(".search-results a")


def type_in(app: AppPage, text: str) -> None:
    field(app).click()
    app.page.keyboard.type(text)


def live_region(app: AppPage) -> Locator:
    return app.page.locator(".search [aria-live]")


@pytest.mark.essential
def test_search_term_typed_and_entered_opens_and_back_returns(app: AppPage) -> None:
    app.open("single-head?mask=causal&seed=7")
    app.press("walk", "ArrowRight")
    temperature = app.readout("walk")
    steps = app.page.evaluate("history.length")
    type_in(app, "RoPE")
    app.page.keyboard.press("Enter")
    wait_at(app, "Positional encoding", scheme="rotary")
    app.settle()
    expect(field(app)).to_have_value("")
    assert app.page.evaluate("history.length") == steps + 1
    app.page.go_back()
    wait_at(app, "Single-head attention", mask="causal", seed="7", t=temperature)
    app.settle()
    assert app.readout("walk") == temperature
    app.page.go_forward()
    wait_at(app, "Positional encoding", scheme="rotary")


def test_search_result_on_the_same_page_is_a_history_step(app: AppPage) -> None:
    app.open("single-head?mask=causal&seed=7")
    type_in(app, "sliding window")
    app.page.keyboard.press("Enter")
    wait_at(app, "Single-head attention", mask="sliding window")
    app.settle()
    expect(app.page.locator(".st-key-mask").get_by_role("combobox")).to_have_value("sliding window")
    app.page.go_back()
    wait_at(app, "Single-head attention", mask="causal", seed="7")


@pytest.mark.slow
def test_search_results_are_selected_by_arrows_and_escape_closes(app: AppPage) -> None:
    app.open()
    type_in(app, "causal head")
    expect(live_region(app)).to_contain_text("found")
    field(app).fill("diagram")
    expect(links(app)).to_have_count(2)
    expect(live_region(app)).to_have_text("2 found.")
    app.page.keyboard.press("Enter")  # which of the two it does not guess
    expect(links(app).first).to_be_focused()
    app.page.keyboard.press("ArrowDown")
    expect(links(app).nth(1)).to_be_focused()
    app.page.keyboard.press("ArrowUp")
    app.page.keyboard.press("ArrowUp")
    expect(field(app)).to_be_focused()
    app.page.keyboard.press("Escape")
    expect(links(app)).to_have_count(0)
    expect(field(app)).to_have_value("")
    field(app).fill("diagram")
    app.page.keyboard.press("ArrowDown")
    app.page.keyboard.press("ArrowDown")
    app.page.keyboard.press("Enter")
    wait_at(app, "Multi-head attention", view="diagram")
    app.settle()


def test_search_without_a_match_says_so_and_sends_nothing(app: AppPage) -> None:
    app.open()
    asked: list[str] = []
    app.page.on("request", lambda request: asked.append(f"{request.url} {request.post_data or ''}"))
    before = len(app.sent)
    type_in(app, "zebra <img src=x onerror=alert(1)>")
    expect(live_region(app)).to_have_text("Nothing here is called “zebra <img src=x onerror=alert(1)>”.")
    expect(links(app)).to_have_count(0)
    assert app.page.locator(".search img").count() == 0
    app.page.keyboard.press("Enter")
    assert [each for each in asked if "zebra" in each] == []
    assert len(app.sent) == before


def test_search_list_is_fetched_on_the_first_focus(app: AppPage) -> None:
    asked: list[str] = []
    app.page.on("request", lambda request: asked.append(request.url))
    app.open("kernel-regression")
    assert [each for each in asked if "/search." in each] == []
    with app.page.expect_response(lambda answer: LIST in answer.url) as answer:
        field(app).click()
    assert answer.value.json() == json.loads(search.listing())
    assert sum("/search." in each for each in asked) == 2


@pytest.mark.slow
def test_search_list_that_fails_is_reported_and_fetched_again(app: AppPage) -> None:
    app.open()
    app.page.route(f"**/{LIST}", lambda route: route.abort())
    type_in(app, "so")
    expect(live_region(app)).to_contain_text("could not be fetched")
    app.page.unroute(f"**/{LIST}")
    app.page.keyboard.type("ftmax")
    expect(links(app).first).to_contain_text("Softmax")


@pytest.mark.sample(1)
@pytest.mark.parametrize("width", [390, 1280])
def test_search_results_pass_axe(app: AppPage, width: int) -> None:
    app.page.set_viewport_size({"width": width, "height": 844})
    app.open("single-head")
    type_in(app, "mask")
    expect(links(app)).to_have_count(8)
    assert faults_in_both_themes(app) == []


def test_search_on_a_phone_unfolds_over_the_title_and_moves_nothing(app: AppPage) -> None:
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.open("single-head")
    closed, figure = field(app).bounding_box(), app.figure("walk").bounding_box()
    field(app).click()
    opened = field(app).bounding_box()
    assert closed is not None
    assert opened is not None
    assert closed["width"] <= 48
    assert opened["width"] >= 340
    assert app.figure("walk").bounding_box() == figure
    assert app.page.evaluate("document.documentElement.scrollWidth") <= 390
    app.page.keyboard.type("ALiBi")
    links(app).first.click()
    wait_at(app, "Positional encoding", scheme="ALiBi")
    app.settle()


@pytest.mark.slow
def test_search_can_be_hidden_in_an_embedded_page_and_a_lesson(app: AppPage) -> None:
    app.open("single-head?embed=true")
    assert field(app).count() == 0
    app.open("single-head?hide=search")
    expect(field(app)).to_be_hidden()
    app.open("single-head?hide=words")
    expect(field(app)).to_be_visible()


def test_glossary_link_opens_in_the_same_session(app: AppPage) -> None:
    app.open("glossary?group=positions")
    app.page.evaluate("window.sameWindow = true")
    app.page.locator(".st-key-terms").get_by_role("link", name="Positional encoding: ALiBi").click()
    wait_at(app, "Positional encoding", scheme="ALiBi")
    app.settle()
    assert app.page.evaluate("window.sameWindow") is True
    app.page.go_back()
    wait_at(app, "Glossary", group="positions")
    app.settle()


@pytest.mark.slow
def test_glossary_slider_steps_through_the_parts(app: AppPage) -> None:
    app.open("glossary")
    app.press("parts", "ArrowRight", times=7)
    assert app.readout("parts") == "Softmax"
    expect(app.figure("parts").locator(".live-says")).to_contain_text("Softmax turns a row of scores into")
    assert "part=8" in app.query


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.slow
def test_glossary_passes_axe(app: AppPage, width: int) -> None:
    app.page.set_viewport_size({"width": width, "height": 844})
    app.open("glossary")
    assert faults_in_both_themes(app) == []
    assert app.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_navigation_has_every_page_beside_a_sidebar(app: AppPage) -> None:
    app.open("single-head")
    shown = app.page.get_by_test_id("stTopNavLink").filter(visible=True).all_inner_texts()
    assert [each.strip() for each in shown] == [page.title for page in PAGES]


def test_search_finds_what_people_type(app: AppPage) -> None:
    """What others wrote and what a class asks is among the eight shown, and nearly all of it comes first."""
    app.open()
    typed = {**READ, **ASKED}
    found = app.page.evaluate(
        """async (typed) => {
          const field = document.querySelector(".search").dataset;
          const at = (name) => new URL(field[name], document.baseURI);
          const { entry, matches } = await import(at("module"));
          const list = (await (await fetch(at("list"))).json()).map(entry);
          const shown = (text) => matches(list, text).slice(0, 8);
          const line = ({ names, kind, place }) => `${names[0]} ${kind} ${place}`;
          return typed.map((text) => shown(text).map(line));
        }""",
        [*typed],
    )
    hits = {
        text: [bool(re.search(wanted, line.replace("+", " "), re.IGNORECASE)) for line in lines]
        for (text, wanted), lines in zip(typed.items(), found, strict=True)
    }
    assert len(hits) >= 150
    assert [text for text, lines in hits.items() if not any(lines)] == []
    assert sum(lines[0] for lines in hits.values()) >= 150


def test_search_names_are_all_of_entries() -> None:
    names = {name for each in search.all_entries() for name in each.names}
    assert {*WORDS} - names == set()
