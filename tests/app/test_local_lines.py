"""Local lines on the page: curves, map, sentences and programs against NumPy's least squares."""

import math

import numpy as np
import pytest

from attn_ui.base.page import At
from pages import PAGES
from pages.kernel_regression.compute import Result
from pages.kernel_regression.tabs.line_checks import check
from tests.messages import figure_at
from tests.run_programs import leaves
from tests.sentences import messages_in, numbers_in

PAGE = PAGES["kernel-regression"]


def at(**link: str) -> At[Result]:
    said = "&".join(f"{name}={value}" for name, value in link.items())
    return PAGE.at(f"picture=Local lines&{said}")


def by_hand(page: At[Result]) -> tuple[float, float, np.ndarray]:
    """The height, the slope and the equivalent weights at the chosen query, by the normal equations."""
    selection = page.view.result.selection
    apart = selection.keys - selection.queries[selection.row]
    weights = np.exp(-((apart / selection.bandwidth) ** 2) / 2)
    design = np.stack((np.ones_like(apart), apart), axis=1)
    solve = np.linalg.solve(design.T @ (weights[:, None] * design), (weights[:, None] * design).T)
    height, slope = solve @ selection.values
    return height, slope, solve[0]


@pytest.mark.parametrize("link", [{}, {"x0": "0"}, {"x0": "5.5", "h": "1"}, {"data": "step", "h": "0.3"}])
def test_local_line_map_and_sentence_equal_least_squares(link: dict[str, str]) -> None:
    page = at(**link)
    height, slope, weights = by_hand(page)
    row = page.position[1]
    data = {trace["name"]: trace for trace in page.figure()["data"]}
    np.testing.assert_allclose(np.asarray(data["weights"]["z"], dtype=float)[row], weights, atol=1e-6)
    np.testing.assert_allclose(data["weight of each point"]["marker"]["color"], weights, atol=1e-6)
    (left, right), (low, high) = data["fitted line"]["x"], data["fitted line"]["y"]
    assert (high - low) / (right - left) == pytest.approx(slope, rel=1e-4)
    assert (low + high) / 2 == pytest.approx(height, rel=1e-5)
    assert data["estimate at the query"]["y"][0] == pytest.approx(height, rel=1e-5)
    (told,) = messages_in(page.sentence, "place", "line", "slope", count=int((weights < -1e-6).sum()))
    assert numbers_in(told["line"]) == pytest.approx([height], rel=1e-3)
    assert numbers_in(told["slope"]) == pytest.approx([slope], rel=1e-3)


def test_local_line_end_error_is_smaller_by_the_stated_amount() -> None:
    page = at(noise="0", h="1")
    selection = page.view.result.selection
    keys, values = selection.keys, selection.values
    assert selection.points.truth is not None
    np.testing.assert_allclose(values, selection.points.truth(keys))
    weights = np.exp(-(((keys[:, None] - keys) / selection.bandwidth) ** 2) / 2)
    mean = (weights @ values) / weights.sum(axis=1)
    line = [
        np.polyfit(keys - key, values, 1, w=np.sqrt(row))[1] for key, row in zip(keys, weights, strict=True)
    ]
    (told,) = messages_in(page.sentence, "line", "mean", "line_first")
    away = math.sqrt(np.mean((np.array(line) - values) ** 2))
    assert numbers_in(told["line"]) == pytest.approx([away], rel=1e-3)
    ends = [numbers_in(told[each])[0] for each in ("line_first", "mean_first", "line_last", "mean_last")]
    expected = [line[0] - values[0], mean[0] - values[0], line[-1] - values[-1], mean[-1] - values[-1]]
    assert ends == pytest.approx(expected, rel=2e-3)
    assert abs(expected[0]) < abs(expected[1])


@pytest.mark.parametrize("kernel", ["gaussian", "boxcar", "triangular", "epanechnikov"])
@pytest.mark.parametrize("h", ["0.01", "0.5", "25"])
def test_local_line_checks_hold_and_programs_have_equal_numbers(kernel: str, h: str) -> None:
    page = at(kernel=kernel, h=h, x0="3.0", points="12")  # at h = 0.01 all but one weigh nothing
    selection = page.view.result.selection
    assert all(each.passed for each in check(selection))
    ours = selection.lines.weights[selection.row].numpy()
    for kind in ("PyTorch", "NumPy", "attn_core"):
        left = leaves(page.programs, kind)
        np.testing.assert_allclose(np.asarray(left["weights"])[0], ours, atol=1e-9)
        np.testing.assert_allclose(np.asarray(left["estimate"]), selection.lines.estimate[[selection.row]])
    assert page.tables["points"]["weight"] == ours.tolist()


def test_local_line_empty_window_is_a_gap_in_both_curves() -> None:
    page = at(kernel="boxcar", h="0.1", x0="-0.5")
    assert messages_in(page.sentence, "place", kernel="boxcar")
    data = {trace["name"]: trace for trace in page.figure()["data"]}
    assert np.isnan(np.asarray(data["fitted line"]["y"], dtype=float)).all()
    assert "undefined" in page.programs.text("LaTeX")
    for kind in ("PyTorch", "NumPy", "attn_core"):
        left = leaves(page.programs, kind)
        assert np.isnan([*left["estimate"], *left["slope"]]).all()


def test_local_line_steps_equal_the_page_at_each_step() -> None:
    page = at(points="6", h="1")
    assert page.view.figure
    steps = page.view.figure.slider
    assert steps
    for step in (0, len(steps.steps.values) - 1):
        there = at(points="6", h=str(steps.steps.values[step]))
        here = figure_at(page.view.figure.steps, step, page.position[1])
        for ours, theirs in zip(here["data"], there.figure()["data"], strict=True):
            for field in ("y", "z"):
                if field in ours:
                    np.testing.assert_allclose(
                        np.asarray(ours[field], dtype=float),
                        np.asarray(theirs[field], dtype=float),
                        atol=1e-5,
                    )
