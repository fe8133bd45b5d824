"""The app as a browser test drives it: every locator and every wait in one place."""

import contextlib
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Locator, Page, Response, TimeoutError, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.pages import tabs_of, way_to

READY = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"

TIMEOUT = 60_000  # milliseconds for whatever is waited for: a busy machine is slow


# The page's own clock: what it had to do before is done then, however busy it is.
MOMENT = "milliseconds => new Promise(done => setTimeout(done, milliseconds))"
# The next frame; Chromium was once seen to stop making them, and the test then says so rather than hang.
FRAME = """() => new Promise((done, fail) => {
    requestAnimationFrame(done);
    setTimeout(() => fail(new Error("no frame within 30 s")), 30000);
})"""
# Twice nothing left to do: what came is drawn then, however many tasks that took. Not waited for for ever.
IDLE = """() => new Promise((done) => {
    const soon = (call) => requestIdleCallback(call, { timeout: 5000 });
    soon(() => soon(done));
})"""
SENT_WITHIN = 220  # milliseconds: Streamlit's sliders send 200 after the last key
REPORTED = "() => !document.querySelector('.live-figure[data-unsent]')"
# The pointer is over this cell, and Plotly knows it: only then does a click count.
HOVERED = """
([key, name, row, column]) => document.querySelector(`.st-key-${key} .live-plot`)._hoverdata?.some(
    point => point.fullData.name.startsWith(name) && point.pointNumber[0] === row
        && point.pointNumber[1] === column)
"""
# The click that comes next on a figure, and whether it came.
HEAR = """(plot) => {
    const node = document.querySelector(plot);
    node.heard = false;
    node.once("plotly_click", () => { node.heard = true; });
}"""
HEARD = "(plot) => document.querySelector(plot).heard"
# All that a button was called since, its present name last.
NAMES = """
(button) => {
    const names = [button.ariaLabel];
    new MutationObserver(() => names.push(button.ariaLabel))
        .observe(button, { attributes: true, attributeFilter: ["aria-label"] });
    button.names = names;
}
"""


def wait_for_rest(page: Page) -> None:
    """Wait until what a hand last did was reported, and the script has run."""
    wait_until_sent(page)
    page.wait_for_selector(READY)


def wait_until_sent(page: Page) -> None:
    """Wait until what a hand last did was reported to the server."""
    page.wait_for_function(REPORTED)
    page.evaluate(MOMENT, SENT_WITHIN)


class AppPage:
    """One browser page on the app."""

    def __init__(self, page: Page, server: str) -> None:
        self.page = page
        self.server = server
        self.errors: list[str] = []
        self.sent: list[int] = []  # bytes of each message to the server
        self.received: list[int] = []
        self.n_asked = 0  # runs of the script
        self.answered = True
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        page.on("response", self._on_response)
        page.on("websocket", self._on_websocket)
        page.on("domcontentloaded", self._on_load)
        page.set_default_timeout(TIMEOUT)

    def _on_console(self, message: ConsoleMessage) -> None:
        # A failed load is judged by its response, which names the address.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.errors.append(message.text)

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def _on_load(self, page: Page) -> None:
        if page.url.startswith(self.server):
            self._ask()  # what a page does when it is there

    def _on_websocket(self, socket: Any) -> None:
        if not socket.url.startswith(self.server.replace("http", "ws", 1)):
            self.errors.append(f"connected elsewhere: {socket.url}")  # what a policy cannot forbid
        socket.on("framesent", self._on_sent)
        socket.on("framereceived", self._on_received)

    def _on_sent(self, frame: bytes | str) -> None:
        self.sent.append(len(frame))
        # A file is followed by a run, once it is there.
        if isinstance(frame, bytes) and BackMsg.FromString(frame).WhichOneof("type") in (
            "rerun_script",
            "file_urls_request",
        ):
            self._ask()

    def _ask(self) -> None:
        self.n_asked += 1
        self.answered = False

    def _on_received(self, frame: bytes | str) -> None:
        self.received.append(len(frame))
        if isinstance(frame, bytes):
            message = ForwardMsg.FromString(frame)
            ended = message.WhichOneof("type") == "script_finished"
            # A run that another one cuts short answers nothing.
            if ended and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self.answered = True

    def rest(self) -> None:
        """Wait until all that was pressed is sent, all that was asked is answered, and the page has it."""
        while True:
            wait_until_sent(self.page)
            deadline = time.monotonic() + TIMEOUT / 1000
            while not self.answered:
                assert time.monotonic() < deadline, f"the server has not answered for {TIMEOUT} ms"
                self.page.wait_for_timeout(10)  # messages are heard meanwhile
            asked = self.n_asked
            self.page.evaluate(IDLE)
            self.page.wait_for_selector(READY)
            if self.answered and self.n_asked == asked:
                return

    def open(self, path: str = "") -> None:
        """Open a page by its address and wait until it is drawn."""
        self.page.goto(f"{self.server}/{path}")
        # A page that is connected and has not been told of its first run looks as if it had run.
        self.page.wait_for_selector("[data-testid=stElementContainer]", state="attached")
        self.settle()

    def settle(self) -> None:
        """Wait until the script has run and every live figure in sight is drawn."""
        self.rest()
        self.page.wait_for_function(
            """() => !document.querySelector('[data-testid*=Skeleton]')
                && [...document.querySelectorAll('[data-testid=stBidiComponent]')].every(
                    c => c.querySelector('.live-figure, .live-said, .row-bars, .curve-pad, .word-order'))
                && [...document.querySelectorAll('.live-figure')]
                    .every(f => f.offsetParent === null
                        || (f.dataset.state && f.querySelector('.live-film').hidden))"""
        )

    def unfold(self) -> None:
        """Open what holds the settings that few need, where it has not opened itself."""
        self.settle()
        more = self.page.locator(".st-key-more-settings details:not([open]) summary")
        if more.count():
            more.click()
            self.settle()

    def choose(self, key: str, name: str) -> None:
        """Choose from a list by its key, and wait until the list has faded away from what lies below it."""
        control = self.page.locator(f".st-key-{key}")
        box = control.get_by_role("combobox")
        option = self.page.get_by_role("option", name=name, exact=True)
        several = control.get_by_test_id("stMultiSelect").count()
        box.scroll_into_view_if_needed()  # a list closes when the page scrolls
        self.page.evaluate(IDLE)
        for _ in range(5):  # and when the page changes
            if several:
                box.fill(name)  # a long list shows what is typed
            else:
                box.click()
            with contextlib.suppress(TimeoutError):
                option.click(timeout=TIMEOUT / 10)
                break
        opened = self.page.get_by_role("listbox")
        for _ in range(5):  # a key that comes too soon is not heard
            if several and opened.count():  # its list stays open for the next choice
                box.press("Escape")
            with contextlib.suppress(AssertionError):
                expect(opened).to_have_count(0, timeout=TIMEOUT / 10)
                break
        expect(opened).to_have_count(0)
        self.settle()

    def figure(self, key: str) -> Locator:
        """A live figure by its key."""
        return self.page.locator(f".st-key-{key} .live-figure")

    def slider(self, key: str, name: str = "step") -> Locator:
        """The slider (`step`) or the row slider (`row`) under a live figure."""
        return self.figure(key).locator(f"input[data-live={name}]")

    def readout(self, key: str, name: str = "step") -> str:
        """What a slider's read-out says."""
        return self.figure(key).locator(f".live-row:has(input[data-live={name}]) output").inner_text()

    def press(self, key: str, keys: str, times: int = 1, name: str = "step") -> None:
        """Move a slider with the keyboard and wait for the server."""
        self.slider(key, name).focus()
        for _ in range(times):
            self.page.keyboard.press(keys)
        self.settle()

    def trace(self, key: str, name: str, field: str = "z") -> Any:
        """One field of a drawn trace, as Plotly has it now, as plain lists (NaN is None)."""
        return self.figure(key).evaluate(
            """(figure, [name, field]) => {
                const trace = figure.querySelector('.live-plot').data.find(t => t.name === name);
                const value = field.split('.').reduce((node, part) => node?.[part], trace);
                const plain = v => (Array.isArray(v) || ArrayBuffer.isView(v)) ? Array.from(v, plain)
                    : Number.isNaN(v) ? null : v;
                return plain(value);
            }""",
            [name, field],
        )

    def click_cell(self, key: str, name: str, row: int, column: int) -> None:
        """Click one cell of a heatmap, again where the figure did not hear it, and wait for the server."""
        plot = f".st-key-{key} .live-plot"
        for _ in range(10):
            at = self.point_at(key, name, row, column)
            self.page.evaluate(HEAR, plot)
            self.page.mouse.click(*at)
            try:
                self.page.wait_for_function(HEARD, arg=plot, timeout=TIMEOUT / 10)
            except TimeoutError:
                continue  # the figure was drawn anew between pointing and pressing
            self.settle()
            return
        raise AssertionError(f"{key} never heard a click on row {row}, column {column} of {name}")

    def point_at(self, key: str, name: str, row: int, column: int) -> tuple[float, float]:
        """Move the pointer over one cell of a heatmap, and wait until the figure knows it; return where."""
        for _ in range(10):
            x, y = self.cell_centre(key, name, row, column)
            self.page.mouse.move(x - 3, y - 3)
            self.page.mouse.move(x, y)
            try:
                self.page.wait_for_function(HOVERED, arg=[key, name, row, column], timeout=TIMEOUT / 10)
            except TimeoutError:
                continue  # the figure was drawn anew under the pointer
            return x, y
        raise AssertionError(f"{key} never knew of the pointer over row {row}, column {column} of {name}")

    def select_in_table(self, share: float) -> Locator:
        """Click the first row of the first table at a share of its width; return the cell selected then.

        A table that has just come may still be moved, or take no click yet: then again, as a person would.
        """
        table = self.page.get_by_test_id("stDataFrame").first
        selected = table.locator("[role=gridcell][aria-selected=true]")
        for _ in range(10):
            table.evaluate("table => table.scrollIntoView({ block: 'center' })")
            box = table.bounding_box()
            assert box is not None
            self.page.mouse.click(box["x"] + box["width"] * share, box["y"] + 52)
            try:
                selected.wait_for(state="attached", timeout=TIMEOUT / 10)
            except TimeoutError:
                continue
            return selected
        raise AssertionError("no click selected a cell of the table")

    def cell_centre(self, key: str, name: str, row: int, column: int) -> tuple[float, float]:
        """Where a cell of a heatmap stands in the window."""
        self.figure(key).scroll_into_view_if_needed()
        x, y = self.figure(key).evaluate(
            """(figure, [name, row, column]) => {
                const plot = figure.querySelector('.live-plot');
                const trace = plot._fullData.find(t => t.name === name);
                const box = plot.getBoundingClientRect();
                const x = plot._fullLayout[trace.xaxis.replace('x', 'xaxis')];
                const y = plot._fullLayout[trace.yaxis.replace('y', 'yaxis')];
                return [box.x + x._offset + x.d2p(trace.x?.[column] ?? column),
                        box.y + y._offset + y.d2p(trace.y?.[row] ?? row)];
            }""",
            [name, row, column],
        )
        return x, y

    def names_of(self, key: str, press: Callable[[], None]) -> list[str]:
        """Press what starts a figure's playing, wait until it ends; return all that its button was called."""
        button = self.figure(key).locator("button[data-live=play]")
        button.evaluate(NAMES)
        press()
        self.page.wait_for_function(
            "button => button.names.length > 2 && button.ariaLabel === button.names[0]",
            arg=button.element_handle(),
        )
        names: list[str] = button.evaluate("button => button.names")
        return names

    def tab(self, name: str) -> None:
        """Open a part under the figure, by its tab and the list within."""
        tab, *listed = way_to(name, tabs_of(urlsplit(self.page.url).path.strip("/")))
        self.page.get_by_role("tab", name=tab, exact=True).click()
        self.settle()
        for part in listed:
            self.page.get_by_role("combobox", name=tab).click()
            self.page.get_by_role("option", name=part, exact=True).click()
            self.settle()

    def option(self, name: str) -> Locator:
        """One of a few options that stand side by side."""
        return self.page.get_by_test_id("stButtonGroup").get_by_text(name, exact=True)

    def segment(self, option: str) -> None:
        """Choose one of a few options that stand side by side, and wait for the server."""
        self.option(option).click()
        self.settle()

    @property
    def query(self) -> str:
        """The part of the address after the question mark."""
        return self.page.url.partition("?")[2]
