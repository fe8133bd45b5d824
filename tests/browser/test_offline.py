"""The server goes away while somebody looks: the figure is theirs still, and one line says what is not."""

import re

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.browser.app_page import AppPage
from tests.browser.conftest import serving

LINE = ".offline-line"
LOST = "Cannot send rerun backMessage when disconnected from server."
# Whatever lies over the middle of the slider, if it is not the slider.
FREE = """slider => {
    const { x, y, width, height } = slider.getBoundingClientRect();
    return document.elementFromPoint(x + width / 4, y + height / 2) === slider && !slider.closest("[inert]");
}"""


@pytest.mark.essential
def test_figure_works_while_the_server_is_away(browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    with serving("app.py") as address:
        app = AppPage(page, address)
        app.open("single-head")
        expect(page.locator(LINE)).to_be_empty()
    expect(page.locator(LINE)).to_contain_text("Figures still move")  # the server was ended
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    slider = app.slider("walk")
    slider.scroll_into_view_if_needed()
    assert slider.evaluate(FREE)
    before = app.readout("walk")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    expect(app.figure("walk").locator("output").first).not_to_have_text(before)
    step = slider.input_value()
    expect(app.figure("walk")).to_have_attribute("data-step", step)
    # Streamlit tries again, and says again that it failed: the figure stays free.
    for _ in range(2):
        page.wait_for_event("requestfailed")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    slider.press("ArrowRight")
    expect(app.figure("walk")).to_have_attribute("data-step", str(int(step) + 1))
    assert slider.evaluate(FREE)
    context.close()


@pytest.mark.slow
def test_returning_server_receives_the_moves_made_meanwhile(app: AppPage) -> None:
    page = app.page
    sockets: list[WebSocketRoute] = []

    frozen: list[str | bytes] = []
    freezes = False

    def pass_on(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        sockets.append(socket)
        socket.on_message(lambda asked: frozen.append(asked) if freezes else server.send(asked))

    page.route_web_socket("**/_stcore/stream", pass_on)
    app.open("single-head?t=2.00&tab=Code")
    code = page.locator("[data-testid=stCode]:visible").first
    expect(code).to_contain_text("temperature=2)")
    page.route("**/_stcore/health", lambda asked: asked.abort())
    sockets[0].close()
    away = page.locator("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])")
    expect(away).to_be_attached()
    app.slider("walk").press("ArrowRight")
    expect(page).to_have_url(re.compile("t=2.20"))
    page.unroute("**/_stcore/health")
    expect(code).to_contain_text("temperature=2.2)")
    assert "t=2.20" in page.url
    assert app.readout("walk") == "2.20"
    assert [line for line in app.errors if "rerun" in line] == [LOST]
    app.errors.clear()  # Streamlit's own: what was moved could not be sent
    freezes = True
    app.slider("walk").press("ArrowRight")
    expect(page.locator(LINE)).to_have_text("Waiting for the server: what is shown is from before.")
    assert frozen
