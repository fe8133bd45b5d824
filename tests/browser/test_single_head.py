"""The single-head page as a lesson: one number followed from the sentence to the output."""

import math
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from pages.single_head.settings import STAGE
from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still

FIGURE = "walk"


def open_stage(app: AppPage, **settings: str) -> AppPage:
    app.open(f"single-head?{urlencode(settings)}")
    return app


def numbers(app: AppPage, name: str) -> np.ndarray:
    return np.array(app.trace(FIGURE, name), dtype=float)


def click(app: AppPage, name: str, row: int, column: int) -> None:
    """Click a cell of a map; it is framed at once."""
    app.click_cell(FIGURE, name, row, column)


def stage(app: AppPage, name: str) -> None:
    if name in STAGE.chips:
        app.page.locator(".st-key-stage button").get_by_text(name, exact=True).click()
    else:
        app.choose("more-stage", name)
    app.settle()


def words(app: AppPage) -> str:
    return app.page.get_by_test_id("stMain").inner_text().replace("−", "-")


def says(app: AppPage, text: str) -> None:
    """Wait until the page says something: words come a moment after the picture."""
    app.page.wait_for_function(
        """text => document.querySelector('[data-testid=stMain]').innerText
            .replaceAll('−', '-').includes(text)""",
        arg=text,
    )


def softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - np.nanmax(scores, axis=1, keepdims=True))
    weights: np.ndarray = np.nan_to_num(exponentials / np.nansum(exponentials, axis=1, keepdims=True))
    return weights


def follow(app: AppPage, row: int, column: int) -> None:
    """Follow one cell through every stage, each computed again from what the stage before it draws."""
    stage(app, "Q, K, V")
    query, key, value = (numbers(app, name) for name in "QKV")
    source = numbers(app, "Y") if app.page.url.count("cross=true") else numbers(app, "X")
    np.testing.assert_allclose(numbers(app, "X") @ numbers(app, "Wq"), query, atol=1e-5)
    np.testing.assert_allclose(source @ numbers(app, "Wk"), key, atol=1e-5)
    stage(app, "scores")
    scores = numbers(app, "scores")
    np.testing.assert_allclose(query @ numbers(app, "K transposed"), scores, atol=1e-5)
    click(app, "scores", row, column)
    says(app, f", score {scores[row, column]:.5g}"[:-1])
    stage(app, "scaled")
    np.testing.assert_allclose(numbers(app, "scaled"), scores / math.sqrt(query.shape[1]), atol=1e-5)
    stage(app, "weights")
    weights = numbers(app, "weights")
    np.testing.assert_allclose(softmax(numbers(app, "masked")), np.nan_to_num(weights), atol=1e-6)
    stage(app, "output")
    np.testing.assert_allclose(np.nan_to_num(weights) @ value, numbers(app, "output"), atol=1e-5)
    app.tab("Arithmetic")
    says(app, f"{weights[row, column]:.6f}")
    for product in [*(query[row] * key[column]), *numbers(app, "output")[row]]:
        says(app, f"{product:.4g}"[:-1])


@pytest.mark.essential
def test_hovered_number_is_traced_from_the_sentence_to_the_output(app: AppPage) -> None:
    open_stage(app, text="every good teacher draws")
    follow(app, 2, 1)


@pytest.mark.slow
def test_hovered_number_is_traced_across_two_sentences(app: AppPage) -> None:
    open_stage(app, text="two words", cross="true", text2="three other words here", mask="causal")
    follow(app, 1, 0)
    stage(app, "masked")
    assert np.isnan(numbers(app, "masked")).sum() == 2 * 4 - 3


@pytest.mark.essential
def test_temperature_moves_the_weights_and_is_in_the_link(app: AppPage) -> None:
    open_stage(app)
    before = numbers(app, "weights")
    app.press(FIGURE, "ArrowLeft", 10)
    after = numbers(app, "weights")
    scaled = numbers(app, "scores") / 2 / float(app.readout(FIGURE))
    np.testing.assert_allclose(after, softmax(scaled), atol=5e-3)
    assert (after.max(axis=1) > before.max(axis=1)).all()
    temperature = parse_qs(app.query)["t"]
    app.page.reload()
    app.settle()
    np.testing.assert_array_equal(numbers(app, "weights"), after)
    assert parse_qs(app.query)["t"] == temperature


@pytest.mark.still
def test_view_from_the_list_gets_a_chip_and_a_step_of_history(app: AppPage) -> None:
    open_stage(app)
    aside = app.page.get_by_test_id("stSidebar")
    for name, asked in (("arcs", "Queries together"), ("points", "Plane of queries and keys")):
        app.choose("more-stage", name)
        app.settle()
        expect(aside.get_by_text(asked)).to_be_visible()
        assert parse_qs(app.query)["stage"] == [name]
        assert app.page.locator(".st-key-stage button").all_inner_texts()[6:] == [name]
    app.page.go_back()
    app.settle()
    assert parse_qs(app.query)["stage"] == ["arcs"]
    app.page.go_back()
    app.settle()
    assert "stage" not in parse_qs(app.query)


@pytest.mark.slow
def test_tap_as_the_pointer_arrives_selects_the_cell(app: AppPage) -> None:
    app.open("single-head")
    for row, column in (2, 4), (1, 3), (3, 2):  # Plotly looks under the pointer every 50 ms at most
        x, y = app.cell_centre(FIGURE, "scores", row, column)
        app.page.mouse.move(x - 1, y)
        app.page.mouse.move(x, y)
        app.page.mouse.click(x, y)
        expect(app.page).to_have_url(re.compile(f"q={row}.*k={column}|k={column}.*q={row}"))
        app.settle()


@pytest.mark.essential
def test_own_mask_is_made_by_clicking_cells(app: AppPage) -> None:
    open_stage(app, text="a b c", mask="own")
    click(app, "masked", 1, 2)
    assert np.isnan(numbers(app, "weights")[1]).tolist() == [False, False, True]
    click(app, "masked", 1, 0)
    assert parse_qs(app.query)["blocked"] == ["1.0,1.2"]
    click(app, "masked", 1, 2)
    assert np.isnan(numbers(app, "weights")[1]).tolist() == [True, False, False]
    app.page.reload()
    app.settle()
    np.testing.assert_allclose(np.nansum(numbers(app, "weights"), axis=1), 1, atol=1e-6)
    assert np.isnan(numbers(app, "weights")).sum() == 1


def first_cell(app: AppPage) -> None:
    """Select the first number of the first table under the figure."""
    selected = app.select_in_table(0.5)
    app.page.keyboard.press("Control+Home")
    expect(selected).to_have_attribute("aria-colindex", "1", timeout=20_000)


def wait_for_link(app: AppPage, name: str, text: str) -> None:
    """Wait until the address says so."""
    app.page.wait_for_function(
        "([name, text]) => new URL(location).searchParams.get(name) === text", arg=[name, text]
    )


@pytest.mark.parametrize("slowdown", [1, 4])
@pytest.mark.slow
def test_typed_tables_are_set_by_link_and_by_hand(app: AppPage, slowdown: int) -> None:
    open_stage(app, qkv="typed", Q="1,2,3", K="4,5,6;7,8,9", V="4,5,6;7,8,9", tab="Data")
    np.testing.assert_allclose(numbers(app, "output"), [[6.999908, 7.999908, 8.999908]], atol=1e-6)
    slow = app.page.context.new_cdp_session(app.page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    first_cell(app)
    field = app.page.locator("#portal input.gdg-input")
    for number in ("0.5", "-12", "25"):
        app.page.keyboard.press("Enter")
        expect(field).to_be_focused(timeout=20_000)
        app.page.keyboard.press("Control+A")
        app.page.keyboard.type(number, delay=120)
        expect(field).to_have_value(number)
        app.page.keyboard.press("Tab")
        expect(field).to_have_count(0)
    # Pressed as long as a person presses: the table hands its last cell over after 150 ms.
    app.page.get_by_role("button", name="Draw these numbers").first.click(delay=300)
    wait_for_link(app, "Q", "0.5,-12,25")
    app.settle()
    row = np.array([0.5, -12.0, 25.0])
    np.testing.assert_allclose(numbers(app, "scores"), [row @ np.array([[4, 7], [5, 8], [6, 9]])], atol=1e-4)
    slow.detach()


@pytest.mark.still
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.slow
def test_typed_table_buttons_are_adjacent_and_announce_waiting_tables(app: AppPage, width: int) -> None:
    app.page.set_viewport_size({"width": width, "height": 844})
    open_stage(app, qkv="typed", tab="Data")
    tables = app.page.get_by_test_id("stForm").get_by_test_id("stDataFrame")
    buttons = app.page.get_by_role("button", name="Draw these numbers")
    expect(buttons).to_have_count(tables.count())
    expect(app.page.get_by_text("What you type waits until then.")).to_have_count(1)
    for table, button in zip(tables.all(), buttons.all(), strict=True):
        there, here = table.bounding_box(), button.bounding_box()
        assert there is not None
        assert here is not None
        beside = here["x"] >= there["x"] + there["width"] and here["y"] < there["y"] + there["height"]
        below = 0 <= here["y"] - there["y"] - there["height"] < 60
        assert beside if width == 1280 else below


@pytest.mark.essential
def test_foreign_text_is_shown_as_typed_and_never_run(app: AppPage) -> None:
    text = "<script> %{z} $x 👩‍👩‍👧 שלום"
    open_stage(app, text=text, mask="causal", tab="Arithmetic")
    app.page.on("dialog", lambda dialog: app.errors.append(f"dialog: {dialog.message}"))
    figure = app.figure(FIGURE)
    labels = figure.locator(".live-plot svg text").all_text_contents()
    for token in ("<", "script", ">", "%", "{", "$", "👩‍👩‍👧", "שלום"):
        assert token in labels
    app.point_at(FIGURE, "scores", 0, 0)
    expect(figure.locator(".live-plot .hoverlayer")).to_contain_text("query <, key <")
    for place in ("table b", "[data-testid=stMarkdownContainer] script", ".live-figure script"):
        assert app.page.locator(f"[data-testid=stMain] {place}").count() == 0
    says(app, "The output of “<” is")


def test_half_a_character_that_is_typed_becomes_a_sign(app: AppPage) -> None:
    app.open("single-head")
    app.page.get_by_label("Sentence", exact=True).evaluate(
        """(field) => {
          const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value");
          set.call(field, "cats \\ud800 x");
          field.dispatchEvent(new Event("input", { bubbles: true }));
          field.focus();
        }"""
    )
    app.page.keyboard.press("Enter")
    app.page.wait_for_url("**text=cats+%EF%BF%BD+x*")
    app.settle()  # the connection is as it was
    expect(app.figure(FIGURE).locator(".live-says")).to_contain_text("\ufffd")
    assert app.errors == []


def test_arithmetic_tables_are_whole_beside_a_sidebar(touch: Callable[[int, int], Page], server: str) -> None:
    app = AppPage(touch(820, 1180), server)
    open_stage(app, tab="Arithmetic")
    expect(app.page.get_by_role("heading", name="Input")).to_be_in_viewport()
    tables = app.page.get_by_role("tabpanel").locator("table").filter(has_text=re.compile("product|result"))
    expect(tables).to_have_count(2)
    assert tables.evaluate_all("all => all.map((one) => one.scrollWidth - one.clientWidth)") == [0, 0]
    assert app.errors == []


def test_arrow_keys_select_a_map_cell_and_announce_its_weight(app: AppPage) -> None:
    app.open("single-head?stage=weights")
    figure = app.figure(FIGURE)
    figure.locator(".live-plot").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        app.page.keyboard.press(key)
    wait = "() => new URLSearchParams(location.search).get('q') === '2'"
    app.page.wait_for_function(wait)
    column = int(parse_qs(app.query)["k"][0])
    weight = numbers(app, "weights")[2, column]
    expect(figure.locator(".live-heard")).to_contain_text(f"weight {weight:.6f}")
