"""Figures of several panels: who shares what, and how the steps of one figure may differ."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pytest

from attn_figures import panels
from attn_figures.arrange import settle
from attn_figures.frame import Side
from attn_figures.geometry import LABEL_SIZES
from attn_figures.matrix import Extra, Matrix, Ramp, SideBars
from attn_figures.panels import Absent, compose
from attn_figures.picture import Spec


def square(name: str) -> Matrix:
    labels = ["a", "b", "c"]
    return Matrix(name, np.full((3, 3), 1 / 3), name, Side(labels), Side(labels, role="key"))


def test_a_step_may_have_fewer_panels_with_the_same_traces() -> None:
    full = compose.spec([square("one"), square("two"), square("three")])
    fewer = compose([square("one"), Absent(square("two")), square("three")])
    kinds = [trace.get("type", "scatter") for trace in full["data"]]
    assert [trace.type for trace in fewer.data] == kinds
    shown = [trace.name for trace in fewer.data if trace.visible is not False]
    assert shown == ["one", "three"]


def test_the_others_take_the_room_of_an_absent_panel() -> None:
    def width(*panels: Matrix | Absent, axis: str) -> float:
        low, high = compose(list(panels)).layout[axis].domain
        return float(high - low)

    both = width(square("one"), square("two"), axis="xaxis")
    alone = width(square("one"), Absent(square("two")), axis="xaxis")
    assert alone == width(square("one"), axis="xaxis") >= both
    figure = compose([Absent(square("one")), square("two")])
    # An axis without a place would lay its ground over the whole figure.
    assert {trace.xaxis for trace in figure.data} == {"x2"}
    assert "xaxis" not in figure.to_plotly_json()["layout"]


def test_an_operator_stays_with_its_panel_when_one_before_it_is_absent() -> None:
    shown = Matrix("b", np.ones((1, 1)), "b", Side(["r"]), Side(["c"], role="key"), operator="· V")
    figure = compose([square("a"), Absent(square("x")), shown])
    settings = figure.layout.meta["screens"][-1]["settings"]
    (path,) = [path for path in settings if path.startswith("layout.annotations") and path.endswith("xshift")]
    number = int(path.split("[")[1].split("]")[0])
    assert figure.layout.annotations[number].text == "· V"
    formats = shown.geometry().formats
    assert formats is not None
    assert settings["data[6].texttemplate"] == formats[0][0]


def test_a_figure_of_nothing_but_absent_panels_is_refused() -> None:
    with pytest.raises(ValueError, match="needs panels"):
        compose([Absent(square("one"))])


def test_a_phone_can_be_kept_from_scrolling() -> None:
    maps = [square(str(head)) for head in range(6)]
    narrow = compose(maps).layout.meta["screens"][0]
    kept = compose(maps, phone_height=500).layout.meta["screens"][0]
    assert narrow["width"] == kept["width"]
    assert kept["height"] <= 500 < narrow["height"]


def test_a_laptop_can_be_kept_from_scrolling_and_a_larger_window_keeps_its_size() -> None:
    maps = [square(str(head)) for head in range(3)]
    free, kept = (
        {screen["width"]: screen["height"] for screen in figure.layout.meta["screens"] if not screen["slide"]}
        for figure in (compose(maps), compose(maps, laptop_height=200))
    )
    assert max(height for width, height in kept.items() if 560 <= width < 1560) <= 200 < free[1280]
    assert {width: kept[width] for width in (320, 380, 1560, 1900)} == {
        width: free[width] for width in (320, 380, 1560, 1900)
    }


def test_an_operator_that_starts_a_line_stands_in_the_corner_where_its_side_is_too_narrow() -> None:
    last = Matrix(
        "sum",
        np.ones((3, 3)),
        "sum",
        Side(["a", "b", "c"]),
        Side(["d", "e", "f"], role="key"),
        operator="concat W",
    )
    figure = compose([*(square(str(head)) for head in range(4)), last], phone_height=560)
    for screen in figure.layout.meta["screens"]:
        at = {
            path.rpartition(".")[2]: value
            for path, value in screen["settings"].items()
            if "annotations[9]" in path
        }
        left = screen["settings"]["layout.xaxis5.domain"][0] * screen["width"]
        assert left + at["xshift"] > 8 * 8, screen["width"]  # it ends there, and has eight letters
        # In the corner it stands on the upper edge, above the row labels; elsewhere beside the middle.
        assert (at["y"], at["yanchor"]) in {(1, "bottom"), (0.5, "middle")}


def test_a_figure_that_may_be_high_is_so_on_screens_that_are_wide_enough_alone() -> None:
    words = [f"w{place}" for place in range(8)]
    maps = [Matrix(str(head), np.eye(8), "map", Side(words), Side(words, role="key")) for head in range(8)]

    def sizes(roomy: tuple[int, ...]) -> set[tuple[int, int]]:
        listed = compose(maps, phone_height=640, roomy=roomy).layout.meta["screens"]
        return {(each["width"], each["height"]) for each in listed if not each["slide"]}

    more = sizes((600, 800)) - sizes(())
    assert len(more) > 5
    assert all(height <= 0.75 * width for width, height in more), more
    assert {height for width, height in more if width >= 1560} == {800}


def test_labels_too_small_to_read_leave_their_room_to_the_cells() -> None:
    words = [f"word{i}" for i in range(64)]
    maps = [Matrix(str(head), np.eye(64), "map", Side(words), Side(words, role="key")) for head in range(16)]
    bare = 0
    for screen in compose(maps).layout.meta["screens"]:
        at = screen["settings"]
        if not at["layout.xaxis.showticklabels"] and not at["layout.yaxis.showticklabels"]:
            bare += 1
            assert (1 - at["layout.yaxis.domain"][1]) * screen["height"] == pytest.approx(10, abs=1)
        else:
            assert at["layout.xaxis.domain"][0] * screen["width"] > 30  # labels are small by then
    assert bare > 0


@pytest.mark.parametrize(
    ("limit", "said"), [(7.73, "7.7"), (0.0299, "0.029"), (1.0, "1"), (1234.0, "1,200"), (16.04, "16")]
)
def test_a_colour_bar_says_both_ends_and_the_middle(limit: float, said: str) -> None:
    scores = Matrix(
        "s", np.full((1, 1), -limit), "s", Side(["r"]), Side(["c"], role="key"), ramp=Ramp("scores")
    )
    axis = compose([scores]).layout.coloraxis
    assert [*axis.colorbar.ticktext] == [f"−{said}", "0", said]
    assert axis.cmax == limit
    low, middle, high = axis.colorbar.tickvals
    assert high == -low == float(said.replace(",", "")) <= limit
    assert middle == 0


def test_bars_beside_a_low_figure_have_room_for_their_numbers_within_it() -> None:
    words = [f"word {i}" for i in range(16)]
    weights = Matrix("w", np.eye(16), "map", Side(words), Side(words, role="key"))
    scores = [replace(weights, name=str(limit), ramp=Ramp("scores", limit)) for limit in (1.0, 2.0)]
    maps = [weights, *scores, replace(weights, name="x"), replace(weights, name="y")]
    short = 0
    for screen in compose(maps).layout.meta["screens"]:
        at, height = screen["settings"], screen["height"]
        axes = [f"layout.coloraxis{n}" for n in ("", "2", "3")]
        if not at[f"{axes[0]}.showscale"]:
            continue
        bars = [(at[f"{axis}.colorbar.y"] * height, at[f"{axis}.colorbar.len"] * height) for axis in axes]
        for (top, length), (other, _) in pairwise([*bars, (8.0, 0.0)]):
            assert top - length >= other - 0.1, screen["width"]
            size = at[f"{axes[0]}.colorbar.tickfont.size"]
            assert length >= 20 + 2 * 1.1 * size, screen["width"]  # a title, and three numbers
            short += size < 13
    assert short > 0


def test_a_number_on_a_slide_gives_a_decimal_away_before_it_is_small_and_fits_its_cell() -> None:
    words = [f"word {i}" for i in range(9)]
    scores = Matrix(
        "s", np.full((9, 9), -1.23), "s", Side(words), Side(words, role="key"), ramp=Ramp("scores")
    )
    forms = set()
    for screen in compose([scores, replace(scores, name="t")]).layout.meta["screens"]:
        form, size = (screen["settings"][f"data[0].{name}"] for name in ("texttemplate", "textfont.size"))
        if not screen["slide"] or not form:
            continue
        forms.add(form)
        assert size >= (10.5 if form == "%{z:.2f}" else 10)
        # Arial's digits are 0.556 of its size wide, its minus 0.584 and its point 0.278.
        digits = 3 if form == "%{z:.2f}" else 2
        assert (0.584 + 0.278 + digits * 0.556) * size <= 0.92 * screen["unit"]
    assert forms == {"%{z:.2f}", "%{z:.1f}"}


@pytest.mark.parametrize(("width", "height", "chosen"), [(1200, 496, 1120), (390, 100, 380), (100, 100, 320)])
def test_a_figure_settles_on_the_widest_screen_that_fits(width: int, height: int, chosen: int) -> None:
    figure = settle(compose.spec([square("one"), square("two")]), width, height)
    assert figure["layout"]["width"] == chosen
    (screen,) = [s for s in figure["layout"]["meta"]["screens"] if s["width"] == chosen]
    assert figure["layout"]["xaxis"]["domain"] == screen["settings"]["layout.xaxis.domain"]


OTHERWISE: dict[str, Any] = {
    "name": "another",
    "values": np.array([[0.5, -12.0], [np.nan, 400.0]]),
    "title": "t",
    "rows.labels": ["r", "s"],
    "rows.title": "rows",
    "rows.role": "value",
    "rows.ticks": [(0, "zero")],
    "rows.shown": 1,
    "columns.labels": ["c", "d"],
    "columns.title": "columns",
    "columns.role": "output",
    "columns.ticks": [(1, "one")],
    "columns.shown": 1,
    "ramp.scale": "scores",
    "ramp.limit": 7.0,
    "ramp.bar": "bar",
    "ramp.power": 2.0,
    "mask": np.array([[True, False], [True, True]]),
    "hover.quantity": "score",
    "operator": "+",
    "marked": (1, None),
    "pick.row": "query",
    "pick.column": "key",
    "pick.part": ("head", 1),
    "pick.together": "all",
    "hover.extra": Extra([("more", np.array([[1.0, 2.0], [3.0, 4.0]]))]),
    "leaks": np.array([[False, True], [False, False]]),
    "faded": np.array([[False, True], [False, False]]),
    "longest_title": 40,
    "shows_shape": False,
    "pick.moves_cursor": True,
    "size": (3.0, 4.0),
    "hover.place": "%{x}",
    "hover.words": ("one", "other"),
    "framed_rows": (1,),
    "hover.blocked": "no",
    "side_bars": SideBars("bars", np.array([0.5, 1.0]), 1.0, "", np.zeros((2, 1))),
    "names_rows": True,
    "numbered": False,
}


@pytest.mark.parametrize("scale", ["weights", "scores"])
@pytest.mark.parametrize("field", OTHERWISE)
def test_what_two_figures_share_is_not_drawn_from_the_wrong_one(
    field: str, scale: Literal["weights", "scores"]
) -> None:
    """The words of the first are kept; the second, with one field changed, must not take any of them."""
    values = np.array([[0.25, 0.75], [1.0, 0.0]])
    matrix = Matrix("m", values, "m", Side(["a", "b"]), Side(["k", "l"], role="key"), ramp=Ramp(scale))
    beside = square("beside")
    panels._still.cache_clear()
    record, _dot, part = field.partition(".")
    changed: Any = OTHERWISE[field]
    if part:
        changed = replace(getattr(matrix, record), **{part: changed})
    for each in (matrix, replace(matrix, **{record: changed}), replace(matrix, values=-values / 2)):
        found = compose.spec([each, beside])
        anew = panels._drawn([each, beside], 56.0, (panels.PHONE_HEIGHT, (), panels.PHONE_HEIGHT))
        assert as_text(found) == as_text(anew)
        hidden = compose.spec([Absent(each), beside])
        assert as_text(hidden) == as_text(
            panels._drawn([Absent(each), beside], 56.0, (panels.PHONE_HEIGHT, (), panels.PHONE_HEIGHT))
        )


def as_text(spec: Spec) -> str:
    return json.dumps(spec, sort_keys=True, default=lambda array: array.tolist())


def test_differences_below_one_keep_both_decimals() -> None:
    """Of 0.11 − 0.38 one decimal says −0.3."""
    words = [f"word {i}" for i in range(9)]
    change = Matrix(
        "s", np.full((9, 9), -0.27), "s", Side(words), Side(words, role="key"), ramp=Ramp("scores")
    )
    listed = compose([change, replace(change, name="t")]).layout.meta["screens"]
    forms = {screen["settings"]["data[0].texttemplate"] for screen in listed}
    assert "%{z:.2f}" in forms <= {"%{z:.2f}", ""}


@pytest.mark.parametrize("count", [12, 20, 30])
def test_maps_one_above_the_other_on_a_phone_have_the_largest_labels_that_do_not_touch(count: int) -> None:
    words = [chr(ord("a") + place % 26) for place in range(count)]
    one = Matrix("1", np.eye(count), "1", Side(words), Side(words, role="key"))
    maps = [one, *(replace(one, name=name) for name in "2345")]
    screens = compose(maps, phone_height=400).layout.meta["screens"]
    for screen in screens[:3]:
        there = [size for size in LABEL_SIZES if size <= 0.85 * screen["unit"]]
        assert (screen["every"], screen["label"]) == (1, max(there)), screen["width"]


def test_of_many_maps_two_stand_abreast_on_a_phone_rather_than_five_screens_down() -> None:
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    one = Matrix("1", np.full((9, 9), 0.25), "1", Side(words), Side(words, role="key"))
    screens = compose([one, *(replace(one, name=name) for name in "2345678")], phone_height=480).layout.meta
    for screen in screens["screens"][:3]:
        assert screen["every"] == 1
        assert screen["height"] <= 960
