"""The live figure in a real JupyterLab: drawn, dragged, and moved by keys that the notebook uses too."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.jupyter import jupyter_lab

CELLS = (
    """
import numpy as np
from attn_figures import live
from attn_figures.frame import Side
from attn_figures.matrix import Matrix
from attn_figures.panels import compose

words = ["the", "cat"]
shares = [np.array([[1 - p, p], [p, 1 - p]]) for p in (0.0, 0.25, 0.5, 0.75)]
sides = Side.queries(words), Side.keys(words)
maps = [compose([Matrix("weights", w, "weights", *sides)]) for w in shares]
figure = live(maps, ["0", "1", "2", "3"], label="Share", name="shares")
figure
""",
    "print('step', figure.step)",
    """
import numpy as np
from attn_figures import show

scores = np.exp(np.random.default_rng(5).standard_normal((12, 2048, 2048), dtype=np.float32))
scores /= scores.sum(axis=-1, keepdims=True)
words = [f"w{place + 1}" for place in range(2048)]
""",
    "show(scores, words)",
    "print(float(scores[1, 1024, 1025]))",
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with jupyter_lab(tmp_path_factory.mktemp("jupyter"), CELLS) as address:
        yield address


def run(page: Page, lab: str) -> Locator:
    """Open the notebook, run its first cell, and return the figure."""
    page.goto(f"{lab}/lab/tree/n.ipynb?reset")
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.locator(".jp-Notebook-cell").first.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    figure = page.locator(".live-figure")
    expect(figure).to_have_attribute("data-state", "drawn")
    return figure


@pytest.mark.slow
def test_jupyter_slider_handles_its_keys_and_reports_to_python(tab: Page, lab: str) -> None:
    figure = run(tab, lab)
    expect(figure.locator(".heatmap-label").first).to_have_text("1.00")
    first = tab.locator(".jp-Notebook-cell").first
    slider = figure.get_by_role("slider", name="Share")
    slider.focus()
    for key, step in [("ArrowRight", 1), ("ArrowUp", 2), ("ArrowDown", 1), ("ArrowLeft", 0), ("End", 3)]:
        tab.keyboard.press(key)
        expect(figure.locator("output")).to_have_text(str(step))
        expect(slider).to_be_focused()
        expect(first).to_contain_class("jp-mod-active")
    expect(figure).to_have_attribute("data-step", "3")
    tab.wait_for_function("() => !document.querySelector('.live-figure[data-unsent]')")
    assert step_in_python(tab) == "step 3"


@pytest.mark.film
@pytest.mark.slow
def test_jupyter_button_and_save_panel_handle_their_keys(tab: Page, lab: str) -> None:
    figure = run(tab, lab)
    first = tab.locator(".jp-Notebook-cell").first
    figure.get_by_role("button", name="Play").focus()
    tab.keyboard.press("Enter")
    expect(figure).to_have_attribute("data-step", "3")
    expect(first).to_contain_class("jp-mod-active")
    figure.get_by_role("button", name="Save", exact=True).focus()
    tab.keyboard.press("Enter")
    panel = tab.locator("dialog.save-panel")
    expect(panel.and_(tab.locator("[data-made=png]"))).to_be_visible()
    panel.locator("input[value=png]").focus()
    tab.keyboard.press("ArrowDown")
    expect(panel.locator("input[value=svg]")).to_be_checked()
    expect(first).to_contain_class("jp-mod-active")


def test_jupyter_drag_moves_the_picture_and_reports_to_python(tab: Page, lab: str) -> None:
    figure = run(tab, lab)
    box = figure.get_by_role("slider", name="Share").bounding_box()
    assert box is not None
    tab.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2, steps=4)
    expect(figure.locator("output")).to_have_text("3")
    tab.mouse.up()
    expect(figure.locator(".heatmap-label").first).to_have_text("0.25")
    tab.wait_for_function("() => !document.querySelector('.live-figure[data-unsent]')")
    assert step_in_python(tab) == "step 3"


def step_in_python(tab: Page) -> str:
    """Ask the kernel where the slider stands, in the second cell."""
    second = tab.locator(".jp-Notebook-cell").nth(1)
    second.locator(".cm-content").click()
    tab.keyboard.press("Control+Enter")
    said = second.locator(".jp-OutputArea-output")
    expect(said).to_be_visible()
    return said.inner_text().strip()


@pytest.mark.slow
def test_jupyter_long_map_zooms_to_one_cell_of_another_head(tab: Page, lab: str) -> None:
    tab.goto(f"{lab}/lab/tree/n.ipynb?reset")
    expect(tab.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    cells = tab.locator(".jp-Notebook-cell")
    for number in (2, 3):
        cells.nth(number).locator(".cm-content").click()
        tab.keyboard.press("Control+Enter")
    root = tab.locator(".long-map")
    expect(root).to_have_attribute("data-state", "drawn")
    root.get_by_label("Head").select_option("2")
    expect(root).to_have_attribute("data-shown", "max-0-1")
    root.locator("canvas").focus()
    for _ in range(9):
        tab.keyboard.press("+")
    expect(root).to_have_attribute("data-level", "0")
    tab.keyboard.press("ArrowRight")
    expect(root).to_have_attribute("data-state", "drawn")
    expect(cells.nth(3)).to_contain_class("jp-mod-active")  # the notebook's own keys leave it
    said = root.locator("output")
    expect(said).to_contain_text("Query 1025 “w1025”, key 1026 “w1026”: weight ")
    weight = float(said.inner_text().rpartition(" weight ")[2].replace(" × 10^−", "e-"))
    cells.nth(4).locator(".cm-content").click()
    tab.keyboard.press("Control+Enter")
    printed = cells.nth(4).locator(".jp-OutputArea-output")
    expect(printed).to_be_visible()
    assert weight == pytest.approx(float(printed.inner_text()), rel=1e-3)
