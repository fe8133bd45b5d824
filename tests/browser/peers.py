"""Firefox and Safari's engine as a test drives them; Playwright drives only builds of its own.

Both are Debian's builds. Firefox is driven by Marionette, Mozilla's own protocol; WebKitGTK by its
WebDriver, in MiniBrowser on a display that nobody sees.
"""

import base64
import contextlib
import gc
import io
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from marionette_driver.marionette import ActionSequence, Marionette
from marionette_driver.marionette import WebElement as FirefoxElement
from PIL import Image, ImageGrab
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.file_detector import UselessFileDetector
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.browser.app_page import READY

SECONDS = 90  # for whatever is waited for: a busy machine is slow
WINDOW = (1280, 1000)
KEYS = {"ArrowRight": "\ue014", "ArrowLeft": "\ue012", "End": "\ue010", "Home": "\ue011"}
KEYS |= {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Space": " "}
# Every figure in sight stands, nothing is on its way, and the film is not over it.
DRAWN = f"""
    const figures = [...document.querySelectorAll('.live-figure')].filter((f) => f.checkVisibility());
    return !!document.querySelector('{READY}') && !document.querySelector('[data-testid*=Skeleton]')
        && figures.length > 0 && !document.querySelector('.live-figure[data-unsent]')
        && figures.every(f => f.dataset.state && f.querySelector('.live-film').hidden);
"""
SIZES = "return [outerWidth, outerHeight, innerWidth, innerHeight]"
SIZES = "return [outerWidth, outerHeight, innerWidth, innerHeight]"
# A spot outside of all that is looked at: once it has changed its colour on the screen, so has the rest.
SPOT = """
    let spot = document.getElementById('spot');
    if (!spot) {
        spot = document.body.appendChild(document.createElement('div'));
        spot.id = 'spot';
        spot.style.cssText = 'position: fixed; right: 0; top: 0; width: 8px; height: 8px; z-index: 2000000';
    }
    spot.style.background = arguments[0];
"""


class Peer:
    """One browser with one window; what is asked of it is asked by scripts, keys and a pointer."""

    name: str

    def run(self, script: str, *arguments: Any) -> Any:
        """Run the body of a function in the page."""
        raise NotImplementedError

    def goto(self, address: str) -> None:
        """Load a page; return when its own files are there."""
        raise NotImplementedError

    def press(self, selector: str, *keys: str) -> None:
        """Give an element the focus and press keys."""
        raise NotImplementedError

    def drag(self, places: Sequence[tuple[float, float]], let_go: bool = True) -> None:
        """Move the pointer to the first place, press, and lead it through the others."""
        raise NotImplementedError

    def hover(self, x: float, y: float) -> None:
        """Move the pointer."""
        raise NotImplementedError

    def tap(self, x: float, y: float) -> None:
        """Move the pointer, press and let go at once, as a trackpad does."""
        raise NotImplementedError

    def upload(self, selector: str, path: Path) -> None:
        """Choose a file."""
        raise NotImplementedError

    def resize(self, width: int, height: int) -> None:
        """Give the window this size."""
        raise NotImplementedError

    def enter(self, selector: str) -> None:
        """Speak to a frame of the page from now on, until the next page."""
        raise NotImplementedError

    def screen(self) -> np.ndarray:
        """Return what the window shows, (height, width, 3)."""
        raise NotImplementedError

    def complaints(self) -> list[str]:
        """Return what the page's scripts complained of since the last call."""
        raise NotImplementedError

    def close(self) -> None:
        """End the browser."""
        raise NotImplementedError

    def until(self, script: str, *arguments: Any, seconds: float = SECONDS) -> Any:
        """Wait until a script's answer counts as true, and return it."""
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Exception):  # between two pages there is none to ask
                if answer := self.run(script, *arguments):
                    return answer
            assert time.monotonic() < deadline, f"{self.name}: not within {seconds} s: {script}"
            self.moment()

    def moment(self) -> None:
        """Give the page two frames."""
        with contextlib.suppress(Exception):
            self.wait_for_frames()

    def wait_for_frames(self) -> None:
        """Return when two frames were made."""
        raise NotImplementedError

    def open(self, address: str) -> None:
        """Load a page of the app and wait until it is drawn."""
        self.goto(address)
        self.settle()

    def settle(self) -> None:
        """Wait until the script has run and every live figure is drawn."""
        self.until(DRAWN)

    def picture(self, box: Sequence[float]) -> np.ndarray:
        """Return the pixels of a box as the window shows them once all is painted."""
        for colour, code in (("rgb(255, 0, 0)", (255, 0, 0)), ("rgb(0, 255, 0)", (0, 255, 0))):
            self.run(SPOT, colour)
            deadline = time.monotonic() + SECONDS
            while tuple((shot := self.screen())[3, -4]) != code:
                assert time.monotonic() < deadline, f"{self.name} has not painted within {SECONDS} s"
        left, top, width, height = (round(side) for side in box)
        return shot[top : top + height, left : left + width].astype(int)


def free_port() -> int:
    """Return a port that nobody has."""
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Firefox(Peer):
    """Debian's Firefox, without a window."""

    name = "Firefox"

    def __init__(self, **preferences: Any) -> None:
        with (
            warnings.catch_warnings()
        ):  # it asks for the port again and again, and closes none of its sockets
            warnings.simplefilter("ignore", ResourceWarning)
            self.browser = Marionette(
                bin=firefox(),
                headless=True,
                port=free_port(),
                startup_timeout=SECONDS,
                gecko_log=tempfile.mkdtemp(),  # what it is given by name it deletes first, /dev/null too
                prefs=preferences,
            )
            gc.collect()
        self.browser.start_session()
        self.browser.timeout.script = SECONDS
        self.browser.timeout.page_load = SECONDS
        self.resize(*WINDOW)
        self.complaints()

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, arguments, sandbox=None)

    def wait_for_frames(self) -> None:
        frames = (
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))"
        )
        self.browser.execute_async_script(frames, sandbox=None)

    def goto(self, address: str) -> None:
        self.browser.switch_to_frame()
        self.browser.navigate(address)

    def element(self, selector: str) -> FirefoxElement:
        """Return an element by its CSS selector."""
        return self.browser.find_element("css selector", selector)

    def press(self, selector: str, *keys: str) -> None:
        self.run("document.querySelector(arguments[0]).focus()", selector)
        sequence = ActionSequence(self.browser, "key", "keyboard")
        for key in keys:
            sequence.key_down(KEYS.get(key, key)).key_up(KEYS.get(key, key))
        sequence.perform()

    def drag(self, places: Sequence[tuple[float, float]], let_go: bool = True) -> None:
        hand = ActionSequence(self.browser, "pointer", "mouse", {"pointerType": "mouse"})
        first, *others = [(round(x), round(y)) for x, y in places]
        hand.pointer_move(*first).pointer_down()
        for place in others:
            hand.pointer_move(*place, duration=16)
        if let_go:
            hand.pointer_up()
        hand.perform()

    def hover(self, x: float, y: float) -> None:
        hand = ActionSequence(self.browser, "pointer", "mouse", {"pointerType": "mouse"})
        hand.pointer_move(round(x) - 3, round(y) - 3).pointer_move(round(x), round(y)).perform()

    def tap(self, x: float, y: float) -> None:
        hand = ActionSequence(self.browser, "pointer", "mouse", {"pointerType": "mouse"})
        hand.pointer_move(round(x) - 1, round(y)).pointer_move(round(x), round(y))
        hand.pointer_down().pointer_up().perform()

    def upload(self, selector: str, path: Path) -> None:
        self.element(selector).send_keys(str(path))

    def enter(self, selector: str) -> None:
        self.browser.switch_to_frame(self.element(selector))

    def resize(self, width: int, height: int) -> None:
        self.browser.set_window_rect(width=width, height=height)
        inner = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self.browser.set_window_rect(width=width + inner[0], height=height + inner[1])

    def screen(self) -> np.ndarray:
        shot = base64.b64decode(self.browser.screenshot(full=False))
        return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))

    def complaints(self) -> list[str]:
        script = """
            const found = Services.console.getMessageArray()
                .filter(m => m instanceof Ci.nsIScriptError && !(m.flags & Ci.nsIScriptError.warningFlag))
                .filter(m => /^(http|file|blob)/.test(m.sourceName)).map(m => m.errorMessage);
            Services.console.reset();
            const storage = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage);
            const said = storage.getEvents().filter((e) => e.level === "error")
                .filter((e) => /^(http|file|blob)/.test(e.filename)).map((e) => String(e.arguments[0]));
            storage.clearEvents();
            return [...found, ...said];
        """
        with self.browser.using_context("chrome"):
            found: list[str] = self.browser.execute_script(script)
        return found

    def close(self) -> None:
        self.browser.quit()
        self.browser.cleanup()


class WebKit(Peer):
    """Debian's WebKitGTK, the engine of Safari and of every browser on an iPad, in its MiniBrowser."""

    name = "WebKit"

    def __init__(self) -> None:
        with contextlib.ExitStack() as started:  # what has started ends with it, or when the next does not
            self.said = started.enter_context(tempfile.TemporaryFile())
            self.display = self._start_display(started)
            quiet = {
                "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
                "LIBGL_ALWAYS_SOFTWARE": "1",
                "NO_AT_BRIDGE": "1",
            }
            options = Options()
            options.binary_location = str(mini_browser())
            options.add_argument("--automation")
            # Where the driver's own words go, too.
            options.add_argument("--enable-write-console-messages-to-stdout=true")
            self.browser = webdriver.WebKitGTK(
                options, Service(log_output=self.said, env={**os.environ, **quiet, "DISPLAY": self.display})
            )
            started.callback(self._quit)
            self.browser.file_detector = UselessFileDetector()  # the file is on the browser's own disk
            self.browser.set_script_timeout(SECONDS)
            self.browser.set_page_load_timeout(SECONDS)
            self.resize(*WINDOW)
            self.told = 0
            self.started = started.pop_all()

    def _start_display(self, started: contextlib.ExitStack) -> str:
        """Start an X server on a number that it finds free, and return that."""
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1400x24"]
        server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
        started.callback(server.wait, timeout=20)
        started.callback(server.terminate)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            return f":{pipe.readline().strip()}"

    def _quit(self) -> None:
        with contextlib.suppress(Exception):
            self.browser.quit()

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def wait_for_frames(self) -> None:
        frames = (
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))"
        )
        self.browser.execute_async_script(frames)

    def goto(self, address: str) -> None:
        self.browser.switch_to.default_content()
        self.browser.get(address)

    def press(self, selector: str, *keys: str) -> None:
        self.run("document.querySelector(arguments[0]).focus()", selector)
        hand = ActionChains(self.browser, duration=0)
        for key in keys:
            hand.send_keys(KEYS.get(key, key))
        hand.perform()

    def _to(self, hand: ActionChains, x: float, y: float) -> None:
        hand.w3c_actions.pointer_action.move_to_location(round(x), round(y))
        hand.w3c_actions.key_action.pause()

    def drag(self, places: Sequence[tuple[float, float]], let_go: bool = True) -> None:
        hand = ActionChains(self.browser, duration=16)
        self._to(hand, *places[0])
        hand.click_and_hold()
        for place in places[1:]:
            self._to(hand, *place)
        if let_go:
            hand.release()
        hand.perform()

    def hover(self, x: float, y: float) -> None:
        hand = ActionChains(self.browser, duration=0)
        self._to(hand, x - 3, y - 3)
        self._to(hand, x, y)
        hand.perform()

    def tap(self, x: float, y: float) -> None:
        hand = ActionChains(self.browser, duration=0)
        self._to(hand, x - 1, y)
        self._to(hand, x, y)
        hand.click().perform()

    def upload(self, selector: str, path: Path) -> None:
        self.browser.find_element(By.CSS_SELECTOR, selector).send_keys(str(path))

    def enter(self, selector: str) -> None:
        self.browser.switch_to.frame(self.browser.find_element(By.CSS_SELECTOR, selector))

    def resize(self, width: int, height: int) -> None:
        # A busy page tells its inner size of a moment before: what is asked for is asked for again.
        asked, deadline = (width, height), time.monotonic() + SECONDS
        while True:
            self.browser.set_window_rect(0, 0, *asked)
            self.moment()
            outer_width, outer_height, *inner = self.run(SIZES)
            if inner == [width, height]:
                return
            assert time.monotonic() < deadline, f"WebKit: {inner} wide and high, not {[width, height]}"
            asked = (width + outer_width - inner[0], height + outer_height - inner[1])

    def screen(self) -> np.ndarray:
        # The driver's own screenshot hangs without compositing.
        width, height, bar = self.run("return [innerWidth, innerHeight, outerHeight - innerHeight]")
        shot = ImageGrab.grab(bbox=(0, bar, width, bar + height), xdisplay=self.display)
        return np.asarray(shot.convert("RGB"))

    def complaints(self) -> list[str]:
        self.said.seek(self.told)
        text = self.said.read().decode(errors="replace")
        self.told += len(text.encode())
        return [line for line in text.splitlines() if re.search(r"CONSOLE\b.*\bERROR\b", line)]

    def close(self) -> None:
        self.started.close()


def firefox() -> str | None:
    """Return where Firefox lies, where it is installed."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


def mini_browser() -> Path | None:
    """Return where WebKitGTK's small browser lies, where it is installed."""
    found = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    return found[-1] if found else None


def missing(name: str) -> str:
    """Say what keeps a browser from being driven here; nothing where it can be."""
    if name == "Firefox":
        return "" if firefox() else "Firefox is not installed (Debian: firefox-esr)"
    there = mini_browser() and shutil.which("WebKitWebDriver") and shutil.which("Xvfb")
    return "" if there else "WebKitGTK's driver is not installed (Debian: webkit2gtk-driver xvfb xauth)"


MAKERS: dict[str, Callable[[], Peer]] = {"Firefox": Firefox, "WebKit": WebKit}
