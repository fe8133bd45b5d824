"""What follows live sliders: the part of a page that runs alone when one of them is let go.

A whole page makes some sixty elements; two thirds of its time goes into those that no slider moves. They stay
as they are, as long as nothing that they were made from has changed: settings of Streamlit's own controls
among them, and live sliders, tables and cells that were asked for while they were made.
"""

import contextlib
from collections.abc import Callable, Sequence

import streamlit as st
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # it ships no types
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attn_ui import share, state
from attn_ui.parameters import Parameter
from attn_ui.turns import TURNS


def follow(show: Callable[[], None], settings: Sequence[Parameter]) -> None:
    """Show what follows the live sliders, at once and again whenever a control in it is used.

    Where that changes something that the page was made from before this was called, the whole page runs.

    Args:
        show: draws into the main part of the page; it may call no `st.sidebar`.
        settings: all of the page.
    """
    run = get_script_run_ctx()
    made = run.shared.widget_user_keys_this_run.snapshot() if run else frozenset()
    before = {each.name: st.session_state[each.name] for each in settings if each.name in made}
    seen = state.seen()

    @st.fragment
    def part() -> None:
        if not _alone():
            show()
            return
        with TURNS:
            state.sync(settings, entered=False)
            stale = any(st.session_state.get(name) != value for name, value in before.items())
            if stale or share.is_open() or not state.goes_on_from(seen):
                st.rerun()
            show()

    part()


def _alone() -> bool:
    """Tell whether this run is of a part of the page."""
    run = get_script_run_ctx()
    return bool(run and run.fragment_ids_this_run)


def asks_for_a_run(message: Message) -> BackMsg | None:
    """Return what a browser's message asks for, where that is a run of a page or of a part of it."""
    asked = BackMsg()
    if message["type"] == "websocket.receive" and message.get("bytes"):
        with contextlib.suppress(DecodeError):  # Streamlit says what is wrong with it
            asked.ParseFromString(message["bytes"])
    return asked if asked.WhichOneof("type") == "rerun_script" else None


def _has_run(message: Message) -> bool:
    """Tell whether a server's message says that a run went through to its end."""
    answer = ForwardMsg()
    if message["type"] == "websocket.send" and message.get("bytes"):
        answer.ParseFromString(message["bytes"])
    ended = answer.WhichOneof("type") == "script_finished"
    return ended and answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


class WholeFirst:
    """ASGI middleware: a connection gets runs of the whole page until one of them was answered.

    A browser that finds its server again after a restart does not ask for a run, but goes on with the next
    release; the new session knows no part of any page yet, and would not answer it, nor a second one that
    comes before the first was answered.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, a request for a part as one for the whole until that was answered."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        is_known = False

        async def receive_whole() -> Message:
            message = await receive()
            if not is_known and (asked := asks_for_a_run(message)):
                asked.rerun_script.fragment_id = ""
                return {**message, "bytes": asked.SerializeToString()}
            return message

        async def send_and_read(message: Message) -> None:
            nonlocal is_known
            is_known = is_known or _has_run(message)
            await send(message)

        await self.app(scope, receive_whole, send_and_read)
