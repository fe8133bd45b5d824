"""The kernel regression page without a browser: every setting, good and bad addresses, own points, code."""

import itertools
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import KERNELS, nadaraya_watson
from attn_live.packing import MOST_BYTES
from pages.kernel_regression.compute import Sweep, pack_sweep
from pages.kernel_regression.controls import OWN
from pages.kernel_regression.data_points import Points, from_columns, replace_points, sample
from pages.kernel_regression.own_table import pair, read_table
from pages.kernel_regression.search import best_of, errors
from pages.kernel_regression.settings import (
    BANDWIDTH,
    KERNEL,
    KERNEL_VIEW,
    LOCAL_LINES,
    POINTS_DATA,
    QUERY_AT,
    TAB,
    TWO_INPUTS,
)
from pages.kernel_regression.tabs import checks as kernel_checks
from pages.kernel_regression.tabs import data as kernel_own_data
from pages.kernel_regression.views import compare, fit
from pages.kernel_regression.views.bridge import lay_points, single_head_link
from tests.messages import caption_at, figure_at
from tests.sentences import messages_in, numbers_in
from tests.walk import fields

ROUTER = str(Path(__file__).resolve().parents[2] / "attn_ui" / "router.py")
TOYS = tuple(name for name in POINTS_DATA.options if name not in ("own points", "typed function"))


def page(own: Points | None = None, /, **query: str) -> AppTest:
    at = AppTest.from_file(ROUTER, default_timeout=300)
    at.run()
    at.switch_page("../pages/kernel_regression/page.py")
    if own is not None:
        at.session_state[OWN] = own
        at.query_params["data"] = "own points"
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def assert_sound(at: AppTest) -> None:
    assert not at.exception
    assert len(at.get("bidi_component")) >= 1
    for text in (*at.markdown, *at.caption):
        assert not re.search(r"\b(nan|inf|None|not a number)\b|∞", text.value), text.value


def text_of(at: AppTest) -> str:
    return "\n".join(text.value for text in at.markdown)


@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_every_picture_opens_with_every_kernel(picture: str, kernel: str) -> None:
    assert_sound(page(picture=picture, kernel=kernel))


@pytest.mark.parametrize(("data", "picture"), list(zip(TOYS, KERNEL_VIEW.options, strict=False)))
@pytest.mark.parametrize("h", ["0.01", "25"])
def test_every_data_set_opens_at_both_ends_of_the_bandwidth(data: str, picture: str, h: str) -> None:
    assert_sound(page(data=data, picture=picture, h=h, kernel="boxcar", x0="-0.5"))


@pytest.mark.parametrize("tab", [tab for tab in TAB.options if tab])
@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
def test_every_tab_of_every_picture_opens(tab: str, picture: str) -> None:
    at = page(tab=tab, kernel="boxcar" if tab == "Arithmetic" else "gaussian", picture=picture, h="0.131")
    assert_sound(at)
    assert tab != "Checks" or "fails" not in text_of(at)


# Each count is one at which the weights alone filled a message, and the rest did not fit.
@pytest.mark.parametrize(
    ("kernel", "n_points"),
    [("gaussian", 75), ("boxcar", 57), ("boxcar", 296), ("epanechnikov", 60), ("epanechnikov", 440)],
)
def test_slider_has_fewer_steps_where_all_do_not_fit(kernel: str, n_points: int) -> None:
    points = sample("sine", n_points, 0.5, 4)
    for maps, (strides, (packed, *_)) in (
        (1, pack_sweep(Sweep(points, kernel), fit.draw)),
        (4, pack_sweep(Sweep(points, "gaussian", 4), compare.draw)),
    ):
        assert len(packed) <= MOST_BYTES
        sweep = Sweep(points, kernel, maps, strides)
        assert BANDWIDTH.default in sweep.bandwidth.values
        assert QUERY_AT.default in sweep.query.values
        for steps, all_of_them in ((sweep.bandwidth, BANDWIDTH), (sweep.query, QUERY_AT)):
            assert (steps.values[0], steps.values[-1]) == (all_of_them.values[0], all_of_them.values[-1])


@pytest.mark.parametrize("picture", ["Fit and weights", "Four kernels", "Bridge to attention"])
@pytest.mark.parametrize("n_points", ["40", "500"])
def test_picture_arithmetic_and_code_have_one_bandwidth(picture: str, n_points: str) -> None:
    at = page(picture=picture, h="0.57", points=n_points, tab="Arithmetic")
    arithmetic = re.search(r"at bandwidth h = ([\d.]+)", text_of(at))
    assert arithmetic is not None
    h = arithmetic[1]
    said = f"h² = {float(h) ** 2:.3g}" if picture.startswith("Bridge") else None
    code = page(picture=picture, h="0.57", points=n_points, tab="Code").code[0].value
    in_code = re.search(r"^u = .* / ([\d.]+)  #", code, re.MULTILINE)
    assert in_code is not None
    assert f"{float(in_code[1]):.6g}" == h
    assert said is None or abs(float(h) ** 2 / float(in_code[1]) ** 2 - 1) < 1e-2


def test_slider_of_few_values_includes_those_of_the_link() -> None:
    at = page(picture="Four kernels", points="500", h="1.84", x0="1.4", tab="Arithmetic")
    head, said, _ = fields(at)[0]
    texts = (at.query_params["h"], at.query_params["x0"])
    h, x0 = (text if isinstance(text, str) else text[-1] for text in texts)
    assert (h, x0) == ("1.84", "1.4")
    assert head["slider"]["values"][head["slider"]["index"]] == h
    assert head["cursor"]["values"][head["cursor"]["index"]] == x0
    assert len(head["slider"]["values"]) < len(BANDWIDTH.values)
    assert "at bandwidth h = 1.84," in text_of(at)
    assert any("h = 1.84" in each for each in said)


def test_every_data_set_has_its_sentence() -> None:
    points = sample("sine", 40, 0.5, 4)
    strides, (_, says, _texts) = pack_sweep(Sweep(points, "gaussian"), fit.draw)
    assert says
    sweep = Sweep(points, "gaussian", 1, strides)
    at, row = sweep.bandwidth.nearest(0.5), sweep.query.nearest(2.5)
    words = "".join(text for _, text in caption_at(says, at, row))
    result = nadaraya_watson(
        torch.tensor([2.5]).double(), *points.tensors(), bandwidth=sweep.bandwidth.values[at]
    )
    assert messages_in(words, place=2.5, estimate=f"{float(result.estimate):.4g}")


@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
def test_fewest_and_most_points_open(picture: str) -> None:
    for points in ("4", "500"):
        assert_sound(page(picture=picture, points=points, all="true"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("h", "0"),
        ("h", "nan"),
        ("h", "-1"),
        ("kernel", "cosine"),
        ("data", "<script>alert(1)</script>"),
        ("points", "501"),
        ("noise", "inf"),
        ("x0", "99"),
        ("picture", "nothing"),
    ],
)
def test_bad_setting_becomes_the_default_and_is_named(name: str, value: str) -> None:
    at = page(**{name: value})
    assert not at.exception
    assert any(f"`{name}`" in each.value for each in at.warning)
    assert len(at.get("bidi_component")) == 1


def test_own_points_that_a_link_cannot_carry_are_explained() -> None:
    at = page(data="own points")
    assert_sound(at)
    assert any("carries no points of your own" in caption.value for caption in at.sidebar.caption)


def test_default_page_has_every_bandwidth_and_query() -> None:
    points = sample("sine", 40, 0.5, 4)
    assert pack_sweep(Sweep(points, "gaussian"), fit.draw)[0] == (1, 1)


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_best_bandwidth_is_never_worse_than_any_slider_value(kernel: str) -> None:
    points = sample("sine", 40, 0.5, 4)
    found = errors(points, points.fingerprint, kernel, BANDWIDTH.values)
    best = best_of(points, points.fingerprint, kernel)
    comparable = found.n_supported == found.n_supported.max()
    assert best.left_out <= found.leave_one_out_errors[comparable].min() + 1e-12
    again = kernel_checks.refit(kernel, best.bandwidth, points.keys, points.values)
    assert again == pytest.approx(best.left_out, rel=1e-10)


def test_best_bandwidth_in_a_valley_between_slider_values_is_found() -> None:
    points = sample("sine", 40, 0.5, 4)
    best = best_of(points, points.fingerprint, "boxcar")
    assert best.left_out <= kernel_checks.refit("boxcar", 0.5905, points.keys, points.values) + 1e-12
    assert best.left_out < 0.2424


@pytest.mark.parametrize("on_circle", [False, True])
@pytest.mark.parametrize("everything", [False, True])
def test_equal_key_lengths_make_attention_the_gaussian_kernel(everything: bool, on_circle: bool) -> None:
    laid = lay_points(sample("bump", 40, 0.5, 4), everything, on_circle)
    h = torch.tensor([0.2, 0.7, 3.0], dtype=torch.float64)
    torch.testing.assert_close(laid.attention(h, True), laid.gaussian(h), rtol=0, atol=1e-9)
    without = (laid.attention(h, False) - laid.gaussian(h)).abs().max()
    # Equal where keys have equal length, different where not.
    assert without < 1e-9 if on_circle else without > 0.1


def test_bridge_ends_on_the_same_numbers() -> None:
    points = sample("sine", 40, 0.5, 4)
    link = single_head_link(lay_points(points, False, False), keeps_lengths=True, h=0.5)
    assert link is not None
    assert link.startswith("/single-head?qkv=typed&scale=free&")
    assert "s=4&" in f"{link}&"
    assert single_head_link(lay_points(points, False, False), keeps_lengths=True, h=0.01) is None


def own(count: int = 6) -> Points:
    x = np.arange(float(count))
    return from_columns(x * 100 + 2000, x**2, "year <b>", "height")


def test_own_points_have_bandwidths_by_their_width() -> None:
    points = own()
    sweep = Sweep(points, "gaussian")
    assert sweep.scene.queries[0] == pytest.approx(2000 - 0.5 * 100)
    assert sweep.scene.queries[-1] == pytest.approx(2500 + 0.5 * 100)
    assert sweep.bandwidths()[BANDWIDTH.nearest(0.5)] == pytest.approx(50)
    assert sweep.scene.x_title == "year &lt;b&gt;"


def test_table_edits_are_applied_and_rows_without_a_number_named() -> None:
    x, y, notes = kernel_own_data.apply_edits(
        own(),
        {
            "edited_rows": {0: {"y": 5.5}, 1: {"x": None}, 2: {"y": math.inf}},
            "added_rows": [{"x": 7, "y": 8}, {"x": 9}],
            "deleted_rows": [5],
        },
    )
    np.testing.assert_array_equal(x, [2000, 2300, 2400, 7])
    np.testing.assert_array_equal(y, [5.5, 9, 16, 8])
    assert [numbers_in(each) for each in notes] == [[3]]


def test_sample_file_reads_back_unchanged() -> None:
    points = own()
    columns = read_table(kernel_own_data.sample_csv(points), most_bytes=9999, most_rows=99).columns
    pairs = pair(*columns)
    np.testing.assert_array_equal(pairs.x, points.keys)
    np.testing.assert_array_equal(pairs.y, points.values)


@pytest.mark.parametrize(
    ("start", "step", "texts"),
    [(2000.0, 1.0, ["1999.50", "2000.50"]), (1.7e9, 100.0, ["1699999950", "1700000050"])],
)
def test_inputs_far_from_zero_have_distinct_labels(start: float, step: float, texts: list[str]) -> None:
    points = from_columns(start + step * np.arange(6.0), np.arange(6.0), "when", "what")
    names = Sweep(points, "gaussian").query_names()
    assert len(set(names)) == len(names)
    for text in texts:
        assert f"when = {float(text):.{points.digits}g}" in names


WILD = {
    "prices": (np.linspace(40, 300, 60), np.linspace(1e5, 6e5, 60)),
    "output by year": (np.arange(1960.0, 2024.0), np.geomspace(5e11, 2.5e13, 64)),
    "unix seconds": (1.7e9 + 1e7 * np.linspace(0, 1, 40), np.sin(np.arange(40.0))),
    "tiny": (1e-12 * np.linspace(0, 1, 30), 1e-12 * np.cos(np.arange(30.0))),
    "negative": (-1e3 * np.linspace(9, 1, 30), -np.linspace(1e3, 2e3, 30)),
    "constant": (np.arange(9.0), np.full(9, 7.25)),
    "zero": (np.arange(5.0), np.zeros(5)),
    "duplicate keys": (np.repeat(np.arange(5.0), 4), np.sin(np.arange(20.0))),
    "one key": (np.full(6, 3.0), np.arange(6.0)),
    "two points": (np.array([1.0, 2.0]), np.array([3.0, 5.0])),
    "next to each other": (np.array([1e15, 1e15 + 1]), np.array([1.0, 2.0])),
    "values far from zero": (np.arange(20.0), 1e9 + 1e-3 * np.sin(np.arange(20.0))),
    "many": (1e6 * np.sin(np.arange(500.0)), np.cos(np.arange(500.0))),
}


@pytest.mark.parametrize("name", WILD)
def test_own_points_of_any_size_are_drawn_described_and_checked(name: str) -> None:
    chance = random.Random(name)
    points = from_columns(*WILD[name], "when", "how much")
    for picture, tab in zip(KERNEL_VIEW.options, itertools.cycle(("Checks", "Arithmetic")), strict=False):
        at = page(
            points,
            picture=picture,
            tab=tab,
            kernel=chance.choice(KERNEL.options),
            h=chance.choice(BANDWIDTH.texts()),
            x0=chance.choice(QUERY_AT.texts()),
        )
        assert_sound(at)
        assert tab != "Checks" or "fails" not in text_of(at)


@pytest.mark.parametrize("value", [7.25, -7.25, 1e6, 1e-6])
def test_constant_values_have_a_chart_of_their_own_size(value: float) -> None:
    def room(each: float) -> tuple[float, float]:
        low, high = Sweep(from_columns(np.arange(9.0), np.full(9, each), "x", "y"), "gaussian").scene.y_range
        return (each - low) / abs(each), (high - each) / abs(each)

    assert room(value) == pytest.approx(room(1.0))
    assert min(room(value)) > 0


def dated(count: int = 30) -> Points:
    return from_columns(
        19753 + 7.0 * np.arange(count, dtype=np.float64),
        np.sin(np.arange(count, dtype=np.float64)),
        "when",
        "much",
        dated=True,
    )


@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
def test_dates_are_shown_as_dates(picture: str) -> None:
    at = page(dated(), picture=picture, tab="Arithmetic", h="0.5")
    assert_sound(at)
    head, said, packed = fields(at)[0]
    if picture not in ("Bridge to attention", TWO_INPUTS, "Limits"):  # these have places of their own
        assert "days" in " ".join(head["slider"]["texts"])
        if picture != LOCAL_LINES:  # whose weights are no kernel's over a sum: no arithmetic of it
            assert re.search(r"\| \d{4}-\d\d-\d\d", text_of(at))
        axis = figure_at(packed, 0)["layout"]["xaxis" if picture != "Choose the bandwidth" else "xaxis2"]
        assert all(re.fullmatch(r"\d{4}-\d\d", text) for text in axis["ticktext"]), axis["ticktext"]
        assert not re.search(r"1975\d", "".join(said))


def test_sample_file_of_dates_reads_back_and_an_edit_is_a_date() -> None:
    points = dated()
    x, y = read_table(kernel_own_data.sample_csv(points), most_bytes=9999, most_rows=99).columns
    assert x.dated
    np.testing.assert_array_equal(pair(x, y).x, points.keys)
    moved, _, notes = kernel_own_data.apply_edits(
        points, {"edited_rows": {0: {"x": "2024-02-01T12:00:00.000"}}, "deleted_rows": [1]}
    )
    assert moved[0] == 19754.5
    assert not notes
    assert kernel_own_data.choose_columns([y, x]) == (x, y)


def test_inputs_far_from_zero_are_counted_from_the_first() -> None:
    points = from_columns(np.array([1e15, 1e15 + 1]), np.array([1.0, 2.0]), "x", "y")
    np.testing.assert_array_equal(points.keys, [0.0, 1.0])
    assert points.x_title == "x − 1000000000000000"


def test_edit_beyond_the_sliders_rescales_the_bandwidths() -> None:
    points = own()
    near = replace_points(points, points.keys + 1, points.values)
    assert (near.low, near.unit) == (points.low, points.unit)
    far = replace_points(points, points.keys * 1000, points.values)
    assert far.low == far.keys[0]
    assert far.unit == pytest.approx(np.ptp(far.keys) / 5)
