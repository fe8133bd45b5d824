"""Limits that keep one visitor, or one too many, from slowing everybody: sessions, messages, uploads."""

import asyncio
import time

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STREAM = "/_stcore/stream"
MOST_BYTES = 9 * 1024 * 1024  # of a request's body: an upload's 8 MB with what travels around it
TRY_AGAIN = 30  # seconds
_FULL = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="{TRY_AGAIN}">
<meta name="viewport" content="width=device-width"><title>Attention lab</title>
<body style="font: 1.1rem/1.5 Georgia, serif; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">
<h1 style="font-size: 1.5rem">Every place is taken</h1>
<p>As many people use this server as it can serve well. This page tries again every {TRY_AGAIN} seconds; your
link stays as it is, with all its settings.</p>"""


class Bucket:
    """A token bucket: so many at once, then so many a second."""

    def __init__(self, rate: float, most: float) -> None:
        """Start full."""
        self.rate = rate
        self.most = most
        self.left = most
        self.seen = time.monotonic()

    def wait(self, now: float) -> float:
        """Take one token; return how many seconds to wait before using it."""
        self.left = min(self.most, self.left + (now - self.seen) * self.rate) - 1
        self.seen = now
        return max(0.0, -self.left / self.rate)


class Limits:
    """ASGI middleware: a visitor past the limit gets a sentence, one who sends too fast waits alone."""

    def __init__(self, app: ASGIApp, sessions: int, changes: float) -> None:
        """Wrap the application.

        Args:
            app: what answers.
            sessions: how many visitors are served at once; 0 is no limit.
            changes: how many messages a second one visitor is served, after twice as many at once.
        """
        self.app = app
        self.sessions = sessions
        self.changes = changes
        self.connected = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let pass what is within the limits."""
        if scope["type"] == "websocket" and scope["path"].endswith(STREAM):
            await self._visit(scope, receive, send)
        elif scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self._full() and _asks_for_a_page(scope):
            answer = HTMLResponse(_FULL, 503, {"Retry-After": str(TRY_AGAIN), "Cache-Control": "no-store"})
            await answer(scope, receive, send)
        elif scope["method"] in ("POST", "PUT", "PATCH"):
            await self._upload(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _full(self) -> bool:
        return bool(self.sessions) and self.connected >= self.sessions

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Who comes back to a session that is kept (a third subprotocol names it) has a place; a quarter more
        # than the limit, so that forged names do not lift it.
        back = len(Headers(scope=scope).get("sec-websocket-protocol", "").split(",")) > 2
        if self._full() and not (back and self.connected < 1.25 * self.sessions):
            await send({"type": "websocket.close", "code": 1013, "reason": "every place is taken"})
            return
        bucket = Bucket(self.changes, 2 * self.changes)

        async def receive_in_turn() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and (wait := bucket.wait(time.monotonic())):
                await asyncio.sleep(wait)
            return message

        self.connected += 1
        try:
            await self.app(scope, receive_in_turn, send)
        finally:
            self.connected -= 1

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a body up to the limit before the application sees any of it."""
        announced = Headers(scope=scope).get("content-length", "0")
        taken: list[Message] = []
        size = int(announced) if announced.isdecimal() else 0
        more = size <= MOST_BYTES
        size = 0 if more else size
        while more:
            message = await receive()
            taken.append(message)
            size += len(message.get("body", b""))
            more = (
                message["type"] == "http.request" and message.get("more_body", False) and size <= MOST_BYTES
            )
        if size > MOST_BYTES:
            limit = f"At most {MOST_BYTES // 1024**2} MB can be sent at once."
            await PlainTextResponse(limit, 413, {"Connection": "close"})(scope, receive, send)
            return

        async def receive_again() -> Message:
            return taken.pop(0) if taken else await receive()

        await self.app(scope, receive_again, send)


def _asks_for_a_page(scope: Scope) -> bool:
    return "text/html" in Headers(scope=scope).get("accept", "") and "/_stcore/" not in scope["path"]
