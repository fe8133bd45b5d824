"""Figures of several panels: who shares what, and how the steps of one figure may differ."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_figures.arrange import settle
from attn_figures.frame import Side
from attn_figures.matrix import ColourScale, Extra, Matrix, SideBars
from attn_figures.panels import Absent, compose
from tests.plotly_figure import as_plotly


def square(name: str) -> Matrix:
    labels = ["a", "b", "c"]
    return Matrix(name, np.full((3, 3), 1 / 3), name, Side(labels), Side(labels, role="key"))


def test_absent_panel_keeps_its_traces() -> None:
    full = compose([square("one"), square("two"), square("three")])
    fewer = as_plotly(compose([square("one"), Absent(square("two")), square("three")]))
    kinds = [trace.get("type", "scatter") for trace in full["data"]]
    assert [trace.type for trace in fewer.data] == kinds
    shown = [trace.name for trace in fewer.data if trace.visible is not False]
    assert shown == ["one", "three"]


def test_absent_panel_leaves_its_room_to_others() -> None:
    def width(*panels: Matrix | Absent, axis: str) -> float:
        low, high = as_plotly(compose(list(panels))).layout[axis].domain
        return float(high - low)

    both = width(square("one"), square("two"), axis="xaxis")
    alone = width(square("one"), Absent(square("two")), axis="xaxis")
    assert alone == width(square("one"), axis="xaxis") >= both
    figure = as_plotly(compose([Absent(square("one")), square("two")]))
    # An axis without a place would lay its ground over the whole figure.
    assert {trace.xaxis for trace in figure.data} == {"x2"}
    assert "xaxis" not in figure.to_plotly_json()["layout"]


def test_operator_stays_with_its_panel_after_an_absent_one() -> None:
    shown = Matrix("b", np.ones((1, 1)), "b", Side(["r"]), Side(["c"], role="key"), operator="· V")
    figure = as_plotly(compose([square("a"), Absent(square("x")), shown]))
    settings = figure.layout.meta["screens"][-1]["settings"]
    (path,) = [path for path in settings if path.startswith("layout.annotations") and path.endswith("xshift")]
    number = int(path.split("[")[1].split("]")[0])
    assert figure.layout.annotations[number].text == "· V"
    formats = shown.geometry().formats
    assert formats is not None
    assert settings["data[6].texttemplate"] == formats[0][0]


def test_figure_of_absent_panels_raises() -> None:
    with pytest.raises(ValueError, match="needs panels"):
        as_plotly(compose([Absent(square("one"))]))


def test_phone_height_keeps_a_figure_on_screen() -> None:
    maps = [square(str(head)) for head in range(6)]
    narrow = as_plotly(compose(maps)).layout.meta["screens"][0]
    kept = as_plotly(compose(maps, phone_height=500)).layout.meta["screens"][0]
    assert narrow["width"] == kept["width"]
    assert kept["height"] <= 500 < narrow["height"]


@pytest.mark.parametrize(
    ("limit", "said"), [(7.73, "7.7"), (0.0299, "0.029"), (1.0, "1"), (1234.0, "1,200"), (16.04, "16")]
)
def test_colour_bar_has_ends_and_middle(limit: float, said: str) -> None:
    scores = Matrix(
        "s", np.full((1, 1), -limit), "s", Side(["r"]), Side(["c"], role="key"), ramp=ColourScale("scores")
    )
    axis = as_plotly(compose([scores])).layout.coloraxis
    assert [*axis.colorbar.ticktext] == [f"−{said}", "0", said]
    assert axis.cmax == limit
    low, middle, high = axis.colorbar.tickvals
    assert high == -low == float(said.replace(",", "")) <= limit
    assert middle == 0


def test_slide_number_loses_a_decimal_before_it_shrinks() -> None:
    words = [f"word {i}" for i in range(9)]
    scores = Matrix(
        "s", np.full((9, 9), -1.23), "s", Side(words), Side(words, role="key"), ramp=ColourScale("scores")
    )
    forms = set()
    for screen in as_plotly(compose([scores, replace(scores, name="t")])).layout.meta["screens"]:
        form, size = (screen["settings"][f"data[0].{name}"] for name in ("texttemplate", "textfont.size"))
        if not screen["slide"] or not form:
            continue
        forms.add(form)
        assert size >= (10.5 if form == "%{z:.2f}" else 10)
        # Arial's digits are 0.556 of its size wide, its minus 0.584 and its point 0.278.
        digits = 3 if form == "%{z:.2f}" else 2
        assert (0.584 + 0.278 + digits * 0.556) * size <= 0.92 * screen["unit"]
    assert forms == {"%{z:.2f}", "%{z:.1f}"}


@pytest.mark.parametrize(
    ("width", "height", "chosen"), [(1200, 496, 1120), (1060, 100, 1050), (390, 100, 380), (100, 100, 320)]
)
def test_settle_takes_the_widest_screen_that_fits(width: int, height: int, chosen: int) -> None:
    figure = settle(compose([square("one"), square("two")]), width, height)
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
    "rows.n_visible": 1,
    "columns.labels": ["c", "d"],
    "columns.title": "columns",
    "columns.role": "output",
    "columns.ticks": [(1, "one")],
    "columns.n_visible": 1,
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


def test_difference_below_one_keeps_both_decimals() -> None:
    """Of 0.11 − 0.38 one decimal says −0.3."""
    words = [f"word {i}" for i in range(9)]
    change = Matrix(
        "s", np.full((9, 9), -0.27), "s", Side(words), Side(words, role="key"), ramp=ColourScale("scores")
    )
    listed = as_plotly(compose([change, replace(change, name="t")])).layout.meta["screens"]
    forms = {screen["settings"]["data[0].texttemplate"] for screen in listed}
    assert "%{z:.2f}" in forms <= {"%{z:.2f}", ""}


@pytest.mark.parametrize("n_key", [4, 6, 9, 16])
def test_page_digits_have_one_size_of_at_least_12_pixels(n_key: int) -> None:
    rng = np.random.default_rng(n_key)
    labels = [f"word{number}" for number in range(n_key)]
    sides = Side.queries(labels), Side.keys(labels)
    panels = [
        Matrix("scores", 9 * rng.normal(size=(n_key, n_key)), "scores", *sides),
        Matrix("weights", rng.dirichlet(np.ones(n_key), n_key), "weights", *sides),
        Matrix("output", rng.normal(size=(n_key, 4)), "output", sides[0], Side.keys(list("1234"))),
    ]
    for screen in as_plotly(compose(panels))["layout"]["meta"]["screens"]:
        settings = screen["settings"]
        sizes = {
            settings[f"{trace}.textfont.size"]
            for trace in ("data[0]", "data[1]", "data[2]")
            if settings.get(f"{trace}.texttemplate")
        }
        assert len(sizes) <= 1, screen["width"]
        assert screen.get("slide") or min(sizes, default=12) >= 12, screen["width"]
