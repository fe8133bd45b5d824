"""The live figure of a notebook in a real browser, with a model as anywidget gives it, and no network."""

import base64

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from attn_figures import live, theme
from attn_figures.frame import Side
from attn_figures.matrix import Matrix
from attn_figures.panels import compose
from attn_live.widget import LiveWidget

NOTEBOOK = "http://notebook.invalid/lab?query=kept"
# What anywidget does: a module from a blob, bytes as DataViews, traits by name.
RENDER = """
async ([esm, css, traits, ground]) => {
    document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
    document.body.style.background = ground;
    const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    const state = { ...traits, message: bytes(traits.message), library: bytes(traits.library) };
    state.fonts = Object.fromEntries(Object.entries(traits.fonts).map(([name, text]) => [name, bytes(text)]));
    const calls = {};
    window.model = {
        state, saved: 0, calls,
        get: (name) => state[name],
        set: (name, value) => { state[name] = value; },
        save_changes: () => { window.model.saved += 1; },
        on: (event, call) => { calls[event] = call; },
        off: (event) => { delete calls[event]; },
    };
    window.define = () => { throw new Error("an AMD loader took the library"); };
    window.define.amd = {};
    const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    const host = document.querySelector("#cell").attachShadow({ mode: "open" });
    host.append(Object.assign(document.createElement("style"), { textContent: css }));
    const el = document.createElement("div");
    host.append(el);
    window.undo = await widget.render({ model: window.model, el });
}
"""


WORDS = ["the", "cat", "sat"]
SAYS = ["At **nothing**.", "At **a quarter**.", "At **a half**."]


@pytest.fixture
def widget() -> LiveWidget:
    """Three steps of one map."""
    maps = [np.array([[1 - p, p, 0.0], [p, 1 - p, 0.0], [0.0, p, 1 - p]]) for p in (0.0, 0.25, 0.5)]
    figures = [
        compose([Matrix("weights", each, "weights", Side.queries(WORDS), Side.keys(WORDS))]) for each in maps
    ]
    return live(figures, ["none", "some", "half"], label="Share", captions=SAYS, name="shares")


def render(tab: Page, widget: LiveWidget, ground: str) -> list[str]:
    """Open a page as a notebook would and draw the widget into a shadow tree; there is no network."""
    errors: list[str] = []
    tab.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.route("**/*", lambda route: route.abort())
    page = "<!doctype html><div id='cell'></div>"
    tab.route(NOTEBOOK, lambda route: route.fulfill(body=page, content_type="text/html"))
    tab.goto(NOTEBOOK)
    traits = {
        "page": widget.page,
        "view": widget.view,
        "message": base64.b64encode(widget.message).decode(),
        "library": base64.b64encode(widget.library).decode(),
        "fonts": {name: base64.b64encode(font).decode() for name, font in widget.fonts.items()},
    }
    tab.evaluate(RENDER, [widget._esm, widget._css, traits, ground])
    expect(tab.locator(".live-figure")).to_have_attribute("data-state", "drawn")
    return errors


def test_notebook_figure_draws_moves_hovers_and_reports_offline(tab: Page, widget: LiveWidget) -> None:
    errors = render(tab, widget, "#FFFFFF")
    expect(tab.locator(".heatmap-label").first).to_have_text("1.00")
    expect(tab.locator(".live-says")).to_have_text("At nothing.")
    tab.get_by_role("slider", name="Share").press("ArrowRight")
    expect(tab.locator("output")).to_have_text("some")
    expect(tab.locator(".live-says")).to_have_text("At a quarter.")
    expect(tab.locator(".live-figure")).to_have_attribute("data-step", "1")
    tab.wait_for_function("() => window.model.state.view.step === 1 && window.model.saved > 0")
    assert tab.url == NOTEBOOK  # the address is the notebook's own
    expect(tab.locator(".live-film")).to_have_attribute("hidden", "")  # the real figure can be pointed at
    cells = tab.locator(".nsewdrag").bounding_box()
    assert cells is not None
    tab.mouse.move(cells["x"] + cells["width"] / 2, cells["y"] + cells["height"] / 6, steps=3)
    expect(tab.locator(".hovertext")).to_contain_text("query the, key cat")
    expect(tab.locator(".hovertext")).to_contain_text("weight 0.250000")
    tab.get_by_role("button", name="Save", exact=True).click()
    panel = tab.locator("dialog.save-panel")
    panel.locator("input[name=format][value=svg]").check()
    expect(panel.and_(tab.locator("[data-made=svg]"))).to_be_visible()
    expect(panel.locator("input[value=html]")).to_have_count(0)  # it takes the app's server
    with tab.expect_download() as download:
        panel.get_by_role("button", name="Save the file").click()
    drawing = download.value.path().read_text()
    assert "Share some" in drawing
    assert "notebook.invalid" not in drawing  # an address of a notebook may hold a key to it
    panel.locator("input[name=format][value=pdf]").check()
    expect(panel.and_(tab.locator("[data-made=pdf]"))).to_be_visible()
    with tab.expect_download() as download:
        panel.get_by_role("button", name="Save the file").click()
    (page,) = PdfReader(download.value.path(), strict=True).pages
    assert "Share some" in page.extract_text()  # in a font of the widget's own
    tab.keyboard.press("Escape")
    tab.evaluate("() => window.undo()")
    assert tab.evaluate("() => Object.keys(window.model.calls)") == []
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ground", "palette"),
    [
        ("#111111", theme.DARK),
        ("oklch(0.2 0 0)", theme.DARK),
        ("oklch(0.98 0 0)", theme.LIGHT),
        ("", theme.LIGHT),
    ],
)
def test_notebook_colours_are_used_and_other_plotly_left_alone(
    tab: Page, widget: LiveWidget, ground: str, palette: theme.Palette
) -> None:
    tab.emulate_media(
        color_scheme="light" if palette is theme.DARK else "dark"
    )  # the page is right, not the system
    tab.add_init_script("window.Plotly = { version: 'another' }")
    errors = render(tab, widget, ground)
    colour = tab.locator(".live-plot").evaluate("(plot) => plot._fullLayout.paper_bgcolor")
    assert colour.upper() == palette.paper
    assert tab.evaluate("() => window.Plotly.version") == "another"
    assert errors == []
