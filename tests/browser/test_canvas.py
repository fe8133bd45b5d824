"""Browsers that falsify what a page reads from a canvas: maps and files are right, or a sentence says why."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from attn_live.bundle import bundle
from tests.browser.app_page import AppPage
from tests.browser.peers import Firefox, missing
from tests.browser.read_pdf import (
    MOST_APART_ON_AVERAGE,
    differences,
    drawn_by_browser,
    drawn_text,
    maps_of,
    text_of,
)
from tests.browser.read_pdf import rendered as rendered_pdf
from tests.browser.save_panel import SavePanel
from tests.browser.test_film import compare_film, pixels

LINK = "single-head?mask=causal"
WINDOW = {"width": 1280, "height": 1500}
SHADE = 8  # of 255
MOST_DIFFERENT = 0.02  # of all pixels: edges of cells that lie between two; noise is a third of them
# One way to read a canvas, or all three, give other numbers than were painted.
FALSIFY = """(ways) => {
    const canvas = HTMLCanvasElement.prototype;
    const brush = CanvasRenderingContext2D.prototype;
    const { toDataURL, toBlob } = canvas;
    const { getImageData } = brush;
    const other = (data, by) => data.forEach((value, i) => { data[i] = i % 4 === 3 ? 255 : value * by + i; });
    const noisy = (painted) => {
        const copy = document.createElement('canvas');
        [copy.width, copy.height] = [painted.width, painted.height];
        const pixels = getImageData.call(painted.getContext('2d'), 0, 0, copy.width, copy.height);
        other(pixels.data, 7);
        copy.getContext('2d').putImageData(pixels, 0, 0);
        return copy;
    };
    if (ways.includes('toDataURL'))
        canvas.toDataURL = function (...all) { return toDataURL.apply(noisy(this), all); };
    if (ways.includes('toBlob'))
        canvas.toBlob = function (...all) { return toBlob.apply(noisy(this), all); };
    if (ways.includes('getImageData'))
        brush.getImageData = function (...all) {
            const read = getImageData.apply(this, all);
            other(read.data, 7);
            return read;
        };
    if (ways.includes('last bits'))
        brush.getImageData = function (...all) {
            const read = getImageData.apply(this, all);
            read.data.forEach((value, i) => { read.data[i] = value ^ (i % 3 === 0); });
            return read;
        };
    if (ways.includes('refused'))
        canvas.toDataURL = () => { throw new DOMException('no', 'SecurityError'); };
}"""
WAYS = ["getImageData", "toDataURL", "toBlob"]


@pytest.mark.still
@pytest.mark.parametrize(
    ("way", "truthful"),
    [*((way, False) for way in (*WAYS, "refused")), ("last bits", True), ("none", True)],
)
def test_canvas_with_falsified_pixels_is_detected(tab: Page, way: str, truthful: bool) -> None:
    tab.goto("about:blank")
    tab.evaluate(FALSIFY, [way])
    tab.add_script_tag(content=bundle("canvas.js"))
    drawn = tab.evaluate("async () => { await checkCanvas(); return isTruthful(); }")
    assert drawn is (truthful or way == "toBlob")  # by which no map is drawn
    assert tab.evaluate("async () => { await checkFiles(); return isTruthful(); }") is truthful


def rendered(page: Page, path: Path) -> np.ndarray:
    """A file as a browser shows it that nobody has touched."""
    page.goto(path.as_uri())
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), int)


def check_same(one: np.ndarray, other: np.ndarray) -> None:
    """Check that two pictures are one to the eye."""
    assert np.ptp(one) > 100
    assert one.shape == other.shape
    assert (np.abs(one - other).max(axis=-1) > SHADE).mean() < MOST_DIFFERENT


@pytest.mark.film
@pytest.mark.slow
def test_film_is_right_where_canvas_pixels_are_falsified(live: AppPage) -> None:
    live.page.add_init_script(f"({FALSIFY})({WAYS})")
    compare_film(live, "")
    assert live.page.locator(".live-plot .hm image").count() == 0


@pytest.mark.still
@pytest.mark.slow
def test_svg_and_pdf_are_exact_where_the_browser_falsifies_canvas_pixels(
    app: AppPage, browser: Browser, tmp_path: Path
) -> None:
    app.page.set_viewport_size({"width": WINDOW["width"], "height": WINDOW["height"]})
    clean = browser.new_page()
    app.open(LINK)
    painted = pixels(app.page)
    panel = SavePanel(app, "walk")
    drawing = rendered(clean, panel.save(tmp_path, "svg"))
    moving = panel.save(tmp_path, "html")
    panel.close()
    app.page.add_init_script(f"({FALSIFY})({WAYS})")
    app.open(LINK)
    check_same(pixels(app.page), painted)
    assert app.page.locator(".live-plot .hm image").count() == 0
    panel = SavePanel(app, "walk")
    for form in ("png", "film"):
        panel.choose(format=form)
        expect(app.page.locator("dialog[data-made=failed]")).to_be_visible()
        expect(panel.dialog.locator(".save-panel-said")).to_contain_text("falsifies the pixels")
        expect(panel.dialog.get_by_role("button", name="Save the file")).to_be_disabled()
    path = panel.save(tmp_path, "svg")
    assert "<image" not in path.read_text()
    check_same(rendered(clean, path), drawing)
    # A PDF has the cells as they are drawn there: it reads no canvas.
    pdf = panel.save(tmp_path, "pdf")
    assert maps_of(pdf) == []
    assert text_of(pdf) == drawn_text(path) != ""
    apart = differences(rendered_pdf(pdf, 1600), drawn_by_browser(app.page, path, (1600, 900)))
    assert apart.mean() < MOST_APART_ON_AVERAGE
    panel.close()
    # The file that moves looks itself, where it is opened.
    shown = []
    for falsified in (False, True):
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        if falsified:
            page.add_init_script(f"({FALSIFY})({WAYS})")
        page.goto(moving.as_uri())
        page.wait_for_selector(".live-figure[data-state=drawn]")
        shown.append(np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), int))
        page.close()
    check_same(*shown)
    clean.close()


# Of each map: its scale's colours, its range, and of each cell the number and a spot without a digit.
CELLS = """
    const plot = document.querySelector('.live-plot');
    const box = plot.getBoundingClientRect();
    const layout = plot._fullLayout;
    const maps = plot._fullData.filter((t) => t.type === 'heatmap' && t.visible === true && t.coloraxis);
    return maps.map((t) => {
        const [x, y] = ['x', 'y'].map((side) => layout[t[side + 'axis'].replace(side, side + 'axis')]);
        const { colorscale, cmin, cmax } = layout[t.coloraxis];
        const cells = Array.from(t.z).flatMap((row, i) => Array.from(row, (z, j) => [z,
            box.x + x._offset + x.d2p(j - 0.5) + 4, box.y + y._offset + y.d2p(i - 0.5) + 4]));
        return [colorscale, cmin, cmax, cells.filter(([z]) => Number.isFinite(z))];
    });
"""


@pytest.mark.slow
def test_maps_are_right_where_firefox_resists_fingerprinting(server: str) -> None:
    if reason := missing("Firefox"):
        pytest.skip(reason)
    firefox = Firefox(**{"privacy.resistFingerprinting": True})
    try:
        firefox.open(f"{server}/{LINK}")
        firefox.run("document.querySelector('.live-stage').scrollIntoView({ block: 'center' })")
        maps = firefox.run(CELLS)
        shot = firefox.picture([0, 0, *firefox.run("return [innerWidth, innerHeight]")])
        assert len(maps) > 3
        for scale, low, high, cells in maps:
            places = [place for place, _ in scale]
            ramp = np.array([list(bytes.fromhex(colour[1:])) for _, colour in scale], dtype=float)
            for z, x, y in cells:
                at = np.clip((z - low) / (high - low), 0, 1)
                wanted = [np.interp(at, places, channel) for channel in ramp.T]
                np.testing.assert_allclose(shot[round(y), round(x)], wanted, atol=2)
        firefox.run(
            "[...document.querySelectorAll('.live-figure button')]"
            ".find(b => b.textContent === 'Save').click()"
        )
        firefox.until("return document.querySelector('dialog.save-panel')?.dataset.made === 'failed'")
        said = firefox.run("return document.querySelector('.save-panel-said').textContent")
        assert "falsifies the pixels" in said
    finally:
        firefox.close()
