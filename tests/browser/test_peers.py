"""The app in Firefox and in Safari's engine: the same pictures, hands, files and addresses as in Chromium."""

import base64
import csv
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from tests.browser.peers import MAKERS, Peer, missing
from tests.browser.read_pdf import check_maps, differences, drawn_text, rendered, size_of, text_of
from tests.pages import PAGES

SHADE = 8  # of 255: below it an edge is smoothed differently, which no eye sees
MOST_DIFFERENT = 0.002  # of all pixels
MOST_STEPS = 5  # of a page that are compared
FIGURE = "const figure = document.querySelector('.live-figure');"
BOX = """
    const box = document.querySelector(arguments[0]).getBoundingClientRect();
    return [box.x, box.y, box.width, box.height];
"""
IN_SIGHT = "document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })"
FILMED = "return document.querySelector('.live-film')?.dataset.film === 'ready'"
MOVE = f"""
    {FIGURE}
    const film = figure.querySelector('.live-film');
    const slider = figure.querySelector('input[data-live=step]');
    slider.value = arguments[0];
    slider.dispatchEvent(new Event('input', {{ bubbles: true }}));
    window.frame = film.hidden ? null : [...film.shadowRoot.children].find((f) => f.dataset.seen === '');
    return window.frame !== null;
"""
STANDS = f"""
    {FIGURE}
    return figure.querySelector('.live-film').hidden && figure.dataset.step === String(arguments[0]);
"""
SHOW = f"""
    {FIGURE}
    figure.querySelector('.live-film').hidden = !arguments[0];
    figure.querySelector('.live-plot').toggleAttribute('data-covered', arguments[0]);
    window.frame.toggleAttribute('data-seen', arguments[0]);
"""
STEP = "return Number(document.querySelector('.live-figure').dataset.step)"
CELL = """
    const [name, row, column] = arguments;
    const plot = document.querySelector('.live-plot');
    const trace = plot._fullData.find((t) => t.type === 'heatmap' && t.name.startsWith(name));
    const box = plot.getBoundingClientRect();
    const x = plot._fullLayout[trace.xaxis.replace('x', 'xaxis')];
    const y = plot._fullLayout[trace.yaxis.replace('y', 'yaxis')];
    return [box.x + x._offset + x.d2p(trace.x?.[column] ?? column),
            box.y + y._offset + y.d2p(trace.y?.[row] ?? row), trace.z[row][column]];
"""
# Where a file goes is the browser's own: what is handed to it is caught on its way.
CATCH = """
    window.caught = null;
    HTMLAnchorElement.prototype.click = function () {
        if (!this.download) return;
        const name = this.download;
        fetch(this.href).then((answer) => answer.arrayBuffer()).then((buffer) => {
            let text = '';
            for (const byte of new Uint8Array(buffer)) text += String.fromCharCode(byte);
            window.caught = [name, btoa(text)];
        });
    };
"""
PANEL = "dialog.save-panel"
# One page for all, with the figure of most parts; `--wide` looks at every page.
SAMPLE = ("single-head",)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Look at a sample of the pages, or at all."""
    if "address" in metafunc.fixturenames:
        metafunc.parametrize("address", PAGES if metafunc.config.getoption("--wide") else SAMPLE)


@pytest.fixture(scope="module", params=MAKERS)
def peer(request: pytest.FixtureRequest) -> Iterator[Peer]:
    """One browser of each kind for all tests here."""
    if reason := missing(request.param):
        pytest.skip(reason)
    browser = MAKERS[request.param]()
    yield browser
    browser.close()


@pytest.fixture
def page(peer: Peer) -> Iterator[Peer]:
    """A browser of which a page complains of nothing."""
    yield peer
    assert peer.complaints() == []


def box_of(page: Peer, selector: str) -> list[float]:
    page.run(IN_SIGHT, selector)
    box: list[float] = page.run(BOX, selector)
    return box


@pytest.mark.essential
@pytest.mark.sample(1)
def test_peer_browser_opens_pages_and_its_film_equals_plotly(page: Peer, server: str, address: str) -> None:
    page.open(f"{server}/{address}")
    page.until(FILMED)
    last = int(page.run("return document.querySelector('input[data-live=step]').max"))
    steps = np.unique(np.linspace(0, last, min(MOST_STEPS, last + 1)).round().astype(int)).tolist()
    page.hover(4, 300)
    box = box_of(page, ".live-stage")
    for step in steps:
        assert page.run(MOVE, step), f"step {step} has no picture"
        page.until(STANDS, step)
        real = page.picture(box)
        page.run(SHOW, True)
        film = page.picture(box)
        page.run(SHOW, False)
        assert np.ptp(film) > 100, f"step {step} is blank"
        different = np.abs(real - film).max(axis=-1) > SHADE
        assert different.mean() < MOST_DIFFERENT, f"step {step}: {different.sum()} of {different.size} pixels"


def test_peer_browser_moves_the_slider_by_hand(page: Peer, server: str) -> None:
    page.open(f"{server}/single-head")
    before = page.run(STEP)
    page.press("input[data-live=step]", "ArrowRight", "ArrowRight")
    page.until("return location.search.includes('t=')")
    page.settle()
    assert page.run(STEP) == before + 2
    page.until(FILMED)
    x, y, width, height = box_of(page, "input[data-live=step]")
    page.drag([(x + width * part, y + height / 2) for part in np.linspace(0.6, 0.98, 12)])
    page.settle()
    last = int(page.run("return document.querySelector('input[data-live=step]').max"))
    assert page.run(STEP) > 0.9 * last
    page.until("return decodeURIComponent(location.search).includes('t=')")
    # From the end playing begins anew, and ends there again.
    page.press("input[data-live=step]", "Home")
    page.settle()
    page.run("document.querySelector('button[data-live=play]').click()")
    page.until(f"return ({STEP.removeprefix('return ')}) === arguments[0]", last)
    page.settle()


@pytest.mark.slow
def test_peer_browser_hover_shows_the_number_and_a_click_selects(page: Peer, server: str) -> None:
    page.open(f"{server}/single-head")
    page.run(IN_SIGHT, ".live-stage")
    x, y, weight = page.run(CELL, "weights", 2, 4)
    page.hover(x, y)
    page.until("return document.querySelector('.live-plot .hoverlayer').textContent.length > 0")
    told = page.run("return document.querySelector('.live-plot .hoverlayer').textContent")
    digits = [float(text) for text in re.findall(r"\d\.\d+(?:e[+-]?\d+)?", told.replace("−", "-"))]
    assert any(abs(number - weight) <= 1e-3 * max(abs(weight), 0.1) for number in digits), told
    page.tap(x, y)
    page.until("return /q=2/.test(location.search) && /k=4/.test(location.search)")
    page.settle()


@pytest.fixture(scope="module")
def saved(peer: Peer, server: str) -> dict[str, tuple[str, bytes]]:
    """Every kind of file that the panel offers of one figure: its name and its content."""
    peer.open(f"{server}/single-head?mask=causal")
    peer.run(CATCH)
    peer.run(
        "[...document.querySelectorAll('.live-figure button')].find(b => b.textContent === 'Save').click()"
    )
    peer.until(f"return document.querySelector('{PANEL}')?.open")
    rows = peer.run(
        "return ['head', 'foot'].map(name => document.querySelector(`.save-panel-${name}`).offsetHeight)"
    )
    assert max(rows) < 60, "the panel's rows are stretched"
    forms = peer.run(f"return [...document.querySelectorAll('{PANEL} input[name=format]')].map(i => i.value)")
    found = {}
    for form in forms:
        peer.run(f"document.querySelector('{PANEL} input[name=format][value=\"{form}\"]').click()")
        made = peer.until(
            f"const made = document.querySelector('{PANEL}').dataset.made;"
            "return (made === arguments[0] || made === 'failed') && made",
            form,
        )
        assert made == form, peer.run(
            f"return document.querySelector('{PANEL} .save-panel-said').textContent"
        )
        peer.run("window.caught = null")
        peer.run(
            "[...document.querySelectorAll('dialog button')]"
            ".find(b => b.textContent === 'Save the file').click()"
        )
        name, content = peer.until("return window.caught")
        found[form] = name, base64.b64decode(content)
    peer.press("dialog button", "Escape")
    peer.until(f"return !document.querySelector('{PANEL}')")
    peer.complaints()
    return found


@pytest.mark.sample(1)
def test_peer_browser_saves_pictures(saved: dict[str, tuple[str, bytes]], tmp_path: Path) -> None:
    picture = np.asarray(Image.open(io.BytesIO(saved["png"][1])).convert("RGB"), int)
    assert picture.shape == (1800, 3200, 3)
    drawing = ElementTree.fromstring(saved["svg"][1])
    words = "".join(drawing.itertext())
    assert "weights" in words
    assert "single-head" in words
    svg, pdf = (tmp_path / f"figure.{form}" for form in ("svg", "pdf"))
    for path in (svg, pdf):
        path.write_bytes(saved[path.suffix[1:]][1])
    assert size_of(pdf) == (960, 540)
    assert text_of(pdf) == drawn_text(svg) != ""
    check_maps(pdf, svg)
    # Letters have their outlines, where the browser has them: most is as in the PNG.
    halved = picture.reshape(900, 2, 1600, 2, 3).mean(axis=(1, 3)).astype(np.uint8)
    assert differences(rendered(pdf, 1600), halved).mean() < 5
    # The map in the picture is smooth cells of the theme's few hues, not noise: neighbours mostly agree.
    assert (np.abs(np.diff(picture, axis=1)).max(axis=-1) == 0).mean() > 0.9


@pytest.mark.slow
def test_peer_browser_saves_numbers(saved: dict[str, tuple[str, bytes]], page: Peer) -> None:
    on_screen = page.run(
        "return [...document.querySelector('.live-plot')._fullData]"
        ".find(t => t.type === 'heatmap' && t.name === 'weights')"
        ".z.map(row => Array.from(row, v => Number.isFinite(v) ? v : 0))"
    )
    with zipfile.ZipFile(io.BytesIO(saved["npz"][1])) as archive:
        names = archive.namelist()
        content = archive.read(next(name for name in names if "weights" in name))
    weights = np.load(io.BytesIO(content))
    np.testing.assert_allclose(np.nan_to_num(weights), on_screen, atol=1e-6)
    rows = list(csv.DictReader(io.StringIO(saved["csv"][1].decode("utf-8-sig"))))
    assert len(rows) > weights.size


def test_peer_browser_opens_a_moving_file_from_disk(
    saved: dict[str, tuple[str, bytes]], page: Peer, tmp_path: Path
) -> None:
    path = tmp_path / "moving.html"
    path.write_bytes(saved["html"][1])
    page.goto(path.as_uri())
    page.until("return !!document.querySelector('.live-figure[data-state=drawn]')")
    before = page.run(STEP)
    page.press("input[data-live=step]", "ArrowRight")
    page.until(f"return ({STEP.removeprefix('return ')}) === arguments[0]", before + 1)


@pytest.mark.slow
def test_peer_browser_goes_back_and_forward(page: Peer, server: str) -> None:
    page.open(f"{server}/single-head")
    page.run("document.querySelector('a[href*=kernel-regression]').click()")
    page.until("return location.pathname.endsWith('/kernel-regression')")
    page.settle()
    page.run("history.back()")
    page.until("return location.pathname.endsWith('/single-head')")
    page.until("return document.querySelector('h1').textContent.includes('Single-head')")
    page.settle()
    page.run("history.forward()")
    page.until("return document.querySelector('h1').textContent.includes('Kernel')")
    page.settle()


@pytest.mark.slow
def test_peer_browser_projector_fills_the_window(page: Peer, server: str) -> None:
    page.open(f"{server}/single-head?projector=true")
    page.until("return !!document.querySelector('.live-figure[data-projector]')")
    left, top, width, height = page.run(BOX, ".live-figure")
    assert (left, top) == (0, 0)
    assert [width, height] == page.run("return [innerWidth, innerHeight]")
    before = page.run(STEP)
    page.press("input[data-live=step]", "ArrowRight")
    page.until(f"return ({STEP.removeprefix('return ')}) === arguments[0]", before + 1)
    page.press("input[data-live=step]", "Escape")
    page.until("return !document.querySelector('.live-figure[data-projector]')")
    page.settle()


@pytest.mark.slow
def test_peer_browser_lays_a_page_out_for_paper(page: Peer, server: str) -> None:
    page.open(f"{server}/single-head")
    drawn = page.run("return document.querySelectorAll('.live-plot .heatmaplayer .hm').length")
    # Whoever prints waits for nothing: the sheet is there when the event was heard.
    words = page.run("""
        window.dispatchEvent(new Event('beforeprint'));
        const sheet = document.querySelector('.live-paper');
        return [sheet.querySelectorAll('.heatmaplayer .hm').length, sheet.offsetHeight,
                sheet.querySelector('dl').textContent];
    """)
    assert words[0] == drawn > 0
    assert words[1] <= 273 * 96 / 25.4
    assert "Sentencethe cat sat on the mat" in words[2]


@pytest.mark.slow
def test_peer_browser_reads_a_file_of_points(page: Peer, server: str, tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("x,y\n" + "".join(f"{x},{x * x}\n" for x in range(8)))
    page.open(f"{server}/kernel-regression?data=own+points&tab=Data")
    page.until("return !!document.querySelector('input[type=file]')")
    page.upload("input[type=file]", table)
    page.until("return document.body.innerText.includes('points.csv')")
    page.settle()
    drawn = (
        "return document.querySelector('.live-plot')._fullData.some(t => t.y && Array.from(t.y).includes(49))"
    )
    page.until(drawn)


@pytest.mark.slow
def test_peer_browser_phone_has_no_sideways_scroll(page: Peer, server: str, address: str) -> None:
    page.goto(f"{server}/_stcore/health")
    # A frame, since MiniBrowser's window is never so narrow.
    page.run(
        """const frame = document.body.appendChild(document.createElement('iframe'));
        frame.style.cssText = 'width: 390px; height: 844px; border: 0';
        frame.src = arguments[0];""",
        f"{server}/{address}",
    )
    page.enter("iframe")
    page.until("return location.href !== 'about:blank'")
    page.settle()
    assert page.run("return innerWidth") == 390
    assert page.run("return document.documentElement.scrollWidth") <= 390
