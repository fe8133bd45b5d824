"""What a connection asks for first is a run of the whole page, whatever the browser asked for."""

import asyncio
import random
from typing import Any
from urllib.parse import parse_qs

from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from attn_ui.following import WholeFirst
from benchmarks.classroom import ROOT, serving
from benchmarks.student import Student, released


def asking(fragment: str, query: str = "t=2") -> bytes:
    back = BackMsg()
    back.rerun_script.fragment_id = fragment
    back.rerun_script.query_string = query
    return bytes(back.SerializeToString())


def passed_on(*sent: bytes) -> list[bytes]:
    """Return what the application receives of what a browser sends."""
    found: list[bytes] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.extend([(await receive())["bytes"] for _ in sent])

    waiting = list(sent)

    async def receive() -> Message:
        return {"type": "websocket.receive", "bytes": waiting.pop(0)}

    async def send(_: Message) -> None:
        raise AssertionError("nothing is sent")

    asyncio.run(WholeFirst(app)({"type": "websocket", "path": "/_stcore/stream"}, receive, send))
    return found


def test_the_first_run_of_a_connection_is_of_the_whole_page_and_no_other_is_touched() -> None:
    malformed, stop = b"\xff\xff", BackMsg(stop_script=True).SerializeToString()
    found = passed_on(malformed, stop, asking("part"), asking("part"))
    assert found == [malformed, stop, asking(""), asking("part")]


async def _released_to_another_server(old: str, new: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Let a slider go whose server was replaced; return its new place and the place it is told to keep."""
    async with Student(old) as before, Student(new) as after:
        await before.run()
        await before.run("single-head")
        after.page, after.pages, after.widgets = before.page, before.pages, dict(before.widgets)
        seen = before.widgets["walk"]
        assert seen.fragment
        assert seen.live
        view = released(seen.live, random.Random(1))
        assert view["step"] != seen.live["slider"]["index"]
        await after.run("", walk={"view": view})
        assert not after.errors
        told = after.widgets["walk"].live
        assert told is not None
        assert parse_qs(after.address)["t"] == [told["slider"]["values"][view["step"]]]
        return view, told


def test_a_release_after_a_restart_is_taken_over() -> None:
    with serving(ROOT) as (old, _), serving(ROOT) as (new, _):
        view, told = asyncio.run(_released_to_another_server(old, new))
    assert told["slider"]["index"] == view["step"]
