"""The browser's own modules, without a server: what they unpack is what Python reads back."""

import base64
import csv
import io
import json
import zipfile
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page
from streamlit.testing.v1 import AppTest

from attn_core import KERNELS
from attn_live.bundle import bundle, markup
from attn_live.captions import pack_captions
from attn_live.packing import count_steps, message, pack
from pages import PAGES as PAGES_BY_ADDRESS
from pages.kernel_regression.data_points import sample
from pages.kernel_regression.settings import QUERY_AT
from tests.messages import body_of, caption_at, figure_at, plain, read_body, stacks
from tests.pages import open_sound
from tests.walk import fields

ROUTER = Path(__file__).resolve().parents[2] / "attn_ui" / "router.py"
PAGES = (
    *("overview", "kernel_regression", "single_head", "positional_encoding", "multi_head", "learned_heads"),
    *("what_courses_say", "applications"),
)
# NaN is not JSON: both sides are brought to one form.
READ = """
async ([text, places]) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const moving = new Moving(await unpack(bytes), null);
    const plain = (v) => ArrayBuffer.isView(v) || Array.isArray(v) ? Array.from(v, plain)
        : Number.isNaN(v) ? "nan" : v === undefined ? null
        : v === null || typeof v !== "object" ? v
        : Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]));
    return places.map(([step, row]) => JSON.stringify(plain(moving.at(step, row))));
}
"""


@pytest.fixture
def modules(tab: Page) -> Page:
    """A page without an address that has the wire format and the figure in it, as plain scripts."""
    tab.set_content("<p>modules</p>")
    tab.add_script_tag(content=bundle("wire.js"))
    tab.add_script_tag(content=bundle("figure.js"))
    return tab


def messages(page: str) -> list[bytes]:
    """The packed steps of every live figure of a page as it opens."""
    app = AppTest.from_file(str(ROUTER), default_timeout=120).run()
    app.switch_page(f"../pages/{page}/page.py").run()
    assert not app.exception
    found = []
    for component in app.get("bidi_component"):
        steps: bytes = component.proto.bytes
        for _ in ("head", "captions"):
            steps = steps[4 + int.from_bytes(steps[:4], "little") :]
        if count_steps(steps):  # sentences may travel apart, without steps
            found.append(steps)
    return found


def check(modules: Page, packed: bytes, places: list[tuple[int, int]]) -> None:
    read = modules.evaluate(READ, [base64.b64encode(packed).decode(), places])
    for (step, row), found in zip(places, read, strict=True):
        assert json.loads(found) == plain(figure_at(packed, step, row)), f"step {step}, row {row}"


@pytest.mark.essential
@pytest.mark.parametrize("page", PAGES)
def test_js_unpack_of_every_page_equals_python(modules: Page, page: str) -> None:
    packed = messages(page)
    assert packed
    for steps in packed:
        last = count_steps(steps) - 1
        header, _ = read_body(body_of(steps))
        rows = header["cursor"]["n_rows"] if header["cursor"] else 1
        # There and back, so that nothing of another step may be left.
        check(modules, steps, [(0, 0), (last, rows - 1), (last // 2, rows // 2), (0, 0)])


def test_js_unpack_of_stack_multiples_equals_python(modules: Page) -> None:
    figures = [
        {
            "data": [
                {"type": "heatmap", "z": np.nan_to_num(stack[step], nan=np.nan, posinf=0).astype("f4")}
                for stack in stacks().values()
            ]
        }
        for step in range(9)
    ]
    packed = pack([{**figure, "layout": {}} for figure in figures])
    header, _ = read_body(body_of(packed))
    assert sum("of" in described for described in header["arrays"]) == 2
    check(modules, packed, [(step, 0) for step in range(9)])


@pytest.mark.essential
def test_js_captions_equal_python(modules: Page) -> None:
    captions = [
        ["the **one** is 1", "no mark"],
        ["the **one** is 1", "*one* :violet[is] more **and** it"],
        ["", "no mark"],
    ]
    for each in (captions, ["the **one** is 1", "the **other** is 2", "the **one** is 1"]):
        packed = pack_captions(each)
        whole = message(b"{}", packed, b"")
        read = modules.evaluate(
            """async (text) => {
                const { captions } = await readMessage(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
                const run = (text) => captions.texts[text].map((number) => captions.runs[number]);
                return captions.at.map((at) => (Array.isArray(at) ? at.map(run) : [run(at)]));
            }""",
            base64.b64encode(whole).decode(),
        )
        wanted = [
            [caption_at(packed, step, row) for row in range(1 if isinstance(rows, str) else len(rows))]
            for step, rows in enumerate(each)
        ]
        assert [[[tuple(run) for run in text] for text in rows] for rows in read] == wanted
        assert wanted[0][0] == [("", "the "), ("b", "one"), ("", " is 1")]


def test_js_theme_change_recolours_and_keeps_the_rest(modules: Page) -> None:
    changed = modules.evaluate(
        """() => {
            const kept = { a: "#112233", b: ["plain #112233", { "@": 0 }], c: null };
            const arrays = [Float32Array.of(1, 2)];
            const found = resolve(kept, arrays, { "#112233": "#445566" });
            put(found, ["d", "e"], 1);
            put(found, ["d", "e"], null);
            put(found, ["a"], null);
            return [found.b[0], found.b[1] === arrays[0], kept.a, kept.b[0], "a" in found, "e" in found.d];
        }"""
    )
    assert changed == ["plain #445566", True, "#112233", "plain #112233", False, False]


def test_js_base64_equals_python(modules: Page) -> None:
    modules.add_script_tag(content=bundle("moving_file.js"))
    every = [0, 13, 60, 255, *np.random.default_rng(3).integers(0, 256, 5000).tolist()]
    for data in (bytes(every), bytes(every[:-1]), b"<\r\0", b""):
        text = modules.evaluate("bytes => toBase64(Uint8Array.from(bytes))", list(data))
        assert text == base64.b64encode(data).decode()


def test_js_archive_is_read_by_python(modules: Page) -> None:
    modules.add_script_tag(content=bundle("zip.js"))
    files = {"a.npy": b"123", "ü β.npy": bytes(range(256)) * 9, "empty": b""}
    packed = modules.evaluate(
        "files => Array.from(zipped(files.map(([name, bytes]) => [name, Uint8Array.from(bytes)])))",
        [[name, list(content)] for name, content in files.items()],
    )
    with zipfile.ZipFile(io.BytesIO(bytes(packed))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == files


def test_js_file_name_is_readable_and_no_path(modules: Page) -> None:
    modules.add_script_tag(content=bundle("files.js"))
    name = "parts => fileName(parts, 'png')"
    assert modules.evaluate(name, ["Maß T 1.00", "../x"]) == "maß-t-1.00-..-x.png"
    assert modules.evaluate(name, [["../..", "a/b\\c"]]) == "a-b-c.png"
    assert modules.evaluate(name, [["", "…"]]) == "figure.png"
    assert modules.evaluate(name, [["Query x = −0.5"]]) == "query-x-−0.5.png"  # 0.5 is another file
    # Of states of one view the words and the mask tell which it is.
    address = "http://a.example/single-head?text=the+cat&mask=causal&t=0.5&lang=en&tab=Code"
    named = modules.evaluate("([address, sliders]) => settingsIn(address, sliders)", [address, ["t"]])
    assert named == ["text the cat", "mask causal"]
    assert modules.evaluate("settingsIn('', [undefined])") == []


@pytest.mark.parametrize("last", [0, 1, 2, 28, 29, 30, 47, 400])
def test_js_film_goes_from_the_first_step_to_the_last(tab: Page, last: int) -> None:
    tab.set_content("<p>modules</p>")
    tab.add_script_tag(content=bundle("video.js"))
    shown = tab.evaluate("last => stepsOf(last)", last)
    assert (shown[0], shown[-1], len(shown)) == (0, last, min(last + 1, 30))
    gaps = {later - before for before, later in pairwise(shown)}
    assert not gaps or (min(gaps) > 0 and max(gaps) - min(gaps) <= 1)


def test_js_table_words_are_no_formulas(modules: Page) -> None:
    modules.add_script_tag(content=bundle("numbers.js"))
    written = modules.evaluate(
        """() => {
            const trace = { type: 'heatmap', name: 'a, "b"', xaxis: 'x', yaxis: 'y',
                            z: [Float32Array.of(0.1, NaN, -2)] };
            const hatch = { ...trace, name: 'a masked', z: [[null, 0, null]], hovertemplate: 'x' };
            const layout = { xaxis: { tickvals: [0, 1, 2], ticktext: ['=1+1', '-', '-5'] },
                             yaxis: { tickvals: [0], ticktext: ['<b>x</b> &lt;'] } };
            const leak = { ...trace, name: 'a leaking', z: [Float32Array.of(0.1, NaN, NaN)] };
            return csvBlob(drawnNumbers({ data: [trace, hatch, leak], layout })).text();
        }"""
    )
    assert list(csv.reader(io.StringIO(written))) == [
        ["panel", "row", "column", "value"],
        ['a, "b"', "x <", "'=1+1", "0.1"],
        ['a, "b"', "x <", "'-", "masked"],
        ['a, "b"', "x <", "-5", "-2"],
    ]


def saved(modules: Page, figure: dict[str, Any]) -> list[list[str]]:
    """The lines of a figure's CSV, without the first."""
    given = json.dumps(plain(figure), default=float).replace('"nan"', "null")
    written = modules.evaluate("figure => csvBlob(drawnNumbers(JSON.parse(figure))).text()", given)
    return list(csv.reader(io.StringIO(written)))[1:]


CURVES = ("true curve", "data", "estimate")
ERRORS = ("training error", "leave-one-out error", "leave-one-out error of some points", "best")
MANY_WORDS = " ".join(f"w{place}" for place in range(40))


@pytest.mark.parametrize(
    ("page", "link", "panels"),
    [
        (
            "single-head",
            {"mask": "causal"},
            ["scores QKᵀ", "scaled, masked", "weights", "V", "output"],
        ),
        ("multi-head", {"view": "heads compared"}, ["mean", "largest", "largest − smallest"]),
        ("positional-encoding", {}, ["without positions", "with positions: sinusoidal", "what changes"]),
        ("single-head", {"text": MANY_WORDS}, ["scores QKᵀ", "scaled", "weights", "V", "output"]),
        ("kernel-regression", {}, ["weights", *CURVES]),
        ("kernel-regression", {"picture": "Choose the bandwidth"}, [*ERRORS, *CURVES]),
        (
            "kernel-regression",
            {"picture": "Four kernels"},
            [*KERNELS, *(f"{kernel} {curve}" for kernel in KERNELS for curve in CURVES)],
        ),
        # What only serves the pointer, corners of boxes, and what other screens have, are no numbers.
        (
            "",
            {},
            ["one row of weights: they sum to 1, rounding aside", "every word’s row: the attention map"],
        ),
        ("single-head", {"stage": "arcs", "mask": "causal"}, ["weights"]),
        ("single-head", {"stage": "diagram"}, []),
    ],
)
def test_js_panels_are_saved_by_their_titles(
    modules: Page, page: str, link: dict[str, str], panels: list[str]
) -> None:
    modules.add_script_tag(content=bundle("numbers.js"))
    lines = saved(modules, PAGES_BY_ADDRESS[page].at(urlencode(link)).figure())
    assert list(dict.fromkeys(line[0] for line in lines)) == panels


def test_js_array_names_are_valid_on_any_system(modules: Page) -> None:
    modules.add_script_tag(content=bundle("numbers.js"))
    trace = {"type": "heatmap", "name": "|k|²/2", "xaxis": "x", "yaxis": "y", "z": [[1.0]]}
    figure = {"data": [trace], "layout": {"xaxis": {}, "yaxis": {}}}
    packed = modules.evaluate(
        "async figure => [...new Uint8Array(await npzBlob(drawnNumbers(figure)).arrayBuffer())]", figure
    )
    assert "k² over 2" in np.load(io.BytesIO(bytes(packed)))


def test_js_rows_are_saved_by_their_names_or_by_their_x(modules: Page) -> None:
    modules.add_script_tag(content=bundle("numbers.js"))
    # Of forty words the axis names every other, and so it does of sixteen where there is no room for all.
    for words in (MANY_WORDS.split(), [f"seventeen{n}" for n in range(16)]):
        *_, (_, _, packed) = fields(open_sound("single-head", text=" ".join(words)))
        figure = figure_at(packed, 0)
        assert len(figure["layout"]["xaxis"]["ticktext"]) < len(words)
        weights = [line for line in saved(modules, figure) if line[0].startswith("weights")]
        assert [(line[1], line[2]) for line in weights] == [*product(words, words)]
    assert figure["layout"]["xaxis"]["labelalias"]["1"] == words[1]  # what hover says there
    # Points by their x, curves as columns; a map's rows by where its queries stand.
    *_, (_, _, packed) = fields(open_sound("kernel-regression", points="4", noise="0"))
    lines = saved(modules, figure_at(packed, 0))
    data = [(float(line[1]), float(line[3])) for line in lines if line[2] == "data"]
    points = sample("sine", 4, 0.0, 4)
    np.testing.assert_allclose(data, np.stack([points.keys, points.values], axis=-1), rtol=1e-6)
    rows = [float(line[1]) for line in lines if line[0] == "weights"][::4]
    np.testing.assert_allclose(rows, QUERY_AT.values)
    across = {"type": "bar", "name": "n", "orientation": "h", "x": [3, 5], "y": [0, 1]}
    titled = {"yaxis": {"tickvals": [0, 1], "ticktext": ["<b>one</b>", "two"]}}
    assert saved(modules, {"data": [across], "layout": titled}) == [
        ["n", "one", "n", "3"],
        ["n", "two", "n", "5"],
    ]
    # Pixels have no names; between two lines of one trace stands nothing.
    *_, (_, _, packed) = fields(open_sound("applications", use="images"))
    lines = saved(modules, figure_at(packed, 0))
    assert [line[1:3] for line in lines[:36]] == [[str(i), str(j)] for i, j in product(range(6), range(6))]
    apart = {"type": "scatter", "name": "n", "mode": "lines", "x": [0, np.nan, 1], "y": [2, np.nan, 3]}
    in_file = saved(modules, {"data": [apart], "layout": {}})
    assert [line[1::2] for line in in_file] == [["0", "2"], ["1", "3"]]


# A figure that could not be drawn is taken away before it was; the next one in its place is drawn.
HEALED = """
() => {
    const parent = document.body;
    const told = [];
    const figure = new LiveFigure(parent);
    figure.setStateValue = (...what) => told.push(what);
    figure.fail(new Error("no library"));
    figure.destroy();
    const next = new LiveFigure(parent);
    next.setStateValue = (...what) => told.push(what);
    next.onDrawn({ step: 0, row: 0 });
    return [told, next.notice.textContent, next.root.dataset.state];
}
"""


def test_js_failed_figure_reports_its_drawing(tab: Page) -> None:
    tab.set_content(markup())
    tab.add_script_tag(content=bundle("live_figure.js"))
    assert tab.evaluate(HEALED) == [[["failed", True], ["failed", False]], "", "drawn"]


CHOOSES = """
(fixed) => {
    const figure = new LiveFigure(document.body);
    figure.meta = { chosen: { query: { index: 0, values: ["0", "1", "2"] } }, cursor: null, fixed };
    const chosen = { axes: ["query", null], part: null };
    const data = { type: "heatmap", name: "weights", meta: { chosen } };
    figure.choose({ data, pointIndex: [2, 1] });
    return figure.chosen;
}
"""


def test_js_file_with_one_fixed_selection_selects_nothing(tab: Page) -> None:
    tab.set_content(markup())
    tab.add_script_tag(content=bundle("live_figure.js"))
    assert tab.evaluate(CHOOSES, False) == {"query": 2}
    assert tab.evaluate(CHOOSES, True) == {}


MOVES = """
([starts, moves]) => {
    const shown = [];
    let at = "", callback;
    window.requestAnimationFrame = (call) => { callback = call; return 1; };
    const pace = new Pace(() => shown.push(at));
    for (const start of starts) {
        performance.now = () => start;
        for (let move = 1; move <= moves; move++) { at = `${start}.${move}`; pace.move(); }
        callback?.(start);
        callback = undefined;
    }
    return shown;
}
"""


# Makes the film of a figure of 61 steps and 61 rows, each drawn as one box, while its sliders go about.
ENLARGE = """
([screens, wanted, tiny]) => {
    const { enlarged, screens: [taken] } = enlarge([screens], () => ({ width: 1000, height: 600 }), wanted);
    return [taken.width, enlarged.scale, leftOut([screens], [taken], tiny)];
}
"""


def screen(width: int, unit: float, digits: tuple[float, ...] = (), *, every: int = 1) -> dict[str, Any]:
    """An arrangement with a bar for its colours, and numbers of these sizes in its maps."""
    settings: dict[str, Any] = {"layout.coloraxis.showscale": True}
    for number, size in enumerate(digits):
        settings |= {f"data[{number}].texttemplate": "%{z}", f"data[{number}].textfont.size": size}
    known = {"width": width, "height": 200, "slide": True, "label": 12, "every": every}
    return known | {"unit": unit, "settings": settings}


@pytest.mark.parametrize(
    ("screens", "cell", "width"),
    [
        # Words at least four fifths as large as wanted; of these the largest product of words and cells.
        ([screen(500, 10), screen(600, 16), screen(800, 30)], 0, 600),
        ([screen(500, 10), screen(600, 11)], 0, 500),
        # Cells are no smaller than they are on the page, labels or not.
        ([screen(500, 10), screen(600, 11.5, every=2)], 0, 500),
        ([screen(500, 10), screen(600, 13, every=2)], 21, 600),
        # Numbers before larger words, unless they are too small to be read.
        ([screen(500, 10), screen(600, 10, (9.0, 9.0))], 0, 600),
        ([screen(500, 10), screen(600, 10, (6.0, 6.0))], 0, 500),
    ],
)
def test_js_enlarged_items_are_selected_by_cells_words_and_numbers(
    modules: Page, screens: list[dict[str, Any]], cell: float, width: int
) -> None:
    wanted = {"scale": 2, "label": 10, "digit": 14, "tiny": 12, "page": {"width": 1900, "height": 600}}
    pages = [screen(1900, cell) | {"slide": False}] if cell else []
    chosen, scale, _ = modules.evaluate(ENLARGE, [[*screens, *pages], wanted, 0])
    assert (chosen, scale) == (width, 1000 / width)


def test_js_film_steps_share_one_scale_and_show_the_largest(modules: Page) -> None:
    # Few maps are largest in one line, many in two; type is as large for both.
    few = [screen(500, 30), screen(400, 12) | {"height": 300}]
    many = [screen(500, 8), screen(400, 20) | {"height": 300}]
    found = modules.evaluate(
        """([lists, wanted]) => {
            const { enlarged, screens } = enlarge(lists, () => ({ width: 1000, height: 600 }), wanted);
            const width = Math.max(...screens.map((each) => each.width));
            const height = Math.max(...screens.map((each) => each.height));
            const drawn = lists.map((list) => pick(list, { width, height, enlarged }));
            return [enlarged.scale, screens.map((each) => each.unit), drawn.map((each) => each.unit)];
        }""",
        [[few, many], {"scale": 2, "label": 10, "digit": 14, "tiny": 12}],
    )
    assert found == [2, [30, 20], [30, 20]]


@pytest.mark.parametrize(
    ("width", "height", "scale"),
    [
        # Twice as large it needs 400 pixels, where 300 are left.
        (500, "scale === 1.5 ? 400 : 300", 1.5),
        # Six times as large its caption leaves it no room at all.
        (100, "scale > 3 ? -50 : 1200", 3),
    ],
)
def test_js_enlarged_figure_fits_with_captions_of_any_lines(
    modules: Page, width: int, height: str, scale: float
) -> None:
    found = modules.evaluate(
        f"""(screen) => {{
            const roomAt = (scale) => ({{ width: 1000, height: {height} }});
            return enlarge([[screen]], roomAt, {{ scale: 1, label: 1, digit: 1, tiny: 1 }}).enlarged.scale;
        }}""",
        screen(width, 10),
    )
    assert found == scale


def test_js_parts_without_room_are_named(modules: Page) -> None:
    def lacks(*screens: dict[str, Any], tiny: float = 0) -> list[str]:
        wanted = {"scale": 2, "label": 10, "digit": 14, "tiny": 12}
        _, _, said = modules.evaluate(ENLARGE, [list(screens), wanted, tiny])
        return list(said)

    numbers = "small cells go without their numbers"
    assert lacks(screen(500, 10), screen(900, 30)) == []
    assert lacks(screen(500, 10, every=2)) == ["one label in 2 is shown"]
    assert lacks(screen(500, 10), screen(900, 30, (12.0,))) == [numbers]
    assert lacks(screen(500, 10, (9.0,)), screen(900, 30, (12.0,))) == []
    assert lacks(screen(500, 10, (9.0,)), screen(900, 30, (12.0, 12.0))) == [numbers]
    assert lacks(screen(500, 10, (9.0,), every=4), tiny=10) == ["one label in 4 is shown", numbers]


FILM = """
async (places) => {
    document.body.innerHTML = '<div id="screen"></div><div><canvas></canvas></div>';
    let at = { step: 0, row: 0 };
    let drawn = 0;
    const real = document.createElement('div');
    real.innerHTML = '<div class="svg-container"><svg><circle/></svg></div>';
    const film = new Film(document.querySelector('#screen'), document.querySelector('canvas'), {
        at: () => at,
        size: () => ({ steps: 61, rows: 61 }),
        ready: () => true,
        stands: ({ step, row }) => (step === 0 && row === 0 ? real : undefined),
        draw: async (node) => {
            drawn += 1;
            node.innerHTML = '<div class="svg-container"><svg><rect/></svg></div>';
        },
        purge: () => {},
    });
    const found = [];
    for (const [step, row] of places) {
        at = { step, row };
        drawn = 0;
        film.make();
        const end = performance.now() + 60_000;
        while (film.waiting) {
            if (performance.now() > end) throw new Error("the film never ends");
            await new Promise(requestAnimationFrame);
        }
        const count = (name) => film.reel.querySelectorAll(name).length;
        found.push([[...film.frames.keys()], count('svg'), count('circle'), drawn]);
    }
    film.destroy();
    return found;
}
"""


@pytest.mark.film
def test_js_film_holds_the_next_frames_of_both_sliders(tab: Page) -> None:
    tab.set_content("<p>film</p>")
    tab.add_script_tag(content=bundle("film.js"))
    places = [(0, 0), (30, 0), (30, 60), (60, 60), (7, 11)]
    before: set[str] = set()
    for (step, row), (kept, held, copied, drawn) in zip(places, tab.evaluate(FILM, places), strict=True):
        wanted = {f"{step}-{other}" for other in range(61)} | {f"{other}-{row}" for other in range(61)}
        assert wanted <= set(kept)
        assert held == len(kept) <= 128
        assert copied == ("0-0" in kept), "what the real figure shows is copied"
        assert drawn == len(wanted - before - {"0-0"}), "what is there already is not drawn again"
        before = set(kept)


@pytest.mark.parametrize(
    ("starts", "shown"),
    [
        # Frames in time: each move at once.
        ([0, 16, 32], ["0.1", "0.2", "16.1", "16.2", "32.1", "32.2"]),
        # The second frame is late: from then on the last move before each.
        ([0, 60, 120, 180], ["0.1", "0.2", "60.1", "60.2", "120.2", "180.2"]),
        # In time again, and after a pause.
        ([0, 60, 76, 92], ["0.1", "0.2", "60.1", "60.2", "76.2", "92.1", "92.2"]),
        ([0, 60, 900, 960], ["0.1", "0.2", "60.1", "60.2", "900.1", "900.2", "960.1", "960.2"]),
    ],
)
def test_js_moves_are_drawn_at_once_unless_frames_are_late(
    tab: Page, starts: list[int], shown: list[str]
) -> None:
    tab.set_content("<p>modules</p>")
    tab.add_script_tag(content=bundle("pace.js"))
    assert tab.evaluate(MOVES, [starts, 2]) == shown
