"""A map of 2,048 words in a browser: from the whole to one cell, with the array's own words and number."""

import base64
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Locator, Page, expect

from attn_figures import show, theme
from attn_live.long_widget import LongWidget
from tests.browser.app_page import FRAME

N = 2048
WORDS = [f"w{place + 1}" for place in range(N)]
EDGE = (132, 116)  # pixels left of the map and above it, on a wide window
SIDE = 640  # of the map
# What anywidget does: a module from a blob, bytes as DataViews, messages with buffers.
RENDER = """
async ([esm, css, traits, ground]) => {
    document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
    document.body.style.background = ground;
    const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    const state = { ...traits, opening: bytes(traits.opening) };
    const calls = {};
    const model = {
        get: (name) => state[name],
        on: (event, call) => { calls[event] = call; },
        off: (event) => { delete calls[event]; },
        send: async (content) => {
            const found = await window.askPython(content);
            for (const [said, text] of found) calls["msg:custom"](said, [bytes(text)]);
        },
    };
    const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    window.undo = await widget.render({ model, el: document.querySelector("#cell") });
}
"""
COLOUR = """
(canvas, [x, y]) => {
    const ratio = devicePixelRatio;
    const image = canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1);
    return [...image.data].slice(0, 3);
}
"""


@pytest.fixture(scope="module")
def weights() -> NDArray[np.float32]:
    """Two heads that look at the first word, at themselves, and a little everywhere."""
    noise = np.random.default_rng(1).random((2, N, N), dtype=np.float32) * 0.1
    scores = np.tri(N, dtype=np.float32) * noise
    scores[:, :, 0] += 40
    scores[:, np.arange(N), np.arange(N)] += 30
    found: NDArray[np.float32] = scores / scores.sum(axis=-1, keepdims=True)
    return found


@pytest.fixture(scope="module")
def widget(weights: NDArray[np.float32]) -> LongWidget:
    """Both heads."""
    made = show(weights, WORDS)
    assert isinstance(made, LongWidget)
    return made


@pytest.fixture
def window(browser: Browser) -> Iterator[Page]:
    """A page of its own, of one size."""
    context = browser.new_context(viewport={"width": 1000, "height": 1000})
    yield context.new_page()
    context.close()


def render(page: Page, widget: LongWidget, ground: str = "#fff") -> Locator:
    """Draw the widget; whatever it asks is answered by its own Python."""

    def answer(content: Any) -> list[tuple[Any, str]]:
        found: list[tuple[Any, str]] = []
        widget.send = lambda said, buffers: found.append((said, base64.b64encode(buffers[0]).decode()))
        widget._answer(None, content, [])
        return found

    page.set_content("<!doctype html><div id='cell'></div>")
    page.expose_function("askPython", answer)
    traits = json.loads(json.dumps(widget.page))
    opening = base64.b64encode(widget.opening).decode()
    page.evaluate(RENDER, [widget._esm, widget._css, {"page": traits, "opening": opening}, ground])
    root = page.locator(".long-map")
    expect(root).to_have_attribute("data-state", "drawn")
    return root


def point(page: Page, root: Locator, x: int, y: int) -> tuple[float, float]:
    """Move the pointer to whole pixels; return where that is on the map, in pixels from its corner."""
    box = root.locator("canvas").bounding_box()
    assert box is not None
    corner = box["x"] + EDGE[0], box["y"] + EDGE[1]
    to = math.ceil(corner[0]) + x, math.ceil(corner[1]) + y
    page.mouse.move(*to)
    return to[0] - corner[0], to[1] - corner[1]


def expect_output(root: Locator, text: str) -> None:
    expect(root.locator("output")).to_have_text(text)


def digits(weight: float) -> str:
    return f"{weight:.{3 - math.floor(math.log10(weight))}f}"  # four significant ones


@pytest.mark.essential
def test_long_map_wheel_zooms_from_the_whole_to_one_cell(
    window: Page, widget: LongWidget, weights: NDArray[np.float32]
) -> None:
    root = render(window, widget)
    expect(root).to_have_attribute("data-level", "3")
    at = point(window, root, 1, 500)
    row = int(at[1] / (SIDE / N) / 8) * 8
    block = digits(weights[0, row : row + 8, :8].max())
    names = f"w{row + 1} … w{row + 8}"
    expect_output(root, f"Query {row + 1}–{row + 8} “{names}”, key 1–8 “w1 … w8”: largest weight {block}")
    expect(root).to_contain_text("Each point is the largest of 8 × 8 cells")
    window.mouse.down()
    window.mouse.up()
    for _ in range(30):
        window.mouse.wheel(0, -500)
    expect(root).to_have_attribute("data-level", "0")
    expect(root).to_have_attribute("data-state", "drawn")
    expect(root).to_contain_text("Each square is one cell")
    column, row = (int(each / (SIDE / N)) for each in at)
    for place in (column, column + 1):  # a cell is 56 pixels wide now
        point(window, root, 1 + 56 * (place - column), 500)
        weight = digits(weights[0, row, place])
        expect_output(root, f"Query {row + 1} “w{row + 1}”, key {place + 1} “w{place + 1}”: weight {weight}")


def test_long_map_keys_zoom_move_and_go_back(
    window: Page, widget: LongWidget, weights: NDArray[np.float32]
) -> None:
    root = render(window, widget)
    canvas = root.locator("canvas")
    canvas.focus()
    for _ in range(9):
        window.keyboard.press("+")
    expect(root).to_have_attribute("data-level", "0")
    middle = N // 2
    expect_output(
        root,
        f"Query {middle + 1} “w{middle + 1}”, key {middle + 1} “w{middle + 1}”: "
        f"weight {digits(weights[0, middle, middle])}",
    )
    window.keyboard.press("ArrowLeft")
    window.keyboard.press("ArrowDown")
    weight = digits(weights[0, middle + 1, middle - 1])
    expect_output(root, f"Query {middle + 2} “w{middle + 2}”, key {middle} “w{middle}”: weight {weight}")
    window.keyboard.press("-")
    window.keyboard.press("0")
    expect(root).to_have_attribute("data-level", "3")


def test_long_map_of_another_head_and_of_the_mean_are_distinct(
    window: Page, widget: LongWidget, weights: NDArray[np.float32]
) -> None:
    root = render(window, widget)
    root.get_by_label("Head").select_option("2")
    expect(root).to_have_attribute("data-shown", "max-0-1")
    root.get_by_label("Of each block").select_option("mean")
    expect(root).to_have_attribute("data-shown", "mean-0-1")
    expect(root).to_have_attribute("data-state", "drawn")
    expect(root).to_contain_text("Each point is the mean of 8 × 8 cells")
    point(window, root, 1, 1)
    block = digits(weights[1, :8, :8].astype(np.float64).mean())
    expect_output(root, f"Query 1–8 “w1 … w8”, key 1–8 “w1 … w8”: mean weight {block}")


def test_long_map_drag_moves_it_with_the_pointer(window: Page, widget: LongWidget) -> None:
    root = render(window, widget)
    for _ in range(4):
        root.get_by_role("button", name="Zoom in").click()
    point(window, root, 400, 400)
    before = root.locator("output").inner_text()
    window.mouse.down()
    point(window, root, 300, 350)
    expect_output(root, before)
    window.mouse.up()
    point(window, root, 400, 400)
    expect(root.locator("output")).not_to_have_text(before)
    root.get_by_role("button", name="Whole map").click()
    expect(root).to_have_attribute("data-level", "3")


def test_long_map_pinch_zooms_and_one_finger_moves_it(browser: Browser, widget: LongWidget) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 1000}, has_touch=True)
    page = context.new_page()
    root = render(page, widget)
    canvas = root.locator("canvas")
    hand = context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        hand.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        )

    for _ in range(4):
        touch("touchStart", (400, 500), (420, 500))
        for apart in range(20, 200, 20):
            touch("touchMove", (400 - apart, 500), (420 + apart, 500))
        touch("touchEnd")
    expect(root).to_have_attribute("data-level", "0")
    expect(canvas).to_have_css("touch-action", "none")
    before = root.locator("output").inner_text()
    touch("touchStart", (500, 500))
    touch("touchMove", (300, 500))
    touch("touchEnd")
    touch("touchStart", (500, 500))
    touch("touchEnd")
    expect(root.locator("output")).to_have_text(re.compile(r"^Query \d+.*key \d+.*: .*\d"))
    expect(root.locator("output")).not_to_have_text(before)
    context.close()


def test_long_map_page_scroll_or_pinch_keeps_the_selection(browser: Browser, widget: LongWidget) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 1000}, has_touch=True)
    page = context.new_page()
    root = render(page, widget)
    page.add_style_tag(content="body { min-height: 3000px }")
    output = root.locator("output")
    hand = context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        hand.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        )
        page.evaluate(FRAME)

    def scroll() -> None:
        page.evaluate("scrollTo(0, 0)")
        touch("touchStart", (500, 600))
        for by in range(20, 200, 20):
            touch("touchMove", (502, 600 - by))
        touch("touchEnd")
        page.wait_for_function("scrollY > 50")
        page.evaluate("scrollTo(0, 0)")

    scroll()
    expect(output).to_have_text("")
    touch("touchStart", (500, 500))
    touch("touchEnd")
    asked = output.inner_text()
    assert asked.startswith("Quer")
    scroll()
    expect(output).to_have_text(asked)
    touch("touchStart", (400, 550))
    touch("touchStart", (400, 550), (420, 550))
    for by in range(2, 20, 2):  # as far apart as before: the cells in sight stay as large
        touch("touchMove", (400 + by, 550), (420 + by, 550))
    touch("touchEnd")
    expect(output).to_have_text(asked)
    context.close()


def test_long_map_keeps_a_pens_reading_and_menus_move_nothing(window: Page, widget: LongWidget) -> None:
    root = render(window, widget)
    canvas, output = root.locator("canvas"), root.locator("output")
    canvas.focus()
    for _ in range(4):
        window.keyboard.press("+")
    box = canvas.bounding_box()
    assert box is not None
    place = {"clientX": box["x"] + 300, "clientY": box["y"] + 300}
    pen = {**place, "pointerType": "pen", "pointerId": 7}
    in_the_middle = output.inner_text()
    canvas.dispatch_event("pointermove", pen)
    expect(output).not_to_have_text(in_the_middle)
    asked = output.inner_text()
    canvas.dispatch_event("pointerleave", pen)
    window.evaluate(FRAME)
    expect(output).to_have_text(asked)
    window.mouse.move(place["clientX"], place["clientY"])
    window.mouse.down(button="right")  # the menu that it opens hears of its end
    window.mouse.move(place["clientX"] + 40, place["clientY"], steps=4)
    expect(output).not_to_have_text(asked)  # the pointer is over another cell, not the same one moved along
    window.mouse.up(button="right")


def test_long_map_saves_the_visible_part_with_its_words(
    window: Page, widget: LongWidget, weights: NDArray[np.float32], tmp_path: Path
) -> None:
    root = render(window, widget)
    root.locator("canvas").focus()
    for _ in range(9):
        window.keyboard.press("+")
    expect(root).to_have_attribute("data-level", "0")
    sizes = {}
    for kind, name in (
        ("PNG", "attention-weights.png"),
        ("SVG", "attention-weights.svg"),
        ("a slide", "attention-weights-slide.png"),
    ):
        with window.expect_download() as saved:
            root.get_by_role("button", name=f"Save as {kind}").click()
        assert saved.value.suggested_filename == name
        saved.value.save_as(tmp_path / name)
        data = (tmp_path / name).read_bytes()
        if name.endswith(".png"):
            assert data.startswith(b"\x89PNG")
            sizes[name] = tuple(int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert sizes["attention-weights-slide.png"] == (1920, 1080)
    drawn = ElementTree.parse(tmp_path / "attention-weights.svg")
    texts = ["".join(each.itertext()) for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    middle = N // 2
    assert texts.count(f"w{middle + 1}") == 2  # of a query and of a key
    assert f"{weights[0, middle, middle]:.3g}" in texts  # a cell has its number
    caption = " ".join(texts)
    assert re.search(
        rf"attention weights. Queries \d+–\d+ / {N}, keys \d+–\d+ / {N}. Each square is", caption
    )
    images = [*drawn.iter("{http://www.w3.org/2000/svg}image")]
    assert len(images) == 1


def test_long_map_saved_words_are_text(window: Page, tmp_path: Path) -> None:
    n = 300
    strange = ["<b>&", '"quoted"', "\x07bell", "שלום", "猫", "🙂", "<0xE6>"]
    tokens = [*strange, *(f"w{place}" for place in range(n - len(strange)))]
    made = show(np.eye(n, dtype=np.float32), tokens, palette="cividis")
    assert isinstance(made, LongWidget)
    root = render(window, made)
    point(window, root, 1, 1)
    window.mouse.down()
    window.mouse.up()
    for _ in range(30):
        window.mouse.wheel(0, -500)
    expect_output(root, "Query 1 “<b>&”, key 1 “<b>&”: weight 1")
    with window.expect_download() as saved:
        root.get_by_role("button", name="Save SVG").click()
    saved.value.save_as(tmp_path / "map.svg")
    drawn = ElementTree.parse(tmp_path / "map.svg")
    texts = ["".join(each.itertext()) for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    for word in ("<b>&", '"quoted"', "\N{REPLACEMENT CHARACTER}bell", "שלום", "猫", "🙂", "<0xE6>"):
        assert texts.count(word) == 2
    cividis = theme.RAMPS["cividis"](theme.LIGHT)[0]
    at = [EDGE[0] + 8, EDGE[1] + 8]
    found = root.locator("canvas").evaluate(COLOUR, at)
    assert found == [int(cividis[-1][place : place + 2], 16) for place in (1, 3, 5)]
