"""Limits on visitors at once and on each one's messages a second, so that none slows all others."""

import asyncio
import time

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attn_ui.host.language import language_of
from attn_ui.streamlit_inside.messages import requests_run
from attn_ui.streamlit_inside.routes import has_session, is_stream
from attn_words import _, paragraph, speaking

ASK_WITHIN = 15.0  # seconds in which a new visitor's browser must request a page
TRY_AGAIN = 30  # seconds
_FULL = """<!doctype html>
<html lang="{lang}"><meta charset="utf-8"><meta http-equiv="refresh" content="{seconds}">
<meta name="viewport" content="width=device-width"><title>{title}</title>
<body style="font: 1.1rem/1.5 Georgia, serif; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">
<h1 style="font-size: 1.5rem">{taken}</h1>
<p>{again}</p>"""


class Bucket:
    """A token bucket: `most` tokens at once, then `rate` a second."""

    def __init__(self, rate: float, most: float) -> None:
        """Start full."""
        self.rate = rate
        self.most = most
        self.tokens = most
        self.updated_at = time.monotonic()

    def wait(self, now: float) -> float:
        """Take one token; return how many seconds to wait before using it."""
        self.tokens = min(self.most, self.tokens + (now - self.updated_at) * self.rate) - 1
        self.updated_at = now
        return max(0.0, -self.tokens / self.rate)


class Limits:
    """ASGI middleware: a visitor beyond the limit gets a message; one who sends too fast waits."""

    def __init__(self, app: ASGIApp, sessions: int, changes: float, ask_within: float = ASK_WITHIN) -> None:
        """Wrap the application.

        Args:
            app: the application that answers.
            sessions: how many visitors are served at once; 0 is no limit.
            changes: how many messages a second one visitor is served, after twice as many at once.
            ask_within: seconds in which a new visitor must request a page, or else is disconnected.
        """
        self.app = app
        self.sessions = sessions
        self.changes = changes
        self.ask_within = ask_within
        self.connected = 0
        self.silent: dict[asyncio.Event, None] = {}  # of returned visitors with no request; set, it ends one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on requests within the limits."""
        if is_stream(scope):
            await self._visit(scope, receive, send)
        elif scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self._full(len(self.silent)) and _asks_for_a_page(scope):
            answer = HTMLResponse(
                _full(language_of(scope)), 503, {"Retry-After": str(TRY_AGAIN), "Cache-Control": "no-store"}
            )
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _full(self, may_go: int = 0) -> bool:
        return bool(self.sessions) and self.connected - may_go >= self.sessions

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A visitor who returns to a kept session (a third subprotocol names it) is let in, up to a quarter
        # above the limit: forged names do not lift it.
        back = has_session(scope)
        while not back and self._full() and self.silent:
            gone = next(iter(self.silent))
            del self.silent[gone]
            gone.set()
            self.connected -= 1
        if self._full() and not (back and self.connected < 1.25 * self.sessions):
            await send({"type": "websocket.close", "code": 1013, "reason": "every place is taken"})
            return
        bucket = Bucket(self.changes, 2 * self.changes)
        came, has_asked, go = time.monotonic(), False, asyncio.Event()

        async def receive_in_turn() -> Message:
            nonlocal has_asked
            if has_asked:
                message = await receive()
            else:
                # A returned browser need not request anything: it goes when its place is needed.
                patience = None if back else self.ask_within - (time.monotonic() - came)
                message = await _first_of(receive, go, patience)
                if message["type"] == "websocket.disconnect" and "late" in message:
                    await send({"type": "websocket.close", "code": 1013, "reason": "no page was asked for"})
                elif requests_run(message):
                    has_asked = True
                    self.silent.pop(go, None)
            if message["type"] == "websocket.receive" and (wait := bucket.wait(time.monotonic())):
                await asyncio.sleep(wait)
            return message

        self.connected += 1
        if back:
            self.silent[go] = None
        try:
            await self.app(scope, receive_in_turn, send)
        finally:
            self.silent.pop(go, None)
            if not go.is_set():
                self.connected -= 1


async def _first_of(receive: Receive, go: asyncio.Event, patience: float | None) -> Message:
    """Return the next message; a disconnect message if none comes in time, or if the visitor must go."""
    coming, leaving = asyncio.ensure_future(receive()), asyncio.ensure_future(go.wait())
    try:
        timeout = None if patience is None else max(0.0, patience)
        await asyncio.wait({coming, leaving}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        return (
            coming.result() if coming.done() else {"type": "websocket.disconnect", "code": 1013, "late": True}
        )
    finally:
        coming.cancel()
        leaving.cancel()


def _full(language: str) -> str:
    """Return the HTML for a visitor beyond the limit."""
    with speaking(language):
        return _FULL.format(
            lang=language,
            seconds=TRY_AGAIN,
            title=_("Attention lab"),
            taken=_("Every place is taken"),
            again=paragraph(
                _("As many people use this server as it can serve well."),
                _(
                    "This page tries again every {seconds} seconds; your link stays as it is, with all its "
                    "settings.",
                    seconds=TRY_AGAIN,
                ),
            ),
        )


def _asks_for_a_page(scope: Scope) -> bool:
    return "text/html" in Headers(scope=scope).get("accept", "") and "/_stcore/" not in scope["path"]
