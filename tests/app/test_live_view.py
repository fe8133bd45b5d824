"""What a browser reports of a live figure is read strictly; what is malformed is logged and ignored."""

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import streamlit as st

from attn_figures.scene import Scene
from attn_ui.base.page import Cell, Slider
from attn_ui.base.parameters import Steps
from attn_ui.screen import live_figure, state
from attn_ui.screen.live_figure import live_figure as draw
from tests.pages import PAGES, open_sound

STEPS = Steps("a", 1.0, (0.0, 1.0, 2.0))
MAPS = Scene(
    [{"data": [{"type": "heatmap", "name": "weights", "z": np.eye(5) + i}], "layout": {}} for i in range(3)]
)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    session: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", session)
    return session


def report(session: dict[str, Any], view: Any, chosen: Mapping[str, Steps] | None = None) -> list[Cell]:
    cells: list[Cell] = []
    session["figure"] = {"view": view}
    live_figure._Listener("figure", STEPS, None, chosen or {}, (lambda: MAPS, cells.append))()
    return cells


def test_valid_report_moves_the_slider(session: dict[str, Any]) -> None:
    assert report(session, {"step": 2, "row": 0, "cell": None, "of": [3, 1]}) == []
    assert state.value(STEPS) == 2.0


def test_clicked_cell_is_reported_once(session: dict[str, Any]) -> None:
    view = {"step": 1, "row": 0, "cell": {"trace": "weights", "row": 3, "column": 4}}
    assert report(session, view) == [Cell("weights", 3, 4)]
    assert report(session, view | {"step": 2}) == []


def test_box_with_a_link_is_one_cell(session: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    opens, silent = ({"type": "scatter", "name": name, "x": [0.0]} for name in ("Concat", "arrows"))
    drawn = Scene([{"data": [opens | {"meta": {"opens": True}}, silent], "layout": {}}])
    told: list[Cell] = []
    for name, row in (("Concat", 0), ("Concat", 1), ("arrows", 0)):
        session["figure"] = {"view": {"step": 0, "row": 0, "cell": {"trace": name, "row": row, "column": 0}}}
        live_figure._Listener("figure", None, None, {}, (lambda: drawn, told.append))()
    assert told == [Cell("Concat", 0, 0)]
    assert caplog.text.count("wanted a cell of one of the maps") == 2


def test_selectable_points_are_each_a_row(session: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    points, silent = ({"type": "scatter", "name": name, "x": np.arange(3.0)} for name in ("keys", "weights"))
    drawn = Scene([{"data": [points | {"meta": {"picks": True}}, silent], "layout": {}}])
    told: list[Cell] = []
    for name, row, column in (("keys", 2, 0), ("keys", 3, 0), ("keys", 0, 1), ("weights", 0, 0)):
        cell = {"trace": name, "row": row, "column": column}
        session["figure"] = {"view": {"step": 0, "row": 0, "cell": cell}}
        live_figure._Listener("figure", None, None, {}, (lambda: drawn, told.append))()
    assert told == [Cell("keys", 2, 0)]
    assert caplog.text.count("wanted a cell of one of the maps") == 3


@pytest.mark.parametrize(
    "view",
    [
        None,
        [],
        "step",
        {},
        {"step": 3, "row": 0},
        {"step": -1, "row": 0},
        {"step": 1.5, "row": 0},
        {"step": True, "row": 0},
        {"step": "1", "row": 0},
        {"step": 1, "row": 1},
        {"step": 1, "row": 0, "of": [4, 1]},
        {"step": 1, "row": 0, "of": [3, 2]},
        {"step": 1, "row": 0, "of": 3},
        {"step": 2, "row": 0, "cell": 7},
        {"step": 2, "row": 0, "cell": {"trace": 1, "row": 0, "column": 0}},
        {"step": 2, "row": 0, "cell": {"trace": "w", "row": -1, "column": 0}},
        {"step": 2, "row": 0, "cell": {"trace": "w", "row": 0}},
        {"step": 2, "row": 0, "cell": {"trace": "head x", "row": 0, "column": 0}},
        {"step": 2, "row": 0, "cell": {"trace": "weights", "row": 5, "column": 0}},
        {"step": 2, "row": 0, "cell": {"trace": "weights", "row": 0, "column": 5}},
    ],
)
def test_malformed_report_is_logged_and_ignored(
    session: dict[str, Any], caplog: pytest.LogCaptureFixture, view: Any
) -> None:
    with caplog.at_level(logging.WARNING):
        assert report(session, view) == []
    assert "ignored a report from the browser" in caplog.text
    assert state.value(STEPS) == STEPS.default


def test_selected_place_is_kept_unless_out_of_range(session: dict[str, Any]) -> None:
    query = Steps("q", 0, (0, 1, 2))
    view = {"step": 2, "row": 0, "cell": None}
    report(session, view | {"chosen": {"query": 2}}, {"query": query})
    assert state.position(query) == 2
    for bad in (None, 7, {}, {"query": 3}, {"query": -1}, {"query": "1"}, {"query": True}):
        report(session, view | {"chosen": bad}, {"query": query})
        assert state.position(query) == 2


def test_selection_report_triggers_no_command(session: dict[str, Any]) -> None:
    query = Steps("q", 0, (0, 1, 2))
    before = state.revision(), state.commanded(query)
    report(session, {"step": 1, "row": 0, "cell": None, "chosen": {"query": 1}}, {"query": query})
    assert (state.revision(), state.commanded(query)) == before


def test_slider_needs_a_figure_for_each_position() -> None:
    with pytest.raises(ValueError, match="3 positions, so it needs 3 figures, got 1"):
        draw([{"data": [], "layout": {}}], key="k", name="", slider=Slider("A", STEPS))


@pytest.mark.parametrize("address", PAGES)
def test_message_of_a_page_that_opens_is_small(address: str) -> None:
    sent = [figure.proto.SerializeToString() for figure in open_sound(address).get("bidi_component")]
    assert sent
    assert sum(map(len, sent)) <= 400_000
