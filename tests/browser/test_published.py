"""A page of published figures, from a disk and from a plain file server: the app's own, without the app."""

import contextlib
import csv
import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect
from pypdf import PdfReader

from attn_figures import theme
from attn_ui.base.page import At, page_at
from attn_ui.publish.__main__ import FIGURES, page
from attn_ui.publish.figure import WIDTHS, figure_of_link
from attn_ui.publish.files import Site
from attn_words import speaking
from tests.browser.app_page import AppPage
from tests.browser.conftest import CHROMIUM, ROOT
from tests.browser.peers import MAKERS, missing

APP = "https://lab.example.org"
MASKED = "single-head?stage=weights&mask=causal&q=3"  # its sentence has a number of each step
LINKS = (MASKED, "kernel-regression", "multi-head", "positional-encoding", MASKED)  # one of them twice
LIMIT = 0.002  # of all layout shifts of a page, weighed by how far
SHADE = 40  # of 255: a letter in a picture is smoothed otherwise than one on a page
MOST_DIFFERENT = 0.005  # of all pixels; digits of 12 pixels have many edges
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
        window.shifts.push([value, ...sources.map(({ node }) => `${node?.className || node?.nodeName}`)]);
}).observe({ type: 'layout-shift', buffered: true });
"""
NUMBERS = """(home) => {
    const plain = (v) => (Array.isArray(v) || ArrayBuffer.isView(v)) ? Array.from(v, plain)
        : Number.isNaN(v) ? null : v;
    return home.querySelector('.live-plot').data.map(({ name, x, y, z }) => [name, plain([x, y, z])]);
}"""
CELL = """(home, [name, row, column]) => {
    const plot = home.querySelector('.live-plot');
    const trace = plot._fullData.find((t) => t.name === name);
    const box = plot.getBoundingClientRect();
    const x = plot._fullLayout[trace.xaxis.replace('x', 'xaxis')];
    const y = plot._fullLayout[trace.yaxis.replace('y', 'yaxis')];
    return [box.x + x._offset + x.d2p(trace.x?.[column] ?? column),
            box.y + y._offset + y.d2p(trace.y?.[row] ?? row)];
}"""
# The still picture in place of the live one, as it stood before.
STILL = """(home) => {
    home.querySelector('.live-still').style.visibility = 'visible';
    for (const each of home.querySelectorAll('.live-plot, .live-choice')) each.style.visibility = 'hidden';
    const shown = [...home.querySelectorAll('.live-still img')].find((each) => each.checkVisibility());
    shown.loading = 'eager';
    return shown.decode();
}"""
INK = "(home) => home.querySelector('.live-plot')._fullLayout.paper_bgcolor.toUpperCase()"

# On whole pixels: what lies between two is smoothed otherwise.
ALIGN = """(stage) => {
    const { left, top } = stage.getBoundingClientRect();
    stage.style.left = `${Math.round(left) - left}px`;
    stage.style.top = `${Math.round(top) - top}px`;
}"""

Pixels = NDArray[np.int64]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of five figures with their still pictures."""
    made: Path = tmp_path_factory.mktemp("published")
    asked = [sys.executable, "-m", "attn_ui.publish", *LINKS, "--out", str(made), "--app", APP]
    chromium = CHROMIUM["executable_path"]
    subprocess.run([*asked, *(("--chromium", chromium) if chromium else ())], check=True, cwd=ROOT)
    return made


class Quiet(SimpleHTTPRequestHandler):
    """A file server that keeps no log."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder as any web server does; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def web(folder: Path) -> Iterator[str]:
    """The page on a plain file server."""
    with served(folder) as address:
        yield f"{address}index.html"


@pytest.fixture
def disk(folder: Path) -> str:
    """The page on a disk."""
    return (folder / "index.html").as_uri()


@pytest.fixture(params=["web", "disk"])
def anywhere(request: pytest.FixtureRequest) -> str:
    """The page, wherever it is."""
    address: str = request.getfixturevalue(request.param)
    return address


def is_complaint(said: ConsoleMessage) -> bool:
    return said.type in ("error", "warning") and not said.text.startswith("Failed to load resource")


@pytest.fixture
def sound(tab: Page) -> Iterator[Page]:
    """A tab in whose console no error may stand."""
    errors: list[str] = []
    # A failed load is judged by its response; there is no picture for the browser's own tab.
    tab.on("console", lambda said: errors.append(said.text) if is_complaint(said) else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on(
        "response",
        lambda got: errors.append(got.url) if got.status >= 400 and "favicon" not in got.url else None,
    )
    yield tab
    assert errors == []


def figure(tab: Page, number: int) -> Locator:
    """Scroll to a figure and wait until it is drawn."""
    home = tab.locator("live-figure").nth(number)
    home.scroll_into_view_if_needed()
    expect(home.locator(".live-figure")).to_have_attribute("data-state", "drawn")
    return home


def move(home: Locator, step: int, name: str = "step") -> None:
    """Move a slider; wait until the picture stands there, and until that was told."""
    home.locator(f"input[data-live={name}]").fill(str(step))
    expect(home.locator(".live-figure")).to_have_attribute(f"data-{name}", str(step))
    expect(home.locator(".live-figure[data-unsent]")).to_have_count(0)


def at(link: str, **more: str) -> At[Any]:
    address, _, query = link.partition("?")
    return page_at(address).at("&".join([query, *(f"{name}={text}" for name, text in more.items())]))


def same_numbers(home: Locator, wanted: At[Any]) -> None:
    """Hold all that is drawn against what the page draws at a link."""
    drawn = home.evaluate(NUMBERS)
    traces = wanted.figure()["data"]
    assert [name for name, _ in drawn] == [trace.get("name") for trace in traces]
    compared = 0
    for (_name, numbers), trace in zip(drawn, traces, strict=True):
        for read, own in zip(numbers, (trace.get(side) for side in "xyz"), strict=True):
            if own is None or np.asarray(own).dtype.kind not in "fiu":
                continue
            np.testing.assert_allclose(np.asarray(read, float), np.asarray(own, float), rtol=1e-6)
            compared += np.asarray(own).size
    assert compared > 30


def sentence_of(home: Locator) -> str:
    return " ".join(home.locator(".live-says").inner_text().split())


def pixels(shot: bytes) -> Pixels:
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def alike(one: Pixels, other: Pixels, most: float = MOST_DIFFERENT) -> None:
    """Two pictures are one to the eye: of one size, and but for the edges of letters the same."""
    assert one.shape == other.shape
    apart = np.abs(one - other).max(-1) > SHADE
    assert apart.mean() <= most, f"{apart.mean():.4%} of the pixels differ"
    assert np.ptp(one) > 100  # there is a picture


def test_published_figures_appear_on_scroll_and_nothing_moves(sound: Page, anywhere: str) -> None:
    asked: list[str] = []
    sound.on("request", lambda request: asked.append(request.url))
    sound.add_init_script(SHIFTS)
    sound.goto(anywhere)
    expect(sound.locator("live-figure")).to_have_count(len(LINKS))
    first = figure(sound, 0)
    assert sound.locator("live-figure").last.locator(".live-figure[data-state]").count() == 0
    for number, link in enumerate(LINKS):
        home = figure(sound, number)
        assert sentence_of(home) == " ".join(at(link).sentence.split())
        same_numbers(home, at(link))
        expect(home.locator(".live-still")).to_have_css("visibility", "hidden")
        assert home.get_by_role("slider").first.is_enabled()
    move(first, 3)
    assert sum(value for value, *_ in sound.evaluate("window.shifts")) <= LIMIT, sound.evaluate(
        "window.shifts"
    )
    base = anywhere.rpartition("/")[0]
    assert [url for url in asked if not url.startswith((base, "data:", "blob:"))] == []
    assert sound.url == anywhere  # the address is the page's own


@pytest.mark.essential
def test_published_slider_moves_picture_sentence_and_link_to_the_app(sound: Page, disk: str) -> None:
    sound.goto(disk)
    home = figure(sound, 0)
    slider = home.locator("input[data-live=step]")
    last = int(slider.get_attribute("max") or 0)
    texts = figure_of_link(MASKED)
    assert last == texts.bars[0].count - 1
    for step in (0, last // 4, last // 2, last - 1, last):
        move(home, step)
        text = home.locator("output").inner_text()
        wanted = at(MASKED, t=text)
        same_numbers(home, wanted)
        assert sentence_of(home) == " ".join(wanted.sentence.split())
        href = home.locator("a.live-open").get_attribute("href") or ""
        assert href.startswith(f"{APP}/single-head?")
        same_numbers(home, at(href.removeprefix(f"{APP}/")))
    slider.press("Home")
    expect(home.locator(".live-figure")).to_have_attribute("data-step", "0")
    box = slider.bounding_box()
    assert box is not None
    sound.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    sound.mouse.down()
    sound.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2, steps=8)
    sound.mouse.up()
    expect(home.locator(".live-figure")).to_have_attribute("data-step", str(last))
    same_numbers(home, at(MASKED, t=home.locator("output").inner_text()))


def test_published_hover_shows_the_number_and_a_click_selects(sound: Page, disk: str) -> None:
    sound.goto(disk)
    home = figure(sound, 0)
    row, column = 3, 1
    x, y = home.evaluate(CELL, ["weights", row, column])
    sound.mouse.move(x - 3, y - 3)
    sound.mouse.move(x, y)
    weights = next(each for each in at(MASKED).figure()["data"] if each.get("name") == "weights")
    expect(home.locator(".hovertext")).to_contain_text(f"{weights['z'][row][column]:.6f}")
    home = figure(sound, 3)  # in a figure whose sentence does not tell of what is chosen
    x, y = home.evaluate(CELL, ["after", row, column])
    sound.mouse.click(x, y)
    link = home.locator("a.live-open")
    expect(link).to_have_attribute("href", f"{APP}/positional-encoding?q=3&k=1")
    inside = home.locator(".live-choice > *").evaluate_all(
        """(frames, [x, y]) => frames.map((frame) => frame.getBoundingClientRect())
            .filter((box) => box.left < x && x < box.right && box.top < y && y < box.bottom).length""",
        [x, y],
    )
    assert inside >= 1


@pytest.mark.parametrize("place", ["disk", pytest.param("web", marks=pytest.mark.slow)])
def test_published_figure_is_saved(
    sound: Page, place: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    sound.goto(request.getfixturevalue(place))
    home = figure(sound, 0)
    home.locator("[data-live=save]").click()
    panel = sound.locator("dialog.save-panel")
    expect(panel).to_be_visible()
    saved = {}
    for form in ("png", "csv"):
        panel.locator(f"input[name=format][value={form}]").check()
        expect(panel.and_(sound.locator(f"[data-made={form}]"))).to_be_visible()
        with sound.expect_download() as download:
            panel.locator("[data-live=file]").click()
        saved[form] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[form])
    assert min(pixels(saved["png"].read_bytes()).shape[:2]) >= 690
    lines = list(csv.DictReader(io.StringIO(saved["csv"].read_text(encoding="utf-8-sig"))))
    weights = next(each for each in at(MASKED).figure()["data"] if each.get("name") == "weights")
    told = [line["value"] for line in lines if line["panel"].startswith("weights")]
    numbers = [float(text) for text in told if text != "masked"]
    assert numbers == pytest.approx([float(w) for w in np.ravel(weights["z"]) if not np.isnan(w)], rel=1e-5)


def test_published_picture_equals_the_apps(app: AppPage, web: str) -> None:
    """At five steps, in a room that a published figure has an arrangement for."""
    high = 1600  # so that no height chooses among arrangements
    app.page.set_viewport_size({"width": 1280, "height": high})
    app.open(MASKED)
    key = "walk"
    stage = app.figure(key).locator(".live-stage")
    beside = 1280 - stage.evaluate("(stage) => stage.clientWidth")
    app.page.set_viewport_size({"width": WIDTHS[-1] + beside, "height": high})
    app.settle()
    stage.evaluate(ALIGN)
    box = stage.bounding_box()
    assert box is not None
    steps = (0, 10, 20, 30, 40)
    shots = {}
    for step in steps:
        app.slider(key).fill(str(step))
        app.settle()
        expect(app.figure(key)).to_have_attribute("data-step", str(step))
        shots[step] = (pixels(stage.screenshot()), app.figure(key).evaluate(NUMBERS))
    tab = app.page.context.new_page()
    try:
        tab.emulate_media(color_scheme="light", reduced_motion="reduce")
        tab.set_viewport_size({"width": 1280, "height": high})
        tab.goto(web)
        tab.add_style_tag(content=f"main {{ width: {box['width']}px }}")
        home = figure(tab, 0)
        home.locator(".live-stage").evaluate(ALIGN)
        for step in steps:
            move(home, step)
            tab.mouse.move(0, 0)
            picture, numbers = shots[step]
            assert home.evaluate(NUMBERS) == numbers
            # Words between matrices are in a font with serifs, which the page has of the system alone.
            alike(pixels(home.locator(".live-stage").screenshot()), picture, 0.008)
    finally:
        tab.close()


@pytest.mark.parametrize(
    ("width", "colours", "numbers"),
    [
        (1280, "light", (0, 1)),
        (390, "dark", (0,)),
        pytest.param(1280, "dark", range(4), marks=pytest.mark.slow),
        pytest.param(820, "light", range(4), marks=pytest.mark.slow),
        pytest.param(390, "light", range(4), marks=pytest.mark.slow),
    ],
)
def test_published_still_picture_equals_the_live_one(
    sound: Page, disk: str, width: int, colours: Any, numbers: Any
) -> None:
    sound.set_viewport_size({"width": width, "height": 844})
    sound.emulate_media(color_scheme=colours)
    sound.goto(disk)
    for number in numbers:
        home = figure(sound, number)
        stage = home.locator(".live-stage")
        live = pixels(stage.screenshot())
        home.evaluate(STILL)
        alike(pixels(stage.screenshot()), live)


@pytest.mark.essential
def test_published_page_works_without_scripts(browser: Browser, web: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 800})
    try:
        tab = context.new_page()
        tab.goto(web)
        home = tab.locator("live-figure").first
        picture = home.locator("img:visible")
        expect(picture).to_have_count(1)
        figure = at(MASKED).view.figure
        assert figure is not None
        expect(picture).to_have_attribute("alt", figure.alt)
        assert np.ptp(pixels(picture.screenshot())) > 100
        expect(home.locator(".live-controls")).to_be_hidden()
        expect(home.locator(".live-notice")).to_be_hidden()
        assert sentence_of(home).startswith(" ".join(at(MASKED).sentence.split()))
        home.get_by_text("The numbers").click()
        expect(home.get_by_role("table").first).to_be_visible()
    finally:
        context.close()


def test_published_page_on_paper_has_the_still_and_its_sentence(
    sound: Page, disk: str, tmp_path: Path
) -> None:
    sound.emulate_media(color_scheme="dark")
    sound.goto(disk)
    home = figure(sound, 0)
    move(home, 0)
    moved = sentence_of(home)
    file = tmp_path / "page.pdf"
    sound.pdf(path=file, prefer_css_page_size=True)
    pages = PdfReader(file).pages
    # The font prints ff and fi as one letter.
    words = " ".join(normalize("NFKC", " ".join(each.extract_text() for each in pages)).split())
    for link in LINKS:
        assert " ".join(normalize("NFKC", at(link).sentence).split()) in words
    assert normalize("NFKC", moved) not in words
    assert sentence_of(home) == moved  # on the screen it is as it was
    assert len(pages) <= len(LINKS)
    with pypdfium2.PdfDocument(file) as paper:
        for number in range(len(paper)):
            drawn = np.asarray(paper[number].render(scale=1).to_pil().convert("L")).astype(int)
            assert (drawn < 120).mean() > 0.004, f"page {number + 1} is blank"
            assert np.median(drawn) > 200, f"page {number + 1} is dark"


def test_published_figure_has_the_colours_of_system_and_page(sound: Page, disk: str) -> None:
    sound.goto(disk)
    home = figure(sound, 0)

    def worn(palette: theme.Palette) -> None:
        sound.wait_for_function(
            f"(paper) => ({INK})(document) === paper",
            arg=palette.paper.upper(),
        )
        ground = home.evaluate("(node) => getComputedStyle(node).getPropertyValue('--st-background-color')")
        assert ground.strip().upper() == palette.paper.upper()

    assert home.evaluate(INK) == theme.LIGHT.paper.upper()
    sound.emulate_media(color_scheme="dark")
    worn(theme.DARK)
    sound.evaluate("document.body.dataset.theme = 'light'")
    worn(theme.LIGHT)
    sound.evaluate("document.documentElement.dataset.theme = document.body.dataset.theme = 'dark'")
    sound.emulate_media(color_scheme="light")
    worn(theme.DARK)
    sound.evaluate("document.documentElement.dataset.theme = document.body.dataset.theme = 'auto'")
    worn(theme.LIGHT)


@pytest.mark.parametrize(
    ("width", "colours"), [(1280, "light"), pytest.param(390, "dark", marks=pytest.mark.slow)]
)
def test_published_page_passes_axe(sound: Page, web: str, width: int, colours: Any) -> None:
    sound.set_viewport_size({"width": width, "height": 844})
    sound.emulate_media(color_scheme=colours)
    sound.goto(web)
    for number in range(len(LINKS)):
        figure(sound, number)
    sound.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    sound.evaluate(Axe().axe_script)
    found = sound.evaluate(
        "(context) => axe.run(context, { resultTypes: ['violations'] })", {"exclude": [[".live-plot svg"]]}
    )
    assert [
        f"{rule['id']}: {node['html'][:200]}" for rule in found["violations"] for node in rule["nodes"]
    ] == []
    assert sound.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


def test_published_chinese_page_is_chinese(sound: Page, tmp_path: Path) -> None:
    link = "single-head?text=我+爱+猫"
    with speaking("zh"):
        site = Site(tmp_path / FIGURES, APP, stills=False)
        text = page([figure_of_link(link)], site, FIGURES)
        site.write()
        wanted = " ".join(at(link).sentence.split())
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    sound.goto((tmp_path / "index.html").as_uri())
    home = figure(sound, 0)
    assert sentence_of(home) == wanted
    expect(home.get_by_role("button", name="保存", exact=True)).to_be_visible()
    expect(home.locator("a.live-open")).to_have_text("在应用中打开")
    assert "我" in " ".join(home.locator(".xtick").all_text_contents())


def test_published_figure_with_a_missing_file_says_so_with_its_picture(tab: Page, web: str) -> None:
    tab.route(f"**/{figure_of_link(MASKED).id}.js*", lambda route: route.abort())
    tab.goto(web)
    home = tab.locator("live-figure").first
    expect(home.locator(".live-figure")).to_have_attribute("data-state", "failed")
    expect(home.locator(".live-notice")).to_have_text("The moving figure could not be drawn in this browser.")
    expect(home.locator("img:visible")).to_have_count(1)
    assert np.ptp(pixels(home.locator("img:visible").screenshot())) > 100
    assert at(MASKED).sentence in home.locator(".live-says").inner_text()
    figure(tab, 1)  # the others are drawn


@pytest.mark.slow
def test_published_figure_works_in_a_frame_of_another_page(sound: Page, web: str) -> None:
    sound.set_content(
        f"<!doctype html><title>a blog</title><iframe src='{web}' width=700 height=600></iframe>"
    )
    frame = sound.frame_locator("iframe")
    home = frame.locator("live-figure").first
    expect(home.locator(".live-figure")).to_have_attribute("data-state", "drawn")
    home.locator("input[data-live=step]").press("Home")
    expect(home.locator(".live-figure")).to_have_attribute("data-step", "0")


@pytest.mark.parametrize("name", MAKERS)
def test_published_figure_works_in_other_browsers(web: str, name: str) -> None:
    if reason := missing(name):
        pytest.skip(reason)
    peer = MAKERS[name]()
    try:
        peer.goto(web)
        peer.until("return document.querySelector('.live-figure').dataset.state === 'drawn'")
        peer.press("live-figure input[data-live=step]", "Home")
        peer.until("return document.querySelector('.live-figure').dataset.step === '0'")
        text = peer.run("return document.querySelector('.live-says').textContent")
        coldest = peer.run("return document.querySelector('live-figure output').textContent")
        assert text == at(MASKED, t=coldest).sentence
        assert peer.complaints() == []
    finally:
        peer.close()
