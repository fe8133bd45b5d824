"""Limits and logs, each driven as an ASGI server drives them."""

import asyncio
import logging
import sys
import time
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from attn_ui.host.faults import WithoutMessage, WithoutQuery
from attn_ui.host.limits import Bucket, Limits

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


class Line:
    """A browser's end of a websocket: says what is put in, and keeps what it is told."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[Message] = asyncio.Queue()
        self.sent: list[Message] = []

    def put(self, content: bytes) -> None:
        self.messages.put_nowait({"type": "websocket.receive", "bytes": content})

    async def receive(self) -> Message:
        return await self.messages.get()

    async def send(self, message: Message) -> None:
        self.sent.append(message)


def test_visitor_past_the_limit_gets_a_sentence() -> None:
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


def test_place_is_free_after_an_aborted_visit() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("broke off")

    limits = Limits(app, sessions=1, changes=10)
    with pytest.raises(RuntimeError):
        asyncio.run(_ask(limits, STREAM))
    assert limits.connected == 0


def test_fast_sender_waits_alone() -> None:
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


def test_visitor_without_a_page_leaves_and_an_active_one_stays() -> None:
    async def run() -> None:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            while (await receive())["type"] != "websocket.disconnect":
                pass

        limits = Limits(app, sessions=0, changes=10, ask_within=0.05)
        asked, silent, chatting = Line(), Line(), Line()
        controls = BackMsg()
        controls.rerun_script.query_string = ""
        other = BackMsg()
        other.app_heartbeat = True
        visits = [
            asyncio.create_task(limits(STREAM, each.receive, each.send)) for each in (asked, silent, chatting)
        ]
        asked.put(controls.SerializeToString())
        chatting.put(other.SerializeToString())
        await asyncio.wait(visits[1:], timeout=30)
        gone = {"type": "websocket.close", "code": 1013, "reason": "no page was asked for"}
        assert silent.sent == chatting.sent == [gone]
        assert asked.sent == []
        assert not visits[0].done()
        assert limits.connected == 1
        asked.messages.put_nowait({"type": "websocket.disconnect"})
        await visits[0]
        assert limits.connected == 0

    asyncio.run(run())


def test_idle_returning_visitor_stays_until_the_place_is_needed() -> None:
    async def run() -> None:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                await _ok(scope, receive, send)
                return
            while (await receive())["type"] != "websocket.disconnect":
                pass

        limits = Limits(app, sessions=1, changes=10, ask_within=60)
        idle, new = Line(), Line()
        first = asyncio.create_task(limits(BACK, idle.receive, idle.send))
        await asyncio.sleep(0)
        assert limits.connected == 1
        assert (await _ask(limits, PAGE))[0]["status"] == 200  # there is a place for who comes
        second = asyncio.create_task(limits(STREAM, new.receive, new.send))
        await asyncio.wait([first], timeout=30)
        assert idle.sent[0]["type"] == "websocket.close"
        assert limits.connected == 1
        assert not second.done()
        new.messages.put_nowait({"type": "websocket.disconnect"})
        await second
        assert limits.connected == 0

    asyncio.run(run())


def test_log_line_has_no_query() -> None:
    record = logging.LogRecord("uvicorn.access", logging.INFO, "", 0, '%s - "%s %s HTTP/%s" %d', None, None)
    record.args = ("127.0.0.1:5", "GET", "/single-head?text=my+secret", "1.1", 200)
    assert WithoutQuery().filter(record)
    assert record.getMessage() == '127.0.0.1:5 - "GET /single-head HTTP/1.1" 200'


def test_logged_fault_has_its_place_and_not_the_typed_text() -> None:
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


def test_silent_visitor_gets_no_larger_burst_than_an_active_one() -> None:
    bucket = Bucket(rate=10, most=20)
    bucket.updated_at = 0.0
    waits = [bucket.wait(1000.0) for _ in range(22)]
    assert waits[:20] == [0.0] * 20
    assert waits[20:] == pytest.approx([0.1, 0.2])
