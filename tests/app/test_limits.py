"""Limits and logs, each driven as an ASGI server drives them."""

import asyncio
import logging
import sys
import time
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from attn_ui.faults import WithoutMessage, WithoutQuery
from attn_ui.limits import MOST_BYTES, Limits

STREAM: dict[str, Any] = {"type": "websocket", "path": "/lab/_stcore/stream", "headers": []}
BACK: dict[str, Any] = {**STREAM, "headers": [(b"sec-websocket-protocol", b"streamlit, x, some-session")]}
PAGE: dict[str, Any] = {
    "type": "http",
    "method": "GET",
    "path": "/single-head",
    "headers": [(b"accept", b"text/html,*/*")],
}


async def _ok(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})


async def _ask(app: Any, scope: dict[str, Any], *messages: Message) -> list[Message]:
    sent: list[Message] = []
    waiting = list(messages)

    async def receive() -> Message:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


def test_past_the_limit_a_visitor_gets_a_sentence_and_one_who_returns_a_place() -> None:
    async def run() -> None:
        leave = asyncio.Event()
        inside = 0

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal inside
            if scope["type"] == "http":
                await _ok(scope, receive, send)
                return
            inside += 1
            await leave.wait()

        limits = Limits(app, sessions=4, changes=10)
        visits = [asyncio.create_task(_ask(limits, STREAM)) for _ in range(4)]
        await asyncio.sleep(0)
        assert inside == 4
        refused = await _ask(limits, STREAM)
        assert (refused[0]["type"], refused[0]["code"]) == ("websocket.close", 1013)
        start, body = await _ask(limits, PAGE)
        assert start["status"] == 503
        assert b"Every place is taken" in body["body"]
        assert (b"retry-after", b"30") in start["headers"]
        # Probes and scripts are answered still, and so is who comes back to a session; once.
        assert (await _ask(limits, {**PAGE, "path": "/_stcore/health"}))[0]["status"] == 200
        visits.append(asyncio.create_task(_ask(limits, BACK)))
        await asyncio.sleep(0)
        assert inside == 5
        assert (await _ask(limits, BACK))[0]["type"] == "websocket.close"
        leave.set()
        await asyncio.gather(*visits)
        assert (await _ask(limits, PAGE))[0]["status"] == 200
        assert limits.connected == 0

    asyncio.run(run())


def test_a_place_is_free_again_after_a_visit_that_broke_off() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("broke off")

    limits = Limits(app, sessions=1, changes=10)
    with pytest.raises(RuntimeError):
        asyncio.run(_ask(limits, STREAM))
    assert limits.connected == 0


def test_who_sends_too_fast_waits_alone() -> None:
    async def run() -> tuple[float, float]:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            for _ in range(scope["expect"]):
                await receive()
            scope["done"].append(time.monotonic() - began)

        limits = Limits(app, sessions=0, changes=100)
        message: Message = {"type": "websocket.receive", "bytes": b"x"}
        began = time.monotonic()
        fast: list[float] = []
        slow: list[float] = []
        await asyncio.gather(
            _ask(limits, {**STREAM, "expect": 260, "done": fast}, *[message] * 260),
            _ask(limits, {**STREAM, "expect": 3, "done": slow}, *[message] * 3),
        )
        return fast[0], slow[0]

    fast, slow = asyncio.run(run())
    assert fast > 0.55  # 200 at once, 60 at a hundred a second
    assert slow < 0.3


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_past_the_limit_is_refused_before_the_app_sees_it(announced: bool) -> None:
    seen: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)
        assert (await receive())["body"] == b"x,y"
        await _ok(scope, receive, send)

    limits = Limits(app, sessions=0, changes=10)
    headers = [(b"content-length", str(50 * 1024**2).encode())] if announced else []
    put: dict[str, Any] = {
        "type": "http",
        "method": "PUT",
        "path": "/_stcore/upload_file/a/b",
        "headers": headers,
    }
    part: Message = {"type": "http.request", "body": b"x" * (MOST_BYTES // 2), "more_body": True}
    assert asyncio.run(_ask(limits, put, part, part, part))[0]["status"] == 413
    assert seen == []
    short: Message = {"type": "http.request", "body": b"x,y", "more_body": False}
    assert asyncio.run(_ask(limits, {**put, "headers": []}, short))[0]["status"] == 200


def test_a_line_of_the_log_names_no_query() -> None:
    record = logging.LogRecord("uvicorn.access", logging.INFO, "", 0, '%s - "%s %s HTTP/%s" %d', None, None)
    record.args = ("127.0.0.1:5", "GET", "/single-head?text=my+secret", "1.1", 200)
    assert WithoutQuery().filter(record)
    assert record.getMessage() == '127.0.0.1:5 - "GET /single-head HTTP/1.1" 200'


def test_a_logged_fault_names_the_place_but_not_what_was_typed() -> None:
    def fail(typed: str) -> None:
        try:
            raise KeyError(typed)
        except KeyError as error:
            raise ValueError(f"no such word: {typed}") from error

    try:
        fail(" ".join(("my", "secret")))
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "Uncaught app execution", (), sys.exc_info())
    assert WithoutMessage().filter(record)
    text = logging.Formatter().format(record)
    assert "my secret" not in text
    assert "builtins.KeyError" in text
    assert "builtins.ValueError" in text
    assert "in fail" in text
