"""A pin: A, B and B − A against two independent calls, what is said of them, and what a bad one does."""

import math
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attn_ui.base.link_options import framing
from attn_ui.base.page import At
from attn_ui.base.parameters import Flag, Tabs
from attn_ui.base.pin import LONGEST, Pin
from attn_ui.screen import settings_file
from pages import PAGES
from tests.pages import PAGES as LISTED
from tests.pages import open_page, open_sound


def compared(page: str, a: str, b: str, panel: str = "") -> At[Any]:
    pin = urlencode({"pin": a} | ({"compare": panel} if panel else {}))
    return PAGES[page].at(f"{b}&{pin}" if b else pin)


def values(at: At[Any], name: str) -> Any:
    """The numbers of a trace: of a map with zeros where a weight is masked."""
    data = next(each for each in at.figure()["data"] if each["name"] == name)
    return np.nan_to_num(data["z"]) if data["type"] == "heatmap" else data["y"]


@pytest.mark.parametrize(
    ("page", "a", "b", "panel"),
    [
        ("single-head", "", "mask=causal&t=0.5", "weights"),
        ("single-head", "seed=7", "", "output"),
        ("kernel-regression", "h=1", "h=0.2", "weights"),
        ("positional-encoding", "", "scheme=ramp", "after"),
        ("multi-head", "heads=2", "heads=2&seed=9", "head 2"),
        ("learned-heads", "training=0", "training=1000", "head 1.1"),
        ("applications", "", "t=0.5", "weights"),
    ],
)
def test_pinned_a_b_and_difference_equal_two_pages(page: str, a: str, b: str, panel: str) -> None:
    at = compared(page, a, b, panel)
    assert not at.dropped
    before, after = (values(PAGES[page].at(each), panel) for each in (a, b))
    for name, numbers in (("A", before), ("B", after), ("difference", after - before)):
        np.testing.assert_allclose(values(at, name), numbers, atol=2e-6, err_msg=name)
    row, column = np.unravel_index(np.abs(after - before).argmax(), before.shape)
    axes = at.figure()["layout"]
    labels = axes["yaxis"]["ticktext"], axes["xaxis"]["ticktext"]
    if len(labels[0]) == before.shape[0] and len(labels[1]) == before.shape[1]:
        told = at.sentence.partition(" changed most")[0].replace("“", "").replace("”", "")
        assert f" {labels[0][row]}" in told
        assert told.endswith(f" {labels[1][column]}")
    # Every position of the slider is a step: A stays, B moves.
    figure = at.view.figure
    assert figure is not None
    assert figure.slider is not None
    steps = figure.slider.steps
    other = compared(page, a, f"{b}&{steps.name}={steps.text(steps.values[0])}".lstrip("&"), panel)
    np.testing.assert_array_equal(values(other, "A"), values(at, "A"))


def test_pinned_weights_difference_equals_a_softmax_by_hand() -> None:
    """Scores from the page's own picture, all else by hand."""
    scores = next(t["z"] for t in PAGES["single-head"].at("").figure()["data"] if t["name"] == "scores")

    def weights(temperature: float, *, causal: bool) -> list[list[float]]:
        rows = []
        for query, row in enumerate(scores):
            powers = [
                math.exp(float(score) / math.sqrt(4) / temperature) if key <= query or not causal else 0.0
                for key, score in enumerate(row)
            ]
            rows.append([power / sum(powers) for power in powers])
        return rows

    before, after = weights(2.0, causal=False), weights(0.5, causal=True)
    at = compared("single-head", "t=2", "t=0.5&mask=causal")
    largest, place = 0.0, (0, 0)
    for row in range(6):
        for column in range(6):
            difference = after[row][column] - before[row][column]
            assert values(at, "difference")[row, column] == pytest.approx(difference, abs=1e-5)
            if abs(difference) > largest:
                largest, place = abs(difference), (row, column)
    words = ["the", "cat", "sat", "on", "the₂", "mat"]
    assert f"query “{words[place[0]]}”, key “{words[place[1]]}” changed most" in at.sentence
    assert "Scores QKᵀ and V did not change at all." in at.sentence
    assert at.view.figure is not None
    assert at.view.figure.caption == (
        "A: Mask none, Temperature T 2.00. B: Mask causal, Temperature T as the slider says."
    )


def test_pinned_curves_of_two_bandwidths_equal_two_calls() -> None:
    at = compared("kernel-regression", "kernel=boxcar&h=0.1", "h=0.2", "curves x")
    before, after = (
        values(PAGES["kernel-regression"].at(link), "estimate") for link in ("kernel=boxcar&h=0.1", "h=0.2")
    )
    np.testing.assert_array_equal(values(at, "A: estimate"), before)
    np.testing.assert_array_equal(values(at, "B: estimate"), after)
    np.testing.assert_allclose(values(at, "difference: estimate"), after - before, atol=1e-6)


def test_pinned_chart_names_only_the_curves_that_changed() -> None:
    at = compared("kernel-regression", "kernel=boxcar&h=0.01", "kernel=triangular&h=0.01")
    before, after = (
        values(PAGES["kernel-regression"].at(f"h=0.01&kernel={kernel}"), "estimate")
        for kernel in ("boxcar", "triangular")
    )
    assert np.nanmax(np.abs(after - before)) > 0.1
    at = compared("kernel-regression", "picture=Four kernels", "picture=Four kernels&noise=0.6")
    changed = "gaussian estimate, boxcar estimate, triangular estimate and 1 more"
    assert changed in at.sentence


@pytest.mark.parametrize(("page", "setting"), [("single-head", "stage"), ("multi-head", "view")])
@pytest.mark.parametrize("more", ["", "&arcs=all heads"])
def test_pinned_arcs_are_compared_by_their_map_only(page: str, setting: str, more: str) -> None:
    more = more if page == "multi-head" else "&also=1"
    at = compared(page, f"{setting}=arcs&t=3{more}", f"{setting}=arcs{more}", "curves x")
    assert [each.name for each in at.dropped] == ["compare"]
    assert "curves" not in at.dropped[0].sentence().partition("wanted")[2]
    assert " arc " not in at.sentence


def test_pinned_swap_twice_is_unchanged_and_once_negative() -> None:
    a, b = "seed=7", "mask=causal"
    at, swapped = compared("single-head", a, b), compared("single-head", b, a)
    np.testing.assert_allclose(values(swapped, "difference"), -values(at, "difference"), atol=1e-7)
    np.testing.assert_allclose(values(swapped, "A"), values(at, "B"), atol=1e-7)


@pytest.mark.parametrize(
    ("page", "a", "b"),
    [
        ("single-head", "text=a b c", ""),
        ("single-head", "text=the dog sat on the mat", ""),
        ("single-head", "", "stage=diagram"),
        ("single-head", "stage=X", "stage=weights"),
        ("multi-head", "view=diagram", "view=diagram"),
        ("multi-head", "", "view=points"),
        ("multi-head", "heads=8", "heads=2&compare=head 8"),
        ("glossary", "", ""),
    ],
)
def test_pinned_figures_without_a_difference_draw_none(page: str, a: str, b: str) -> None:
    at = compared(page, a, b)
    drawn = [] if at.view.figure is None else at.figure()["data"]
    for each in drawn:
        if (each.get("name") or "") == "difference":
            assert not np.isfinite(np.asarray(each.get("z", []), dtype=float)).any()
    assert len(f"{at.sentence} {' '.join(at.view.notes)}") > 20


@pytest.mark.parametrize(
    "bad", ["hello", "t=99", "t=hot", "no=1", "pin=t%3D1", "hide=tabs", "t=" + "1" * LONGEST]
)
def test_pinned_bad_link_is_dropped_and_named_and_the_page_stays(bad: str) -> None:
    at = compared("single-head", bad, "mask=causal")
    assert [each.name for each in at.dropped] == ["pin"]
    np.testing.assert_array_equal(
        values(at, "weights"), values(PAGES["single-head"].at("mask=causal"), "weights")
    )


def test_pinned_link_leaves_out_tab_and_frame_options() -> None:
    pin = Pin((Flag("bias", False), Tabs("tab", "Maths", ("Maths", "Code"))))
    query = {"bias": ["true"], "tab": ["Code"], "say": ["x"], "pin": ["bias=true"]}
    assert pin.of(query) == "bias=true"
    assert pin.read("") == ""
    assert pin.values("") == {"bias": False}


def text_of(app: AppTest) -> str:
    return " ".join(each.value for each in app.markdown)


def test_pin_and_clear_buttons_work() -> None:
    app = open_sound("single-head", mask="causal")
    assert "A:" not in text_of(app)
    app.button(key="pin").click().run()
    assert app.query_params["pin"] == "mask=causal"
    app.selectbox(key="mask").set_value("none").run()
    assert "**A:**" in text_of(app)
    app.button(key="pin-clear").click().run()
    assert "pin" not in app.query_params
    assert "**A:**" not in text_of(app)
    assert not app.exception


def test_pin_is_kept_in_a_settings_file() -> None:
    settings = LISTED["single-head"][1]
    readable = (*settings, *(each for each in framing(settings) if each.name in ("pin", "compare")))
    content = settings_file.to_json("single-head", {"t": "0.5", "pin": "mask=causal", "compare": "output"})
    values = settings_file.read(content, "single-head", readable)
    assert (values["pin"], values["compare"], values["t"]) == ("mask=causal", "output", 0.5)
    with pytest.raises(ValueError, match="`pin` cannot be used"):
        settings_file.read(settings_file.to_json("single-head", {"pin": "t=hot"}), "single-head", readable)


def test_pin_or_panel_that_is_unusable_is_named() -> None:
    (bad,) = PAGES["single-head"].at("pin=mask%3Dfoo%26t%3D0.5").dropped
    assert "mask: " in bad.requirement
    at = PAGES["single-head"].at("pin=mask%3Dcausal&compare=scaled")
    (bad,) = at.dropped
    assert (bad.text, bad.replacement) == ("scaled", "weights")
    assert bad.requirement.endswith("scores, masked, weights, V, output")
    assert PAGES["single-head"].at("pin=mask%3Dcausal&compare=masked").dropped == []
    session = open_page("single-head", pin="mask=causal", compare="scaled")
    assert [each.value for each in session.warning] == [bad.sentence()]
    assert "compare" not in session.query_params
