"""The kernel regression page walked as a lesson; what is drawn is held against independent computations."""

import math
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from statsmodels.nonparametric.kernel_regression import KernelReg

from pages.kernel_regression.data_points import Points, sample
from pages.kernel_regression.settings import BANDWIDTH, QUERY_AT
from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still

PAGE = "kernel-regression"
# Of each circle of weight: how many pixels of its height an edge of the chart cuts off.
CUT = """(figure) => {
    const isWeight = (trace) => trace.__data__?.[0].trace.name === "weight of each point";
    const circles = [...figure.querySelectorAll(".scatterlayer .trace")].find(isWeight);
    return [...circles.querySelectorAll(".point")].map((circle) => {
        const { top, bottom, height } = circle.getBoundingClientRect();
        let kept = height;
        for (let part = circle; part !== figure; part = part.parentElement) {
            const name = part.getAttribute("clip-path")?.match(/#([^'")]+)/)?.[1];
            const edge = name && document.getElementById(name).querySelector("rect");
            if (!edge) continue;
            const { d: scale, f: moved } = part.getScreenCTM();
            const above = moved + scale * (edge.y?.baseVal.value ?? 0);
            const below = above + scale * edge.height.baseVal.value;
            kept = Math.min(kept, Math.min(bottom, below) - Math.max(top, above));
        }
        return Math.max(0, height - kept);
    });
}"""


def points_of(seed: int = 4, data: str = "sine") -> Points:
    return sample(data, 40, 0.5, seed)


def numbers(app: AppPage, key: str, name: str, field: str) -> np.ndarray:
    return np.array(app.trace(key, name, field), dtype=np.float64)


def gaussian(points: Points, query: float, h: float) -> np.ndarray:
    """One row of weights, by the formula."""
    weights = np.exp(-((query - points.keys) ** 2) / (2 * h * h))
    return np.asarray(weights / weights.sum())


@pytest.mark.essential
def test_bandwidth_drag_then_query_move_updates_the_page(app: AppPage) -> None:
    app.open(PAGE)
    points = points_of()
    before = numbers(app, "fit", "weights", "z")
    assert before.shape == (61, 40)
    np.testing.assert_allclose(before[30], gaussian(points, 2.5, 0.5), atol=1e-6)
    estimate = KernelReg(points.values, points.keys, var_type="c", reg_type="lc", bw=[0.5], rng=0)
    expected = estimate.fit(np.array(QUERY_AT.values))[0]
    np.testing.assert_allclose(numbers(app, "fit", "queries", "y"), expected, atol=1e-5)

    # While the slider is dragged the picture moves, and nothing is sent.
    slider = app.slider("fit")
    box = slider.bounding_box()
    assert box is not None
    sent = len(app.sent)
    app.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    app.page.mouse.down()
    app.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2, steps=8)
    app.page.wait_for_function(
        "() => Number(document.querySelector('.st-key-fit .live-figure').dataset.step) < 25"
    )
    narrower = numbers(app, "fit", "weights", "z")
    assert narrower.max() > before.max()
    assert len(app.sent) == sent
    app.page.mouse.up()
    app.settle()
    h = float(app.readout("fit"))
    assert h in BANDWIDTH.values
    assert f"h={h:g}" in app.query
    row = gaussian(points, 2.5, h)
    np.testing.assert_allclose(numbers(app, "fit", "weights", "z")[30], row, atol=1e-6)

    # The query moves by keyboard: sizes, colours, line, kernel and frame follow.
    app.press("fit", "ArrowRight", times=5, name="row")
    assert app.readout("fit", "row") == "x = 3"
    row = gaussian(points, 3.0, h)
    np.testing.assert_allclose(numbers(app, "fit", "weight of each point", "marker.size"), row, atol=1e-6)
    np.testing.assert_allclose(numbers(app, "fit", "weight of each point", "marker.color"), row, atol=1e-6)
    facts = numbers(app, "fit", "read-out", "customdata")[0]
    entropy = -np.sum(row[row > 0] * np.log(row[row > 0]))
    told = np.array([3.0, math.exp(entropy), 1.0, row @ points.values], dtype=np.float64)
    np.testing.assert_allclose(facts, told, rtol=1e-4)
    kernel_x, kernel_y = numbers(app, "fit", "kernel", "x"), numbers(app, "fit", "kernel", "y")
    assert kernel_x[kernel_y.argmax()] == pytest.approx(3.0)

    # A click on the map asks there; a reload keeps it.
    app.click_cell("fit", "weights", 12, 20)
    assert app.readout("fit", "row") == "x = 0.7"
    assert "x0=0.7" in app.query
    app.page.reload()
    app.settle()
    assert app.readout("fit", "row") == "x = 0.7"
    assert float(app.readout("fit")) == h
    np.testing.assert_allclose(
        numbers(app, "fit", "weight of each point", "marker.size"), gaussian(points, 0.7, h), atol=1e-6
    )


@pytest.mark.slow
def test_best_bandwidth_search_then_learning_ends_there(app: AppPage) -> None:
    app.open(f"{PAGE}?picture=Choose the bandwidth&h=2.5")
    points = points_of()

    def left_out(h: float) -> float:
        weights = np.exp(-((points.keys[:, None] - points.keys) ** 2) / (2 * h * h))
        np.fill_diagonal(weights, 0.0)
        return float(np.mean((weights @ points.values / weights.sum(axis=1) - points.values) ** 2))

    hs, curve = (
        numbers(app, "choose", "leave-one-out error", "x"),
        numbers(app, "choose", "leave-one-out error", "y"),
    )
    np.testing.assert_allclose(curve[20:], [left_out(h) for h in hs[20:]], rtol=1e-4)
    best = float(numbers(app, "choose", "best", "x")[0])
    grid = np.geomspace(0.05, 5, 2000)
    assert best == pytest.approx(grid[np.argmin([left_out(h) for h in grid])], rel=0.01)
    training = numbers(app, "choose", "training error", "y")
    assert training[0] == training.min()  # it always wants the narrowest

    app.page.get_by_role("button", name="Learn from h = 2.5").click()
    app.page.get_by_text("Adam on log h went").wait_for()
    app.settle()
    path = numbers(app, "choose", "learned", "x")
    assert path[0] == pytest.approx(2.5, rel=1e-5)
    assert path[-1] == pytest.approx(best, rel=0.02)  # within 2% of the search's best

    app.page.get_by_role("button", name="Take the best").click()
    app.settle()
    assert float(app.readout("choose")) == pytest.approx(best, rel=1e-5)
    assert "this h is as good" in app.page.get_by_test_id("stMain").inner_text()


CSV = "time;height\n2001;1,5\n2002;2,5\n2003;hello\n2004;4,5\n2005;3\n"


@pytest.mark.essential
def test_own_points_are_read_from_a_file_and_bad_files_keep_them(app: AppPage, tmp_path: Path) -> None:
    app.open(f"{PAGE}?tab=Data")
    before = numbers(app, "fit", "data", "x")

    def upload(name: str, text: bytes) -> None:
        file = tmp_path / name
        file.write_bytes(text)
        app.page.locator("input[type=file]").set_input_files(file)
        app.settle()

    upload("bad.csv", b"name,colour\nAnn,red\nBob,blue\n")
    app.page.get_by_text("Line 2: name holds").wait_for()
    np.testing.assert_array_equal(numbers(app, "fit", "data", "x"), before)

    upload("own.csv", CSV.encode("cp1252"))
    app.page.get_by_text("1 of 5 rows are left out; the first is line 4").wait_for()
    app.page.get_by_text("“1,5” is read as 1.5").wait_for()
    np.testing.assert_array_equal(numbers(app, "fit", "data", "x"), [2001, 2002, 2004, 2005])
    np.testing.assert_array_equal(numbers(app, "fit", "data", "y"), [1.5, 2.5, 4.5, 3])
    assert "data=own" in app.query
    assert app.readout("fit", "row") == "time = 2003"

    upload("unclear.tsv", b"x\ty\n600\t900\n750\t1,140\n")
    app.page.get_by_text("Line 3: y holds “1,140”").wait_for()
    app.page.get_by_test_id("stButtonGroup").get_by_text("1140", exact=True).click()
    app.page.get_by_text("“1,140” is read as 1140").wait_for()
    app.settle()
    np.testing.assert_array_equal(numbers(app, "fit", "data", "y"), [900, 1140])
    upload("own.csv", CSV.encode("cp1252"))
    app.page.get_by_text("“1,5” is read as 1.5").wait_for()
    app.settle()

    upload("empty.csv", b"")
    app.page.get_by_text("The file has no rows of data").wait_for()
    np.testing.assert_array_equal(numbers(app, "fit", "data", "x"), [2001, 2002, 2004, 2005])


@pytest.mark.slow
def test_learning_stops_on_request_and_keeps_its_bandwidth(app: AppPage) -> None:
    app.open(f"{PAGE}?picture=Choose the bandwidth&points=500&h=5")
    # The page's own hand: on a slow machine the learning might be over before another one presses.
    app.page.evaluate(
        """() => {
            const seen = new MutationObserver(() => {
                const stop = document.querySelector('.st-key-stop_learning button');
                const learning = /Step [1-9]/.test(document.querySelector('[data-testid=stMain]').innerText);
                if (stop && learning) { seen.disconnect(); stop.click(); }
            });
            seen.observe(document.body, { childList: true, characterData: true, subtree: true });
        }"""
    )
    app.page.get_by_role("button", name="Learn from").click()
    app.page.get_by_text("of 300 steps, error").wait_for()
    app.settle()
    path = numbers(app, "choose", "learned", "x")
    assert 1 < len(path) < 301
    assert path[-1] < path[0]


def test_table_edit_moves_its_point(app: AppPage) -> None:
    app.page.set_viewport_size({"width": 1280, "height": 1300})
    app.open(f"{PAGE}?tab=Data")
    before = numbers(app, "fit", "data", "y")
    app.select_in_table(0.75)
    app.page.keyboard.press("Enter")
    expect(app.page.locator("#portal input, #portal textarea").first).to_be_focused()
    app.page.keyboard.press("Control+a")
    app.page.keyboard.type("6.25", delay=60)
    app.page.keyboard.press("Enter")
    app.page.wait_for_function("() => location.search.includes('data=own')")
    app.settle()
    after = numbers(app, "fit", "data", "y")
    assert after[0] == 6.25
    np.testing.assert_array_equal(after[1:], before[1:])
    assert app.trace("fit", "true curve", "y")[0] is not None  # the toy data's truth still holds


@pytest.mark.parametrize("width", [1280, 390])
def test_heavy_point_circle_is_not_cut_by_an_edge(app: AppPage, width: int) -> None:
    app.page.set_viewport_size({"width": width, "height": 800})
    app.open(f"{PAGE}?points=6&seed=34")
    cut = app.figure("fit").evaluate(CUT)
    assert len(cut) == 6
    assert max(cut) < 0.5
