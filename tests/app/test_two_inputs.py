"""Kernel regression of two inputs: map, weights, words, tabs and program, each held against plain loops."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from attn_core import KERNELS, kernel_estimate
from attn_live.packing import MOST_BYTES
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell
from attn_ui.base.parameters import Steps
from pages import PAGES
from pages.kernel_regression.compute import STRIDES, Selection, Sweep, pack_sweep
from pages.kernel_regression.data_points import sample as sample_of_one
from pages.kernel_regression.plane import AXIS, PlanePoints, PlaneSweep, plane_points
from pages.kernel_regression.settings import BANDWIDTH, QUERY_AT, QUERY_AT_2, TAB
from pages.kernel_regression.tabs import checks as kernel_checks
from pages.kernel_regression.views import two_inputs
from tests import run_programs
from tests.messages import figure_at
from tests.pages import open_sound
from tests.sentences import messages_in, numbers_in
from tests.walk import fields, said_now

Numbers = NDArray[np.float64]
PROFILES: dict[str, Callable[[float], float]] = {
    "gaussian": lambda u: math.exp(-u * u / 2),
    "boxcar": lambda u: float(u <= 1),
    "triangular": lambda u: max(0.0, 1 - u),
    "epanechnikov": lambda u: max(0.0, 1 - u * u),
}
COURSES = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0}


def visit(**query: str) -> AppTest:
    return open_sound("kernel-regression", picture="Two inputs", **query)


def weigh(kernel: str, h: float, query: Sequence[float], keys: Numbers) -> list[float]:
    """The kernel of each key, one after the other."""
    return [PROFILES[kernel](math.dist(query, key) / h) for key in keys.tolist()]


def naive(kernel: str, h: float, query: Sequence[float], keys: Numbers, values: Numbers) -> float:
    """The estimate at one query, by loops."""
    weights = weigh(kernel, h, query, keys)
    total = sum(weights)
    pairs = zip(weights, values.tolist(), strict=True)
    return sum(w * v for w, v in pairs) / total if total else math.nan


def text_of(at: AppTest) -> str:
    return "\n".join(
        [*said_now(at), *(str(each.value) for kind in (at.markdown, at.caption) for each in kind)]
    )


def address(at: AppTest, name: str) -> str | None:
    text: Any = at.query_params.get(name)
    return text if text is None or isinstance(text, str) else text[-1]


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize(
    ("h", "x0", "x02"), [("0.5", "2.5", "2.5"), ("1.84", "4.4", "0.35"), ("0.2", "1.1", "-0.5")]
)
def test_two_inputs_picture_equals_plain_loops(kernel: str, h: str, x0: str, x02: str) -> None:
    at = visit(kernel=kernel, h=h, x0=x0, x02=x02)
    shown = run_programs.picture(at)
    keys = np.stack([np.asarray(shown["keys"][side], float) for side in "xy"], axis=-1)
    values = np.asarray(shown["keys"]["marker"]["color"], float)
    query, width = (float(x0), float(x02)), float(h)
    cells = shown["estimate map"]
    on_map = [[naive(kernel, width, (x, y), keys, values) for x in cells["x"]] for y in cells["y"]]
    np.testing.assert_allclose(np.asarray(cells["z"], float), on_map, atol=1e-5)
    assert cells["y"][0] > cells["y"][-1]
    profile = weigh(kernel, width, query, keys)
    weights = np.array(profile) / sum(profile) if sum(profile) else np.zeros(len(profile))
    np.testing.assert_allclose(
        np.asarray(shown["weight of each key"]["marker"]["size"], float), weights, atol=1e-6
    )
    np.testing.assert_allclose(np.asarray(shown["keys"]["customdata"], float), weights, atol=1e-6)
    np.testing.assert_allclose(np.asarray(shown["keys by distance"]["y"], float), profile, atol=1e-6)
    far = [math.dist(query, key) for key in keys.tolist()]
    np.testing.assert_allclose(np.asarray(shown["keys by distance"]["x"], float), far, atol=1e-5)
    assert [float(shown["query"][side][0]) for side in "xy"] == pytest.approx(query, abs=1e-6)
    # The sentence tells the same numbers.
    said, gaps = said_now(at)[0], int(np.isnan(on_map).sum())
    assert bool(messages_in(said, count=gaps, places=961)) == (gaps > 0)
    if sum(profile):
        entropy = -sum(w * math.log(w) for w in weights if w)
        assert messages_in(said, spread=f"{math.exp(entropy):.1f}", n_key=40)
        (told_mean,) = messages_in(said, "place", "estimate")
        mean = naive(kernel, width, query, keys, values)
        assert numbers_in(told_mean["estimate"]) == pytest.approx([mean], rel=1e-3)
        top = keys[int(weights.argmax())]
        tied = int((weights >= weights.max() * (1 - 1e-9)).sum())
        assert messages_in(said, largest=f"{weights.max():.3f}", key=f"({top[0]:.3g}, {top[1]:.3g})")
        assert (f"Tied with {tied - 1} other" in said) == (tied > 1 and not gaps)
    else:
        (away,) = messages_in(said, "distance", window=h)
        assert float(away["distance"]) == pytest.approx(min(far), rel=5e-3)
    # Left out, as the definition has it.
    left_out = kernel_checks.refit(kernel, width, keys, values)
    (errors,) = messages_in(said, "left_out", "supported", h=h)
    assert (errors["left_out"] == "∞") == math.isinf(left_out)
    assert math.isinf(left_out) or numbers_in(errors["left_out"])[0] == pytest.approx(left_out, rel=1e-3)


def test_two_inputs_data_are_seeded_waves_of_both_inputs() -> None:
    points, again, other = plane_points(40, 0, 7), plane_points(40, 0, 7), plane_points(40, 0, 8)
    assert points.keys.shape == (40, 2)
    assert points.fingerprint == again.fingerprint != other.fingerprint
    for (first, second), y in zip(points.keys.tolist(), points.values.tolist(), strict=True):
        assert y == pytest.approx(2 * math.sin(first) + 2 * math.cos(second), abs=1e-12)
    assert points.keys.min() >= 0
    assert points.keys.max() <= 5


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_two_inputs_one_point_is_its_value_throughout_its_window(kernel: str) -> None:
    points = PlanePoints("one", np.array([[2.137, 3.291]]), np.array([-1.75]))
    steps, at_queries, effective = PlaneSweep(points, kernel, x2=3.1).plane_estimates()
    for step, estimates, counts in zip(steps, at_queries, effective, strict=True):
        far = np.hypot(*np.meshgrid(AXIS - 2.137, AXIS[::-1] - 3.291))
        inside = far <= step.bandwidth if kernel == "boxcar" else far < step.bandwidth
        inside |= kernel == "gaussian"
        np.testing.assert_array_equal(step.on_map, np.where(inside, -1.75, np.nan))
        row = inside[np.flatnonzero(AXIS[::-1] == 3.1)[0]]
        np.testing.assert_array_equal(estimates, np.where(row, -1.75, np.nan))
        np.testing.assert_allclose(counts, row.astype(float))


@pytest.mark.parametrize("kind", ["PyTorch", "NumPy", "attn_core"])
@pytest.mark.parametrize("kernel", list(KERNELS))
def test_two_inputs_program_prints_data_and_sentence(kind: str, kernel: str) -> None:
    link = {
        "kernel": kernel,
        "h": "1.15",
        "x0": "3.33",
        "x02": "1.25",
        "points": "23",
        "noise": "0.3",
        "seed": "9",
    }
    printed = run_programs.run(
        PAGES["kernel-regression"].at(urlencode({"picture": "Two inputs", **link})).programs, kind
    )
    at = visit(**link, tab="Data")
    frame = at.dataframe[0].value
    assert list(frame.columns) == ["x₁", "x₂", "y", "weight", "|q − k|"]
    assert frame.shape == (23, 5)
    weights = frame["weight"].to_numpy()
    assert not run_programs.difference(run_programs.arrays(printed)[0], weights[None])
    ((estimate,),) = run_programs.arrays(printed)[1:]
    assert estimate == pytest.approx(float(weights @ frame["y"]), abs=6e-5)
    query = (3.33, 1.25)
    far = [math.dist(query, key) for key in frame[["x₁", "x₂"]].to_numpy().tolist()]
    np.testing.assert_allclose(frame["|q − k|"], far)
    assert messages_in(said_now(at)[0], "estimate", place="(3.33, 1.25)")


def test_two_inputs_arithmetic_writes_each_distance() -> None:
    at = visit(tab="Arithmetic", x0="1.3", x02="3.7", h="0.75")
    shown = run_programs.picture(at)
    keys = np.stack([np.asarray(shown["keys"][side], float) for side in "xy"], axis=-1)
    weights = weigh("gaussian", 0.75, (1.3, 3.7), keys)
    top = keys[int(np.argmax(weights))]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in next(each.value for each in at.markdown if "q₁ − k₁" in each.value).splitlines()[2:]
    ]
    assert rows[0][0] == f"({top[0]:.3g}, {top[1]:.3g})"
    first, second, squares, root = (float(cell.replace("−", "-")) for cell in rows[0][1:])
    assert first == pytest.approx(1.3 - top[0], rel=1e-3)
    assert second == pytest.approx(3.7 - top[1], rel=1e-3)
    assert squares == pytest.approx((1.3 - top[0]) ** 2 + (3.7 - top[1]) ** 2, rel=1e-3)
    assert root == pytest.approx(math.sqrt(squares), rel=1e-3)


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize("h", ["0.01", "0.5", "25"])
@pytest.mark.parametrize("tab", TAB.options)
def test_two_inputs_tabs_equal_the_computation(tab: str, kernel: str, h: str) -> None:
    at = visit(tab=tab, kernel=kernel, h=h, x02="0.1", points="12")
    assert not re.search(r"\b(nan|inf|None)\b", text_of(at))
    if tab == "Checks":
        assert kernel_checks.FORMULA in text_of(at)
        assert ":material/close:" not in text_of(at)
    if tab == "Maths":
        assert any("(q_1-k_{j1})^2" in each.value for each in at.latex)


def test_two_inputs_check_fails_on_a_wrong_map(monkeypatch: pytest.MonkeyPatch) -> None:
    standing = opened_standing()
    assert all(each.passed for each in kernel_checks.check_map(standing))
    monkeypatch.setattr(kernel_checks, "kernel_estimate", lambda *a, **k: kernel_estimate(*a, **k).roll(1))
    assert not any(each.passed for each in kernel_checks.check_map(standing))


def opened_standing() -> Selection:
    points = plane_points(40, 0.5, 4)
    sweep = PlaneSweep(points, "epanechnikov")
    names = (points.key_names, sweep.place_names())
    return Selection(points, "epanechnikov", 0.8, 3, sweep.queries, points.keys, points.values, *names)


@pytest.mark.parametrize("kernel", ["gaussian", "boxcar"])
def test_two_inputs_most_points_fit_a_message_with_course_bandwidths(kernel: str) -> None:
    points = plane_points(500, 0.5, 4)
    strides, (packed, *_) = pack_sweep(PlaneSweep(points, kernel, two_inputs.ARRAYS, x2=2.5), two_inputs.draw)
    assert len(packed) <= MOST_BYTES
    sweep = PlaneSweep(points, kernel, two_inputs.ARRAYS, strides)
    assert set(sweep.bandwidth.values) >= COURSES
    assert set(sweep.query.values) <= set(QUERY_AT.values)


@pytest.mark.parametrize("strides", STRIDES)
@pytest.mark.parametrize("maps", [1, 4])
def test_two_inputs_sliders_all_have_course_bandwidths(strides: tuple[int, int], maps: int) -> None:
    assert set(BANDWIDTH.values) >= COURSES
    for sweep in (
        Sweep(sample_of_one("sine", 40, 0.5, 4), "gaussian", maps, strides),
        PlaneSweep(plane_points(40, 0.5, 4), "gaussian", maps, strides),
    ):
        assert set(sweep.bandwidth.values) >= COURSES
        assert set(sweep.bandwidth.values) <= set(BANDWIDTH.values)


@pytest.mark.parametrize("picture", ["Fit and weights", "Four kernels", "Bridge to attention", "Two inputs"])
def test_two_inputs_slider_of_most_points_has_course_bandwidths(picture: str) -> None:
    at = open_sound("kernel-regression", picture=picture, points="500", all="true", h="0.1234")
    offered = {float(text) for text in fields(at)[0][0]["slider"]["values"]}
    assert offered >= COURSES | {0.1234}


def test_two_inputs_link_between_cells_is_kept_and_a_bad_one_named() -> None:
    at = visit(x0="2.47", x02="0.333", h="0.237")
    assert [address(at, name) for name in ("x0", "x02", "h")] == ["2.47", "0.333", "0.237"]
    assert messages_in(said_now(at)[0], "estimate", place="(2.47, 0.333)")
    assert at.select_slider(key="step-x02").value == "0.333"
    bad = visit(x02="99")
    assert any("`x02`" in each.value and {-0.5, 5.5} <= {*numbers_in(each.value)} for each in bad.warning)
    assert "x02" not in open_sound("kernel-regression").query_params
    assert not any(
        key == "step-x02" for key in (each.key for each in open_sound("kernel-regression").select_slider)
    )


def test_two_inputs_second_coordinate_moves_the_query_only() -> None:
    at = visit(x02="0.1")
    before = run_programs.picture(at)
    at.select_slider(key="step-x02").set_value("4.9").run()
    after = run_programs.picture(at)
    assert float(after["query"]["y"][0]) == pytest.approx(4.9)
    np.testing.assert_array_equal(before["estimate map"]["z"], after["estimate map"]["z"])
    assert address(at, "x02") == "4.9"
    assert messages_in(said_now(at)[0], "estimate", place="(2.5, 4.9)")


@pytest.mark.parametrize(
    ("cell", "where"),
    [
        (Cell("estimate map", 0, 30), (5.5, 5.5)),
        (Cell("estimate map", 30, 2), (-0.1, -0.5)),
        (Cell("estimate map masked", 5, 0), (-0.5, 4.5)),
        (Cell("keys", 0, 0), None),
        (Cell("keys by distance", 7, 0), None),
    ],
)
def test_two_inputs_click_selects_the_cell_or_the_cell_of_the_key(
    cell: Cell, where: tuple[float, float] | None
) -> None:
    controls, points = Controls(), plane_points(40, 0.5, 4)
    two_inputs.read_at(points, controls, cell)
    found = controls.value(QUERY_AT), controls.value(QUERY_AT_2)
    if where is None:
        assert np.abs(np.array(found) - points.keys[cell.row]).max() <= 0.1 + 1e-9
        assert set(found) <= set(AXIS.tolist())
    else:
        assert found == where


def test_two_inputs_print_names_no_unused_setting() -> None:
    settings = dict(next(head for head, _, _ in fields(visit(x02="1.1", data="bump")))["settings"])
    assert "Data set" not in settings
    assert settings["Points"] == "40"
    assert settings["Query x₂"] == "1.1"
    assert dict(fields(open_sound("kernel-regression", data="bump"))[0][0]["settings"])["Data set"] == "bump"


def test_two_inputs_empty_cells_shrink_with_the_bandwidth() -> None:
    at = visit(kernel="triangular")
    _, _, packed = fields(at)[0]
    empty = [
        int(np.isnan(np.asarray(figure_at(packed, step)["data"][0]["z"], float)).sum())
        for step in range(len(BANDWIDTH.values))
    ]
    assert empty == sorted(empty, reverse=True)
    assert empty[0] > 900
    assert empty[-1] == 0
    assert isinstance(QUERY_AT_2, Steps)
