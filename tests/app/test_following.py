"""A part of a page runs alone only where the page is made and has it; else the whole page runs."""

import asyncio
import random
from typing import Any
from urllib.parse import parse_qs

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import NewSession

from attn_ui.screen.slider_fragment import WholeFirst
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


PART, WHOLE = asking("part"), asking("")
BEGUN, EARLY, DONE = (
    ForwardMsg(new_session=NewSession()),
    ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN),
    ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY),
)
HAS_PART = ForwardMsg(delta=Delta(fragment_id="part"))


def test_runs_are_whole_until_the_first_answer() -> None:
    malformed, stop = b"\xff\xff", BackMsg(stop_script=True).SerializeToString()
    # The second is asked for before the first was answered: the new session does not know its part yet.
    found = passed_on(malformed, stop, PART, PART, BEGUN, HAS_PART, EARLY, PART, BEGUN, HAS_PART, DONE, PART)
    assert found == [malformed, stop, WHOLE, WHOLE, WHOLE, PART]


def test_fragment_runs_alone_once_the_page_is_built() -> None:
    made = (WHOLE, BEGUN, HAS_PART, DONE)
    alone = ForwardMsg(new_session=NewSession())
    alone.metadata.run.fragment_ids.append("part")
    part_done = ForwardMsg(script_finished=ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
    assert passed_on(*made, PART, alone, HAS_PART, PART, part_done, PART) == [WHOLE, PART, PART, PART]
    assert passed_on(*made, WHOLE, PART) == [WHOLE] * 3  # asked for by the browser
    assert passed_on(*made, BEGUN, PART) == [WHOLE] * 2  # by the server itself
    assert passed_on(*made, WHOLE, BEGUN, DONE, PART) == [WHOLE] * 3  # another view, without this part
    assert passed_on(*made, asking("other")) == [WHOLE] * 2


def test_page_counts_as_built_when_its_last_requested_run_ends() -> None:
    def of(run: str, message: ForwardMsg) -> ForwardMsg:
        named = ForwardMsg()
        named.CopyFrom(message)
        named.metadata.run.script_run_id = run
        return named

    first, second = ([of(run, each) for each in (BEGUN, HAS_PART, DONE)] for run in ("1", "2"))
    # The first ends before the server has heard of the second; then while the second runs.
    assert passed_on(WHOLE, *first[:2], WHOLE, first[2], PART) == [WHOLE] * 3
    assert passed_on(WHOLE, *first[:2], WHOLE, *second[:2], first[2], PART) == [WHOLE] * 3
    assert passed_on(WHOLE, *first[:2], WHOLE, *second[:2], first[2], second[2], PART)[-1] == PART


def test_release_while_going_back_stays_a_history_navigation() -> None:
    def at(address: str, **asked: Any) -> bytes:
        """Ask for a run; Streamlit sends the address that it last wrote, of the page that is left."""
        back = BackMsg(rerun_script=ClientState(query_string="h=1", **asked))
        back.rerun_script.context_info.url = f"http://127.0.0.1/kernel-regression?{address}"
        return bytes(back.SerializeToString())

    made, back = (WHOLE, BEGUN, HAS_PART, DONE), at("h=2", is_history_navigation=True)
    let_go = at("h=9", fragment_id="part")
    meanwhile = BackMsg.FromString(passed_on(*made, back, let_go)[-1]).rerun_script
    assert (meanwhile.fragment_id, meanwhile.query_string, meanwhile.is_history_navigation) == (
        "",
        "h=9",
        True,
    )
    assert passed_on(*made, back, BEGUN, HAS_PART, DONE, let_go)[-1] == let_go


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


@pytest.mark.slow
def test_release_after_a_restart_is_applied() -> None:
    with serving(ROOT) as (old, _), serving(ROOT) as (new, _):
        view, told = asyncio.run(_released_to_another_server(old, new))
    assert told["slider"]["index"] == view["step"]
