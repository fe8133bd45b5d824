"""The picture before the app: where the live figure is to stand, like it, and gone when that is drawn."""

import html
import io
import itertools
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Browser, BrowserContext, FloatRect, Page, Playwright, Route, expect

from attn_figures import theme
from attn_ui.base.navigation import PAGES
from attn_ui.base.page import page_at
from attn_words import _, speaking
from tests.browser.app_page import TIMEOUT
from tests.browser.conftest import CHROMIUM
from tests.browser.test_link_preview import HOSTILE, ask

WINDOWS = ((1280, 800), (390, 844), (1920, 1080))
SHOWN = "() => document.querySelector('.early-picture svg')"
DRAWN = ".live-figure[data-state=drawn]"
EARLY = {"figure": ".early-picture", "title": ".early-room h1", "sentence": ".early-room p"}
LIVE = {
    "figure": ".live-stage .main-svg",
    "title": ".st-key-page-head h1",
    "sentence": ".st-key-page-about p",
}
BOXES = """(parts) => Object.fromEntries(Object.entries(parts).map(([name, selector]) => {
    const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
    return [name, [x, y, width, height]];
}))"""
# What moved, and when; and when the early picture went.
WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
    for (const { value, startTime, sources } of list.getEntries())
        window.shifts.push([startTime, value, sources.map(({ node }) => node?.className ?? "")]);
}).observe({ type: 'layout-shift', buffered: true });
new MutationObserver(() => {
    if (document.querySelector('.early-room')) window.stood = true;
    else if (window.stood) window.wentAt ??= performance.now();
}).observe(document, { childList: true, subtree: true });
"""
TEXT_PIXELS = 0.001  # of a picture's: letters lie a fraction of a pixel beside their places
LOUD = 60  # of 255: what an eye sees of a pixel

CASES = [*itertools.product((page.address for page in PAGES), WINDOWS, ("light", "dark"), ("en-US", "zh-CN"))]

Opened = Callable[..., tuple[Page, "Gate"]]


class Gate:
    """Holds a file back until a test lets it through, or fails it."""

    def __init__(self) -> None:
        self.held: list[Route] = []
        self.then = ""

    def hear(self, route: Route) -> None:
        """Hold a request, or answer it where it is decided how."""
        if self.then:
            getattr(route, self.then)()
        else:
            self.held.append(route)

    def open(self, then: str = "continue_") -> None:
        """Decide how all are answered."""
        self.then = then
        for route in self.held:
            getattr(route, then)()


@pytest.fixture
def opened(browser: Browser, server: str) -> Iterator[Opened]:
    """Opens a page as a first visitor does; plotly.js waits until the test lets it through."""
    contexts: list[BrowserContext] = []

    def open_page(path: str, width: int = 1280, height: int = 800, **options: Any) -> tuple[Page, Gate]:
        context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **options
        )
        context.set_default_timeout(TIMEOUT)
        context.add_init_script(WATCH)
        context.add_init_script("localStorage.setItem('live-figure-moved', 'true')")
        contexts.append(context)
        page = context.new_page()
        gate = Gate()
        page.route("**/plotly.min.js*", gate.hear)
        page.goto(f"{server}/{path}", wait_until="commit")
        return page, gate

    yield open_page
    for context in contexts:
        context.close()


def wait_until_gone(page: Page) -> None:
    """Wait until the app stands there alone."""
    page.wait_for_function("() => !document.querySelector('[data-early]')")


def pixels(page: Page, box: list[float]) -> Image.Image:
    x, y, width, height = box
    seen = min(height, page.viewport_size["height"] - y) if page.viewport_size else height
    clip: FloatRect = {"x": round(x), "y": round(y), "width": int(width), "height": int(seen)}
    # Turned letters of a picture and of a figure are apart by a fraction of a pixel: as an eye sees both.
    return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB").filter(ImageFilter.BoxBlur(1))


@pytest.mark.essential
@pytest.mark.sample(5)
@pytest.mark.parametrize(("path", "window", "scheme", "locale"), CASES[::5])  # each of the twelve, two a page
def test_early_picture_is_where_the_live_figure_will_be(
    opened: Opened, path: str, window: tuple[int, int], scheme: str, locale: str
) -> None:
    page, gate = opened(path, *window, color_scheme=scheme, locale=locale)
    page.wait_for_function(SHOWN)
    places = page.evaluate(BOXES, EARLY)
    page.wait_for_selector(".live-figure[data-sized]")
    page.mouse.move(1, window[1] - 1)
    still = pixels(page, places["figure"])
    title = page.locator(EARLY["title"]).inner_text(), page.locator(EARLY["sentence"]).inner_text()
    gate.open()
    page.wait_for_selector(DRAWN)
    wait_until_gone(page)
    assert page.evaluate(BOXES, LIVE) == {name: pytest.approx(box, abs=2) for name, box in places.items()}, (
        path
    )
    assert title == (page.locator(LIVE["title"]).inner_text(), page.locator(LIVE["sentence"]).inner_text())
    live = pixels(page, places["figure"])
    different = np.asarray(ImageChops.difference(still, live)).max(axis=2) > LOUD
    assert different.mean() < TEXT_PIXELS
    assert np.asarray(live).std() > 5  # there is something to see
    page.wait_for_timeout(300)  # a shift is told of after its frame
    went = page.evaluate("() => window.wentAt")
    shifts = [shift for shift in page.evaluate("() => window.shifts") if abs(shift[0] - went) < 250]
    assert shifts == []


@pytest.mark.essential
def test_early_picture_margin_absorbs_a_scrollbar(playwright: Playwright, server: str) -> None:
    chromium = playwright.chromium.launch(**CHROMIUM, ignore_default_args=["--hide-scrollbars"])
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{server}/single-head", wait_until="commit")
    page.wait_for_function(SHOWN, timeout=TIMEOUT)
    early = page.evaluate(BOXES, EARLY)["figure"]
    page.wait_for_selector(DRAWN, timeout=TIMEOUT)
    live = page.evaluate(BOXES, LIVE)["figure"]
    bar = page.evaluate(
        "document.querySelector('.stMain').offsetWidth - document.querySelector('.stMain').clientWidth"
    )
    chromium.close()
    assert bar > 0
    assert early == pytest.approx(live, abs=2)
    assert live[2:] == pytest.approx([968, 252], abs=2)  # one line of maps, as where bars lie over the page


# Of windows between those that were drawn for.
@pytest.mark.parametrize("window", [(1366, 768), (412, 915)], ids=str)
def test_early_picture_in_an_odd_window_is_the_nearest_at_its_own_size(
    opened: Opened, window: tuple[int, int]
) -> None:
    page, gate = opened("kernel-regression", *window)
    page.wait_for_function(SHOWN)
    places = page.evaluate(BOXES, EARLY)
    scale = page.locator(".early-picture svg").evaluate("(svg) => svg.getScreenCTM().a")
    page.wait_for_selector(".live-figure[data-sized]")
    gate.open()
    page.wait_for_selector(DRAWN)
    wait_until_gone(page)
    assert page.evaluate(BOXES, LIVE) == {name: pytest.approx(box, abs=2) for name, box in places.items()}
    assert scale == pytest.approx(1, abs=0.01)  # as the live figure: type is not shrunk


def test_early_picture_leaves_on_leaving_or_resizing(
    opened: Opened,
) -> None:
    page, _ = opened("kernel-regression")
    page.wait_for_function(SHOWN)
    page.get_by_role("link", name="Multi-head").click()
    wait_until_gone(page)
    page, _ = opened("kernel-regression")
    page.wait_for_function(SHOWN)
    page.set_viewport_size({"width": 500, "height": 800})
    wait_until_gone(page)


def test_early_picture_leaves_where_the_live_figure_fails(opened: Opened) -> None:
    page, gate = opened("kernel-regression")
    page.wait_for_function(SHOWN)
    page.wait_for_selector(".live-figure[data-sized]")
    gate.open("abort")
    page.wait_for_selector(".live-figure[data-state=failed]")
    wait_until_gone(page)


def test_early_picture_follows_a_scrolled_page(opened: Opened) -> None:
    page, _ = opened("kernel-regression", 390, 844)
    page.wait_for_function(SHOWN)
    page.wait_for_selector(".live-figure[data-sized]")
    page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollTo(0, 150)")
    page.wait_for_function("() => document.querySelector('.early-room').scrollTop === 150")
    places = page.evaluate(BOXES, {"early": ".early-picture", "live": ".live-stage"})
    assert places["early"][:2] == pytest.approx(places["live"][:2], abs=2)


# Colours that nobody knows, or another sidebar: what stood there would be another page's.
@pytest.mark.parametrize(
    "kept", [("stActiveTheme-/single-head-v2", '"Mine"'), ("sidebarWidth", "400")], ids=lambda kept: kept[0]
)
def test_early_picture_is_absent_on_another_page(
    browser: Browser, server: str, kept: tuple[str, str]
) -> None:
    context = browser.new_context(reduced_motion="reduce")
    context.add_init_script(f"localStorage.setItem({kept[0]!r}, {kept[1]!r})")
    page = context.new_page()
    page.goto(f"{server}/single-head", wait_until="domcontentloaded")
    assert page.locator("[data-early]").count() == 0
    context.close()


@pytest.mark.sample(5)
@pytest.mark.parametrize("kept", [None, "System", "Light", "Dark"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("link", ["multi-head?heads=2", "multi-head?embed=true&embed_options=dark_theme"])
def test_early_paper_colour_is_there_before_the_theme(
    browser: Browser, server: str, scheme: Literal["light", "dark"], kept: str | None, link: str
) -> None:
    """Before the session tells its theme Streamlit stands on white, or on a dark of its own."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": 640, "height": 480})
    if kept:
        context.add_init_script(f"localStorage.setItem('stActiveTheme-/multi-head-v2', '\"{kept}\"')")
    page = context.new_page()
    page.route_web_socket("**/*", lambda _: None)  # the session tells nothing
    page.goto(f"{server}/{link}")
    page.wait_for_selector(".stApp")
    is_dark = "dark_theme" in link or {"Light": False, "Dark": True}.get(kept or "", scheme == "dark")
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        colours = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    found, counts = np.unique(colours, axis=0, return_counts=True)
    assert (
        f"#{found[counts.argmax()].tobytes().hex()}" == (theme.DARK if is_dark else theme.LIGHT).paper.lower()
    )
    context.close()


def test_early_scheme_is_removed_once_the_figure_is_drawn(opened: Opened) -> None:
    page, gate = opened("multi-head?heads=2", color_scheme="dark")
    gate.open()
    page.wait_for_selector(".live-figure[data-state=drawn]")
    assert page.evaluate("document.documentElement.dataset.scheme") is None


@pytest.mark.parametrize(
    ("target", "is_there"),
    [
        ("/", True),
        ("/?lang=zh", True),
        ("/multi-head?tab=Code", True),
        ("/single-head", True),
        ("/single-head?lang=zh", True),
        ("/?t=0.5", False),
        ("/kernel-regression?lesson=1", False),
        ("/multi-head?projector=true", False),
        ("/multi-head?embed=true", False),
        ("/multi-head?tab=Code&heads=4", False),
        ("/no-such-page", False),
        (f"/?lang={HOSTILE.replace(' ', '%20')}", True),
    ],
)
def test_early_picture_is_absent_for_a_link_that_changes_the_figure(
    server: str, target: str, is_there: bool
) -> None:
    status, _, body = ask(server, target, Accept="text/html")
    text = body.decode()
    assert status == 200
    assert ('class="early-room"' in text) is is_there
    assert HOSTILE not in text
    assert "alert(1)" not in text


def test_early_picture_has_the_words_of_the_requested_language(server: str) -> None:
    for headers, spoken in (({}, "en"), ({"Accept_Language": "zh-CN"}, "zh")):
        body = ask(server, "/", Accept="text/html", **headers)[2]
        with speaking(spoken):
            assert f"<h1>{html.escape(_(page_at('').title))}</h1>" in body.decode()


def test_early_picture_and_title_appear_together(opened: Opened) -> None:
    page, _ = opened("single-head")
    buttons = Gate()
    page.route("**/static/js/Button.*.js", buttons.hear)
    page.wait_for_load_state("domcontentloaded")  # a page that has just begun cannot be loaded again
    page.reload(wait_until="commit")
    find = page.locator(".st-key-page-head .search")
    page.wait_for_selector(".st-key-page-head .st-key-share", state="attached")
    expect(find).to_be_attached()
    expect(find).to_be_hidden()
    buttons.open()
    expect(page.locator(".st-key-page-head .st-key-share button")).to_be_visible()
    expect(find).to_be_visible()
    assert not [names for _, _, names in page.evaluate("window.shifts") if "search" in names]
