"""Every kind of file from every page's first figure: what is in it, and that it works by itself."""

import csv
import re
import struct
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from attn_figures import theme
from tests.browser.app_page import AppPage
from tests.browser.read_pdf import check_drawn_as, size_of
from tests.browser.save_panel import SavePanel
from tests.pages import PAGES

pytestmark = pytest.mark.still

SHAPES = {
    **{"16:9": (1600, 900), "under a title": (1600, 690), "4:3": (1200, 900)},
    **{"half slide": (800, 900), "square": (900, 900)},
}
LARGE = 0.025 * 900  # pixels that words take at least, on a slide 900 high
AT_CELLS = 1.25 / 0.99  # times that words at cells may be smaller, whose sizes are whole pixels
MOST_BYTES = 2_700_000  # of a file that moves
# Words beyond the picture's edge, and words under its caption.
MISPLACED = """() => {
    const words = [...document.querySelectorAll('text')].filter(text => text.textContent.trim());
    const caption = [...document.querySelectorAll('.annotation')].at(-1);
    const below = caption.getBoundingClientRect();
    const edge = document.documentElement.getBoundingClientRect();
    return words.filter(text => !caption.contains(text)).filter(text => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        const out = left < edge.left - 1 || right > edge.right + 1 || top < edge.top - 1;
        return out || (bottom > below.top + 1 && right > below.left && left < below.right);
    }).map(text => text.textContent);
}"""
# Each map's numbers, by the words that are read nearest under it.
ON_SCREEN = """figure => {
    const plot = figure.querySelector('.live-plot');
    const words = [...plot.querySelectorAll('.annotation')].filter(word => word.textContent.trim());
    const under = trace => {
        const axis = side => plot._fullLayout[trace[side + 'axis'].replace(side, side + 'axis')];
        const [x, y] = [axis('x'), axis('y')];
        const [middle, foot] = [x._offset + x._length / 2, y._offset + y._length];
        const box = plot.getBoundingClientRect();
        const away = word => {
            const { left, width, top } = word.getBoundingClientRect();
            return top - box.top < foot - 4 ? Infinity
                : Math.hypot(left + width / 2 - box.left - middle, top - box.top - foot);
        };
        const nearest = words.reduce((one, other) => (away(other) < away(one) ? other : one));
        return nearest.textContent.replace(/\\s*\\d+ × \\d+$/, '').trim();
    };
    return Object.fromEntries(plot._fullData
        .filter(t => t.type === 'heatmap' && t.visible === true && !t.name.endsWith(' masked'))
        .map(t => [under(t), Array.from(t.z, row => Array.from(row, v => Number.isNaN(v) ? null : v))]));
}"""
DOCS = Path(__file__).resolve().parents[2] / "docs"
WITHOUT_MAPS = ("what-courses-say", "glossary")  # curves and boxes: a CSV has no cells of theirs
MP4 = "video/mp4;codecs=avc1.640028"
SIGNS = {".mp4": (4, b"ftyp"), ".webm": (0, b"\x1aE\xdf\xa3")}  # where a film says what it is, and what
SVG = "{http://www.w3.org/2000/svg}"


def first_figure(app: AppPage) -> str:
    """The key of the first live figure of a page."""
    name: str = app.page.locator(".live-figure").first.evaluate(
        "figure => [...figure.closest('[class*=st-key-]').classList].find(name => name.startsWith('st-key-'))"
    )
    return name.removeprefix("st-key-")


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.parametrize("address", [page for page in PAGES if page not in WITHOUT_MAPS])
def test_save_panel_writes_every_kind_of_still_file(
    app: AppPage, browser: Browser, address: str, tmp_path: Path
) -> None:
    app.open(address)
    key = first_figure(app)
    panel = SavePanel(app, key)
    check_drawings(panel, tmp_path, browser, {"16:9": SHAPES["16:9"]}, DOCS / f"{address or 'overview'}.svg")
    check_pixels(panel, tmp_path)
    check_numbers(panel, app, key, tmp_path)
    panel.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("address", [page for page in PAGES if page not in WITHOUT_MAPS])
def test_save_panel_writes_moving_files_and_other_shapes(
    app: AppPage, browser: Browser, address: str, tmp_path: Path
) -> None:
    app.open(address)
    key = first_figure(app)
    panel = SavePanel(app, key)
    # The narrowest shape is the hardest; one page stands for those between.
    names = [name for name in SHAPES if name != "16:9"] if address == "single-head" else ["half slide"]
    shapes = {name: SHAPES[name] for name in names}
    check_drawings(panel, tmp_path, browser, shapes, DOCS / f"{address or 'overview'}.svg")
    if address:  # the overview has no slider that a film could sweep
        check_film(panel, tmp_path, app.page)
    moving = panel.save(tmp_path, "html")
    panel.close()
    check_moving(browser, moving, app, key)


def check_drawings(
    panel: SavePanel, folder: Path, browser: Browser, shapes: dict[str, tuple[int, int]], still: Path
) -> None:
    """Every shape: its size, its words all inside, labels large enough, its colours, its PDF."""
    drawings = []
    for shape, (width, height) in shapes.items():
        path = panel.save(folder, "svg", shape=shape, large=True, caption=True, colours="print")
        root = ElementTree.parse(path).getroot()
        assert (root.get("width"), root.get("height")) == (str(width), str(height))
        scale = width / float(str(root.get("viewBox")).split()[2])
        smallest = smallest_label(root, beside=AT_CELLS if shape == "16:9" else 9.0) * scale
        assert smallest >= LARGE - 1e-6, (shape, smallest)
        assert theme.DARK.paper not in path.read_text()
        drawings.append(path)
        pdf = panel.save(folder, "pdf")
        assert size_of(pdf) == pytest.approx((width * 0.6, height * 0.6))
    page = browser.new_page()
    for path in drawings:
        page.goto(path.as_uri())
        assert page.evaluate(MISPLACED) == [], path.name
    page.close()
    check_drawn_as(pdf, path, SHAPES[shape], panel.app.page)
    # What it shows, where its sliders stand, and its address: with markup in none of them.
    assert panel.app.page.url.split("://")[1].split("?")[0] in words(root)
    dark = panel.save(folder, "svg", shape="16:9", colours="dark", caption=False)
    assert theme.DARK.paper.lower() in dark.read_text().lower() or "rgb(22, 23, 27)" in dark.read_text()
    assert panel.app.server.split("://")[1] not in words(ElementTree.parse(dark).getroot())
    # What a browser shows that is too old.
    told = [
        ["".join(text.itertext()) for text in ElementTree.parse(path).iter(f"{SVG}text")]
        for path in (dark, still)
    ]
    assert told[0] == told[1], "python -m docs.take_screenshots draws it again"
    check_drawn_as(panel.save(folder, "pdf"), dark, SHAPES["16:9"], panel.app.page)


def labels(node: ElementTree.Element, digits: bool = False) -> list[ElementTree.Element]:
    """All texts of a drawing but the digits in cells, which have the size of their cells."""
    found = [] if digits or node.tag != f"{SVG}text" else [node]
    for child in node:
        found += labels(child, digits or "heatmap-label" in (node.get("class") or ""))
    return found


def smallest_label(root: ElementTree.Element, beside: float) -> float:
    """The least font size of all words, in its own units; those at cells count so many times more."""
    at_cells = {
        text
        for group in root.iter(f"{SVG}g")
        if re.fullmatch(r"[xy]\d*tick|textpoint|ycb\w+tick", group.get("class") or "")
        for text in group.iter(f"{SVG}text")
    }
    sizes = [
        float(found[1]) * (beside if text in at_cells else 1.0)
        for text in labels(root)
        if "".join(text.itertext()).strip()
        and (found := re.search(r"font-size: ?([\d.]+)px", text.get("style") or ""))
    ]
    assert len(sizes) > 3
    return min(sizes)


def words(root: ElementTree.Element) -> str:
    """All that a drawing says, in one line."""
    return "".join("".join(text.itertext()) for text in labels(root))


def check_pixels(panel: SavePanel, folder: Path) -> None:
    """PNG: the pixels that were asked for, and what lies under the figure."""
    path = panel.save(folder, "png", shape="16:9", scale="2", colours="transparent")
    with Image.open(path) as picture:
        assert picture.size == (3200, 1800)
        clear = np.asarray(picture.convert("RGBA"))[..., 3] == 0
    assert clear[3, 3]
    assert 0.2 < clear.mean() < 1  # the figure itself is there


def check_numbers(panel: SavePanel, app: AppPage, key: str, folder: Path) -> None:
    """CSV and NPZ have the numbers that stand on the screen."""
    on_screen: dict[str, Any] = app.figure(key).evaluate(ON_SCREEN)
    assert on_screen
    with panel.save(folder, "csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["panel", "row", "column", "value"]
    path = panel.save(folder, "npz")
    with np.load(path) as arrays:
        for name, shown in on_screen.items():
            values = np.array(shown, dtype=float)
            in_file = [row[3] for row in rows if row[0] == name]
            said = [np.nan if value in ("", "masked") else float(value) for value in in_file]
            np.testing.assert_array_equal(
                np.array(said, dtype=np.float32).reshape(values.shape), np.float32(values), err_msg=name
            )
            within = re.sub(r'[\\/:*?"<>|]', "-", name)  # an array's name is that of a file, on any system
            np.testing.assert_array_equal(arrays[within], np.float32(values), err_msg=name)
            assert len(arrays[f"{within} rows"]) == values.shape[0]
            assert len(arrays[f"{within} columns"]) == values.shape[1]


def check_film(panel: SavePanel, folder: Path, page: Page) -> None:
    """The film plays, at the size of its shape, and its pictures are not all one."""
    path = panel.save(folder, "film", shape="16:9")
    at, sign = SIGNS[".mp4" if page.evaluate(f"() => MediaRecorder.isTypeSupported({MP4!r})") else ".webm"]
    assert path.read_bytes()[at : at + 4] == sign == SIGNS[path.suffix][1]
    seen = page.locator(".save-panel video").evaluate(
        """async video => {
            const picture = () => {
                const canvas = document.createElement('canvas');
                [canvas.width, canvas.height] = [160, 90];
                canvas.getContext('2d').drawImage(video, 0, 0, 160, 90);
                return canvas.toDataURL();
            };
            const at = seconds => new Promise(done => {
                video.addEventListener('seeked', () => done(picture()), { once: true });
                video.currentTime = seconds;
            });
            if (video.readyState < 2)
                await new Promise(done => video.addEventListener('loadeddata', done, { once: true }));
            const first = await at(0.2);
            let later = first; // a busy machine has the picture of a place a little after it is there
            for (let tries = 0; later === first && tries < 60; tries++) {
                await new Promise(requestAnimationFrame);
                later = await at(2.5);
            }
            return { size: [video.videoWidth, video.videoHeight], pictures: [first, later] };
        }"""
    )
    assert seen["size"] == [1600, 900]
    first, later = seen["pictures"]
    assert first != later


FACES = "() => [...document.fonts].map(face => face.status)"
# How wide ten digits are in the letters of a figure, of their size.
WIDE = """plot => {
    const brush = document.createElement("canvas").getContext("2d");
    brush.font = `100px ${plot._fullLayout.font.family}`;
    return brush.measureText("0123456789").width / 1000;
}"""


def check_moving(browser: Browser, path: Path, app: AppPage, key: str) -> None:
    """The file moves with the network off, stands where the page stands, and tells its numbers on hover."""
    assert path.stat().st_size <= MOST_BYTES
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    expect(page.locator(".live-figure[data-state=drawn]")).to_be_visible()
    assert map_values(page.locator(".live-plot")) == map_values(app.figure(key).locator(".live-plot"))
    # Its numbers are set in the letters that their cells have room for, which the file brings along.
    assert page.evaluate(FACES) == ["loaded"]
    assert page.locator(".live-plot").evaluate(WIDE) == pytest.approx(
        app.figure(key).locator(".live-plot").evaluate(WIDE), abs=0.02
    )
    slider = page.locator("input[data-live=step]")
    if slider.count():
        before = page.locator(".live-figure").get_attribute("data-step")
        said = page.locator("output").first.inner_text()
        slider.press("ArrowRight" if before == "0" else "ArrowLeft")
        expect(page.locator("output").first).not_to_have_text(said)
        page.wait_for_function(
            "before => document.querySelector('.live-figure').dataset.step !== before", arg=before
        )
    expect(page.locator("[data-live=save]")).to_be_hidden()
    spot = page.locator(".live-plot").evaluate(
        """plot => {
            const trace = plot._fullData.find(t => t.type === 'heatmap' && t.visible === true);
            const axis = side => plot._fullLayout[trace[side + 'axis'].replace(side, side + 'axis')];
            const box = plot.getBoundingClientRect();
            return [box.x + axis('x')._offset + axis('x').d2p(trace.x?.[0] ?? 0) + 2,
                    box.y + axis('y')._offset + axis('y').d2p(trace.y?.[0] ?? trace.y0 ?? 0) + 2];
        }"""
    )
    page.mouse.move(spot[0] - 1, spot[1] - 1)
    page.mouse.move(*spot, steps=4)
    expect(page.locator(".hoverlayer .hovertext").first).to_be_visible()
    assert errors == []
    assert {url for url in asked if not url.startswith(("file:", "data:", "blob:"))} == set()
    context.close()


def map_values(plot: Any) -> Any:
    """The numbers of all maps of a figure, by name."""
    return plot.evaluate(
        """plot => plot._fullData.filter(trace => trace.type === 'heatmap' && trace.visible === true)
            .map(trace => [trace.name, Array.from(trace.z, row => Array.from(row, String))])"""
    )


# Words of a picture that lie on one another: captions, legends, titles, what stands in boxes and at arrows.
ON_ANOTHER = """() => {
    const words = [...document.querySelectorAll('.annotation text, .textpoint text, [class^=g-x] text')]
        .filter(text => text.textContent.trim())
        .map(text => [text.textContent, text.getBoundingClientRect()]);
    const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
        && one.top < other.bottom - 6 && other.top < one.bottom - 6;
    return words.flatMap(([said, box], i) =>
        words.slice(i + 1).filter(([, other]) => meet(box, other)).map(([other]) => [said, other]));
}"""
NARROW = ("half slide", "square")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "link",
    [
        "multi-head?view=encoder+and+decoder",
        "multi-head?view=diagram&heads=8",
        "single-head?stage=diagram",
        "kernel-regression",
        "kernel-regression?picture=Four+kernels",
        "kernel-regression?picture=Limits",
        "learned-heads?look=attention+flow",
        "positional-encoding?show=length+extrapolation&scaling=YaRN",
    ],
)
def test_saved_narrow_slides_have_whole_words_without_overlap(
    app: AppPage, browser: Browser, link: str, tmp_path: Path
) -> None:
    app.open(link)
    panel = SavePanel(app, first_figure(app))
    page = browser.new_page()
    for shape in NARROW:
        path = panel.save(tmp_path, "svg", shape=shape, large=True, caption=True, colours="print")
        page.goto(path.as_uri())  # set in whatever letters the machine has, as other programs do
        assert page.evaluate(ON_ANOTHER) == [], shape
        assert page.evaluate(MISPLACED) == [], shape
    page.close()
    panel.close()


# The caption's words that are cut by an edge.
CUT = """() => {
    const edge = document.documentElement.getBoundingClientRect();
    return [...[...document.querySelectorAll('.annotation')].at(-1).querySelectorAll('tspan.line')]
        .filter(line => line.getBoundingClientRect().left < edge.left
            || line.getBoundingClientRect().right > edge.right)
        .map(line => line.textContent);
}"""


@pytest.mark.parametrize("shape", SHAPES)
def test_saved_address_of_signs_and_capitals_wraps_at_its_width(
    app: AppPage, browser: Browser, shape: str, tmp_path: Path
) -> None:
    app.open(f"single-head?{urlencode({'text': 'ראיתי את הכלב', 'stage': 'arcs', 'lang': 'en'})}")
    panel = SavePanel(app, first_figure(app))
    path = panel.save(tmp_path, "svg", shape=shape, large=True, caption=True, colours="print")
    panel.close()
    assert "%D7%91" in words(ElementTree.parse(path).getroot())
    page = browser.new_page()
    page.goto(path.as_uri())  # set in whatever letters the machine has, as other programs do
    assert page.evaluate(CUT) == []
    page.close()


@pytest.mark.parametrize("caption", [False, True])
def test_saved_picture_with_words_invalid_in_xml_is_made(app: AppPage, caption: bool, tmp_path: Path) -> None:
    app.open("single-head?text=%EF%BF%BE+b")
    panel = SavePanel(app, first_figure(app))
    path = panel.save(tmp_path, "svg", shape="16:9", caption=caption)
    assert "\ufffd" in words(ElementTree.parse(path).getroot())
    panel.save(tmp_path, "png", shape="16:9", scale="1")
    panel.close()


def test_saved_pixels_have_the_font_of_the_page(live: AppPage, tmp_path: Path) -> None:
    """No page lends its fonts to an image: where the files of fonts cannot be had others take their place."""
    pictures = []
    for _ in range(2):
        live.open()
        panel = SavePanel(live, "first")
        with Image.open(panel.save(tmp_path, "png", shape="16:9", scale="1")) as picture:
            assert picture.convert("RGBA").getchannel("A").getextrema() == (255, 255)  # up to its edges
            pictures.append(np.asarray(picture.convert("L"), dtype=int))
        panel.close()
        live.page.route("**/fonts/*", lambda route: route.abort())
    assert pictures[0].shape == pictures[1].shape
    assert (abs(pictures[0] - pictures[1]) > 100).sum() > 100  # pixels of letters
    live.errors.clear()  # of the files that were held back


# A browser that stops taking pictures after a second.
CANNOT_KEEP_UP = """() => {
    const { captureStream } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.captureStream = function () {
        const stream = captureStream.call(this);
        setTimeout(() => stream.getTracks().forEach(track => track.stop()), 1000);
        return stream;
    };
}"""


def test_saved_film_that_is_cut_short_says_so(live: AppPage) -> None:
    for prepared in ("", CANNOT_KEEP_UP):
        live.open()
        live.page.evaluate(prepared or "0")
        panel = SavePanel(live, "first")
        panel.choose(format="film", shape="square")
        panel.made("film")
        assert ("pictures are missing" in panel.said) is bool(prepared)
        panel.close()


# A browser that calls a picture decoded before its parts are there: its first two paintings are half of it.
PAINTS_HALF_AT_FIRST = """() => {
    const { drawImage } = CanvasRenderingContext2D.prototype;
    const times = new WeakMap();
    CanvasRenderingContext2D.prototype.drawImage = function (image, ...place) {
        times.set(image, (times.get(image) ?? 0) + 1);
        if (image.naturalWidth > 100 && times.get(image) < 3) place[3] /= 2; // not the few pixels of a check
        drawImage.call(this, image, ...place);
    };
}"""


def test_saved_picture_waits_for_all_its_parts(live: AppPage, tmp_path: Path) -> None:
    pictures = []
    for prepared in ("", PAINTS_HALF_AT_FIRST):
        live.open()
        live.page.evaluate(prepared or "0")
        panel = SavePanel(live, "first")
        with Image.open(panel.save(tmp_path, "png", shape="16:9", scale="1")) as picture:
            pictures.append(np.asarray(picture))
        panel.close()
    usual, at_once = pictures
    assert np.array_equal(usual, at_once)


def test_save_panel_follows_the_figure_and_the_keys(live: AppPage, tmp_path: Path) -> None:
    live.open()
    live.press("first", "ArrowRight")
    panel = SavePanel(live, "first")
    path = panel.save(tmp_path, "png", shape="16:9", scale="2", colours="print", large=True, caption=True)
    assert path.name == "two-maps-step-3.0-row-x.png"
    assert struct.unpack(">II", path.read_bytes()[16:24]) == (3200, 1800)
    assert "3200 × 1800 pixels" in panel.dialog.inner_text() or "handed" in panel.said
    # One press goes from one kind of file to the next, and Escape leaves with the keyboard where it was.
    panel.dialog.locator("input[value=png]").focus()
    live.page.keyboard.press("ArrowRight")
    expect(panel.dialog.locator("input[value=svg]")).to_be_checked()
    expect(live.page.locator("dialog[data-made=svg]")).to_be_visible()
    preview = panel.dialog.locator(".save-panel-preview img")
    assert preview.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [1600, 900]
    panel.close()
    expect(live.figure("first").get_by_role("button", name="Save", exact=True)).to_be_focused()
    assert live.readout("first") == "3.0"


@pytest.mark.slow
def test_save_panel_never_moves_under_the_finger(live: AppPage) -> None:
    """It stands in the middle of the window: a preview that came would have moved what was to be clicked."""
    live.open()
    panel = SavePanel(live, "first")
    opened = panel.dialog.bounding_box()
    for look in (
        {"format": "png"},
        {"shape": "square"},
        {"format": "csv"},
        {"format": "npz"},
        {"format": "svg"},
    ):
        panel.choose(**look)
        form = look.get("format", "png")
        expect(panel.dialog.and_(live.page.locator(f"[data-made={form}]"))).to_be_visible()
        assert panel.dialog.bounding_box() == opened, look
    panel.close()


@pytest.mark.slow
def test_save_panel_names_a_picture_that_cannot_be_made(live: AppPage) -> None:
    live.open()
    panel = SavePanel(live, "first")
    expect(live.page.locator("dialog[data-made=png]")).to_be_visible()
    live.page.evaluate("() => { HTMLCanvasElement.prototype.toBlob = (take) => take(null); }")
    panel.choose(scale="4")
    expect(live.page.locator("dialog[data-made=failed]")).to_be_visible()
    assert "could not be made" in panel.said
    expect(panel.dialog.get_by_role("button", name="Save the file")).to_be_disabled()
    panel.choose(format="svg")
    expect(live.page.locator("dialog[data-made=svg]")).to_be_visible()
    panel.close()


def test_saved_film_format_is_one_the_browser_records(live: AppPage, tmp_path: Path) -> None:
    """Where MP4 is promised and fails it is WebM, said so; where nothing records, a sentence stands there."""
    live.open()
    live.page.evaluate(
        """(mp4) => {
            const Recorder = MediaRecorder;
            window.MediaRecorder = class extends Recorder {
                static isTypeSupported = (kind) => kind === mp4 || Recorder.isTypeSupported(kind);
                constructor(stream, options) {
                    if (options.mimeType === mp4) throw new DOMException("no encoder", "NotSupportedError");
                    super(stream, options);
                }
            };
        }""",
        MP4,
    )
    panel = SavePanel(live, "first")
    panel.choose(format="film", shape="square")
    panel.made("film")
    assert panel.said.startswith("WebM,")
    assert "MP4 best" in panel.said
    path = panel.save(tmp_path, "film")
    at, sign = SIGNS[".webm"]
    assert (path.suffix, path.read_bytes()[at : at + 4]) == (".webm", sign)
    panel.choose(format="png", shape="16:9")
    panel.made("png")
    assert "No film" not in panel.dialog.inner_text()
    panel.close()
    live.page.evaluate("() => { delete window.MediaRecorder; }")
    panel = SavePanel(live, "first")
    expect(panel.dialog.locator("input[value=film]")).to_have_count(0)
    expect(panel.dialog.get_by_text("No film: this browser cannot record one.")).to_be_visible()
    panel.close()


def test_saved_picture_is_copied_to_the_clipboard(live: AppPage) -> None:
    live.open()
    live.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel = SavePanel(live, "first")
    panel.choose(format="png", scale="1", shape="16:9")
    expect(live.page.locator("dialog[data-made=png]")).to_be_visible()
    panel.dialog.get_by_role("button", name="Copy picture").click()
    expect(panel.dialog.get_by_role("status")).to_have_text("The picture is on the clipboard.")
    size = live.page.evaluate(
        """async () => {
            const [item] = await navigator.clipboard.read();
            const picture = await createImageBitmap(await item.getType('image/png'));
            return [picture.width, picture.height];
        }"""
    )
    assert size[0] / size[1] == pytest.approx(16 / 9)
    live.page.evaluate("() => { delete window.ClipboardItem; }")
    panel.dialog.get_by_role("button", name="Copy picture").click()
    expect(panel.dialog.get_by_role("status")).to_contain_text("Save the file instead")
    panel.close()
