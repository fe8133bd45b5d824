"""What a connection asks for first is a run of the whole page, whatever the browser asked for."""

import asyncio
import random
from typing import Any
from urllib.parse import parse_qs

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attn_ui.screen.following import WholeFirst
from benchmarks.classroom import ROOT, serving
from benchmarks.student import Student, released


def asking(fragment: str, query: str = "t=2") -> bytes:
    back = BackMsg()
    back.rerun_script.fragment_id = fragment
    back.rerun_script.query_string = query
    return bytes(back.SerializeToString())


def passed_on(*said: bytes | ForwardMsg) -> list[bytes]:
    """Return what the application receives of a browser, where it answers with messages between."""
    found: list[bytes] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        for each in said:
            if isinstance(each, ForwardMsg):
                await send({"type": "websocket.send", "bytes": each.SerializeToString()})
            else:
                found.append((await receive())["bytes"])

    waiting = [each for each in said if isinstance(each, bytes)]
    answers = [each.SerializeToString() for each in said if isinstance(each, ForwardMsg)]

    async def receive() -> Message:
        return {"type": "websocket.receive", "bytes": waiting.pop(0)}

    async def send(message: Message) -> None:
        assert message["bytes"] == answers.pop(0)

    asyncio.run(WholeFirst(app)({"type": "websocket", "path": "/_stcore/stream"}, receive, send))
    assert answers == []
    return found


def test_runs_are_of_the_whole_page_until_one_was_answered_and_nothing_else_is_touched() -> None:
    malformed, stop = b"\xff\xff", BackMsg(stop_script=True).SerializeToString()
    early = ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    done = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
    part, whole = asking("part"), asking("")
    # The second is asked for before the first was answered: the new session does not know its part yet.
    found = passed_on(malformed, stop, part, part, early, part, done, part, malformed)
    assert found == [malformed, stop, whole, whole, whole, part, malformed]


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


@pytest.mark.turns
def test_a_release_after_a_restart_is_taken_over() -> None:
    with serving(ROOT) as (old, _), serving(ROOT) as (new, _):
        view, told = asyncio.run(_released_to_another_server(old, new))
    assert told["slider"]["index"] == view["step"]
