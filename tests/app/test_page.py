"""A page without a session: the same values, picture and words as in the app, and no Streamlit."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from attn_figures import theme
from attn_ui.base.page import Cell
from attn_ui.lessons.figures import tables_of
from attn_ui.publish.figure import figure_of_link
from attn_words import writing
from pages import PAGES
from tests.messages import figure_at, parts
from tests.pages import open_sound
from tests.walk import fields, said_now, states

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("address", PAGES)
def test_link_without_a_session_shows_the_same_figure(address: str) -> None:
    for query in states(address, 12, seed=32):
        here = PAGES[address].at(urlencode(query, doseq=True))
        there = open_sound(address, **query)
        drawn = here.view.figure
        figures = [each for each in fields(there) if each[0].get("alt")]
        assert (drawn is None) == (not figures), query
        if drawn is None:  # nothing to draw yet: a file was not given
            continue
        (head, _, packed), *_ = figures
        step, row = ((head[name] or {"index": 0})["index"] for name in ("slider", "cursor"))
        assert here.position == (step, row), query
        assert drawn.steps == packed, query
        assert drawn.alt == head["alt"]
        assert here.sentence in said_now(there), query


@pytest.mark.parametrize("view", ["maps", "points", "scores"])
def test_heads_in_order_of_a_measure_are_all_in_the_alternative_text(view: str) -> None:
    """Which head stands where follows the slider, so no panel has one name."""
    in_order, ordered = (PAGES["multi-head"].at(f"view={view}{by}").view.figure for by in ("", "&by=entropy"))
    assert in_order
    assert ordered
    assert {*ordered.alt.split("; ")} == {*in_order.alt.split("; ")}
    assert len(re.findall(r"head \d", ordered.alt)) == 8
    figure = PAGES["what-courses-say"].at("claim=nonparametric").view.figure
    assert figure
    assert "kernel regression, straight line, attention with W;" in figure.alt


@pytest.mark.slow
def test_plain_process_imports_no_streamlit() -> None:
    program = """
import json, sys
from pages import PAGES
for address, page in PAGES.items():
    at = page.at()
    print(json.dumps([address, "streamlit" in sys.modules, len(at.figure()["data"]), at.sentence]))
"""
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [address for address, *_ in found] == [*PAGES]
    for address, knows, n_traces, sentence in found:
        assert not knows, address  # the first that is named brought it
        assert n_traces, address
        assert sentence, address


@pytest.mark.parametrize("address", PAGES)
def test_every_tab_is_a_module_of_its_name(address: str) -> None:
    page = PAGES[address]
    for name in page.tabs.options if page.tabs else ():
        if name not in ("Code", "Break it"):
            assert callable(page.tab(name).show), name
    with pytest.raises(ValueError, match="a tab of"):
        page.tab("Nowhere")


def test_unavailable_settings_of_a_link_are_named() -> None:
    here = PAGES["single-head"].at("d=99&nonsense=1")
    assert [each.name for each in here.dropped] == ["d", "nonsense"]
    assert "16 is used" in here.dropped[0].sentence()
    assert np.shape(here.figure()["data"][0]["z"])  # and the page is there


def test_invalid_link_is_refused_without_further_messages() -> None:
    """A lesson's check and the publishing command refuse it, and said that the default was used."""
    with pytest.raises(ValueError, match=r"The link's `mask` was `bad`; wanted: one of none, .* own\.$"):
        tables_of("single-head?mask=bad")


def test_click_changes_the_next_figure() -> None:
    here = PAGES["single-head"].at("mask=own&stage=masked")
    before = here.view.figure
    assert before is not None
    assert before.clicked is not None
    before.clicked(here.controls, Cell("scaled", 1, 3))
    again = PAGES["single-head"].at("mask=own&stage=masked&blocked=1.3")
    page = PAGES["single-head"]
    result = page.view(here.controls, page.read_controls(here.controls)).figure
    assert result is not None
    assert again.view.figure is not None
    assert result.steps == again.view.figure.steps != before.steps


@pytest.mark.parametrize("picture", ["Fit and weights", "Bridge to attention", "Two inputs"])
def test_kernel_regression_table_has_the_weights_of_its_points(picture: str) -> None:
    here = PAGES["kernel-regression"].at(
        urlencode({"picture": picture, "h": "0.7", "x0": "1.3", "x02": "2.1"})
    )
    points: dict[str, Any] = {name: np.array(column) for name, column in here.tables["points"].items()}
    kernel = np.exp(-((points["|q − k|"] / 0.7) ** 2) / 2)
    np.testing.assert_allclose(points["weight"], kernel / kernel.sum())
    if picture == "Two inputs":
        np.testing.assert_allclose(points["|q − k|"], np.hypot(points["x₁"] - 1.3, points["x₂"] - 2.1))
    if picture == "Fit and weights":
        np.testing.assert_allclose(points["|q − k|"], abs(points["x"] - 1.3))
        estimate = float((points["weight"] * points["y"]).sum())
        assert f"Query 1.3: estimate {estimate:.4g}, largest" in here.sentence.replace("−", "-")


def test_own_points_missing_from_a_link_are_named() -> None:
    here, sine = (PAGES["kernel-regression"].at(link) for link in ("data=own points", ""))
    assert here.view.figure is not None
    assert sine.view.figure is not None
    assert any("A link carries no points of your own" in each for each in here.controls.messages)
    assert here.view.figure.steps == sine.view.figure.steps


def test_palette_of_a_link_changes_colours_and_no_number() -> None:
    plain, worn = (PAGES["single-head"].at(link) for link in ("t=0.5", "t=0.5&palette=viridis"))
    scales = [
        [
            each["colorscale"][0][1]
            for name, each in at.figure()["layout"].items()
            if name.startswith("coloraxis")
        ]
        for at in (plain, worn)
    ]
    assert theme.LIGHT.weights[0] in scales[0]
    assert theme.RAMPS["viridis"](theme.LIGHT)[0][0] in scales[1]
    assert worn.sentence == plain.sentence
    assert worn.view.figure
    assert plain.view.figure
    assert worn.view.figure.steps == plain.view.figure.steps  # no step is computed or packed again


@pytest.mark.parametrize(
    "link", ["single-head?text=I+love+ice", "multi-head", "single-head?text=" + "+a" * 12]
)
def test_three_decimals_are_in_cells_with_room_and_change_no_hover(link: str) -> None:
    page, _question, query = link.partition("?")
    figures = [PAGES[page].at(query).figure()]
    with writing(3):
        figures.append(PAGES[page].at(query).figure())
        short, long = ([t for t in each["data"] if "texttemplate" in t] for each in figures)
        forms = {trace["name"]: trace["texttemplate"] for trace in long}
    assert [t["hovertemplate"] for t in short] == [t["hovertemplate"] for t in long]
    for one, other in zip(short, long, strict=True):
        np.testing.assert_array_equal(one["z"], other["z"])
        assert one["texttemplate"] in ("", "%{z:.2f}", "%{z:.1f}")
        assert other["textfont"]["size"] >= 12
    if len(query) < 20:
        assert forms["head 1" if page == "multi-head" else "weights"] == "%{z:.3f}"
    else:
        assert "%{z:.3f}" not in forms.values()
    assert PAGES[page].at(query).figure()["data"][0]["texttemplate"] == short[0]["texttemplate"]


def test_decimals_of_a_link_are_in_its_figure_and_in_files() -> None:
    plain, longer = (open_sound("multi-head", **query) for query in ({}, {"decimals": "3"}))
    long, short = (figure_at(fields(at)[0][2], 0)["data"][0]["texttemplate"] for at in (longer, plain))
    assert (long, short) == ("%{z:.3f}", "%{z:.2f}")
    for decimals, form in (("2", short), ("3", long)):
        packed = parts(figure_of_link(f"multi-head?decimals={decimals}").message)[2]
        assert figure_at(packed, 0)["data"][0]["texttemplate"] == form
