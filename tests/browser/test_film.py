"""The film: pictures that Plotly drew beforehand, pixel by pixel what it draws at rest."""

import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from attn_live.bundle import bundle
from tests.browser.app_page import FRAME, IDLE, MOMENT, AppPage

pytestmark = pytest.mark.film

# Whose first figure has a slider of steps; that of the overview has none.
PAGES = (
    *("single-head", "kernel-regression", "positional-encoding", "multi-head", "learned-heads"),
    *("what-courses-say", "applications", "glossary"),
)
# All of a figure is in sight: a window that changed its size for a screenshot would begin another film.
WINDOW = {"width": 1280, "height": 1500}
SHADE = 8  # of 255: below it an edge is smoothed differently, which no eye sees
MOST_DIFFERENT = 0.002  # of all pixels
MOST_STEPS = 5  # of a page that are compared; of more steps, so many of them, spread evenly
SHOWN = "[...film.shadowRoot.children].find((f) => f.dataset.seen === '')"
READY = "() => document.querySelector('.live-film')?.dataset.film === 'ready'"
# Moves the first slider, notes the film's picture, and waits until the real figure stands there.
MOVE = f"""
async (step) => {{
    const figure = document.querySelector('.live-figure');
    const film = figure.querySelector('.live-film');
    const slider = figure.querySelector('input[data-live=step]');
    const there = () => film.hidden && figure.dataset.step === String(step);
    slider.value = step;
    slider.dispatchEvent(new Event('input', {{ bubbles: true }}));
    window.frame = film.hidden ? null : {SHOWN};
    for (const start = performance.now(); !there() && performance.now() - start < 15000;)
        await new Promise(requestAnimationFrame);
    return [window.frame !== null, there()];
}}
"""
SHOW = """
(seen) => {
    document.querySelector('.live-film').hidden = !seen;
    document.querySelector('.live-plot').toggleAttribute('data-covered', seen);
    window.frame.toggleAttribute('data-seen', seen);
}
"""
# Counts, at every frame, what the uppermost picture of the first figure holds.
WATCH = f"""
() => {{
    const figure = document.querySelector('.live-figure');
    const [film, plot] = ['.live-film', '.live-plot'].map((name) => figure.querySelector(name));
    const watched = window.watched = {{ frames: 0, film: 0, blank: 0, both: 0, none: 0 }};
    const look = () => {{
        const drawn = (film.hidden ? plot : {SHOWN})?.querySelectorAll('image').length ?? 0;
        watched.frames += 1;
        if (!film.hidden) watched.film += 1;
        if (drawn < 2 || !figure.isConnected) watched.blank += 1;
        const painted = plot.querySelector('.main-svg')?.checkVisibility() ?? false;
        if (painted && !film.hidden) watched.both += 1;
        if (!painted && film.hidden) watched.none += 1;
        requestAnimationFrame(look);
    }};
    look();
}}
"""
# Remembers whether any picture was ever begun out of sight.
STUDIOS = """
() => {
    window.studios = 0;
    new MutationObserver(() => { window.studios += document.querySelectorAll('.live-studio').length; })
        .observe(document, { childList: true, subtree: true });
}
"""


def rest_a_while(page: Page) -> None:
    """Wait until the page has nothing left to do, and give a film some time to begin."""
    page.evaluate(IDLE)
    page.evaluate(MOMENT, 300)


def pixels(page: Page) -> np.ndarray:
    """The first figure, as it stands in the window."""
    box = page.locator(".live-stage").first.bounding_box()
    assert box
    left, top, width, height = (round(box[side]) for side in ("x", "y", "width", "height"))
    assert 0 <= top <= top + height <= WINDOW["height"]
    shot = np.asarray(Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB"), int)
    return shot[top : top + height, left : left + width]


def drag(live: AppPage, parts: np.ndarray) -> None:
    """Take hold of the first slider and move over these parts of it; it is not let go."""
    box = live.slider("first").bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    places = [box["x"] + 8 + (box["width"] - 16) * part for part in parts]
    live.page.mouse.move(places[0], middle)
    live.page.mouse.down()
    for place in places:
        live.page.mouse.move(place, middle)
        live.page.evaluate(FRAME)


def without_content_visibility(page: Page) -> None:
    """Serve styles and scripts as to a browser that has never heard of the property."""

    def spoil(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("content-visibility", "content-unheard-of"))

    page.route(re.compile(r"/plotly/(live\.js|page\.css)"), spoil)


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.parametrize("path", PAGES)
def test_film_frame_equals_plotlys_drawing(app: AppPage, path: str) -> None:
    compare_film(app, path)


@pytest.mark.slow
def test_film_frames_stay_hidden_in_an_older_browser(app: AppPage) -> None:
    without_content_visibility(app.page)
    compare_film(app, "single-head")
    seen = """() => {
        const figure = document.querySelector('.live-figure');
        figure.querySelector('.live-plot').toggleAttribute('data-covered', true);
        const frames = [...figure.querySelector('.live-film').shadowRoot.querySelectorAll('div')];
        const under = figure.querySelector('.live-plot .svg-container');
        const styles = [...frames, under].map((node) => getComputedStyle(node));
        return [...new Set(styles.map((style) => style.contentVisibility + ' ' + style.visibility))];
    }"""
    assert app.page.evaluate(seen) == ["visible hidden"]  # by the one property that is left


def compare_film(app: AppPage, path: str) -> None:
    """Hold the film's pictures of up to five steps against the real figure's pixels."""
    page = app.page
    page.set_viewport_size({"width": WINDOW["width"], "height": WINDOW["height"]})
    page.set_default_timeout(90_000)
    app.open(path)
    page.wait_for_function(READY)
    page.locator(".live-stage").first.scroll_into_view_if_needed()
    page.mouse.move(2, 2)
    last = int(page.locator("input[data-live=step]").first.get_attribute("max") or 0)
    steps = np.unique(np.linspace(0, last, min(MOST_STEPS, last + 1)).round().astype(int)).tolist()
    for step in steps:
        assert page.evaluate(MOVE, step) == [True, True], f"step {step} has no picture"
        real = pixels(page)
        page.evaluate(SHOW, True)
        film = pixels(page)
        page.evaluate(SHOW, False)
        assert np.ptp(film) > 100, f"step {step} is blank"
        different = np.abs(real - film).max(axis=-1) > SHADE
        assert different.mean() < MOST_DIFFERENT, f"step {step}: {different.sum()} of {different.size} pixels"


def test_film_plays_during_a_drag_without_a_blank_frame(live: AppPage) -> None:
    live.open()
    live.page.wait_for_function(READY)
    live.page.evaluate(WATCH)
    drag(live, np.abs(np.linspace(-1, 1, 40)))
    live.page.mouse.up()
    live.settle()
    watched = live.page.evaluate("() => window.watched")
    assert watched["frames"] > 40
    assert watched["film"] > 10
    assert (watched["blank"], watched["both"], watched["none"]) == (0, 0, 0)


@pytest.mark.essential
def test_film_hover_after_a_release_shows_the_current_number(live: AppPage) -> None:
    live.open()
    live.page.wait_for_function(READY)
    drag(live, np.linspace(0.5, 1, 8))
    live.page.mouse.up()
    live.settle()
    live.point_at("first", "left", 1, 2)
    # Step 4 has 0.4, and cell 5 adds 0.05.
    expect(live.figure("first").locator(".live-plot .hoverlayer")).to_contain_text("0.45")


@pytest.mark.slow
def test_film_is_kept_when_only_the_window_height_grows(live: AppPage) -> None:
    live.open()
    live.page.wait_for_function(READY)
    drag(live, np.array([0.5, 1.0]))
    first = f"""() => {{
        const film = document.querySelector('.live-film');
        return ({SHOWN})?.querySelector('[id]').id;
    }}"""
    name = live.page.evaluate(first)
    assert name
    live.page.mouse.up()
    live.settle()
    # As a phone's address bar does when it goes.
    live.page.set_viewport_size({"width": 1280, "height": 860})
    live.page.wait_for_function("() => window.innerHeight === 860")
    rest_a_while(live.page)
    drag(live, np.array([0.5, 1.0]))
    assert live.page.evaluate(first) == name
    live.page.mouse.up()


@pytest.mark.slow
def test_film_is_absent_under_reduced_motion(live: AppPage) -> None:
    live.page.emulate_media(reduced_motion="reduce")
    live.page.add_init_script(f"({STUDIOS})()")
    live.open()
    rest_a_while(live.page)
    live.press("first", "ArrowRight")
    rest_a_while(live.page)
    assert live.readout("first") == "3.0"
    assert live.page.evaluate("() => window.studios") == 0
    assert not live.figure("first").locator(".live-film[data-film=ready]").count()


# Tasks that take some time each, one after the other as when a tab comes: how many are left at the callback.
BUSY = """
() => new Promise((done) => {
    let left = 20;
    const work = () => {
        for (const start = performance.now(); performance.now() - start < 40;);
        left -= 1;
        if (left) setTimeout(work);
    };
    whenIdle(() => done(left));
    work();
})
"""


@pytest.mark.slow
def test_film_waits_without_request_idle_callback(tab: Page) -> None:
    tab.add_init_script("delete window.requestIdleCallback")  # as Safari is
    tab.goto("about:blank")
    tab.add_script_tag(content=bundle("idle.js"))
    assert tab.evaluate(BUSY) == 0
