"""The app as a browser test drives it: every locator and every wait in one place."""

from typing import Any

from playwright.sync_api import ConsoleMessage, Locator, Page, Response

READY = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"

TIMEOUT = 60_000  # milliseconds for whatever is waited for: a busy machine is slow


def wait_for_rest(page: Page) -> None:
    """Wait until what a hand last did was reported, and the script has run."""
    # A report to the server is sent a moment after the last key, and takes a moment to be heard.
    page.wait_for_function("() => !document.querySelector('.live-figure[data-unsent]')")
    page.wait_for_timeout(200)
    page.wait_for_selector(READY)


class AppPage:
    """One browser page on the app."""

    def __init__(self, page: Page, server: str) -> None:
        self.page = page
        self.server = server
        self.errors: list[str] = []
        self.sent: list[int] = []  # bytes of each message to the server
        self.received: list[int] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        page.on("response", self._on_response)
        page.on("websocket", self._on_websocket)
        page.set_default_timeout(TIMEOUT)

    def _on_console(self, message: ConsoleMessage) -> None:
        # A failed load is judged by its response, which names the address.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.errors.append(message.text)

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def _on_websocket(self, socket: Any) -> None:
        socket.on("framesent", lambda frame: self.sent.append(len(frame)))
        socket.on("framereceived", lambda frame: self.received.append(len(frame)))

    def open(self, path: str = "") -> None:
        """Open a page by its address and wait until it is drawn."""
        self.page.goto(f"{self.server}/{path}")
        # A page that is connected and has not been told of its first run looks as if it had run.
        self.page.wait_for_selector("[data-testid=stElementContainer]", state="attached")
        self.settle()

    def settle(self) -> None:
        """Wait until the script has run and every live figure in sight is drawn."""
        wait_for_rest(self.page)
        self.page.wait_for_function(
            """() => !document.querySelector('[data-testid*=Skeleton]')
                && [...document.querySelectorAll('[data-testid=stBidiComponent]')]
                    .every(c => c.querySelector('.live-figure, .live-said'))
                && [...document.querySelectorAll('.live-figure')]
                    .every(f => f.offsetParent === null
                        || (f.dataset.state && f.querySelector('.live-film').hidden))"""
        )

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
        """Click one cell of a heatmap."""
        x, y = self.cell_centre(key, name, row, column)
        self.page.mouse.move(x - 3, y - 3)
        self.page.mouse.move(x, y)
        self.page.wait_for_timeout(120)  # Plotly looks at the pointer a few times a second
        self.page.mouse.click(x, y)
        self.settle()

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

    def tab(self, name: str) -> None:
        """Open a tab under the figure."""
        self.page.get_by_role("tab", name=name, exact=True).click()
        self.settle()

    def segment(self, option: str) -> None:
        """Choose one of a few options that stand side by side."""
        self.page.get_by_test_id("stButtonGroup").get_by_text(option, exact=True).click()
        self.settle()

    @property
    def query(self) -> str:
        """The part of the address after the question mark."""
        return self.page.url.partition("?")[2]
