"""Cover and predict in a browser: what is covered is in no message, element or file; a try by keys alone."""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import WebSocket, expect

from pages import PAGES
from tests.browser.app_page import AppPage
from tests.browser.axe import violations
from tests.browser.save_panel import SavePanel
from tests.messages import read_body

pytestmark = pytest.mark.still
LINK = "single-head?cover=weights&predict=row&q=1"


def map_values(name: str) -> NDArray[np.float32]:
    """The numbers of a map of the page, uncovered, at all steps of its slider."""
    figure = PAGES["single-head"].at("q=1")
    found: NDArray[np.float32] = next(
        np.asarray(trace["z"], dtype=np.float32) for trace in figure.figure()["data"] if trace["name"] == name
    )
    return found


def arrays_of(frames: list[bytes]) -> Iterator[NDArray[np.float32]]:
    """Every array of a figure that came in a message, wherever it stands in it."""
    for frame in frames:
        for found in re.finditer(b"\x78[\x01\x5e\x9c\xda]", frame):
            try:
                body = zlib.decompressobj().decompress(frame[found.start() :])
                _, arrays = read_body(body)
            except (zlib.error, ValueError, KeyError, TypeError):
                continue  # two bytes that look like a beginning
            for array in arrays:
                if isinstance(array, np.ndarray) and array.dtype.kind == "f":
                    yield array.astype(np.float32)


def holds(arrays: list[NDArray[np.float32]], numbers: NDArray[np.float32]) -> bool:
    """Whether two neighbours of a map are two neighbours of some array."""
    pair = numbers.ravel()[7:9]
    flat = [array.ravel() for array in arrays]
    return any(bool(((each[:-1] == pair[0]) & (each[1:] == pair[1])).any()) for each in flat if len(each) > 1)


def written_forms(numbers: NDArray[np.float32]) -> set[str]:
    """The numbers as a page, a hover or a file may write them, from four digits on."""
    return {f"{each:.{digits}f}" for each in numbers.ravel().tolist() for digits in (4, 5, 6)} - {"0.0000"}


@pytest.mark.essential
def test_covered_map_is_absent_from_messages_elements_and_files(app: AppPage, tmp_path: Path) -> None:
    frames: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(frame) if isinstance(frame, bytes) else None)

    app.page.on("websocket", listen)
    app.open(LINK)
    weights, scores = map_values("weights"), map_values("scores")
    arrays = [*arrays_of(frames)]
    assert holds(arrays, scores)  # it would be seen
    assert not holds(arrays, weights)
    assert not holds(arrays, map_values("output"))
    assert set(np.ravel(app.trace("walk", "weights"))) == {None}
    app.point_at("walk", "weights", 1, 3)
    hover = app.page.locator(".hoverlayer")
    expect(hover).to_contain_text("covered")
    assert not re.search(r"\d\.\d", hover.text_content() or "")
    html = app.page.content()
    assert not [number for number in written_forms(weights) if number in html]
    panel = SavePanel(app, "walk")
    for form in ("svg", "csv", "html"):
        saved = panel.save(tmp_path, form).read_text(encoding="utf-8")
        assert not [number for number in written_forms(weights) if number in saved], form
        if form == "csv":
            assert "weights,cat,sat,covered" in saved
            assert "scores QKᵀ,cat,sat,-" in saved
    panel.close()
    # Revealed, the same search finds it.
    app.page.get_by_role("button", name="Reveal").click()
    expect(app.page.get_by_text("You gave no answer.")).to_be_visible()
    app.settle()
    assert holds([*arrays_of(frames)], weights)


def test_cover_try_works_by_keyboard_and_a_reload_covers_again(app: AppPage) -> None:
    page = app.page
    page.set_viewport_size({"width": 390, "height": 844})
    app.open(LINK)
    bars = page.locator(".row-bars")
    shares = bars.locator("output")
    assert bars.get_attribute("aria-label") == "Weights of the query cat: they sum to one"
    bar = bars.get_by_label("sat", exact=True)
    bar.focus()
    for _ in range(4):
        page.keyboard.press("PageUp")
    app.settle()

    def told() -> list[float]:
        return [float(each) for each in shares.all_inner_texts()]

    assert told()[2] == max(told()) > 0.4
    assert sum(told()) == pytest.approx(1)
    assert bar.get_attribute("aria-valuetext") == f"{told()[2]:.2f}"
    said = told()
    assert violations(app) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Reveal")).to_be_focused()
    page.keyboard.press("Enter")
    verdict = page.locator(".st-key-predict-verdict")
    expect(verdict).to_contain_text("Half the sum of the differences is")
    app.settle()
    half = float(np.abs(np.asarray(said) - map_values("weights")[1]).sum() / 2)
    assert f"{half:.3f}" in verdict.inner_text()
    assert violations(app) == []
    page.get_by_role("button", name="Try again").focus()
    page.keyboard.press("Enter")
    expect(verdict).to_have_count(0)
    app.settle()
    assert max(told()) - min(told()) <= 0.0101  # another query, nothing said
    assert "q=3" in app.query
    assert "0." not in app.query  # what was said is in no address
    page.reload()
    app.settle()
    assert set(np.ravel(app.trace("walk", "weights"))) == {None}
    app.click_cell("walk", "weights", 4, 2)  # of a figure that was revealed by nobody
    expect(page.locator(".live-says").first).to_contain_text("Covered")


@pytest.mark.essential
def test_cover_hatch_click_answers_and_teach_makes_the_link(app: AppPage) -> None:
    app.open("single-head?cover=weights&predict=key")
    app.click_cell("walk", "weights", 1, 2)
    expect(app.page.get_by_role("radio", name="sat")).to_be_checked()
    app.page.get_by_role("button", name="Reveal").click()
    expect(app.page.locator(".st-key-predict-verdict")).to_contain_text("You said: “sat”")
    app.settle()
    row: list[Any] = app.trace("walk", "weights")[1]
    assert f"({row[2]:.3f})" in app.page.locator(".st-key-predict-verdict").inner_text()
    app.open("multi-head")
    app.page.get_by_role("button", name="Teach").click()
    app.page.locator(".st-key-teach-cover").get_by_text("head 2").click()  # the second click: it is covered
    expect(app.page.locator(".live-says").first).to_contain_text("Covered: head 2.")
    app.choose("teach-predict", "Whether one cell rises or falls as the slider moves")
    app.settle()
    link = app.page.locator(".share-link").input_value()
    assert "cover=head+2&predict=trend" in link
    app.page.goto(link)
    app.settle()
    expect(app.page.locator(".live-says").first).to_contain_text("Covered: head 2.")


@pytest.mark.slow
def test_cover_curve_is_drawn_by_pointer_and_measured(app: AppPage) -> None:
    page = app.page
    app.open("kernel-regression?cover=estimate&predict=curve")
    whole = PAGES["kernel-regression"].at("").figure()
    estimate = next(trace for trace in whole["data"] if trace["name"] == "estimate")
    low, high = whole["layout"]["yaxis"]["range"]
    assert app.trace("fit", "estimate", "y") == []
    pad = page.locator(".curve-pad svg")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    assert box
    level = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 5, level)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 5, level, steps=3)
    page.mouse.up()
    app.settle()
    node = page.get_by_role("slider", name="Height of your curve")
    node.focus()
    before = node.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    assert node.get_attribute("aria-valuetext") != before
    page.keyboard.press("ArrowDown")
    app.settle()
    assert violations(app) == []
    page.get_by_role("button", name="Reveal").click()
    verdict = page.locator(".st-key-predict-verdict")
    expect(verdict).to_contain_text("away from it on average")
    found = re.search(r"Your curve is (\d\.\d+)", verdict.inner_text())
    assert found
    middle = float(np.abs(np.asarray(estimate["y"]) - (low + high) / 2).mean())
    assert float(found[1]) == pytest.approx(middle, abs=0.03)  # a pixel is some hundredths
    expect(page.locator(".pad-computed").first).to_be_visible()
