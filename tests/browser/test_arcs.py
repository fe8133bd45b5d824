"""Arcs between words, by hand: a click on a word asks there, and pointing at it tells its weight."""

import re
from typing import Any

import pytest

from tests.browser.app_page import AppPage

PAGE = "single-head?stage=arcs&text=the+cat+sat+on+the+mat&mask=causal"


def widths(app: AppPage) -> list[float]:
    """How thick the arcs are, as Plotly draws them; those that are none are left out."""
    found: list[float] = app.page.evaluate(
        """() => [...document.querySelectorAll('.live-plot .scatterlayer .js-line')]
            .map((line) => parseFloat(line.style.strokeWidth)).filter((width) => width > 0)"""
    )
    return found


def test_arcs_word_click_selects_the_query(app: AppPage) -> None:
    app.open(PAGE)
    says = app.page.locator(".live-says")
    word = app.page.locator(".live-plot .textpoint text").filter(has_text=re.compile("^sat$")).first
    box = word.bounding_box()
    assert box
    app.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    says.filter(has_text="Arcs from “sat” to").wait_for()
    app.page.wait_for_url(re.compile(r"[?&]q=2\b"))
    assert len(widths(app)) <= 3  # a causal mask leaves three keys
    app.page.get_by_role("slider", name="Query").press("ArrowRight")
    says.filter(has_text="Arcs from “on” to").wait_for()
    app.page.wait_for_url(re.compile(r"[?&]q=3\b"))


def test_arcs_word_hover_shows_its_weight(app: AppPage) -> None:
    app.open(PAGE + "&q=3")
    word = app.page.locator(".live-plot .textpoint text").filter(has_text=re.compile("^cat$")).first
    box = word.bounding_box()
    assert box
    app.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    told = app.page.locator(".hoverlayer .hovertext").filter(has_text="weight")
    told.wait_for()
    weight = re.search(r"weight\s*(\d\.\d{6})", told.text_content() or "")
    assert weight
    said = re.search(r"“cat” (\d\.\d{3})", app.page.locator(".live-says").inner_text())
    assert said
    assert abs(float(weight[1]) - float(said[1])) < 6e-4


SPOT = """([name, axes, at]) => {
    const node = document.querySelector('.live-plot');
    const trace = node._fullData.find((each) => each.name === name);
    const [x, y] = at ?? [trace.x, trace.y].map((all) => all[Math.floor(0.8 * all.length)]);
    const { left, top } = node.getBoundingClientRect();
    const [across, down] = ['xaxis', 'yaxis'].map((axis) => node._fullLayout[axis + axes]);
    return [left + across._offset + across.l2p(x), top + down._offset + down.l2p(y)];
}"""
# Which keys' arcs are not paled, and on which cells of the map frames lie that follow the pointer.
LIT = """() => {
    const node = document.querySelector('.live-plot');
    const keys = [...node.querySelectorAll('.scatterlayer .trace')]
        .filter((group) => group.querySelector('.js-line:not([data-pale])'))
        .map((group) => group.__data__[0].trace.meta?.column)
        .filter((key) => key !== undefined);
    const { xaxis2: x, yaxis2: y } = node._fullLayout;
    const cells = [...document.querySelectorAll('.live-frames .live-frame')].map((frame) => [
        Math.round(y.p2l(frame.offsetTop + frame.offsetHeight / 2 - y._offset)),
        Math.round(x.p2l(frame.offsetLeft + frame.offsetWidth / 2 - x._offset)),
    ]);
    return { keys: [...new Set(keys)].sort(), cells, paled: node.querySelectorAll('[data-pale]').length };
}"""


def lit(app: AppPage, name: str, axes: str = "", at: list[int] | None = None) -> dict[str, Any]:
    """What is lit once something is pointed at: a place of the map, or an arc near its key."""
    x, y = app.page.evaluate(SPOT, [name, axes, at])
    app.page.mouse.move(x - 2, y - 2)
    app.page.mouse.move(x, y)
    app.page.locator(".hoverlayer .hovertext").first.wait_for()
    if at:  # what lit the last place may still be there
        lies = f"([column, row]) => `${{({LIT})().cells}}` === `${{[row, column]}}`"
        app.page.wait_for_function(lies, arg=at)
    found: dict[str, Any] = app.page.evaluate(LIT)
    return found


@pytest.mark.essential
def test_arcs_hover_highlights_the_cell_and_cell_hover_the_arc(app: AppPage) -> None:
    app.open(PAGE + "&q=5&t=5")
    of_an_arc = lit(app, "arc 1")
    assert of_an_arc["cells"] == [[5, 0]]
    assert of_an_arc["keys"] == [0]
    assert of_an_arc["paled"] == 5
    of_a_cell = lit(app, "weights", "2", [3, 5])
    assert of_a_cell == {"keys": [3], "cells": [[5, 3]], "paled": 5}
    elsewhere = lit(app, "weights", "2", [0, 2])  # no arc is drawn of that query
    assert elsewhere["cells"] == [[2, 0]]
    assert elsewhere["paled"] == 0


def test_arcs_click_selects_the_key_as_in_the_map(app: AppPage) -> None:
    app.open(PAGE + "&q=5&t=5")
    lit(app, "arc 2")
    x, y = app.page.evaluate(SPOT, ["arc 2", "", None])
    app.page.mouse.click(x, y)
    app.page.wait_for_url(re.compile(r"[?&]k=1\b"))
    assert "q=5" in app.page.url


def test_arcs_words_are_grouped_by_pointer_and_by_keyboard(app: AppPage) -> None:
    app.open(PAGE + "&q=5")
    says = app.page.locator(".live-says")
    group = app.page.get_by_role("toolbar", name="Queries together with the slider's")
    group.get_by_role("button", name="cat", exact=True).click()
    app.page.wait_for_url(re.compile(r"[?&]also=1\b"))
    says.filter(has_text=re.compile("from “cat” and “mat” .* of 1.000,")).wait_for()
    group.get_by_role("button", name="on", exact=True).press("Space")
    app.page.wait_for_url(re.compile(r"also=1.*also=3|also=3.*also=1"))
    app.page.get_by_role("radio", name="sum").check(force=True)
    says.filter(has_text="of 3.000,").wait_for()
    app.page.wait_for_url(re.compile(r"[?&]rows=sum\b"))
    app.page.reload()
    says.filter(has_text=re.compile("from “cat”, “on” and “mat” .* of 3.000,")).wait_for()
