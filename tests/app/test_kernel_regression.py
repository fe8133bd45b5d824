"""The kernel regression page without a browser: every setting, good and bad addresses, own points, code."""

import contextlib
import io
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import KERNELS, nadaraya_watson
from attn_ui.live_figure.packing import MOST_BYTES
from pages.kernel_regression.data import Points, from_columns, sample
from pages.kernel_regression.numbers import Sweep
from pages.kernel_regression.own_table import pair, read_table
from pages.kernel_regression.settings import BANDWIDTH, KERNEL_VIEW, POINTS_DATA, QUERY_AT
from pages.kernel_regression.snippet import own_data, snippet, toy_data
from pages.kernel_regression.tabs import checks as kernel_checks
from pages.kernel_regression.tabs import data as kernel_own_data
from pages.kernel_regression.views.bandwidth import best_of
from pages.kernel_regression.views.bridge import lay, single_head_link

ROUTER = str(Path(__file__).resolve().parents[2] / "attn_ui" / "router.py")
TOYS = tuple(name for name in POINTS_DATA.options if name != "own points")


def page(**query: str) -> AppTest:
    at = AppTest.from_file(ROUTER, default_timeout=30)
    at.run()
    at.switch_page("../pages/kernel_regression/page.py")
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def assert_sound(at: AppTest) -> None:
    assert not at.exception
    assert len(at.get("bidi_component")) >= 1
    for text in (*at.markdown, *at.caption):
        assert "nan" not in text.value.lower().replace("epanechnikov", ""), text.value


@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_every_picture_with_every_kernel(picture: str, kernel: str) -> None:
    assert_sound(page(picture=picture, kernel=kernel))


@pytest.mark.parametrize(("data", "picture"), list(zip(TOYS, KERNEL_VIEW.options, strict=True)))
@pytest.mark.parametrize("h", ["0.01", "25"])
def test_every_data_set_at_both_ends_of_the_bandwidth(data: str, picture: str, h: str) -> None:
    assert_sound(page(data=data, picture=picture, h=h, kernel="boxcar", x0="-0.5"))


@pytest.mark.parametrize("tab", ["Arithmetic", "Maths", "Break it", "Checks", "Data", "Code"])
@pytest.mark.parametrize("kernel", ["gaussian", "boxcar"])
def test_every_tab(tab: str, kernel: str) -> None:
    at = page(tab=tab, kernel=kernel, h="0.131")
    assert_sound(at)
    assert "does not hold" not in "".join(text.value for text in at.markdown)


@pytest.mark.parametrize("trap", ["training error", "triangular as Epanechnikov"])
def test_every_mistake_names_the_check_that_fails(trap: str) -> None:
    at = page(tab="Break it", trap=trap)
    assert_sound(at)
    assert any("fails**" in text.value for text in at.markdown)


@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
def test_the_fewest_and_the_most_points(picture: str) -> None:
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
def test_a_bad_setting_becomes_the_default_and_is_named(name: str, value: str) -> None:
    at = page(**{name: value})
    assert not at.exception
    assert any(f"`{name}`" in caption.value for caption in at.caption)
    assert len(at.get("bidi_component")) == 1


def test_own_points_that_a_link_cannot_carry_are_explained() -> None:
    at = page(data="own points")
    assert_sound(at)
    assert any("carries no points of your own" in caption.value for caption in at.sidebar.caption)


@pytest.mark.parametrize("maps", [1, 4])
@pytest.mark.parametrize("n_points", [4, 40, 77, 120, 251, 500])
def test_a_figure_fits_its_limit_and_keeps_where_the_sliders_start(n_points: int, maps: int) -> None:
    sweep = Sweep(sample("sine", n_points, 0.5, 4), "gaussian", maps)
    numbers = len(sweep.bandwidth.values) * len(sweep.query.values) * n_points * maps
    assert numbers * 4 < MOST_BYTES * 0.8
    assert BANDWIDTH.default in sweep.bandwidth.values
    assert QUERY_AT.default in sweep.query.values
    for steps, all_of_them in ((sweep.bandwidth, BANDWIDTH), (sweep.query, QUERY_AT)):
        assert (steps.values[0], steps.values[-1]) == (all_of_them.values[0], all_of_them.values[-1])


def test_the_default_page_offers_every_bandwidth_and_query() -> None:
    sweep = Sweep(sample("sine", 40, 0.5, 4), "gaussian")
    assert sweep.bandwidth == BANDWIDTH
    assert sweep.query == QUERY_AT


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize("name", TOYS)
def test_the_code_handed_over_gives_the_numbers_on_screen(name: str, kernel: str) -> None:
    points = sample(name, 37, 0.4, 11)
    wanted = nadaraya_watson(
        torch.tensor([1.3], dtype=torch.float64), *points.tensors(), kernel=kernel, bandwidth=0.6
    )
    for data, digits in (
        (toy_data(name, 37, 0.4, 11), 1e-12),
        (own_data(points.keys.tolist(), points.values.tolist()), 1e-5),
    ):
        made: dict[str, torch.Tensor] = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(snippet(data=data, kernel=kernel, bandwidth=0.6, query=1.3), made)
        torch.testing.assert_close(made["estimate"], wanted.estimate, rtol=0, atol=digits, equal_nan=True)
        if bool(wanted.has_support.all()):
            torch.testing.assert_close(made["weights"], wanted.weights, rtol=0, atol=digits)


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_the_best_is_never_worse_than_any_bandwidth_of_the_slider(kernel: str) -> None:
    points = sample("sine", 40, 0.5, 4)
    found, best, error = best_of(points, kernel, BANDWIDTH.values)
    comparable = found.supported == found.supported.max()
    assert error <= found.leave_one_out_errors[comparable].min() + 1e-12
    assert kernel_checks.refit(points, kernel, best) == pytest.approx(error, rel=1e-10)


@pytest.mark.parametrize("on_circle", [False, True])
@pytest.mark.parametrize("everything", [False, True])
def test_keeping_the_lengths_makes_attention_the_gaussian_kernel(everything: bool, on_circle: bool) -> None:
    laid = lay(sample("bump", 40, 0.5, 4), everything, on_circle)
    h = torch.tensor([0.2, 0.7, 3.0], dtype=torch.float64)
    torch.testing.assert_close(laid.attention(h, True), laid.gaussian(h), rtol=0, atol=1e-9)
    without = (laid.attention(h, False) - laid.gaussian(h)).abs().max()
    # Equal where keys have equal length, different where not.
    assert without < 1e-9 if on_circle else without > 0.1


def test_the_bridge_ends_on_the_same_numbers() -> None:
    points = sample("sine", 40, 0.5, 4)
    link = single_head_link(lay(points, False, False), keeps_lengths=True, h=0.5)
    assert link is not None
    assert link.startswith("/single-head?qkv=typed&scale=free&")
    assert "s=4&" in f"{link}&"
    assert single_head_link(lay(points, False, False), keeps_lengths=True, h=0.01) is None


def own(count: int = 6) -> Points:
    x = np.arange(float(count))
    return from_columns(x * 100 + 2000, x**2, "year <b>", "height")


def test_own_points_are_measured_by_their_width() -> None:
    points = own()
    sweep = Sweep(points, "gaussian")
    assert sweep.scene.queries[0] == pytest.approx(2000 - 0.5 * 100)
    assert sweep.scene.queries[-1] == pytest.approx(2500 + 0.5 * 100)
    assert sweep.bandwidths()[BANDWIDTH.nearest(0.5)] == pytest.approx(50)
    assert sweep.scene.x_title == "year &lt;b&gt;"


def test_edits_of_the_table_are_applied_and_what_lacks_a_number_is_named() -> None:
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
    assert notes == ["3 rows lack a finite number and are left out."]


def test_the_sample_file_is_read_back_as_it_was() -> None:
    points = own()
    columns = read_table(kernel_own_data.sample_csv(points), most_bytes=9999, most_rows=99)
    pairs = pair(*columns)
    np.testing.assert_array_equal(pairs.x, points.keys)
    np.testing.assert_array_equal(pairs.y, points.values)


@pytest.mark.parametrize(
    ("start", "step", "texts"),
    [(2000.0, 1.0, ["1999.50", "2000.50"]), (1.7e9, 100.0, ["1699999950", "1700000050"])],
)
def test_places_far_from_zero_are_told_apart(start: float, step: float, texts: list[str]) -> None:
    points = from_columns(start + step * np.arange(6.0), np.arange(6.0), "when", "what")
    names = Sweep(points, "gaussian").query_names()
    assert len(set(names)) == len(names)
    for text in texts:
        assert f"when = {float(text):.{points.digits}g}" in names
