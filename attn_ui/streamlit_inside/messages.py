"""What a browser and Streamlit say to one another: whether a run is asked for, and whether one has ended."""

import contextlib
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # it ships no types
from starlette.types import Message

from attn_ui.streamlit_inside.part import Part, find, holds

_ASKED = "streamlit.proto.BackMsg_pb2:BackMsg"
_ANSWER = "streamlit.proto.ForwardMsg_pb2:ForwardMsg"


def _ends() -> str:
    known = hasattr(find(_ANSWER), "FINISHED_SUCCESSFULLY")
    return "" if known else f"{_ANSWER} has no FINISHED_SUCCESSFULLY"


PART = Part(
    "reading of messages",
    holds(_ASKED, "rerun_script"),
    holds("streamlit.proto.ClientState_pb2:ClientState", "fragment_id"),
    holds(_ANSWER, "script_finished"),
    _ends,
    uses="the messages between a browser and Streamlit",
    buys="a browser whose server was replaced goes on with its next release, and who connects and asks for "
    "no page loses the place after 15 s",
    without="such a page must be loaded again, and a place is kept by whatever is sent",
)


def asks_for_a_run(message: Message) -> bool:
    """Tell whether a browser's message asks for a run; any may, where they cannot be read."""
    if not PART.on:
        return bool(message["type"] == "websocket.receive")
    return _asked(message) is not None


def as_whole(message: Message) -> Message:
    """Return a browser's message; where it asks for a part of a page, as one that asks for the whole."""
    if not PART.on or (asked := _asked(message)) is None:
        return message
    asked.rerun_script.fragment_id = ""
    return {**message, "bytes": asked.SerializeToString()}


def has_run(message: Message) -> bool:
    """Tell whether a server's message says that a run went through to its end."""
    if not PART.on:
        return bool(message["type"] == "websocket.send")
    kind = find(_ANSWER)
    answer = kind()
    if message["type"] == "websocket.send" and message.get("bytes"):
        answer.ParseFromString(message["bytes"])
    ended = answer.WhichOneof("type") == "script_finished"
    return bool(ended and answer.script_finished == kind.FINISHED_SUCCESSFULLY)


def _asked(message: Message) -> Any | None:
    """Return what a browser's message asks for, where that is a run of a page or of a part of it."""
    asked = find(_ASKED)()
    if message["type"] == "websocket.receive" and message.get("bytes"):
        with contextlib.suppress(DecodeError):  # Streamlit says what is wrong with it
            asked.ParseFromString(message["bytes"])
    return asked if asked.WhichOneof("type") == "rerun_script" else None
