"""Two inputs in a browser: what a drag moves, and where a click asks."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pages.kernel_regression.plane import AXIS, DOWN, plane_points
from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still

PAGE = "kernel-regression?picture=Two+inputs&kernel=boxcar&h=1"
POINTS = plane_points(40, 0.5, 4)


def numbers(app: AppPage, name: str, field: str) -> NDArray[np.float64]:
    return np.array(app.trace("plane", name, field), dtype=np.float64)


def means(h: float) -> NDArray[np.float64]:
    """The map of plain means of what lies within h."""
    places = np.stack(np.meshgrid(AXIS, DOWN), axis=-1)
    near = np.linalg.norm(places[:, :, None] - POINTS.keys, axis=-1) <= h
    count = near.sum(axis=-1)
    return np.where(count > 0, near @ POINTS.values / np.maximum(count, 1), np.nan)


def circle(app: AppPage) -> NDArray[np.float64]:
    found = app.figure("plane").evaluate(
        """figure => {
            const { shapes } = figure.querySelector('.live-plot').layout;
            const { x0, x1, y0, y1 } = shapes.find(each => each.name === 'circle 1');
            return [(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0];
        }"""
    )
    return np.array(found)


@pytest.mark.essential
def test_two_inputs_map_follows_bandwidth_and_clicks(app: AppPage) -> None:
    app.open(PAGE)
    np.testing.assert_allclose(numbers(app, "estimate map", "z"), means(1.0), atol=1e-5)
    np.testing.assert_allclose(circle(app), [2.5, 2.5, 2, 2], atol=1e-6)

    # While the slider is dragged map, gap and circle move, and nothing is sent.
    slider = app.slider("plane")
    box = slider.bounding_box()
    assert box is not None
    sent = len(app.sent)
    app.page.mouse.move(box["x"] + box["width"] * 0.57, box["y"] + box["height"] / 2)
    app.page.mouse.down()
    app.page.mouse.move(box["x"] + box["width"] * 0.45, box["y"] + box["height"] / 2, steps=6)
    app.page.wait_for_function(
        "() => Number(document.querySelector('.st-key-plane .live-figure').dataset.step) < 30"
    )
    assert len(app.sent) == sent
    app.page.mouse.up()
    app.settle()
    h = float(app.readout("plane"))
    assert h < 1
    np.testing.assert_allclose(numbers(app, "estimate map", "z"), means(h), atol=1e-5)
    np.testing.assert_allclose(circle(app), [2.5, 2.5, 2 * h, 2 * h], atol=1e-5)

    # A cell far from any key: both coordinates of the query go there, and into the address.
    far = np.linalg.norm(np.stack(np.meshgrid(AXIS, DOWN), axis=-1)[:, :, None] - POINTS.keys, axis=-1).min(
        axis=-1
    )
    row, column = np.unravel_index(far[2:-2, 2:-2].argmax(), far[2:-2, 2:-2].shape)
    row, column = int(row) + 2, int(column) + 2
    app.click_cell("plane", "estimate map", row, column)
    np.testing.assert_allclose(circle(app)[:2], [AXIS[column], DOWN[row]], atol=1e-6)
    assert f"x0={AXIS[column]:.1f}" in app.query
    assert f"x02={DOWN[row]:.1f}" in app.query

    # A key: the cell that it lies in.
    key = int(far_from_others().argmax())
    app.page.mouse.move(*app.cell_centre("plane", "keys", key, key))
    app.page.wait_for_function(
        "key => document.querySelector('.st-key-plane .live-plot')._hoverdata?.some("
        "point => point.fullData.name === 'keys' && point.pointNumber === key)",
        arg=key,
    )
    app.page.mouse.click(*app.cell_centre("plane", "keys", key, key))
    app.settle()
    app.page.wait_for_function(
        """([x, y]) => {
            const { data } = document.querySelector('.st-key-plane .live-plot');
            const trace = data.find(each => each.name === 'query');
            return Math.abs(trace.x[0] - x) < 0.101 && Math.abs(trace.y[0] - y) < 0.101;
        }""",
        arg=POINTS.keys[key].tolist(),
    )
    before = circle(app)
    app.page.reload()
    app.settle()
    np.testing.assert_allclose(circle(app), before)


def far_from_others() -> NDArray[np.float64]:
    """How far each key lies from the nearest other one."""
    apart = np.linalg.norm(POINTS.keys[:, None] - POINTS.keys, axis=-1)
    np.fill_diagonal(apart, np.inf)
    nearest: NDArray[np.float64] = apart.min(axis=1)
    return nearest
