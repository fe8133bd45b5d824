"""The live figure in a browser: it moves without the server, and tells the server where it stands."""

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from attn_ui.screen.live_figure import module_address
from tests.browser.app_page import FRAME, MOMENT, AppPage

pytestmark = pytest.mark.film


@pytest.fixture(autouse=True)
def opened(live: AppPage) -> None:
    live.open()


def left_at(step: int) -> np.ndarray:
    return np.arange(9.0).reshape(3, 3) / 100 + step / 10


def words(live: AppPage) -> str:
    return live.page.get_by_test_id("stMain").inner_text()


def drag(live: AppPage, key: str, fraction: float, *, release: bool = True) -> None:
    box = live.slider(key).bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    live.page.mouse.move(box["x"] + box["width"] / 2, middle)
    live.page.mouse.down()
    for part in np.linspace(0.5, fraction, 8):
        live.page.mouse.move(box["x"] + 8 + (box["width"] - 16) * part, middle)
        live.page.evaluate(FRAME)
    if release:
        live.page.mouse.up()
        live.settle()


@pytest.mark.essential
def test_live_picture_equals_the_python_figure(live: AppPage) -> None:
    np.testing.assert_allclose(live.trace("first", "left"), left_at(2), rtol=1e-6)
    assert live.readout("first") == "2.0"


@pytest.mark.essential
def test_live_drag_moves_the_picture_and_sends_nothing(live: AppPage) -> None:
    sent = len(live.sent)
    drag(live, "first", 1.0, release=False)
    expect(live.figure("first")).to_have_attribute("data-step", "4")
    np.testing.assert_allclose(live.trace("first", "left"), left_at(4), rtol=1e-6)
    assert live.readout("first") == "4.0"
    assert len(live.sent) == sent
    assert "step 2.0" in words(live)
    live.page.mouse.up()
    live.settle()
    assert len(live.sent) == sent + 1
    assert "step 4.0" in words(live)
    assert live.query == "a=4.0"


def test_live_release_does_not_resend_the_steps(live: AppPage) -> None:
    before = len(live.received)
    live.press("first", "ArrowRight")
    # What comes back are references to what the browser has, and the words that changed.
    assert max(live.received[before:]) < 3000


@pytest.mark.essential
def test_live_keys_move_one_step_and_a_burst_is_sent_once(live: AppPage) -> None:
    sent = len(live.sent)
    live.press("first", "ArrowLeft", times=2)
    np.testing.assert_allclose(live.trace("first", "left"), left_at(0), rtol=1e-6)
    assert len(live.sent) == sent + 1
    live.press("first", "End")
    assert live.readout("first") == "4.0"
    live.press("first", "Home")
    assert live.readout("first") == "0.0"


@pytest.mark.essential
def test_live_reload_restores_the_state(live: AppPage) -> None:
    live.press("first", "ArrowRight")
    live.press("first", "ArrowRight", times=2, name="row")
    live.page.reload()
    live.settle()
    assert live.readout("first") == "3.0"
    assert live.readout("first", "row") == "z"
    np.testing.assert_allclose(live.trace("first", "left"), left_at(3), rtol=1e-6)


def test_live_row_slider_moves_its_cursor(live: AppPage) -> None:
    assert live.trace("first", "curve", "y") == [1, 0, 0]
    live.press("first", "ArrowRight", name="row")
    assert live.trace("first", "curve", "y") == [0, 1, 0]
    assert live.trace("first", "curve", "x") == [0, 1, 2]
    assert "row 1.0" in words(live)


@pytest.mark.essential
def test_live_sentence_follows_both_sliders_as_plain_text(live: AppPage) -> None:
    said = live.figure("first").locator(".live-says")
    expect(said).to_have_text("At 2.0 the x is <b>*bold*</b>.")
    assert said.locator("b, i").count() == 0
    sent = len(live.sent)
    drag(live, "first", 1.0, release=False)
    expect(said).to_have_text("At 4.0 the x is <b>*bold*</b>.")
    expect(said).to_have_attribute("aria-live", "off")
    assert len(live.sent) == sent
    live.page.mouse.up()
    live.settle()
    live.press("first", "ArrowRight", name="row")
    expect(said).to_have_text("At 4.0 the y is <b>*bold*</b>.")
    assert said.locator(".query.b").inner_text() == "y"


# What a reader of the screen would say: each change inside a live region, as the region reads then.
READ_OUT = """() => {
    window.readOut = [];
    const implied = "output, [role=status], [role=alert], [role=log]";
    new MutationObserver(changes => {
        const heard = new Set();
        for (const { target } of changes) {
            const element = target.nodeType === 1 ? target : target.parentElement;
            const region = element?.closest(`[aria-live], ${implied}`);
            if (region && region.getAttribute("aria-live") !== "off") heard.add(region);
        }
        for (const region of heard) window.readOut.push(region.textContent);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""


def test_live_sentence_is_announced_once_and_at_rest(live: AppPage) -> None:
    live.page.evaluate(READ_OUT)
    live.press("first", "ArrowLeft", times=2)
    live.page.wait_for_function("() => window.readOut.length > 0")
    live.page.evaluate(MOMENT, 300)
    assert live.page.evaluate("window.readOut") == ["At 0.0 the x is <b>*bold*</b>."]
    play = live.figure("first").get_by_role("button", name="Play")
    live.names_of("first", play.click)
    live.page.wait_for_function("() => window.readOut.length > 1")
    live.settle()
    live.page.evaluate(MOMENT, 300)
    assert live.page.evaluate("window.readOut")[1:] == ["At 4.0 the x is <b>*bold*</b>."]
    drag(live, "first", 0.0)
    live.page.wait_for_function("() => window.readOut.length > 2")
    live.page.evaluate(MOMENT, 300)
    assert live.page.evaluate("window.readOut")[2:] == ["At 0.0 the x is <b>*bold*</b>."]


def test_live_play_sweeps_to_the_end_and_reports(live: AppPage) -> None:
    play = live.figure("first").get_by_role("button", name="Play")
    assert live.names_of("first", play.click) == ["Play", "Pause", "Play"]
    assert live.readout("first") == "4.0"
    live.settle()
    assert "step 4.0" in words(live)


@pytest.mark.slow
def test_live_play_can_be_paused(live: AppPage) -> None:
    live.press("first", "Home")
    # The page's own hand, which no slow machine holds up: it pauses as soon as the first step is shown.
    live.figure("first").locator("button[data-live=play]").evaluate(
        """button => {
            const said = button.closest('.live-figure').querySelector('output');
            const pause = () => { if (said.textContent === '1.0') { seen.disconnect(); button.click(); } };
            const seen = new MutationObserver(pause);
            seen.observe(said, { childList: true, characterData: true, subtree: true });
            button.click();
        }"""
    )
    expect(live.page.get_by_text("step 1.0")).to_be_visible()
    live.page.evaluate(MOMENT, 500)  # three steps more, if it went on
    assert live.readout("first") == "1.0"
    live.settle()
    assert "step 1.0" in words(live)


@pytest.mark.essential
def test_live_click_reports_the_cell(live: AppPage) -> None:
    live.click_cell("first", "right", 2, 1)
    assert "clicked right 2 1" in words(live)
    live.click_cell("first", "left", 0, 2)
    assert "clicked left 0 2" in words(live)


def test_live_hover_of_a_cell_frames_it_in_every_map(live: AppPage) -> None:
    x, _ = live.point_at("first", "left", 1, 2)
    frames = live.figure("first").locator(".live-frame")
    expect(frames).to_have_count(2)
    boxes = sorted(frames.nth(i).evaluate("f => f.getBoundingClientRect().x") for i in range(2))
    other = live.cell_centre("first", "right", 1, 2)[0]
    assert boxes[0] < x < boxes[0] + 80
    assert boxes[1] < other < boxes[1] + 80
    live.page.mouse.move(5, 5)
    expect(frames).to_have_count(0)


@pytest.mark.slow
def test_live_figures_do_not_disturb_each_other(live: AppPage) -> None:
    live.press("second", "ArrowRight", times=2)
    assert live.trace("second", "bars", "y") == [2, 2]
    assert live.readout("first") == "2.0"
    assert "step 2.0 other 2.0" in words(live)


def test_live_slider_can_be_moved_by_the_program(live: AppPage) -> None:
    live.press("first", "ArrowLeft")
    live.page.get_by_role("button", name="Send to 4").click()
    live.settle()
    assert live.readout("first") == "4.0"
    np.testing.assert_allclose(live.trace("first", "left"), left_at(4), rtol=1e-6)
    assert live.query == "a=4.0"


@pytest.mark.slow
def test_live_redraw_by_other_controls_keeps_the_slider(live: AppPage) -> None:
    live.press("first", "ArrowRight")
    live.page.get_by_label("shift").fill("2")
    live.page.keyboard.press("Enter")
    live.settle()
    assert live.readout("first") == "3.0"
    assert live.trace("first", "left")[0][0] == pytest.approx(0.2 + 0.03)


def test_live_theme_change_recolours_without_a_reload(live: AppPage) -> None:
    ground = "f => f.querySelector('.live-plot')._fullLayout.paper_bgcolor"
    live.figure("first").evaluate("f => { f.dataset.witness = 'same' }")
    assert live.figure("first").evaluate(ground) == "#FBFAF6"
    live.page.emulate_media(color_scheme="dark")
    live.page.wait_for_function(
        "() => document.querySelector('.live-plot')._fullLayout.paper_bgcolor === '#16171B'"
    )
    assert live.figure("first").get_attribute("data-witness") == "same"


@pytest.mark.essential
def test_live_node_is_never_replaced_or_blank(live: AppPage) -> None:
    live.figure("first").evaluate(
        """figure => {
            window.watched = { node: figure.querySelector('.live-plot'), blank: 0, seen: 0 };
            const look = () => {
                const images = figure.querySelectorAll('.heatmaplayer image');
                window.watched.seen += 1;
                if (images.length === 0 || !figure.isConnected) window.watched.blank += 1;
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    for i in range(20):
        live.slider("first").press("ArrowRight" if i % 8 < 4 else "ArrowLeft")
        live.page.evaluate(FRAME)
        live.page.evaluate(FRAME)
    live.settle()
    watched = live.page.evaluate("() => ({ ...window.watched, node: window.watched.node.isConnected })")
    assert watched["node"]
    assert watched["seen"] > 20
    assert watched["blank"] == 0


@pytest.mark.essential
def test_live_maps_stack_in_a_narrow_window(live: AppPage) -> None:
    domains = "f => ['yaxis', 'yaxis2'].map(a => f.querySelector('.live-plot')._fullLayout[a].domain[1])"
    wide = live.figure("first").evaluate(domains)
    assert wide[0] == pytest.approx(wide[1])
    live.page.set_viewport_size({"width": 390, "height": 844})
    live.page.wait_for_function(
        "() => document.querySelector('.st-key-first .live-plot')._fullLayout.width <= 390"
    )
    narrow = live.figure("first").evaluate(domains)
    assert narrow[0] > narrow[1] + 0.1
    width = live.figure("first").evaluate("f => f.querySelector('.main-svg').getBoundingClientRect().width")
    assert width <= 390


def test_live_figure_without_plotly_is_a_plain_chart(browser: Browser, live_server: str) -> None:
    tab = browser.new_page()
    blocked = AppPage(tab, live_server)
    tab.route("**/plotly.min.js*", lambda route: route.abort())
    blocked.open()
    expect(blocked.figure("first").get_by_role("status")).to_contain_text("plain chart below")
    expect(tab.get_by_test_id("stPlotlyChart").first).to_be_visible()
    tab.close()


@pytest.mark.parametrize("missing", ["plotly.min.js", "live.js"])
def test_live_figure_recovers_when_plotly_or_its_module_is_late(
    browser: Browser, live_server: str, missing: str
) -> None:
    tab = browser.new_page()
    late = AppPage(tab, live_server)
    tab.route(f"**/plotly/{missing}*", lambda route: route.abort())
    late.open()
    still = tab.get_by_test_id("stPlotlyChart")
    expect(still.first).to_be_visible()
    expect(late.figure("first").get_by_role("status")).to_contain_text("plain chart below")
    tab.unroute_all()
    expect(late.figure("first")).to_have_attribute("data-state", "drawn")  # it asks again by itself
    expect(still).to_have_count(0)
    np.testing.assert_allclose(late.trace("first", "left"), left_at(2), rtol=1e-6)
    late.press("first", "ArrowRight")
    assert late.readout("first") == "3.0"
    tab.close()


def test_live_figures_share_one_module_fetched_once(browser: Browser, live_server: str) -> None:
    tab = browser.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    both = AppPage(tab, live_server)
    both.open()
    expect(both.figure("second")).to_have_attribute("data-state", "drawn")
    assert [url for url in asked if "/live.js" in url] == [f"{live_server}/{module_address()[2:]}"]
    tab.close()


def test_live_message_during_a_touch_replaces_nothing(live: AppPage) -> None:
    drag(live, "first", 0.25, release=False)
    live.slider("first").evaluate("slider => { window.held = slider; }")
    # The program sends the slider elsewhere while it is held.
    live.page.get_by_role("button", name="Send to 4").evaluate("button => button.click()")
    expect(live.page.get_by_text("step 4.0")).to_be_visible()
    assert live.slider("first").evaluate("slider => slider === window.held && slider.value") == "1"
    assert live.readout("first") == "1.0"
    live.page.mouse.up()
    expect(live.page.get_by_text("step 1.0")).to_be_visible()
    live.settle()
    np.testing.assert_allclose(live.trace("first", "left"), left_at(1), rtol=1e-6)
    assert live.slider("first").evaluate("slider => slider === window.held")


def test_live_sliders_have_names_and_announce_their_value(live: AppPage) -> None:
    slider = live.page.get_by_role("slider", name="Step")
    expect(slider).to_have_attribute("aria-valuetext", "2.0")
    expect(live.page.get_by_role("img", name="left 3 × 3; right 3 × 3")).to_be_visible()
