"""Fingers on a page: what scrolls, zooms or is a tap is for Chromium's own gestures to say.

The gestures that its driver makes (`Input.synthesizeScrollGesture` and its kin) scroll and zoom nothing
where there is no window; so a test moves the fingers itself, a frame at a time.
"""

import time

from playwright.sync_api import CDPSession, Locator

from tests.browser.app_page import FRAME, AppPage

MOVES = 20  # that a finger makes on its way
Point = tuple[float, float]


class Fingers:
    """One hand on the screen of an app that is touched."""

    def __init__(self, app: AppPage) -> None:
        self.app = app
        self.session: CDPSession = app.page.context.new_cdp_session(app.page)

    def touch(self, kind: str, *points: Point, at: float | None = None) -> None:
        """Say where all fingers are now, or were at a time in seconds since 1970."""
        event = {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        self.session.send("Input.dispatchTouchEvent", event if at is None else {**event, "timestamp": at})

    def tap(self, x: float, y: float, seconds: float = 0.1) -> None:
        """Put a finger down and lift it; how long it lay there is told, not waited for."""
        now = time.time()
        self.touch("touchStart", (x, y), at=now - seconds)
        self.touch("touchEnd", at=now)
        self.app.settle()

    def move(self, x: float, y: float, right: float, down: float) -> None:
        """Put a finger down and lead it elsewhere, frame by frame; it stays there."""
        self.touch("touchStart", (x, y))
        for move in range(1, MOVES + 1):
            self.touch("touchMove", (x + right * move / MOVES, y + down * move / MOVES))
            self.app.page.evaluate(FRAME)

    def lift(self) -> None:
        """Lift what lies on the screen."""
        self.touch("touchEnd")
        self.app.settle()

    def swipe(self, x: float, y: float, right: float, down: float) -> None:
        """Put a finger down, move it and lift it."""
        self.move(x, y, right, down)
        self.lift()

    def tap_with_two(self, x: float, y: float, apart: float) -> None:
        """Put two fingers down, one after the other, and lift them."""
        self.touch("touchStart", (x, y))
        self.touch("touchStart", (x, y), (x + apart, y))
        self.app.page.evaluate(FRAME)
        self.touch("touchEnd", (x, y))
        self.lift()

    def spread(self, x: float, y: float, by: float) -> None:
        """Put two fingers down around a place and move them apart."""
        reach = 40.0
        self.touch("touchStart", (x - reach, y))
        self.touch("touchStart", (x - reach, y), (x + reach, y))
        for move in range(1, MOVES + 1):
            further = reach + by * move / MOVES
            self.touch("touchMove", (x - further, y), (x + further, y))
            self.app.page.evaluate(FRAME)
        self.touch("touchEnd", (x - reach - by, y))
        self.lift()


def at(control: Locator, share: float) -> Point:
    """Where a share of a control's width is, half way down."""
    box = control.bounding_box()
    assert box is not None
    return box["x"] + box["width"] * share, box["y"] + box["height"] / 2
